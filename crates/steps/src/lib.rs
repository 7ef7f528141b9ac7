//! Converts executed communication programs of other tools to schedules in steps.
//!
//! [`convert`] takes the transfers of an execution of `lockstep-execute`, and returns a schedule that the verifier of
//! `lockstep-schedule` has accepted. It does not execute programs, and finds no lower bounds.
//!
//! ```
//! use lockstep_execute::{Format, Runtime, load, trace};
//! use lockstep_steps::convert;
//!
//! let goal = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 0\n}\nrank 1 {\nrecv 8b from 0 tag 0\n}\n";
//! let program = &load(goal.as_bytes(), Format::Goal, Runtime::Rccl)?[0];
//! let conversion = convert(program, &trace(program)?, None)?;
//! assert_eq!((conversion.widths.len(), conversion.transfers), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Steps
//!
//! - If the file has steps, and they are valid on the network, they are those of the schedule.
//! - Otherwise, each transfer takes the earliest step that its data, the order of the program and the channels allow. The
//!   order of the program is that of its threads, its waits and its queues. A message is sent in one step: several chunks
//!   that exceed the capacity of their path widen it. If several transfers compete for a channel, several orders are tried.
//! - A schedule sends the sum of all contributions that its sender holds. A transfer therefore does not arrive before the
//!   send of a partial sum without its contributions.
//!
//! # Network
//!
//! A [`RankNetwork`] places the ranks on some terminals of a network, in any order. The other terminals take no part.
//! Without a network, the network has a terminal per rank, and a channel of capacity 1 for each pair of ranks with a
//! transfer. A transfer crosses one channel (store-and-forward switching). On a network with switches, and if ranks talk
//! that have no common channel, transfers take shortest paths (wormhole switching with relays).

mod convert;
mod demand;
mod error;
mod network;
mod steps;
mod sums;

pub use convert::{Conversion, StepSource, VerifiedSchedule, convert, convert_within};
pub use error::ConvertError;
pub use network::RankNetwork;
