//! Problems that own their network, and their schedules by construction.

use lockstep_schedule::{Budget, Collective, CollectiveName, CommunicationModel, Problem, Schedule};
use lockstep_topology::Topology;

/// A network, a collective and a model. A rooted collective has the first terminal as its root.
#[derive(Clone, Debug)]
pub struct ProblemInstance {
    topology: Topology,
    collective: Collective,
    model: CommunicationModel,
}

impl ProblemInstance {
    /// Returns the instance of a network spec and the name of a collective.
    ///
    /// # Panics
    ///
    /// If the spec or the name is unknown.
    pub fn new(spec: &str, collective: &str, model: CommunicationModel) -> Self {
        let topology: Topology = spec.parse().expect("a valid spec");
        let name: CollectiveName = collective.parse().expect("the name of a collective");
        let root = name.has_root().then(|| topology.terminals()[0]);
        Self { topology, collective: name.with_root(root).expect("a root if and only if it is rooted"), model }
    }

    /// Returns the problem.
    ///
    /// # Panics
    ///
    /// If the network does not support the collective.
    pub fn problem(&self) -> Problem<'_> {
        Problem::new(&self.topology, &self.collective, self.model).expect("a network that supports the collective")
    }
}

/// Returns the schedule of the first construction that supports the problem.
///
/// # Panics
///
/// If no construction supports it.
pub fn constructed(problem: &Problem<'_>) -> Schedule {
    let found = lockstep_analytic::shortest(problem, 1, &Budget::unlimited(), |_, _| {});
    found.expect("a network of known structure").1
}
