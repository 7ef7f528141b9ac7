//! Phases as distributions, which every engine understands.

use lockstep_schedule::{Collective, CollectiveKind, Phase, Problem, Schedule};
use lockstep_topology::Topology;

/// One phase of a problem, turned round in time if it collects.
pub(crate) struct Distribution {
    topology: Topology,
    collective: Collective,
    backwards: bool,
}

impl Distribution {
    /// The phases in time order.
    pub(crate) fn all(problem: &Problem<'_>) -> Vec<Self> {
        let (topology, collective) = (problem.topology(), problem.collective());
        let phases = collective.phases().iter().map(|phase| {
            let backwards = *phase == Phase::Collect;
            let topology = if backwards { topology.reversed() } else { topology.clone() };
            Self { topology, collective: distribution(collective), backwards }
        });
        phases.collect()
    }

    /// The problem of this phase under the rules of the whole one.
    pub(crate) fn problem<'a>(&'a self, whole: &Problem<'_>) -> Problem<'a> {
        let problem = Problem::new(&self.topology, &self.collective, whole.model());
        problem.expect("a phase of a problem, read backwards or not, is a problem")
    }

    /// A schedule of [`problem`](Self::problem) in the phase's own direction of time.
    ///
    /// Source: Bertsekas and Tsitsiklis, *Parallel and Distributed Computation* (1989), §1.3.4 (duality).
    pub(crate) fn in_time(&self, schedule: Schedule) -> Schedule {
        if self.backwards { schedule.reversed() } else { schedule }
    }
}

/// The collective that distributes the same messages.
fn distribution(collective: &Collective) -> Collective {
    match (&collective.kind, collective.phases()) {
        (CollectiveKind::AllReduce, _) => Collective::all_to_all_broadcast().with_chunks(collective.chunks),
        (_, [Phase::Collect]) => collective.reversed().expect("a collecting collective has a reversal"),
        _ => collective.clone(),
    }
}
