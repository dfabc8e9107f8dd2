//! Which key/values does a record become?
//!
//! Records, keys, combiners, table layouts, normalizers and tokenizers. This crate does no I/O, reads no clock, starts no thread and knows
//! no file format.

pub mod cell;
pub mod combine;
pub mod combiners;
pub mod encode;
pub mod iterators;
pub mod java_case;
pub mod java_date;
pub mod java_number;
pub mod java_string;
pub mod key;
pub mod layout;
pub mod layouts;
pub mod normalize;
pub mod record;
pub mod rules;
pub mod template;
pub mod tokenize;
pub mod visibility;
