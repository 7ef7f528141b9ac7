//! Tests of certificates: bounds found once for 16 problems are accepted as they are, and refused after any change.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod binary;
mod cases;
mod cayley;
mod check;
mod explain;
mod gossip;
mod group_volume;
mod late_cut;
mod lengths;
mod limits;
mod mutation;
mod timed_entries;
mod timed_lengths;
mod trees;
mod verdict;
mod volume;
