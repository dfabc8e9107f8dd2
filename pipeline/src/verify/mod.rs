//! Checks finished output. Nothing here shares a decoding path with what wrote it: a defect of the writer that its own reader
//! repeats is found here.

pub mod rfile;
pub mod run;
