//! What this machine offers and what this process has used, from `/proc` and the control group.

use std::fs;
use std::thread::available_parallelism;

/// Threads by default: all that the process may use.
pub(crate) fn threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Memory by default: 70 % of what is available, in this machine or in the control group, whichever is less.
pub(crate) fn memory() -> u64 {
    let available = kib_of("/proc/meminfo", "MemAvailable:").unwrap_or(1 << 30);
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let limit = group
        .iter()
        .find_map(|path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok());
    limit.map_or(available, |limit| available.min(limit)) / 10 * 7
}

/// Open files that the process may have.
pub(crate) fn files() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current.unwrap_or(1024).min(1024)
}

/// The largest resident memory of this process so far, in bytes.
pub(crate) fn peak_memory() -> u64 {
    kib_of("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// CPU seconds of this process so far, user and system.
pub(crate) fn cpu_seconds() -> f64 {
    // After the name in parentheses: state is field 3, utime 14, stime 15, in ticks of 1/100 s.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat
        .rsplit_once(')')
        .map_or("", |(_, rest)| rest)
        .split_whitespace();
    fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn kib_of(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|kib| kib << 10)
}
