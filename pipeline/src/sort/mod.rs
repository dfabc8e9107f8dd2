//! Cells in key order under a memory limit: an arena that sorts and spills, runs on disk, and their merge.
//!
//! [`buffer`] collects the cells of a map task, [`order`] sorts them, [`spill`] writes them to a [`run`], and [`merge`] makes one ordered
//! stream of many runs. [`fold`] combines groups in all three places.

pub mod buffer;
pub mod fold;
pub mod merge;
pub mod order;
pub mod run;
mod run_block;
mod run_reader;
mod run_writer;
pub mod spill;

#[cfg(test)]
mod tests;
