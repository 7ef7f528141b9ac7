//! Collective communication schedules: what they are, and whether one is valid.
//!
//! A [`Problem`] is a network, a [`Collective`] and a [`CommunicationModel`]; a [`Schedule`] is the list of synchronized
//! steps that solves it. Not here: anything that *finds* a schedule.

mod budget;
mod collective;
mod model;
mod problem;
mod reach;
mod schedule;

pub use budget::{Budget, NotFound, StopReason};
pub use collective::{Collective, CollectiveKind, Message, MessageId, Messages, Phase, Receivers};
pub use model::{CommunicationModel, Ports, Routing, ScatterRule, Switching};
pub use problem::{Problem, ProblemError};
pub use schedule::{Schedule, Step, Transfer};
