//! Problems of the multistage-network document by name.

use lockstep_evolve::{SearchSpace, candidate_paths};
use lockstep_paths::PathTable;
use lockstep_schedule::{Collective, CollectiveName, CommunicationModel, Problem};
use lockstep_topology::Topology;

/// A network, a collective rooted in the first terminal, and a model.
pub(crate) struct Cell {
    topology: Topology,
    collective: Collective,
    model: CommunicationModel,
}

impl Cell {
    /// The cell with wormhole switching and all ports.
    pub(crate) fn new(network: &str, collective: &str) -> Self {
        let topology: Topology = network.parse().expect(network);
        let name: CollectiveName = collective.parse().expect(collective);
        let root = name.has_root().then(|| topology.terminals()[0]);
        let collective = name.with_root(root).expect("rooted collectives get the first terminal");
        Self { topology, collective, model: CommunicationModel::wormhole() }
    }

    pub(crate) fn with_model(self, model: CommunicationModel) -> Self {
        Self { model, ..self }
    }

    pub(crate) fn half_duplex(self) -> Self {
        Self { topology: self.topology.half_duplex(), ..self }
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem::new(&self.topology, &self.collective, self.model).expect("a problem")
    }

    pub(crate) fn paths(&self) -> PathTable {
        candidate_paths(&self.problem()).expect("a small table")
    }

    pub(crate) fn space<'a>(&'a self, paths: &'a PathTable, steps: u32) -> SearchSpace<'a> {
        SearchSpace::new(self.problem(), paths, steps).expect("a space")
    }
}
