//! Throughput of all-to-all traffic, with certificates.

mod certificate;
mod certify;
mod class_loads;
mod demand_pairs;
mod path_flows;
mod shortest_path_tree;
#[cfg(test)]
mod tests;
mod throughput_bounds;
mod throughput_search;

pub use certificate::{MAX_ARC_FLOWS, ThroughputCertificate, ThroughputCheckError};
pub use throughput_bounds::Throughput;
pub use throughput_search::{MAX_FLOWS, ThroughputError, ThroughputGoal, ThroughputSearch};
