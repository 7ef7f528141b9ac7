//! Trees, and spanning trees of connected full-duplex networks.
//!
//! On a tree with one port per terminal, the broadcast takes `ceil(log2 P)` steps, the all-gather `P - 1`, and the
//! total exchange the load of the busiest link. All are optimal. The last two are optimal for any number of ports if a
//! terminal has a single link.

mod construct;
mod duplex_links;
mod euler_tour;
mod flooding;
mod halving;
mod link_network;
mod rooted_tree;
mod shortest_check;
#[cfg(test)]
mod tests;
mod total_exchange;

pub(crate) use construct::{SPANNING_TREE, TREE};
