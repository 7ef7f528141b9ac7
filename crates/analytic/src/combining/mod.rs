//! Combining algorithms for small messages, as schedules whose steps have widths.
//!
//! In a step of width `w`, a channel carries `w` times its capacity, and nothing moves on that arrived in the same step. So a
//! message of `w` blocks is a step of width `w`, which takes the time of one start-up and `w` transmissions. With few
//! start-ups, these schedules are fast for small messages.
//!
//! An algorithm is a list of steps with pairs of ranks. A sender sends all data that its receiver lacks. One rule thus gives
//! all collectives:
//!
//! | collective | rule |
//! |---|---|
//! | all-gather, broadcast | copies of the blocks spread along the pairs |
//! | reduce-scatter, reduce, gather | a distribution on the reversed network, backwards in time |
//! | scatter, all-to-all | a message follows the tree along which the data of its source spreads; messages must be relayed |
//! | all-reduce | a reduce-scatter and an all-gather; or the sums of all blocks in every step, if no data counts twice |
//!
//! Ranks are terminals, in an order in which consecutive ones are near each other. Tori, and hosts whose terminals have one rail
//! each, are recognised under any numbering. They have coordinates, and the order is a Hamiltonian cycle. Otherwise it leads
//! from each terminal to the nearest one, hosts together. A transfer takes a
//! shortest path, and the parts of a message are balanced over several shortest paths. The width of a step is the least that
//! resources, capacities and ports allow. Under store-and-forward switching, partners must be neighbours.
//!
//! - [`schedules`] returns the schedules of a problem; [`algorithms`] lists the algorithms.
//!
//! To add an algorithm, follow the
//! [checklist](https://github.com/lockstep-rs/lockstep/blob/main/docs/architecture.md#add-a-combining-algorithm).

mod algorithm;
mod axis_bruck;
mod bine;
mod bruck;
mod bucket;
mod circulant;
mod collectives;
mod dissemination;
mod grid;
mod negabinary;
mod pattern;
mod ranks;
mod recursive_doubling;
mod registry;
mod ring;
mod router;
mod spread;
mod swing;
#[cfg(test)]
mod tests;
mod windows;

pub use algorithm::CombiningAlgorithm;
pub use registry::{CombiningSchedule, Exchange, algorithms, schedules};
