//! Apache Accumulo as the judge: it reads what we wrote, we read what it wrote, and a running instance takes our runs.
//!
//! | file | what it has |
//! |---|---|
//! | `files` | RFiles in both directions, without a server |
//! | `cluster` | published runs and files of every codec in one Accumulo instance |
//! | `plans` | our load plans beside those that Accumulo computes |
//! | `jobs` | the jobs whose runs are loaded |
//! | `cells` | the generated cells, and cells as lines |
//! | `view` | what a scan must show of a table's files: deletes, versions, sums |
//! | `peer` | the programs of `conformance/` |

mod cells;
mod cluster;
mod files;
mod jobs;
mod peer;
mod plans;
mod view;
