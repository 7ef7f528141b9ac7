//! Tests of the public interface.

mod amp;
mod clusters;
mod expansions;
mod families;
mod format_dialects;
mod format_errors;
mod format_round_trips;
mod multistage;
mod petgraph;
mod random_families;
mod specs;
#[cfg(feature = "proptest")]
mod strategy;
