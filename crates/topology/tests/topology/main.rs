//! Tests of the public interface.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod amp;
mod clusters;
mod expansions;
mod families;
mod foreign_dialects;
mod foreign_errors;
mod foreign_formats;
mod foreign_graphs;
mod format_dialects;
mod format_errors;
mod format_round_trips;
mod gallery;
mod gpu_pairs;
mod hwloc;
mod multistage;
mod nccl_topo;
mod nvidia_smi;
mod petgraph;
mod random_families;
mod specs;
#[cfg(feature = "proptest")]
mod strategy;
