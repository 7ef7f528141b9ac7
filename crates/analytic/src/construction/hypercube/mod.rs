//! Hypercubes: the four collectives in the fewest rounds, for whole networks and for one node alone.
//!
//! Nodes are the elements of the [`CayleyGraph`](lockstep_topology::CayleyGraph) `hypercube:D`: words of `D` bits. Link
//! `k`, from 0, leads from node `v` to `v ^ (1 << k)`; the lecture on which this rests counts links from 1. Every
//! construction comes in three forms:
//!
//! - a [`BaseSchedule`](lockstep_schedule::BaseSchedule): what the messages of source 0 do. Source `s` does the same
//!   with every node `x` replaced by `x ^ s`, which keeps the links;
//! - a [`LocalProgram`](crate::LocalProgram): what one node sends in which round on which link, its own messages and
//!   those it forwards. For an all-gather this is the routing table of the node;
//! - [`Counts`]: rounds and transmissions by formula.
//!
//! | | rounds with `k` ports | why no fewer |
//! |---|---|---|
//! | [`broadcast`] | `D` | diameter; one port is enough, and half-duplex links |
//! | [`scatter`] | `(2^D - 1) / k`, rounded up | the root sends as many messages; half-duplex links are enough |
//! | [`all_gather`] | `(2^D - 1) / k`, rounded up | a node receives as many messages |
//! | [`all_to_all`] | `D 2^(D-1) / k`, rounded up | the distances from a node together |
//! | [`direct_all_to_all`] | `2^(D-1)`; `2^D - 1` for `k = 1` | the distances again; messages that a node sends |
//!
//! `k` is at most `D`, which is all ports. All but the last are store-and-forward, and so are valid with wormhole
//! switching and relays too; the last one sends every message from source to receiver in one go. All paths are
//! shortest.
//!
//! ```
//! use lockstep_analytic::hypercube;
//! use lockstep_schedule::Ports;
//!
//! // The routing table of a node in the all-gather: rows are rounds, columns links, entries sources.
//! let program = hypercube::all_gather_program(4, Ports::All, 0b0110).expect("not too large");
//! let sources: Vec<u64> = program.round(0).map(|send| send.source).collect();
//! assert_eq!(sources, [6; 4], "at first every node sends its own");
//!
//! // As many rounds as the formula says.
//! assert_eq!(program.round_count() as u128, hypercube::all_gather_counts(4, Ports::All).unwrap().rounds);
//! ```
//!
//! **Source**: Bertsekas, Özveren, Stamoulis, Tseng, Tsitsiklis, *Optimal communication algorithms for hypercubes*, J.
//! Parallel and Distributed Computing 11 (1991); the lecture *Broadcast and scatter algorithms on mesh-based
//! topologies*. Limits on ports and the direct all-to-all go beyond both.

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
