//! The description of a method.

use lockstep_schedule::{Part, Schedule};

use super::method_error::MethodError;
use super::request::MethodRequest;

/// The name of the engine that all methods form.
pub(crate) const ENGINE: &str = "construct";

/// A method that finds schedules for one kind of problem on any network.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Method {
    /// Its short name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Approximate number of evaluations (transfers placed or moved) per attempt and delivery.
    pub evaluations_per_delivery: u64,
    /// Whether another attempt can give another schedule.
    pub(crate) is_random: bool,
    /// Its parts that a budget can [leave out](lockstep_schedule::Budget::without).
    pub parts: &'static [Part],
    pub(crate) find: FindSchedule,
}

impl Method {
    /// Returns the method as a part that a budget can [leave out](lockstep_schedule::Budget::without).
    pub const fn part(&self) -> Part {
        Part { owner: ENGINE, name: self.name, about: self.about }
    }
}

/// Returns the shortest schedule of all attempts of the request, or the first one with at most `goal` steps.
pub(crate) type FindSchedule = fn(&MethodRequest<'_>) -> Result<Schedule, MethodError>;
