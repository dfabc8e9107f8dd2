//! Checks what was published, by code that shares nothing with the writing side.

pub mod run;
