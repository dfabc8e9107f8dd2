//! The commands, one file each.

pub(crate) mod ingest;
pub(crate) mod inspect;
pub(crate) mod plan;
pub(crate) mod publish;
pub(crate) mod scan;
pub(crate) mod status;
pub(crate) mod tasks;
pub(crate) mod verify;
