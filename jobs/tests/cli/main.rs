//! The program as a user runs it: one integration binary, a module a subject.

mod conformance;
mod faults;
mod golden;
mod ingest;
mod layering;
mod readme;
mod rejects;
mod scan;
mod support;
