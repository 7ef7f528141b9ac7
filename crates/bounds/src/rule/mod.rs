//! One file or folder per rule.

pub(crate) mod arc_forwarding;
pub(crate) mod cut;
pub(crate) mod distance_sum;
pub(crate) mod eccentricity;
pub(crate) mod gossip;
pub(crate) mod growth;
pub(crate) mod ports;
pub(crate) mod reception;
pub(crate) mod satisfiability;
pub(crate) mod timed_cut;
pub(crate) mod timed_entries;
pub(crate) mod tree_broadcast;
pub(crate) mod tree_packets;
pub(crate) mod tree_packing;
pub(crate) mod volume;
