//! What crosses a cut on the way from one source.

use fixedbitset::FixedBitSet;
use lockstep_schedule::{Problem, Routing};
use lockstep_topology::{ChannelId, NodeId};

use super::{BoundRequest, ceil_steps, cut, ports};
use crate::demand::Demand;
use crate::legal::Legal;
use crate::resource_flow::ResourceFlow;
use crate::search::{Search, UNREACHED};
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// The steps in which the messages of the only source cross the best cut over channels that transfers from there may take:
/// those that leave it or a node that routes and, with minimal routing, lie on a shortest path. Takes a few maximum flows.
///
/// Applies to direct scatter messages of one source. It is their optimum together with the [ports], and says
/// something only if it is more than these and any [cut] say.
///
/// Source: Ford and Fulkerson, *Flows in Networks* (1962), §I.5; the optimum by Baum and Trotter, *Integer rounding and
/// polyhedral decomposition for totally unimodular systems* (1978).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, legal, demand) = (problem.topology(), Legal::new(problem), Demand::new(problem));
    if !legal.direct {
        return None;
    }
    let &[source] = demand.sources().as_slice() else { return None };
    let cheap = [ports::bound, cut::bound].into_iter().filter_map(|rule| rule(problem, request));
    let least = cheap.map(|bound| bound.steps).max()?;
    if least >= request.enough {
        return None;
    }
    let is_open = open_channels(problem, legal, source);
    let open = |&channel: &ChannelId| is_open.contains(channel.index());
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    let mut wires = ResourceFlow::new(topology, |channel| [open(&channel).then(|| ends(channel)), None]);
    let messages = |receiver: NodeId| demand.count_to(receiver) * problem.messages().chunks();
    let receivers = demand.receivers();
    for &receiver in &receivers {
        wires.demand(receiver, messages(receiver));
    }
    let route = [ResourceFlow::at(source), ResourceFlow::sink(topology)];
    wires.add_capacity(problem.messages().len() as u64, route, [least, request.enough], |side| {
        let is_in = |node: NodeId| side.contains(node.index());
        let stopped = receivers.iter().filter(|&&node| is_in(node)).map(|&node| u64::from(messages(node))).sum();
        let crosses = |channel: &ChannelId| !is_in(topology.tail(*channel)) && is_in(topology.head(*channel));
        let per_step = legal.resource_count(topology.channels().filter(open).filter(crosses)) as u64;
        let steps = ceil_steps(stopped, per_step)?;
        let nodes = side.ones().map(NodeId::from_index).collect();
        let certificate = Certificate::SourceCut { source, nodes, messages: stopped, per_step };
        Some((steps, LowerBound { steps, rule: Rule::SourceCut, certificate }))
    })
}

/// The channels that transfers from the source may take.
fn open_channels(problem: &Problem<'_>, legal: Legal<'_>, source: NodeId) -> FixedBitSet {
    let topology = problem.topology();
    let mut search = Search::default();
    search.forwards(legal, source);
    let distance = |node: NodeId| search.distance[node.index()];
    let is_open = |channel: &ChannelId| {
        let (tail, head) = (topology.tail(*channel), topology.head(*channel));
        let leaves = distance(tail) != UNREACHED && (tail == source || legal.goes_on(tail));
        let approaches = match problem.model().routing {
            Routing::Minimal => distance(head) == distance(tail).saturating_add(1),
            Routing::Any => head != source,
        };
        legal.carries(*channel) && leaves && approaches
    };
    let mut open = FixedBitSet::with_capacity(topology.channel_bound());
    open.extend(topology.channels().filter(is_open).map(ChannelId::index));
    open
}
