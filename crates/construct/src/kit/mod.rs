//! Tools that several methods share.

pub(crate) mod accepted_loss;
pub(crate) mod balanced_paths;
pub(crate) mod bus_paths;
pub(crate) mod congestion_prices;
pub(crate) mod distances;
pub(crate) mod fixed_transfers;
pub(crate) mod half_duplex;
pub(crate) mod method;
pub(crate) mod method_error;
pub(crate) mod relay_tree;
pub(crate) mod request;
pub(crate) mod shortest_path_dag;
pub(crate) mod single_source;
pub(crate) mod summary_bit_sets;
pub(crate) mod task;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod transfer_log;
