//! How many transfers can reach terminals behind few channels in one step.

use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};

use super::{BoundRequest, ceil_steps, ports, volume};
use crate::demand::Demand;
use crate::legal::Legal;
use crate::resource_flow::ResourceFlow;
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// The steps in which all deliveries to some terminals pass the channels that lead to them from all terminals, these
/// included: switches make no copies. The terminals and the switches before them are those of the best cut, found by a few
/// maximum flows from all terminals at once.
///
/// Applies to networks with switches or shared resources; elsewhere it is the matter of [ports]. Says
/// something only if it is more than these and the [volume] say.
///
/// Source: ours; for one receiver Ford and Fulkerson, *Flows in Networks* (1962), §I.5.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, legal, demand) = (problem.topology(), Legal::new(problem), Demand::new(problem));
    let is_plain = topology.is_direct() && topology.resource_count() == topology.channel_count();
    let cheap = [ports::bound, volume::bound].into_iter().filter_map(|rule| rule(problem, request));
    let least = cheap.map(|bound| bound.steps).max()?;
    if is_plain || least >= request.enough {
        return None;
    }
    // Whatever leaves a terminal may come from a transfer that starts there.
    let tail =
        |node: NodeId| if topology.is_terminal(node) { ResourceFlow::source(topology) } else { ResourceFlow::at(node) };
    let ends = |channel: ChannelId| [tail(topology.tail(channel)), ResourceFlow::at(topology.head(channel))];
    let mut wires = ResourceFlow::new(topology, |channel| [legal.carries(channel).then(|| ends(channel)), None]);
    let deliveries = |receiver: NodeId| demand.count_to(receiver) * problem.messages().chunks();
    let receivers = demand.receivers();
    for &receiver in &receivers {
        wires.demand(receiver, deliveries(receiver));
    }
    let route = [ResourceFlow::source(topology), ResourceFlow::sink(topology)];
    wires.add_capacity(problem.messages().delivery_count(), route, [least, request.enough], |mut side| {
        let is_idle = |node: &NodeId| topology.is_terminal(*node) && receivers.binary_search(node).is_err();
        topology.nodes().filter(is_idle).for_each(|node| side.remove(node.index()));
        let is_in = |node: NodeId| side.contains(node.index());
        let stopped = receivers.iter().filter(|&&node| is_in(node)).map(|&node| u64::from(deliveries(node))).sum();
        let enters = |channel: &ChannelId| {
            let (tail, head) = (topology.tail(*channel), topology.head(*channel));
            is_in(head) && (!is_in(tail) || topology.is_terminal(tail))
        };
        let per_step = legal.resource_count(topology.channels().filter(enters)) as u64;
        let steps = ceil_steps(stopped, per_step)?;
        let nodes = side.ones().map(NodeId::from_index).collect();
        let certificate = Certificate::Reception { nodes, deliveries: stopped, per_step };
        Some((steps, LowerBound { steps, rule: Rule::Reception, certificate }))
    })
}
