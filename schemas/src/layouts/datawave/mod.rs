//! DataWave's tables.

pub mod shard_id;
pub mod uid;
pub mod uid_list;
