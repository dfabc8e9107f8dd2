//! The program as a user runs it: one integration binary, a module a subject.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod conformance;
mod faults;
mod golden;
mod ingest;
mod layering;
mod readme;
mod rejects;
mod scan;
mod support;
