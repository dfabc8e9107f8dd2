//! Every limit of the engine, in one place.
//!
//! The memory of a job is `FIXED + workers × (WORKER + share)`, and `share` is what a map task sorts in or a merge task reads runs with.
//! So the least memory is `FIXED + WORKER + LEAST_SHARE` = 24 MiB with one worker; with less than that for each of the threads asked for,
//! fewer work at a time. Results never depend on any of this.
//!
//! A record that is being read, expanded or rejected is held up to eight times (window, text, items, the reject in Base64): records of up to
//! 4 MiB fit into `WORKER` and the slack of 64 MiB that the promise has; with longer ones, grant eight times their size more.

use crate::sort::merge::CURSOR_BYTES;

/// What the program needs besides its workers, in bytes: code, plan, indexes of runs.
pub const FIXED: u64 = 8 << 20;
/// What a worker needs besides its share: reader window, codec contexts, blocks being written, stack.
pub const WORKER: u64 = 8 << 20;
/// The least share of a worker.
pub const LEAST_SHARE: u64 = 8 << 20;
/// The largest share: the arena of a sort buffer has 32-bit offsets.
const LARGEST_SHARE: u64 = 4 << 30;
/// Descriptors that are not for runs: standard streams, the lock, inputs and outputs of the workers.
const OTHER_FILES: u64 = 16;
/// A fan-in over this costs more in comparisons than a second pass costs in copying.
const WIDEST: u64 = 4096;

/// Raw input bytes of a map task: big inputs make larger tasks, so that there are neither too few to share out nor too many runs.
#[must_use]
pub fn map_task_bytes(total: u64) -> u64 {
    (total / 64).clamp(16 << 20, 2 << 30)
}

/// Records that planning expands to see where tables should be cut, over all inputs.
pub const SAMPLED_RECORDS: u64 = 2_000;
/// Published bytes of a merge task are at least this, as estimated by the sample: smaller tablets share a task.
pub const MERGE_TASK_BYTES: u64 = 512 << 20;
/// Bytes of an RFile for each byte of keys and values, as a rule of thumb for sizes that are estimated before any file is written.
pub const PACKED_SHARE: f64 = 0.25;

/// What the user grants to a process. None of it shapes bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Threads that may work at a time.
    pub threads: usize,
    /// Bytes of memory for all of them.
    pub memory: u64,
    /// Open files for all of them.
    pub files: u64,
    /// An upper bound on the fan-in of a merge, for tests; `None`: what memory and files allow.
    pub fan_in: Option<usize>,
}

/// Less memory was granted than one worker needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "memory of {granted} bytes is less than the least that one thread works in, {least} bytes (24 MiB)"
)]
pub struct TooLittleMemory {
    /// What was granted.
    pub granted: u64,
    /// What is needed.
    pub least: u64,
}

/// What each worker gets of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Tasks that run at a time.
    pub workers: usize,
    /// Bytes of the sort buffer of a map task.
    pub buffer: usize,
    /// Segments that a merge task reads at a time.
    pub fan_in: usize,
}

impl Grant {
    /// Divides the grant.
    ///
    /// # Errors
    /// The memory is not enough for one worker.
    pub fn shares(&self) -> Result<Shares, TooLittleMemory> {
        let least = FIXED + WORKER + LEAST_SHARE;
        if self.memory < least {
            return Err(TooLittleMemory {
                granted: self.memory,
                least,
            });
        }
        let affordable = (self.memory - FIXED) / (WORKER + LEAST_SHARE);
        let workers = (self.threads.max(1) as u64).min(affordable);
        let share = ((self.memory - FIXED) / workers - WORKER).min(LARGEST_SHARE);
        let by_files = self.files.saturating_sub(OTHER_FILES + 2 * workers) / workers;
        let fan_in = (share / CURSOR_BYTES as u64).min(by_files).clamp(2, WIDEST) as usize;
        Ok(Shares {
            workers: workers as usize,
            buffer: share as usize,
            fan_in: self.fan_in.map_or(fan_in, |limit| fan_in.min(limit)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stay_inside_the_grant() {
        for threads in [1, 2, 7, 64] {
            for memory in [24 << 20, 32 << 20, 256 << 20, 1 << 30, 64 << 30] {
                let shares = Grant {
                    threads,
                    memory,
                    files: 256,
                    fan_in: None,
                }
                .shares()
                .unwrap();
                assert!(shares.workers >= 1 && shares.workers <= threads);
                assert!(
                    FIXED + shares.workers as u64 * (WORKER + shares.buffer as u64) <= memory,
                    "{threads} {memory}"
                );
                assert!(shares.buffer as u64 >= LEAST_SHARE && shares.fan_in >= 2);
                assert!(shares.workers * shares.fan_in <= 256);
            }
        }
        let least = Grant {
            threads: 8,
            memory: (24 << 20) - 1,
            files: 64,
            fan_in: None,
        }
        .shares()
        .unwrap_err();
        assert_eq!(least.least, 24 << 20);
    }
}
