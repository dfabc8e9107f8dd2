//! In what order do key/values reach disk, and how? Readers, sort, spill, merge, RFile, manifest, job phases.

pub mod escape;
pub mod load;
pub mod rfile;
pub mod verify;
