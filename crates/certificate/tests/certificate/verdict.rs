//! The verdict on a bound, in words.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Problem};
use lockstep_topology::{NodeId, Topology};

pub(crate) const PACKETS: CommunicationModel = CommunicationModel::store_and_forward();
pub(crate) const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
pub(crate) const ROOT: NodeId = NodeId::new(0);

pub(crate) fn nodes(numbers: &[u32]) -> Vec<NodeId> {
    numbers.iter().copied().map(NodeId::new).collect()
}

/// Returns the error of a bound in words, or "accepted".
pub(crate) fn verdict(
    topology: &Topology,
    collective: &Collective,
    model: CommunicationModel,
    bound: &LowerBound,
) -> String {
    let problem = Problem::new(topology, collective, model).unwrap();
    bound.check(&problem).map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
}

pub(crate) fn why(rule: Rule, why: &str) -> String {
    format!("not a valid {rule} certificate: {why}")
}
