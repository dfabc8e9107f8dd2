//! In what order do key/values reach disk, and how?
//!
//! [`read`] makes records of inputs, [`sort`] brings cells into order under a memory limit, [`rfile`] writes and reads Accumulo's files,
//! [`load`] makes what a loader needs, [`verify`] trusts none of them, [`view`] shows what was made, and [`phases`] compose them to a job.
//! Reading, sorting and writing do not know one another.

pub mod escape;
pub mod limits;
pub mod load;
pub mod phases;
pub mod read;
pub mod rejects;
pub mod rfile;
pub mod sort;
pub mod verify;
pub mod view;
