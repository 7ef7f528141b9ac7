//! Deliveries to terminals that few channels reach.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};

use crate::demand::Demand;
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;
use crate::resource_flow::ResourceFlow;
use crate::transfer_rules::TransferRules;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Volume];

/// Computes the number of steps in which all deliveries to some terminals pass the channels that lead to them.
///
/// The channels start at any terminal, also at these; switches make no copies. A few maximum flows from all terminals
/// at once find the best set of terminals and of switches before them. Applies to networks with switches or shared
/// resources; elsewhere the [ports](super::ports) prove as much. The bound must exceed those of the ports and the
/// [volume](super::volume).
///
/// # Source
///
/// Lockstep. For one receiver: Ford and Fulkerson, *Flows in Networks* (1962), §I.5.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, rules, demand) = (problem.topology(), TransferRules::new(problem), Demand::new(problem));
    let is_plain = topology.is_direct() && topology.resource_count() == topology.channel_count();
    let least = request.proved_by(BUILDS_ON);
    if is_plain || least >= request.enough {
        return None;
    }
    // A copy that leaves a terminal may come from a transfer that starts there.
    let tail =
        |node: NodeId| if topology.is_terminal(node) { ResourceFlow::source(topology) } else { ResourceFlow::at(node) };
    let ends = |channel: ChannelId| [tail(topology.tail(channel)), ResourceFlow::at(topology.head(channel))];
    let mut flow = ResourceFlow::new(topology, |channel| [rules.carries(channel).then(|| ends(channel)), None]);
    let deliveries = |receiver: NodeId| demand.count_to(receiver) * problem.messages().chunks();
    let receivers = demand.receivers();
    for &receiver in &receivers {
        flow.demand(receiver, deliveries(receiver));
    }
    let ends_of_flow = [ResourceFlow::source(topology), ResourceFlow::sink(topology)];
    flow.raise_steps(problem.messages().delivery_count(), ends_of_flow, [least, request.enough], |mut side| {
        let is_idle = |node: &NodeId| topology.is_terminal(*node) && receivers.binary_search(node).is_err();
        topology.nodes().filter(is_idle).for_each(|node| side.remove(node.index()));
        let is_in = |node: NodeId| side.contains(node.index());
        let stopped = receivers.iter().filter(|&&node| is_in(node)).map(|&node| u64::from(deliveries(node))).sum();
        let enters = |channel: &ChannelId| {
            let (tail, head) = (topology.tail(*channel), topology.head(*channel));
            is_in(head) && (!is_in(tail) || topology.is_terminal(tail))
        };
        let per_step = rules.room(topology.channels().filter(enters));
        let steps = ceil_steps(stopped, per_step)?;
        let nodes = side.ones().map(NodeId::from_index).collect();
        let certificate = Certificate::Reception { nodes, deliveries: stopped, per_step };
        Some((steps, LowerBound { steps, rule: Rule::Reception, certificate }))
    })
}
