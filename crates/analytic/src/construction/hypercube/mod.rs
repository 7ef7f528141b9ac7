//! Hypercubes: the four collectives in the fewest rounds, for whole networks and for one node.
//!
//! Nodes are the elements of the [`CayleyGraph`](lockstep_topology::CayleyGraph) `hypercube:D`: words of `D` bits. Link
//! `k`, from 0, leads from node `v` to `v ^ (1 << k)`. (The source counts links from 1.) Every construction has three
//! forms:
//!
//! - A [`BaseSchedule`](lockstep_schedule::BaseSchedule) has the messages of source 0. Source `s` does the same with
//!   every node `x` replaced by `x ^ s`, which preserves the links.
//! - A [`LocalProgram`](crate::LocalProgram) has the transfers of one node in each round. For an all-gather this is the
//!   routing table of the node.
//! - [`Counts`] has the numbers of rounds and transmissions, by formula.
//!
//! | | rounds with `k` ports | lower bound |
//! |---|---|---|
//! | [`broadcast`] | `D` | diameter; one port and half-duplex links are sufficient |
//! | [`scatter`] | `(2^D - 1) / k`, rounded up | the messages that the root sends; half-duplex links are sufficient |
//! | [`all_gather`] | `(2^D - 1) / k`, rounded up | the messages that a node receives |
//! | [`all_to_all`] | `D 2^(D-1) / k`, rounded up | the sum of the distances from a node |
//! | [`direct_all_to_all`] | `2^(D-1)`; `2^D - 1` for `k = 1` | the sum of the distances; the messages that a node sends |
//!
//! `k` is at most `D`, which means all ports. All but the last are store-and-forward, and so are also valid with
//! wormhole switching and relays. The last one sends every message directly from source to receiver. All paths are
//! shortest paths.
//!
//! ```
//! use lockstep_analytic::hypercube;
//! use lockstep_schedule::Ports;
//!
//! // The routing table of a node in the all-gather: rows are rounds, columns links, entries sources.
//! let program = hypercube::all_gather_program(4, Ports::All, 0b0110).expect("not too large");
//! let sources: Vec<u64> = program.round(0).map(|send| send.source).collect();
//! assert_eq!(sources, [6; 4], "first, every node sends its own message");
//!
//! // The number of rounds is that of the formula.
//! assert_eq!(program.round_count() as u128, hypercube::all_gather_counts(4, Ports::All).unwrap().rounds);
//! ```
//!
//! # Source
//!
//! Bertsekas, Özveren, Stamoulis, Tseng, Tsitsiklis, *Optimal communication algorithms for hypercubes*, J. Parallel and
//! Distributed Computing 11 (1991); the lecture *Broadcast and scatter algorithms on mesh-based topologies*. Limited
//! ports and the direct all-to-all are additions.

mod all_gather;
mod all_to_all;
mod broadcast;
mod construct;
mod counts;
mod dimension;
mod direct_all_to_all;
mod labelled_cube;
mod numbering;
mod scatter;
#[cfg(test)]
mod tests;
mod translate;

pub use all_gather::{all_gather, all_gather_program};
pub use all_to_all::{all_to_all, all_to_all_program};
pub use broadcast::{broadcast, broadcast_program};
pub(crate) use construct::HYPERCUBE;
pub use counts::{
    Counts, all_gather_counts, all_to_all_counts, broadcast_counts, direct_all_to_all_counts, scatter_counts,
};
pub use direct_all_to_all::{direct_all_to_all, direct_all_to_all_program};
pub use numbering::{Numbering, RotationClass};
pub use scatter::{scatter, scatter_program};
