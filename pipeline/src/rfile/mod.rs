//! RFile, the sorted file of Apache Accumulo: written in one pass, read with every length distrusted.
//!
//! | file | what it knows |
//! |---|---|
//! | `writer` | one pass over the cells, routed to locality groups; what the caller sees |
//! | `block`, `shorten`, `families` | data blocks, where to cut them, which families were in them |
//! | `index` | the multi-level index of a group |
//! | `relative_key`, `varint`, `input` | keys, numbers and strings as bytes |
//! | `container`, `codec`, `sink` | blocks in a BCFile, compressed, counted and hashed |
//! | `digest` | our own meta block that makes every flipped bit visible |
//! | `reader`, `cursor`, `info`, `source` | opening, scanning, the facts of a file |
//!
//! The format is Accumulo's (RFile 8 in BCFile 3 or 1). It has three traps that the types here keep apart: two kinds of
//! variable-length integers ([`varint`]), lengths of values as plain `i32`, and a "gz" that is zlib ([`codec`]).

mod block;
mod codec;
mod container;
mod cursor;
mod digest;
mod error;
mod families;
mod index;
mod info;
mod input;
mod reader;
mod relative_key;
mod shorten;
mod sink;
mod source;
mod varint;
mod writer;

#[cfg(test)]
pub(crate) mod tests;

pub use codec::Codec;
pub use container::Container;
pub use cursor::Scan;
pub use error::RFileError;
pub use info::{FileInfo, GroupInfo, LevelInfo, MetaBlockInfo};
pub use reader::RFileReader;
pub use writer::{FileSummary, LocalityGroup, RFileWriter, WriterOptions};
