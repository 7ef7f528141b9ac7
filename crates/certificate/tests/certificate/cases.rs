//! The bounds of `tests/data/bounds.jsonl`: valid ones by every rule, as text that no rule of today computed.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{CollectiveName, CommunicationModel, Problem};
use lockstep_topology::{NodeId, Topology};
use serde::Deserialize;

/// A problem, a bound, and the bound in words.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) network: String,
    pub(crate) half_duplex: bool,
    pub(crate) collective: String,
    pub(crate) root: Option<NodeId>,
    pub(crate) chunks: u32,
    pub(crate) model: CommunicationModel,
    pub(crate) bound: LowerBound,
    pub(crate) explanation: String,
}

impl Case {
    pub(crate) fn with_problem<T>(&self, visit: impl FnOnce(&Problem<'_>) -> T) -> T {
        let topology: Topology = self.network.parse().unwrap();
        let topology = if self.half_duplex { topology.half_duplex() } else { topology };
        let name: CollectiveName = self.collective.parse().unwrap();
        let collective = name.with_root(self.root).unwrap().with_chunks(self.chunks.try_into().unwrap());
        visit(&Problem::new(&topology, &collective, self.model).unwrap())
    }

    /// The error of a changed bound, in words.
    pub(crate) fn refusal(&self, changed: &LowerBound) -> String {
        self.with_problem(|problem| changed.check(problem).unwrap_err().to_string())
    }
}

pub(crate) fn all() -> Vec<Case> {
    let lines = include_str!("../data/bounds.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The first case of a network by a rule.
pub(crate) fn case(network: &str, rule: Rule) -> Case {
    all().into_iter().find(|case| case.network == network && case.bound.rule == rule).unwrap()
}
