//! The commands, one file each.

pub(crate) mod ingest;
pub(crate) mod plan;
pub(crate) mod publish;
pub(crate) mod status;
pub(crate) mod tasks;
