//! Phases as distributions: reversal in time, and collectives of two phases.

use lockstep_schedule::{Collective, CollectiveKind, Phase, Problem};

/// A problem seen as what the rules understand.
pub(crate) enum Shape {
    /// Messages go from sources to receivers.
    Distribution,
    /// One collecting phase.
    Collection,
    /// These collectives one after the other.
    Sequence([Collective; 2]),
}

/// What kind of problem it is.
pub(crate) fn shape(problem: &Problem<'_>) -> Shape {
    let collective = problem.collective();
    match (&collective.kind, collective.phases()) {
        (CollectiveKind::AllReduce, _) => {
            let then = |kind| Collective { kind, chunks: collective.chunks };
            Shape::Sequence([then(CollectiveKind::ReduceScatter), then(CollectiveKind::AllToAllBroadcast)])
        }
        (_, [Phase::Collect]) => Shape::Collection,
        _ => Shape::Distribution,
    }
}

/// What `ask` answers about the same network and model with another collective over the same messages.
pub(crate) fn with_collective<T>(
    problem: &Problem<'_>,
    collective: &Collective,
    ask: impl FnOnce(&Problem<'_>) -> T,
) -> T {
    let part = Problem::new(problem.topology(), collective, problem.model());
    ask(&part.expect("a phase of a problem is a problem"))
}

/// What `ask` answers about the distribution whose schedules, read backwards in time, are those of a
/// [`Collection`](Shape::Collection).
///
/// Source: Bertsekas and Tsitsiklis, *Parallel and Distributed Computation* (1989), §1.3 (duality of communication
/// tasks).
pub(crate) fn with_reversal<T>(problem: &Problem<'_>, ask: impl FnOnce(&Problem<'_>) -> T) -> T {
    let collective = problem.collective().reversed().expect("a collecting collective has a reversal");
    let topology = problem.topology().reversed();
    let distribution = Problem::new(&topology, &collective, problem.model());
    ask(&distribution.expect("the reversal of a problem is a problem"))
}
