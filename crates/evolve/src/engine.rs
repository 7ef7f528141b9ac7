//! The search as an engine of one call.

use lockstep_paths::{PathSelection, PathTable, TableError};
use lockstep_schedule::{Budget, NotFound, Problem, Schedule, Switching};

use crate::evolution::{Algorithm, Evolution};
use crate::space::{ENGINE, SearchSpace};
use crate::umda::UmdaOptions;

/// The most candidate paths of a pair of terminals; a pair that has more is searched on so many of them, drawn uniformly.
pub const PATHS_PER_PAIR: usize = 64;

/// The candidate paths that a search of `problem` chooses from: shortest ones, or single channels under
/// store-and-forward switching.
///
/// # Errors
///
/// [`TableError`], if they are too many to hold.
pub fn candidate_paths(problem: &Problem) -> Result<PathTable, TableError> {
    let selection = match problem.model().switching {
        Switching::StoreAndForward => PathSelection::SingleChannels,
        Switching::Wormhole => PathSelection::Shortest { cap: PATHS_PER_PAIR, seed: 0 },
    };
    PathTable::build(problem.topology(), selection)
}

/// A schedule of `steps` steps, by [`Umda`](crate::Umda) with [directed](UmdaOptions::directed) mutation.
///
/// The same problem, steps, seed and evaluations give the same schedule on any number of threads. An evaluation is an
/// individual or a chain of a [`Walk`](crate::Walk).
///
/// # Errors
///
/// [`NotFound::Unsupported`] and [`NotFound::TooLong`] as [`SearchSpace::new`], [`NotFound::Stopped`] when the budget is
/// spent.
pub fn schedule(problem: &Problem, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    schedule_by(UmdaOptions::directed(seed), problem, steps, budget)
}

/// A schedule of `steps` steps by an evolutionary algorithm, that is, [`Umda`](crate::Umda) or [`Hgsa`](crate::Hgsa).
///
/// # Errors
///
/// As [`schedule`], and [`NotFound::Unsupported`] for a problem that the algorithm is not made for.
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
