//! Test vectors and golden cases: what the crate computes against what the Java classes computed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod accumulo;
mod datawave;
mod datawave_config;
mod datawave_edges;
mod datawave_layout;
mod datawave_tables;
mod datawave_values;
mod golden;
mod manual;
mod tokenize;
