//! Phases as distributions, which every engine understands.

use lockstep_bounds::{Certificate, LowerBound};
use lockstep_schedule::{Collective, CollectiveKind, Phase, Problem, Schedule};
use lockstep_topology::Topology;

/// One phase of a problem, turned round in time if it collects.
pub(crate) struct Distribution {
    topology: Topology,
    collective: Collective,
    backwards: bool,
    /// Steps that no schedule of the phase can beat.
    pub(crate) floor: u32,
}

impl Distribution {
    /// The phases in time order; `bound` is a bound of the whole problem.
    pub(crate) fn all(problem: &Problem<'_>, bound: &LowerBound) -> Vec<Self> {
        let floors: Vec<u32> = match &bound.certificate {
            Certificate::Phases { phases } => phases.iter().map(|phase| phase.steps).collect(),
            _ => vec![bound.steps],
        };
        let (topology, collective) = (problem.topology(), problem.collective());
        let phases = collective.phases().iter().zip(floors).map(|(phase, floor)| {
            let backwards = *phase == Phase::Collect;
            let topology = if backwards { topology.reversed() } else { topology.clone() };
            Self { topology, collective: distribution(collective), backwards, floor }
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
    pub(crate) fn in_time(&self, schedule: &Schedule) -> Schedule {
        if self.backwards { schedule.reversed() } else { schedule.clone() }
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
