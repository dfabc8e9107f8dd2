//! In what order do key/values reach disk, and how? Readers, sort, spill, merge, RFile, manifest, job phases.

pub mod rfile;
pub mod verify;
