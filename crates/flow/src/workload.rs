//! Synthetic workloads.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use lockstep_files::{is_same_name, name_advice, one_line};
use lockstep_schedule::CollectiveName;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::limits::{MAX_AMOUNT, MAX_FLOWS};
use crate::programs::{Event, Programs, TaskId};

/// Default number of flows per task.
pub const DEFAULT_FLOWS_PER_TASK: u32 = 10;

/// Default size of a flow, in units.
pub const DEFAULT_SIZE: u64 = 100_000;

/// A communication pattern of tasks.
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
    /// Flows between random pairs of tasks, created one after the other. Each appends a send to one program and a
    /// receive to the other, so a task waits for all its earlier receives before it sends.
    Chained,
    /// Phases of flows between random pairs of tasks. In each phase, a task first sends all its flows, then receives
    /// all flows to it.
    ///
    /// # Source
    ///
    /// The pattern `random` of `INRFlow`: Navaridas, Pascual, Erickson, Stewart and Luján, *`INRFlow`: an
    /// interconnection networks research flow-level simulation framework*, JPDC 130, 2019.
    Phased {
        /// Number of phases.
        phases: NonZeroU32,
    },
    /// Each task sends all its flows at once, each to another random task, and then receives.
    Uniform,
    /// Each task sends one flow to each other task at once, starting with the next task, and then receives.
    AllToAll,
}

/// The size of a [`Workload`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkloadOptions {
    /// Number of tasks, at least 2.
    pub tasks: u32,
    /// Mean number of flows per task and phase. Ignored by all-to-all. See [`DEFAULT_FLOWS_PER_TASK`].
    pub flows_per_task: u32,
    /// Size of each flow in units. See [`DEFAULT_SIZE`].
    pub size: u64,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Why a workload is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// There are fewer than 2 tasks.
    #[error("tasks: {tasks} cannot send to each other; give at least 2")]
    Tasks {
        /// Number of tasks.
        tasks: u32,
    },
    /// The size of a flow is 0 or exceeds [`MAX_AMOUNT`].
    #[error("size: a flow of {size} units; give 1 to {MAX_AMOUNT}")]
    Size {
        /// Size of a flow in units.
        size: u64,
    },
    /// There are more flows than [`MAX_FLOWS`].
    #[error("the workload has {flows} flows, more than {MAX_FLOWS}; choose fewer tasks, phases or flows per task")]
    TooManyFlows {
        /// Number of flows, or `u64::MAX` on overflow.
        flows: u64,
    },
}

/// A word that names no workload.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown workload '{}'; {}", one_line(.word), advice(.word))]
pub struct UnknownWorkload {
    /// The word.
    pub word: String,
}

/// Returns similar names, or all names. A wrong number of phases gets all names.
fn advice(word: &str) -> String {
    if let Ok(collective) = word.parse::<CollectiveName>() {
        return format!("for a collective such as {collective}, simulate the schedule of a plan");
    }
    name_advice(if word.contains(':') { "" } else { word }, Workload::NAMES)
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
        let unknown = || UnknownWorkload { word: word.to_owned() };
        let (name, phases) = word.split_once(':').map_or((word, None), |(name, phases)| (name, Some(phases)));
        let is_phased = is_same_name(name, "phased");
        match phases {
            Some(phases) if is_phased => Ok(Self::Phased { phases: phases.parse().map_err(|_| unknown())? }),
            None if is_phased => Ok(Self::Phased { phases: NonZeroU32::MIN }),
            None if is_same_name(name, "chained") => Ok(Self::Chained),
            None if is_same_name(name, "uniform") => Ok(Self::Uniform),
            None if name.parse() == Ok(CollectiveName::AllToAll) => Ok(Self::AllToAll),
            _ => Err(unknown()),
        }
    }
}

impl Workload {
    /// The names of all workloads. `PHASES` stands for a number.
    pub const NAMES: [&str; 5] = ["chained", "phased", "phased:PHASES", "uniform", "all-to-all"];

    /// Creates the programs of the workload. They are [valid](Programs::check) and free of deadlocks.
    ///
    /// There are `tasks * flows_per_task` flows per phase, or one flow per ordered pair of tasks. No task sends to
    /// itself. Time and memory are O(flows).
    ///
    /// # Errors
    ///
    /// Returns the first [`WorkloadError`], before any allocation.
    pub fn programs(self, options: &WorkloadOptions) -> Result<Programs, WorkloadError> {
        let WorkloadOptions { tasks, flows_per_task, size, seed } = *options;
        if tasks < 2 {
            return Err(WorkloadError::Tasks { tasks });
        }
        if !(1..=MAX_AMOUNT).contains(&size) {
            return Err(WorkloadError::Size { size });
        }
        let (rounds, per_task) = match self {
            Self::Chained | Self::Uniform => (1, flows_per_task),
            Self::Phased { phases } => (phases.get(), flows_per_task),
            Self::AllToAll => (1, tasks - 1),
        };
        let per_round = u64::from(tasks) * u64::from(per_task);
        let flows = per_round.saturating_mul(rounds.into());
        // Tasks without flows also take memory.
        if flows.max(tasks.into()) > MAX_FLOWS {
            return Err(WorkloadError::TooManyFlows { flows: flows.max(tasks.into()) });
        }
        let mut builder = ProgramsBuilder { tasks: vec![Vec::new(); tasks as usize], size };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut one_of = |count: u32| random.random_range(0..count);
        let pair = |from: u32, place: u32| [from, place + u32::from(place >= from)];
        match self {
            Self::AllToAll => {
                let shifts = (1..tasks).flat_map(|shift| (0..tasks).map(move |from| (from, shift)));
                builder.all_at_once(shifts.map(|(from, shift)| [from, (from + shift) % tasks]));
            }
            Self::Uniform => {
                let senders = (0..flows_per_task).flat_map(|_| 0..tasks);
                let pairs: Vec<_> = senders.map(|from| pair(from, one_of(tasks - 1))).collect();
                builder.all_at_once(pairs.into_iter());
            }
            Self::Chained => (0..per_round).for_each(|_| builder.chain(pair(one_of(tasks), one_of(tasks - 1)))),
            Self::Phased { phases } => {
                for _ in 0..phases.get() {
                    let pairs: Vec<_> = (0..per_round).map(|_| pair(one_of(tasks), one_of(tasks - 1))).collect();
                    builder.all_at_once(pairs.into_iter());
                }
            }
        }
        Ok(Programs { tasks: builder.tasks })
    }
}

/// Programs under construction.
struct ProgramsBuilder {
    tasks: Vec<Vec<Event>>,
    size: u64,
}

impl ProgramsBuilder {
    fn send(&mut self, [from, to]: [u32; 2]) {
        let (to, size) = (TaskId::new(to), self.size);
        self.tasks[from as usize].push(Event::Send { to, size, tag: 0, path: [].into() });
    }

    fn receive(&mut self, [from, to]: [u32; 2]) {
        self.tasks[to as usize].push(Event::Receive { from: TaskId::new(from), tag: 0 });
    }

    /// Appends a flow that its receiver waits for before it continues.
    fn chain(&mut self, pair: [u32; 2]) {
        self.send(pair);
        self.receive(pair);
    }

    /// Appends flows that are all sent before any is received.
    fn all_at_once(&mut self, pairs: impl Iterator<Item = [u32; 2]> + Clone) {
        pairs.clone().for_each(|pair| self.send(pair));
        pairs.for_each(|pair| self.receive(pair));
    }
}
