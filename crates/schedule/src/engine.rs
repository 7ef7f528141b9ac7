//! The contract between a planner and the engines that find schedules.

use std::fmt;

use crate::budget::{Budget, NotFound, StopReason};
use crate::problem::Problem;
use crate::schedule::Schedule;

/// A method, or a group of methods, that finds schedules.
///
/// An engine may return a wrong schedule: the planner verifies every schedule and drops an invalid one. The same
/// request must give the same result on any number of threads, unless a deadline or a cancellation ends the work.
///
/// ```
/// use lockstep_schedule::{
///     Budget, Collective, CommunicationModel, Engine, EngineObserver, EngineRequest, FoundSchedule, MessageId, NotFound,
///     Outcome, Problem, Schedule, Switching, verify,
/// };
/// use lockstep_topology::Topology;
///
/// /// Floods every message of a store-and-forward broadcast from its source, one channel per step.
/// struct OneByOne;
///
/// impl Engine for OneByOne {
///     fn name(&self) -> &'static str {
///         "one-by-one"
///     }
///
///     fn description(&self) -> &'static str {
///         "one transfer per step along a breadth-first tree"
///     }
///
///     fn find(&self, request: &EngineRequest<'_>, _: &mut EngineObserver<'_>) -> Outcome {
///         let (topology, messages) = (request.problem.topology(), request.problem.messages());
///         if request.problem.model().switching != Switching::StoreAndForward {
///             let why = "it sends over single channels".to_owned();
///             return Outcome::of_attempt(Err(NotFound::Unsupported { engine: self.name(), why }));
///         }
///         let mut schedule = Schedule::new();
///         for message in (0..messages.len() as u32).map(MessageId::new) {
///             let mut reached = vec![messages.source(message)];
///             let mut next = 0;
///             while let Some(&node) = reached.get(next) {
///                 next += 1;
///                 for &channel in topology.out_channels(node) {
///                     if !reached.contains(&topology.head(channel)) {
///                         reached.push(topology.head(channel));
///                         schedule.begin_step();
///                         schedule.push(message, &[channel]);
///                     }
///                 }
///             }
///         }
///         Outcome::of_attempt(Ok(FoundSchedule { schedule, method: None }))
///     }
/// }
///
/// let ring: Topology = "ring:4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward())?;
/// let budget = Budget::unlimited();
/// let found = OneByOne.find(&EngineRequest::new(problem, 2, 1, &budget), &mut |_| {}).found?;
/// assert_eq!(verify(&problem, &found.schedule)?.steps, 12); // 4 messages, 3 transfers each
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Engine: Send + Sync {
    /// Returns the short name, in lower case with hyphens. Plans, events and errors contain it.
    fn name(&self) -> &'static str;

    /// What the engine does, in one line.
    fn description(&self) -> &'static str;

    /// Checks cheaply whether the engine can work on a problem at all. The default accepts every problem.
    ///
    /// An accepted problem may still be refused by [`find`](Self::find).
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`] with the reason.
    fn supports(&self, _problem: &Problem<'_>) -> Result<(), NotFound> {
        Ok(())
    }

    /// Finds a schedule, and reports its progress to the observer.
    ///
    /// The schedule has at most `goal` steps if the engine can find such a schedule within the budget. Otherwise it is
    /// the shortest schedule found.
    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome;
}

impl fmt::Debug for dyn Engine + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The input of an [`Engine`].
#[derive(Clone, Copy, Debug)]
pub struct EngineRequest<'a> {
    /// The problem. It distributes its messages: collecting phases are time-reversed before
    /// ([`DistributePhase`](crate::DistributePhase)).
    pub problem: Problem<'a>,
    /// A schedule of at most this many steps is good enough.
    pub goal: u32,
    /// Only schedules of fewer steps are used; `u32::MAX` if every schedule is. An engine may ignore this field.
    pub below: u32,
    /// The best schedule so far, if there is one. An engine may improve it.
    pub best: Option<&'a Schedule>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Limits of the work, including the evaluations before `resume`. An engine ends before an amount of work that
    /// exceeds them, so with more evaluations it does the same and then more.
    pub budget: &'a Budget,
    /// An engine that can continue later [pauses](End::Paused) after this number of evaluations, including
    /// those before `resume`.
    pub pause_after: u64,
    /// The state of an engine that has paused or was interrupted: [`End::Paused`], [`End::Interrupted`] or
    /// [`SearchProgress::checkpoint`].
    pub resume: Option<&'a [u8]>,
}

impl<'a> EngineRequest<'a> {
    /// Returns the request for a schedule of any length, without a schedule to improve and without pauses.
    pub fn new(problem: Problem<'a>, goal: u32, seed: u64, budget: &'a Budget) -> Self {
        Self { problem, goal, below: u32::MAX, best: None, seed, budget, pause_after: u64::MAX, resume: None }
    }
}

/// The result of an [`Engine`].
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The schedule, or the reason why there is none.
    pub found: Result<FoundSchedule, NotFound>,
    /// Number of evaluations so far, including those before [`EngineRequest::resume`]; 0 for an engine that ignores their limit.
    pub work: u64,
    /// Why the engine returned.
    pub end: End,
}

impl Outcome {
    /// Returns the outcome of an engine that makes one attempt and ignores the limit of evaluations.
    pub fn of_attempt(found: Result<FoundSchedule, NotFound>) -> Self {
        let end = match found {
            Err(NotFound::Stopped { reason, .. } | NotFound::Unfinished { reason }) => {
                End::Interrupted { reason, state: None }
            }
            _ => End::Exhausted,
        };
        Self { found, work: 0, end }
    }
}

/// Why an engine returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// It has nothing left to try: it has reached the goal, or all its attempts have ended.
    Exhausted,
    /// It can continue from this state: see [`EngineRequest::pause_after`] and [`EngineRequest::resume`].
    Paused(Vec<u8>),
    /// The budget, or a part of it, ended before the work was complete. After a deadline or a cancellation the result
    /// depends on the clock, so every engine must return that.
    Interrupted {
        /// The limit that was reached.
        reason: StopReason,
        /// The state from which another run continues, if the engine has one: see [`EngineRequest::resume`].
        state: Option<Vec<u8>>,
    },
}

/// A schedule of an [`Engine`]. It is not yet verified.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundSchedule {
    /// The schedule.
    pub schedule: Schedule,
    /// Name of the construction or method, if the engine has several.
    pub method: Option<&'static str>,
}

/// A function that receives the events of an engine between pieces of work.
pub type EngineObserver<'a> = dyn FnMut(EngineEvent<'_>) + 'a;

/// A report of an engine about its work, before its [`Outcome`].
#[derive(Debug)]
#[non_exhaustive]
pub enum EngineEvent<'a> {
    /// The engine has tried a method. Methods that do not support the problem are not reported.
    Tried {
        /// Name of the method, if the engine has several.
        method: Option<&'a str>,
        /// The work done since the last report about this method.
        effort: Effort,
        /// Number of steps of the schedule found, if it is shorter than those before.
        steps: Option<u32>,
    },
    /// A schedule that was found before the end of the work. It is verified at once, so a deadline does not lose it. The
    /// result may be a shorter one, or [`NotFound::TooLong`] if there is none.
    Found(FoundSchedule),
    /// A search is running. Reported several times per second on usual sizes.
    Progress(SearchProgress<'a>),
}

/// An amount of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Number of attempts to build a schedule; 0 for a search, which counts only evaluations.
    pub attempts: u64,
    /// Number of evaluations; 0 for an engine that ignores their limit.
    pub evaluations: u64,
}

/// The state of a running search.
#[derive(Clone, Copy, Debug)]
pub struct SearchProgress<'a> {
    /// Number of steps of the schedules that are searched now.
    pub steps: u32,
    /// Number of the current generation, from 0.
    pub generation: u64,
    /// Evaluations at this number of steps so far.
    pub evaluations: u64,
    /// Evaluations after which the search at this number of steps ends; `None` if only a deadline or a cancellation
    /// ends it.
    pub evaluation_limit: Option<u64>,
    /// Conflicts of the best candidate; 0 for a valid schedule, `None` before the first generation is complete.
    pub conflicts: Option<u64>,
    /// Everything that is needed to resume the search.
    pub checkpoint: Checkpoint<'a>,
}

/// A state that is written only if an observer needs it. Takes milliseconds on usual sizes.
#[derive(Clone, Copy)]
pub struct Checkpoint<'a>(pub &'a dyn Fn() -> Vec<u8>);

impl Checkpoint<'_> {
    /// Writes the state.
    pub fn write(self) -> Vec<u8> {
        (self.0)()
    }
}

impl fmt::Debug for Checkpoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checkpoint")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result that depends on the clock is marked.
    #[test]
    fn an_attempt_that_the_time_ended_was_interrupted() {
        let reason = StopReason::Deadline;
        let end = |error| Outcome::of_attempt(Err(error)).end;
        let interrupted = End::Interrupted { reason, state: None };
        assert_eq!(end(NotFound::Unfinished { reason }), interrupted);
        assert_eq!(end(NotFound::Stopped { steps: 4, reason }), interrupted);
        assert_eq!(end(NotFound::TooLong { steps: 4, reached: 5 }), End::Exhausted);
        let found = FoundSchedule { schedule: Schedule::new(), method: None };
        assert_eq!(Outcome::of_attempt(Ok(found)).end, End::Exhausted);
    }
}
