//! What somebody who waits for a plan gets to see.

use std::fmt;

use lockstep_certificate::Rule;
use lockstep_evolve::{Algorithm, Evolution};
use lockstep_schedule::StopReason;

use super::checkpoint::{self, Identity};
use super::engine::Engine;
use super::plan_state::PlanState;
use crate::recovery::Repaired;

/// Something that happened on the way to a plan. Steps are those of the phase in hand; an all-reduce has two phases.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A rule for lower bounds was asked.
    Bound {
        /// The rule.
        rule: Rule,
        /// The steps that no schedule can beat, if the rule applies.
        steps: Option<u32>,
    },
    /// A way to a schedule was gone; those that do not fit the problem are passed over in silence.
    Tried {
        /// The engine.
        engine: Engine,
        /// Its construction or method, where it has several.
        method: Option<&'static str>,
        /// Schedules made, or, of a search, candidates judged.
        attempts: u64,
        /// The steps reached, if they are fewer than before.
        steps: Option<u32>,
    },
    /// A schedule is found, shorter than those before it.
    Found {
        /// What found it.
        engine: Engine,
        /// Its number of steps.
        steps: u32,
    },
    /// What faults have left of a schedule is made whole again.
    Repaired(Repaired),
    /// A search has moved on; several times a second on usual sizes.
    Search(Search<'a>),
    /// A search is stopped by deadline or cancellation before its evaluations are spent; the last chance for a
    /// checkpoint.
    Stopped(Search<'a>),
    /// The phase in hand is planned.
    Ended(Ending),
}

/// Why nothing more is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The schedule has no more steps than the lower bound.
    BoundReached,
    /// The schedule has no more steps than were asked for.
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
            Self::StepsReached => f.pad("the steps asked for are reached"),
            Self::Budget(reason) => reason.fmt(f),
            Self::Exhausted => f.pad("no engine has anything left to try"),
        }
    }
}

/// What can be told of a search, whatever its algorithm.
pub(crate) trait Progress {
    fn generation(&self) -> u64;
    fn evaluations(&self) -> u64;
    fn best_conflicts(&self) -> Option<u64>;
    fn checkpoint(&self) -> Vec<u8>;
}

impl<A: Algorithm> Progress for Evolution<'_, A> {
    fn generation(&self) -> u64 {
        self.generation()
    }

    fn evaluations(&self) -> u64 {
        self.evaluations()
    }

    fn best_conflicts(&self) -> Option<u64> {
        self.best_conflicts()
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.checkpoint()
    }
}

/// Where a search is.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    pub(crate) progress: &'a dyn Progress,
    pub(crate) identity: &'a Identity,
    pub(crate) state: &'a PlanState,
    pub(crate) limit: u64,
}

impl Search<'_> {
    /// The number of steps that the search looks for a schedule of.
    pub fn step_count(&self) -> u32 {
        self.state.level
    }

    /// Number of the generation in the making; 0 is the first, random one.
    pub fn generation(&self) -> u64 {
        self.progress.generation()
    }

    /// Evaluations of this search so far.
    pub fn evaluations(&self) -> u64 {
        self.progress.evaluations()
    }

    /// Evaluations after which this search gives up; `None` if only a clock or a person ends it.
    pub fn evaluation_limit(&self) -> Option<u64> {
        (self.limit < u64::MAX).then_some(self.limit)
    }

    /// Conflicts of the best individual; 0 is a schedule. `None` before the first generation is whole.
    pub fn conflicts(&self) -> Option<u64> {
        self.progress.best_conflicts()
    }

    /// Everything that is needed to go on, for [`Planner::from_checkpoint`](crate::Planner::from_checkpoint). Takes
    /// milliseconds and some 6 bytes a delivery and individual.
    pub fn checkpoint(&self) -> Vec<u8> {
        checkpoint::write(self.identity, self.state, &self.progress.checkpoint())
    }
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("steps", &self.step_count())
            .field("generation", &self.generation())
            .field("evaluations", &self.evaluations())
            .field("conflicts", &self.conflicts())
            .finish_non_exhaustive()
    }
}
