//! Collective communication schedules and their independent verifier.
//!
//! A [`Problem`] is a network, a [`Collective`] and a [`CommunicationModel`]. A [`Schedule`] is a list of synchronized
//! steps. [`verify`] decides whether a schedule solves a problem. This crate does not find schedules.
//!
//! ```
//! use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, verify};
//! use lockstep_topology::TopologyBuilder;
//!
//! let mut ring = TopologyBuilder::new("one-way ring");
//! let nodes = ["a", "b", "c"].map(|name| ring.terminal(name));
//! let channels = [0, 1, 2].map(|place| ring.channel(nodes[place], nodes[(place + 1) % 3]));
//! let ring = ring.build()?;
//!
//! // Every node passes on what arrived last: two steps of three transfers.
//! let mut schedule = Schedule::new();
//! for step in 0..2 {
//!     schedule.begin_step();
//!     for place in 0..3 {
//!         schedule.push(MessageId::new((place + 3 - step) % 3), &[channels[place as usize]]);
//!     }
//! }
//! let all_gather = Collective::all_gather();
//! let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward())?;
//! let report = verify(&problem, &schedule)?;
//! assert_eq!((report.steps, report.deliveries, report.redundant), (2, 6, 0));
//!
//! // The verifier refuses an incomplete schedule and says why.
//! let mut short = Schedule::new();
//! short.begin_step();
//! let violation = verify(&problem, &short).unwrap_err();
//! assert_eq!(violation.to_string(), "after the last step 'b' does not hold message 0 (from 'a')");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A **message** has one source and a set of receivers. A **collective** is a set of messages with a [`Pattern`]:
//!   broadcast, scatter, gather, reduce or all-reduce. The standard collectives are constructors of
//!   [`Collective`]; [`CollectiveName::in_groups`] restricts them to groups; [`Collective::custom`] takes any messages.
//! - A **transfer** moves one message along one path in one step. In a reduction a message is a **block**, to which
//!   terminals have **contributions**; a transfer carries the sum of those that its sender holds.
//! - [`DistributePhase`] presents collectives that collect as distributions, and an all-reduce as two of them.
//! - [`ScheduleFile`] is the JSON and binary form, and also reads the schedules of plan files. [`SymmetricSchedule`] describes a schedule of a Cayley graph by one
//!   of its nodes, and [`BroadcastVerifier`] verifies broadcasts that do not fit into memory.
//!
//! # Features
//!
//! Both are on by default. Without them, a program that only verifies JSON files compiles fewer packages.
//!
//! | feature | effect |
//! |---|---|
//! | `sealed` | binary files |
//! | `parallel` | threads share the verification and the encoding of a large schedule |

mod asynchronous;
#[cfg(feature = "sealed")]
mod binary;
mod bit_set;
mod budget;
mod collective;
#[cfg(feature = "sealed")]
mod compact;
mod cost;
mod distribute_phase;
mod engine;
mod file;
mod groups;
mod json;
mod message_list;
mod messages;
mod model;
mod name;
mod needed;
mod parallel;
mod part;
mod parts;
mod pattern;
mod problem;
mod reach;
mod reverse;
mod schedule;
mod slots;
mod steps;
#[cfg(any(test, feature = "proptest"))]
pub mod strategy;
mod stream;
mod symmetric;
mod time;
mod transfer_times;
mod transport;
mod verify;
mod violation;

pub use asynchronous::AsynchronousCost;
pub use budget::{Budget, FIRST_RESULT_GRACE, NotFound, StopReason};
pub use collective::Collective;
pub use cost::{CostError, CostModel, MessageSizes, Picoseconds};
pub use distribute_phase::DistributePhase;
pub use engine::{
    Checkpoint, Effort, End, Engine, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, Outcome, SearchProgress,
};
pub use file::{BINARY_PLAN_KIND, FIRST_PLAN_KIND, PLAN_KIND, ScheduleFile, ScheduleFileError};
pub use groups::GroupError;
pub use message_list::MessageListError;
pub use messages::{Message, MessageId, Messages, Receivers};
pub use model::{CommunicationModel, Ports, Routing, ScatterRule, Switching};
pub use name::{CollectiveName, CollectiveNameError};
pub use needed::needed_transfers;
pub use part::Part;
pub use parts::Parts;
pub use pattern::{Pattern, Phase};
pub use problem::{Problem, ProblemError};
pub use schedule::{Schedule, Step, Transfer};
pub use slots::Slots;
pub use stream::{
    BroadcastCounts, BroadcastVerifier, BroadcastVerifierError, BroadcastViolation, ElementName, Run, TransferFault,
};
pub use symmetric::{
    BasePlace, BaseSchedule, BaseTransfer, ExpansionError, LocalSend, SymmetricSchedule, SymmetricScheduleFile,
    SymmetricViolation, verify_symmetric,
};
pub use time::{CollectiveSize, SynchronousCost, TransferSpeed};
pub use transfer_times::TransferTimes;
pub use transport::Transport;
pub use verify::{Unverified, Verification, verify, verify_within, violations};
pub use violation::{NamedChannel, NamedMessage, NamedNode, Place, Violation};
