//! Test vectors and golden cases: what the crate computes against what the Java classes computed.

mod accumulo;
mod golden;
