//! Tests of the public interface.

mod amp;
mod clusters;
mod expansions;
mod families;
mod foreign_errors;
mod foreign_formats;
mod foreign_graphs;
mod format_dialects;
mod format_errors;
mod format_round_trips;
mod gallery;
mod multistage;
mod petgraph;
mod random_families;
mod specs;
#[cfg(feature = "proptest")]
mod strategy;
