//! The search as a single function call.

use lockstep_paths::{PathSelection, PathTable, TableError};
use lockstep_schedule::{Budget, NotFound, Problem, Schedule, Switching};

use crate::evolution::{Algorithm, Evolution};
use crate::space::{ENGINE, SearchSpace};
use crate::umda::UmdaOptions;

/// The largest number of candidate paths per pair of terminals. A pair with more shortest paths gets a uniform sample.
pub const PATHS_PER_PAIR: usize = 64;

/// Returns the candidate paths of a search: shortest paths, or single channels under store-and-forward switching.
///
/// # Errors
///
/// [`TableError`] if there are too many paths.
pub fn candidate_paths(problem: &Problem) -> Result<PathTable, TableError> {
    let selection = match problem.model().switching {
        Switching::StoreAndForward => PathSelection::SingleChannels,
        Switching::Wormhole => PathSelection::Shortest { cap: PATHS_PER_PAIR, seed: 0 },
    };
    PathTable::build(problem.topology(), selection)
}

/// Searches for a schedule of `steps` steps by [`Umda`](crate::Umda) with [directed](UmdaOptions::directed) mutation.
///
/// The same problem, steps, seed and evaluations give the same schedule on any number of threads. An evaluation is an
/// individual or a chain of an [`EjectionChainSearch`](crate::EjectionChainSearch). A chain of a broadcast that examines many
/// paths counts as several.
///
/// # Errors
///
/// [`NotFound::Unsupported`] and [`NotFound::TooLong`] as in [`SearchSpace::new`], and [`NotFound::Stopped`] if the
/// budget ends first.
pub fn schedule(problem: &Problem, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    schedule_by(UmdaOptions::directed(seed), problem, steps, budget)
}

/// Searches for a schedule of `steps` steps by [`Umda`](crate::Umda) or [`Hgsa`](crate::Hgsa).
///
/// # Errors
///
/// As [`schedule`], and [`NotFound::Unsupported`] if the algorithm does not support the problem.
///
/// # Examples
///
/// ```
/// use lockstep_evolve::{HgsaOptions, schedule_by};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:6".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward())?;
/// let schedule = schedule_by(HgsaOptions::directed(1), &problem, 3, &Budget::evaluations(1_000_000))?;
/// assert_eq!(schedule.step_count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schedule_by(
    algorithm: impl Algorithm,
    problem: &Problem,
    steps: u32,
    budget: &Budget,
) -> Result<Schedule, NotFound> {
    let unsupported = |error: TableError| NotFound::Unsupported { engine: ENGINE, why: error.to_string() };
    let table = candidate_paths(problem).map_err(unsupported)?;
    let space = SearchSpace::new(*problem, &table, steps)?;
    Evolution::new(&space, algorithm).run(budget, |_| {})
}
