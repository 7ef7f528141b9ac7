//! Problems from words, and their schedules.

use lockstep_schedule::{Budget, Collective, CollectiveName, CommunicationModel, Problem, Schedule};
use lockstep_topology::Topology;

/// A network, a collective with the first terminal as its root where it has one, and a model.
#[derive(Clone, Debug)]
pub struct Question {
    topology: Topology,
    collective: Collective,
    model: CommunicationModel,
}

impl Question {
    /// The question of this spec and collective.
    ///
    /// # Panics
    ///
    /// If one of them is none.
    pub fn new(spec: &str, collective: &str, model: CommunicationModel) -> Self {
        let topology: Topology = spec.parse().expect("a spec");
        let name: CollectiveName = collective.parse().expect("a collective");
        let root = name.has_root().then(|| topology.terminals()[0]);
        Self { topology, collective: name.with_root(root).expect("a root where it has one"), model }
    }

    /// The problem.
    ///
    /// # Panics
    ///
    /// If the collective cannot be asked of the network.
    pub fn problem(&self) -> Problem<'_> {
        Problem::new(&self.topology, &self.collective, self.model).expect("a problem")
    }
}

/// The schedule of the construction that fits.
///
/// # Panics
///
/// If none does.
pub fn constructed(problem: &Problem<'_>) -> Schedule {
    let found = lockstep_analytic::shortest(problem, 1, &Budget::unlimited(), |_, _| {});
    found.expect("a network of known structure").1
}
