//! The `shardmill` program.
fn main() {}
