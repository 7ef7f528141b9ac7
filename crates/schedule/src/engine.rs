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
///     Problem, Schedule, Switching, verify,
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
///     fn find(&self, request: &EngineRequest<'_>, _: &mut EngineObserver<'_>) -> Result<FoundSchedule, NotFound> {
///         let (topology, messages) = (request.problem.topology(), request.problem.messages());
///         if request.problem.model().switching != Switching::StoreAndForward {
///             return Err(NotFound::Unsupported { engine: self.name(), why: "it sends over single channels".to_owned() });
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
///         Ok(FoundSchedule { schedule, method: None })
///     }
/// }
///
/// let ring: Topology = "ring:4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward())?;
/// let budget = Budget::unlimited();
/// let request =
///     EngineRequest { problem, goal: 2, below: u32::MAX, best: None, seed: 1, budget: &budget, pause_after: u64::MAX, resume: None };
/// let found = OneByOne.find(&request, &mut |_| {})?;
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
    ///
    /// # Errors
    ///
    /// [`NotFound`] if the engine has no schedule.
    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Result<FoundSchedule, NotFound>;
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
    /// An engine that can continue later [pauses](EngineEvent::Paused) after this number of evaluations, including
    /// those before `resume`.
    pub pause_after: u64,
    /// The state of an engine that was interrupted or has paused: [`SearchProgress::checkpoint`] or
    /// [`EngineEvent::Paused`].
    pub resume: Option<&'a [u8]>,
}

/// The output of an [`Engine`]: a schedule that is not yet verified.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundSchedule {
    /// The schedule.
    pub schedule: Schedule,
    /// Name of the construction or method, if the engine has several.
    pub method: Option<String>,
}

/// A function that receives the events of an engine between pieces of work.
pub type EngineObserver<'a> = dyn FnMut(EngineEvent<'_>) + 'a;

/// A report of an engine about its work.
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
    /// The engine has paused, and can continue from this state ([`EngineRequest::resume`]). It reports that last.
    Paused {
        /// Everything that is needed to continue.
        state: Vec<u8>,
    },
    /// The number of evaluations so far, including those before [`EngineRequest::resume`].
    Spent(u64),
    /// The budget, or a part of it, ended before the work was complete. After a deadline or a cancellation the result
    /// depends on the clock, so every engine must report that.
    Stopped {
        /// The limit that was reached.
        reason: StopReason,
        /// The state of the search at its end, if it can be resumed.
        progress: Option<SearchProgress<'a>>,
    },
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
#[derive(Clone, Copy)]
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
    /// Writes everything that is needed to resume the search. Takes milliseconds on usual sizes.
    pub checkpoint: &'a dyn Fn() -> Vec<u8>,
}

impl fmt::Debug for SearchProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchProgress")
            .field("steps", &self.steps)
            .field("generation", &self.generation)
            .field("evaluations", &self.evaluations)
            .field("conflicts", &self.conflicts)
            .finish_non_exhaustive()
    }
}
