//! Phases as distributions, which every engine understands.

use lockstep_topology::Topology;

use crate::collective::{Collective, CollectiveKind, Phase};
use crate::problem::Problem;
use crate::schedule::Schedule;

/// One phase of a problem, turned round in time if it collects: what engines and bounds understand.
///
/// ```
/// use lockstep_schedule::{CollectiveKind, CommunicationModel, Distribution, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:5".parse()?;
/// let all_reduce = CollectiveKind::AllReduce.into();
/// let problem = Problem::new(&ring, &all_reduce, CommunicationModel::wormhole())?;
/// let phases = Distribution::all(&problem);
/// assert_eq!(phases.len(), 2);
/// assert_eq!(phases[0].problem(&problem).messages().len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Distribution {
    topology: Topology,
    collective: Collective,
    backwards: bool,
}

impl Distribution {
    /// The phases in time order.
    pub fn all(problem: &Problem<'_>) -> Vec<Self> {
        let (topology, collective) = (problem.topology(), problem.collective());
        let phases = collective.phases().iter().map(|phase| {
            let backwards = *phase == Phase::Collect;
            let topology = if backwards { topology.reversed() } else { topology.clone() };
            Self { topology, collective: distribution(collective), backwards }
        });
        phases.collect()
    }

    /// The problem of this phase under the rules of the whole one.
    pub fn problem<'a>(&'a self, whole: &Problem<'_>) -> Problem<'a> {
        Problem::checked(&self.topology, &self.collective, whole.model())
    }

    /// A schedule of [`problem`](Self::problem) in the phase's own direction of time.
    ///
    /// Source: Bertsekas and Tsitsiklis, *Parallel and Distributed Computation* (1989), §1.3.4 (duality).
    pub fn in_time(&self, schedule: Schedule) -> Schedule {
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
