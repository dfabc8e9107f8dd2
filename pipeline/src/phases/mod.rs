//! A job in four phases: plan, map, merge, publish. Each works on a work folder and can run in a process of its own.
//!
//! [`plan`] is the immutable description, [`planner`] makes it; [`map`] and [`merge`] run one task each, idempotent, committed by the
//! exclusive creation of a record ([`work`]); [`publish`] makes the result appear by one rename.

pub mod boundaries;
mod commit;
mod error;
pub mod job;
pub mod map;
pub mod merge;
pub mod plan;
pub mod planner;
pub mod publish;
mod sink;
pub mod work;

pub use commit::{MapCommit, MergeCommit};
pub use error::{JobError, Kind};
pub use job::{Control, Job, Progress};
