//! Programs that stand for what parallel applications do.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::programs::{Event, MAX_AMOUNT, Programs, TaskId};

/// Flows of a task where nothing else is said.
pub const DEFAULT_FLOWS_PER_TASK: u32 = 10;

/// Units of a flow where nothing else is said.
pub const DEFAULT_SIZE: u64 = 100_000;

/// The most flows of a workload.
pub const MAX_FLOWS: u64 = 1 << 24;

/// Who sends to whom, and who waits for what.
///
/// ```
/// use lockstep_flow::{Workload, WorkloadOptions};
///
/// let workload: Workload = "phased:3".parse()?;
/// let options = WorkloadOptions { tasks: 16, flows_per_task: 10, size: 1000, seed: 1 };
/// assert_eq!(workload.programs(&options)?.flow_count(), 3 * 160);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Workload {
    /// For one flow after the other between two tasks drawn at random, appends a send to the program of one and a
    /// receive to that of the other: a task may not send before it has received all that stands earlier.
    Chained,
    /// Phases, each of as many flows between tasks drawn at random: in every phase a task first sends all its flows,
    /// then receives all that come to it.
    ///
    /// **Source**: the pattern `random` of `INRFlow` (Navaridas, Pascual, Erickson, Stewart, Luján, *`INRFlow`: an
    /// interconnection networks research flow-level simulation framework*, JPDC 130, 2019).
    Phased {
        /// Number of phases.
        phases: NonZeroU32,
    },
    /// Every task sends all its flows at once, each to another task drawn at random, and then receives.
    Uniform,
    /// Every task sends one flow to each other task at once, and then receives; beginning with the task behind it.
    AllToAll,
}

/// How large a [`Workload`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkloadOptions {
    /// Number of tasks, 2 or more.
    pub tasks: u32,
    /// Flows divided by tasks, in each phase; an all-to-all has as many as it needs. See [`DEFAULT_FLOWS_PER_TASK`].
    pub flows_per_task: u32,
    /// Units of each flow. See [`DEFAULT_SIZE`].
    pub size: u64,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Why there is no such workload.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// Nobody to send to.
    #[error("tasks: {tasks} cannot send to each other; give 2 or more")]
    Tasks {
        /// Number of tasks.
        tasks: u32,
    },
    /// Flows without length, or longer than [`MAX_AMOUNT`].
    #[error("size: a flow of {size} units; give 1 to {MAX_AMOUNT}")]
    Size {
        /// Units of a flow.
        size: u64,
    },
    /// More flows than [`MAX_FLOWS`].
    #[error("the workload has {flows} flows, more than {MAX_FLOWS}; choose fewer tasks, phases or flows of a task")]
    TooManyFlows {
        /// Number of flows, `u64::MAX` if it is more than that.
        flows: u64,
    },
}

/// A word that is no workload.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{}' is no workload; choose chained, phased, phased:PHASES, uniform or all-to-all",
    lockstep_files::one_line(.word)
)]
pub struct UnknownWorkload {
    /// The word.
    pub word: String,
}

impl fmt::Display for Workload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chained => formatter.pad("chained"),
            Self::Phased { phases } => formatter.pad(&format!("phased:{phases}")),
            Self::Uniform => formatter.pad("uniform"),
            Self::AllToAll => formatter.pad("all-to-all"),
        }
    }
}

impl FromStr for Workload {
    type Err = UnknownWorkload;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "chained" => Ok(Self::Chained),
            "phased" => Ok(Self::Phased { phases: NonZeroU32::MIN }),
            "uniform" => Ok(Self::Uniform),
            "all-to-all" => Ok(Self::AllToAll),
            _ => {
                let phases = lower.strip_prefix("phased:").and_then(|phases| phases.parse().ok());
                phases.map(|phases| Self::Phased { phases }).ok_or_else(|| UnknownWorkload { word: word.to_owned() })
            }
        }
    }
}

impl Workload {
    /// The programs of a workload, which pass their [check](Programs::check) and do not wait for ever.
    ///
    /// Takes time and memory in proportion to the flows, of which there are `tasks * flows_per_task`, in each phase if it
    /// has phases, or one for each pair of tasks. No task sends to itself.
    ///
    /// # Errors
    ///
    /// The first [`WorkloadError`], before anything is allocated.
    pub fn programs(self, options: &WorkloadOptions) -> Result<Programs, WorkloadError> {
        let WorkloadOptions { tasks, flows_per_task, size, seed } = *options;
        if tasks < 2 {
            return Err(WorkloadError::Tasks { tasks });
        }
        if !(1..=MAX_AMOUNT).contains(&size) {
            return Err(WorkloadError::Size { size });
        }
        let (rounds, of_a_task) = match self {
            Self::Chained | Self::Uniform => (1, flows_per_task),
            Self::Phased { phases } => (phases.get(), flows_per_task),
            Self::AllToAll => (1, tasks - 1),
        };
        let in_a_round = u64::from(tasks) * u64::from(of_a_task);
        let flows = in_a_round.saturating_mul(rounds.into());
        // Tasks without flows take memory too.
        if flows.max(tasks.into()) > MAX_FLOWS {
            return Err(WorkloadError::TooManyFlows { flows: flows.max(tasks.into()) });
        }
        let mut draft = Draft { tasks: vec![Vec::new(); tasks as usize], size };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut one_of = |count: u32| random.random_range(0..count);
        let pair = |from: u32, place: u32| [from, place + u32::from(place >= from)];
        match self {
            Self::AllToAll => {
                let shifts = (1..tasks).flat_map(|shift| (0..tasks).map(move |from| (from, shift)));
                draft.all_at_once(shifts.map(|(from, shift)| [from, (from + shift) % tasks]));
            }
            Self::Uniform => {
                let senders = (0..flows_per_task).flat_map(|_| 0..tasks);
                let pairs: Vec<_> = senders.map(|from| pair(from, one_of(tasks - 1))).collect();
                draft.all_at_once(pairs.into_iter());
            }
            Self::Chained => (0..in_a_round).for_each(|_| draft.chain(pair(one_of(tasks), one_of(tasks - 1)))),
            Self::Phased { phases } => {
                for _ in 0..phases.get() {
                    let pairs: Vec<_> = (0..in_a_round).map(|_| pair(one_of(tasks), one_of(tasks - 1))).collect();
                    draft.all_at_once(pairs.into_iter());
                }
            }
        }
        Ok(Programs { tasks: draft.tasks })
    }
}

struct Draft {
    tasks: Vec<Vec<Event>>,
    size: u64,
}

impl Draft {
    fn send(&mut self, [from, to]: [u32; 2]) {
        let (to, size) = (TaskId::new(to), self.size);
        self.tasks[from as usize].push(Event::Send { to, size, tag: 0, path: [].into() });
    }

    fn receive(&mut self, [from, to]: [u32; 2]) {
        self.tasks[to as usize].push(Event::Receive { from: TaskId::new(from), tag: 0 });
    }

    fn chain(&mut self, pair: [u32; 2]) {
        self.send(pair);
        self.receive(pair);
    }

    fn all_at_once(&mut self, pairs: impl Iterator<Item = [u32; 2]> + Clone) {
        pairs.clone().for_each(|pair| self.send(pair));
        pairs.for_each(|pair| self.receive(pair));
    }
}
