//! Messages of one source that cross a cut.

use fixedbitset::FixedBitSet;
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};

use crate::bfs::{Bfs, UNREACHED};
use crate::demand::Demand;
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;
use crate::resource_flow::ResourceFlow;
use crate::transfer_rules::{TransferRules, takes_fewest_channels};

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Cut];

/// Computes the number of steps in which the messages of the only source cross the best cut, over channels that
/// transfers from the source may use.
///
/// Such a channel leaves the source or a node that routes. With minimal routing, it lies on a shortest path. Applies to
/// direct scatter messages of one source. The larger of this bound and that of the [ports](super::ports) is the
/// optimum. The bound must exceed those of the ports and the [cuts](super::cut). Takes a few maximum flows.
///
/// # Source
///
/// Ford and Fulkerson, *Flows in Networks* (1962), §I.5; the optimum by Baum and Trotter, "Integer rounding and
/// polyhedral decomposition for totally unimodular systems", *Optimization and Operations Research* (1978).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, rules, demand) = (problem.topology(), TransferRules::new(problem), Demand::new(problem));
    if !rules.is_direct() {
        return None;
    }
    let &[source] = demand.sources().as_slice() else { return None };
    let least = request.proved_by(BUILDS_ON);
    if least >= request.enough {
        return None;
    }
    let is_open = open_channels(problem, rules, source);
    let open = |&channel: &ChannelId| is_open.contains(channel.index());
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    let mut flow = ResourceFlow::new(topology, |channel| [open(&channel).then(|| ends(channel)), None]);
    let messages = |receiver: NodeId| demand.count_to(receiver) * problem.messages().chunks();
    let receivers = demand.receivers();
    for &receiver in &receivers {
        flow.demand(receiver, messages(receiver));
    }
    let ends_of_flow = [ResourceFlow::at(source), ResourceFlow::sink(topology)];
    flow.raise_steps(problem.messages().len() as u64, ends_of_flow, [least, request.enough], |side| {
        let is_in = |node: NodeId| side.contains(node.index());
        let stopped = receivers.iter().filter(|&&node| is_in(node)).map(|&node| u64::from(messages(node))).sum();
        let crosses = |channel: &ChannelId| !is_in(topology.tail(*channel)) && is_in(topology.head(*channel));
        let per_step = rules.room(topology.channels().filter(open).filter(crosses));
        let steps = ceil_steps(stopped, per_step)?;
        let nodes = side.ones().map(NodeId::from_index).collect();
        let certificate = Certificate::SourceCut { source, nodes, messages: stopped, per_step };
        Some((steps, LowerBound { steps, rule: Rule::SourceCut, certificate }))
    })
}

/// Returns the channels that transfers from the source may use.
fn open_channels(problem: &Problem<'_>, rules: TransferRules<'_>, source: NodeId) -> FixedBitSet {
    let topology = problem.topology();
    let mut bfs = Bfs::default();
    bfs.forwards(rules, source);
    let is_minimal = takes_fewest_channels(problem);
    let distance = |node: NodeId| bfs.distance[node.index()];
    let is_open = |channel: &ChannelId| {
        let (tail, head) = (topology.tail(*channel), topology.head(*channel));
        let leaves = distance(tail) != UNREACHED && (tail == source || rules.may_continue(tail));
        let is_nearer = distance(head) == distance(tail).saturating_add(1);
        let approaches = if is_minimal { is_nearer } else { head != source };
        rules.carries(*channel) && leaves && approaches
    };
    let mut open = FixedBitSet::with_capacity(topology.channel_bound());
    open.extend(topology.channels().filter(is_open).map(ChannelId::index));
    open
}
