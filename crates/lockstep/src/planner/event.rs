//! Events: what an observer sees of the planner's work.

use std::fmt;

use lockstep_certificate::Rule;
use lockstep_schedule::{Checkpoint, Effort, SearchProgress, StopReason};

use crate::plan::Repaired;

/// A report about the work on a plan. Numbers of steps are those of the current phase; an all-reduce has two phases.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The work on a part of the budget begins: on a phase, or on a whole all-reduce.
    Part {
        /// The number of the part, from 0.
        place: usize,
        /// The number of parts, with an equal share of the evaluations each.
        count: usize,
        /// The evaluations of this part; `u64::MAX / count` without a limit.
        evaluations: u64,
        /// Number of steps of the schedule to improve, if there is one.
        reached: Option<u32>,
    },
    /// A lower bound was computed.
    Bound {
        /// The rule.
        rule: Rule,
        /// The lower bound in steps; `None` if the rule does not apply.
        steps: Option<u32>,
    },
    /// An engine tried a method. Methods that do not support the problem are not reported.
    Tried {
        /// Name of the engine.
        engine: &'a str,
        /// Name of the construction or method, if the engine has several.
        method: Option<&'a str>,
        /// The work since the last report about this method.
        effort: Effort,
        /// Number of steps of the schedule found, if it is shorter than those before.
        steps: Option<u32>,
    },
    /// A valid schedule, shorter than all before, was found.
    Found {
        /// Name of the engine.
        engine: &'a str,
        /// Its number of steps.
        steps: u32,
    },
    /// A schedule was repaired after faults.
    Repaired(Repaired),
    /// A search is running. Reported several times per second on usual sizes. Its checkpoint is input of
    /// [`Planner::from_checkpoint`](crate::Planner::from_checkpoint) and takes about 6 bytes per delivery and
    /// individual.
    Search(SearchProgress<'a>),
    /// A search was stopped by a deadline or a cancellation: the last opportunity for a checkpoint.
    Stopped(Checkpoint<'a>),
    /// The work on the current phase has ended.
    Ended(Ending),
}

/// Why the work on a phase ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The schedule meets the lower bound.
    BoundReached,
    /// The schedule has at most the maximum number of steps.
    StepsReached,
    /// The budget is spent.
    Budget(StopReason),
    /// No engine has anything left to try.
    Exhausted,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoundReached => f.pad("the lower bound is reached"),
            Self::StepsReached => f.pad("the maximum number of steps is reached"),
            Self::Budget(reason) => reason.fmt(f),
            Self::Exhausted => f.pad("no engine has anything left to try"),
        }
    }
}
