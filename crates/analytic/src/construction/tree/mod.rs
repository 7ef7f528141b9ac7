//! Trees, and the spanning trees of connected full-duplex networks.
//!
//! On a tree with one port a terminal, the broadcast takes `ceil(log2 P)` steps, the all-gather `P - 1` and the total exchange
//! as many as messages cross the busiest link; none of it can be beaten, and the last two not with more ports either, as long
//! as a terminal hangs on a single wire.

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
