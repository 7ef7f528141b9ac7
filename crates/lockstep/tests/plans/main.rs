//! Tests of planning, plan files and recovery through the public interface.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

mod analytic;
mod budgets;
mod certificates;
mod checkpoints;
mod designs;
mod engines;
mod execution;
mod files;
mod forgeries;
mod fronts;
mod interruptions;
mod islands;
mod limits;
mod networks;
mod oracle;
mod parts;
mod planner;
mod recovery;
mod replanning;
mod workers;

use std::path::Path;

use lockstep::{Collective, CollectiveName, CommunicationModel, NodeId, Problem, Topology, load};

/// The parts of a problem. The root of a collective is node 0.
struct Setup {
    topology: Topology,
    collective: Collective,
    model: CommunicationModel,
}

impl Setup {
    fn new(spec: &str, collective: &str, model: CommunicationModel) -> Self {
        let name: CollectiveName = collective.parse().unwrap();
        let root = name.has_root().then_some(NodeId::new(0));
        Self { topology: spec.parse().unwrap(), collective: name.with_root(root).unwrap(), model }
    }

    fn problem(&self) -> Problem<'_> {
        Problem::new(&self.topology, &self.collective, self.model).unwrap()
    }
}

/// Loads a network of `tests/networks`.
fn network(file: &str) -> Topology {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/networks").join(file);
    load(path.to_str().unwrap()).unwrap()
}
