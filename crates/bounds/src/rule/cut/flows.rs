//! The best cuts, by maximum flows.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};
use rayon::prelude::*;

use super::Cuts;
use crate::demand::Demand;
use crate::legal::Legal;
use crate::resource_flow::ResourceFlow;
use crate::rule::{SEARCH_WORK, ports, sample};

/// Visits of an arc that a flow takes, about.
const VISITS: usize = 16;

/// Receivers that are asked side by side before the best answer is looked at.
const ROUND: usize = 64;

/// Whether flows leave nothing to be found.
pub(super) fn decide(demand: &Demand<'_>) -> bool {
    matches!(demand, Demand::Broadcast { .. }) || has_one_receiver(demand) || scatter_source(demand).is_some()
}

fn has_one_receiver(demand: &Demand<'_>) -> bool {
    matches!(demand, Demand::Listed { .. }) && demand.receivers().len() == 1
}

/// The only source, if every message has one receiver.
fn scatter_source(demand: &Demand<'_>) -> Option<NodeId> {
    let sources = demand.sources();
    let is_scatter = |source: NodeId| demand.from(source).all(|request| request.count == 1);
    sources.first().copied().filter(|&source| sources.len() == 1 && is_scatter(source))
}

/// Looks at the best cuts that say more than the ports: around all receivers of the messages from one source, or around
/// each receiver with all messages for it.
///
/// That `T` steps are too few for some cut is a question for one flow: over wires `T` wide not all messages get through,
/// and a least cut says how many steps more it takes, until they do (Newton's method, a few flows). Where receivers wait
/// for the same messages, it is asked of one of them, the hub, and with its answer of the others only if fewer wires lead
/// there from the hub than their messages need: what stops them between both has fewer wires. So an all-gather takes
/// O(N D M) time for `N` terminals of degree `D`, and few flows of many units. Beyond a fixed amount of work receivers are
/// sampled evenly.
///
/// Source: Ford and Fulkerson, *Flows in Networks* (1962), §I.5; the quotient by Dinkelbach, *Management Science* 13 (1967).
pub(super) fn look(problem: &Problem<'_>, demand: &Demand<'_>, cuts: &mut Cuts<'_, '_>) {
    let by_ports = ports::bound(problem, cuts.request).map_or(0, |bound| bound.steps);
    if by_ports > cuts.best.0 {
        cuts.best.0 = by_ports;
        cuts.best.1.clear();
    }
    if let Some(source) = scatter_source(demand) {
        scatter(problem, demand, source, cuts);
    } else if has_one_receiver(demand) || !problem.messages().is_scatter() {
        gather(problem, demand, cuts);
    }
}

fn scatter(problem: &Problem<'_>, demand: &Demand<'_>, source: NodeId, cuts: &mut Cuts<'_, '_>) {
    let topology = problem.topology();
    let mut wires = wires(problem, one_way);
    for receiver in demand.receivers() {
        wires.demand(receiver, demand.count_to(receiver) * problem.messages().chunks());
    }
    let ends = [ResourceFlow::at(source), ResourceFlow::sink(topology)];
    wires.add_capacity(problem.messages().len() as u64, ends, [cuts.best.0, cuts.request.enough], |side| {
        cuts.try_side(&side);
        Some((cuts.best.0, ()))
    });
}

/// The wires that carry transfers.
fn wires(problem: &Problem<'_>, ways: fn([usize; 2]) -> [Option<[usize; 2]>; 2]) -> ResourceFlow {
    let (topology, legal) = (problem.topology(), Legal::new(problem));
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    ResourceFlow::new(topology, |channel| if legal.carries(channel) { ways(ends(channel)) } else { [None; 2] })
}

fn one_way(ends: [usize; 2]) -> [Option<[usize; 2]>; 2] {
    [Some(ends), None]
}

fn either_way([tail, head]: [usize; 2]) -> [Option<[usize; 2]>; 2] {
    [Some([tail, head]), Some([head, tail])]
}

fn gather(problem: &Problem<'_>, demand: &Demand<'_>, cuts: &mut Cuts<'_, '_>) {
    let (topology, chunks) = (problem.topology(), problem.messages().chunks());
    let (sources, receivers) = (demand.sources(), demand.receivers());
    let mut wires_in = wires(problem, one_way);
    for &source in &sources {
        wires_in.supply(source, 0);
    }
    // A set with the only source inside stops nothing; nor does one with another hub that the hub's own flow has not met.
    let hub = if let &[source] = sources.as_slice() { source } else { receivers[0] };
    let at_hub: Vec<NodeId> = demand.to(hub).collect();
    each_side(problem, wires_in, &receivers, cuts, |wires, width, receiver| {
        let messages = u64::from(demand.count_to(receiver) * chunks);
        let others = demand.to(receiver).filter(|&source| source != hub);
        if receiver != hub && is_part(others, &at_hub) && few_paths(wires, [hub, receiver], width, messages).is_none() {
            return None;
        }
        let mut units = vec![0; sources.len()];
        for source in demand.to(receiver) {
            units[sources.binary_search(&source).expect("a source of a message")] += chunks;
        }
        wires.replace_ends(units);
        let arrived = wires.flow(width, ResourceFlow::source(topology), ResourceFlow::at(receiver));
        (arrived < messages).then(|| wires.far_side())
    });
    // Where the ways compete, so do all messages that cross either way.
    let is_shared = topology.resource_count() < topology.channel_count();
    if is_shared && matches!(demand, Demand::Broadcast { .. }) && sources.len() > 1 {
        let messages = problem.messages().len() as u64;
        each_side(problem, wires(problem, either_way), &receivers[1..], cuts, |wires, width, receiver| {
            few_paths(wires, [hub, receiver], width, messages)
        });
    }
}

/// Whether ascending nodes are all among others, ascending too, as often as they come.
fn is_part(nodes: impl Iterator<Item = NodeId>, others: &[NodeId]) -> bool {
    let mut others = others.iter();
    nodes.into_iter().all(|node| others.by_ref().find(|&&other| other >= node) == Some(&node))
}

/// Asks receivers for a cut that stops messages for them over wires of a width, which is the best number of steps so far, as
/// long as they have one. The order is that of the receivers on any number of threads.
fn each_side(
    problem: &Problem<'_>,
    mut wires: ResourceFlow,
    receivers: &[NodeId],
    cuts: &mut Cuts<'_, '_>,
    stops: impl Fn(&mut ResourceFlow, u32, NodeId) -> Option<FixedBitSet> + Sync,
) {
    let topology = problem.topology();
    let work = VISITS * (topology.node_count() + topology.channel_count());
    // One flow brings the arcs into rows, which all threads copy.
    wires.flow(0, ResourceFlow::source(topology), ResourceFlow::sink(topology));
    let receivers: Vec<NodeId> = sample(receivers, SEARCH_WORK / work).copied().collect();
    for round in receivers.chunks(ROUND) {
        let mut asked = round.to_vec();
        while !asked.is_empty() && !cuts.is_done() {
            let width = cuts.best.0;
            let answers: Vec<Option<FixedBitSet>> = asked
                .par_iter()
                .with_min_len(ROUND / 8)
                .map_init(|| wires.clone(), |wires, &receiver| stops(wires, width, receiver))
                .collect();
            answers.iter().flatten().for_each(|side| cuts.try_side(side));
            let is_better = cuts.best.0 > width;
            let mut stopped = answers.iter().map(|answer| is_better && answer.is_some());
            asked.retain(|_| stopped.next() == Some(true));
        }
    }
}

/// The far side of a cut that stops messages from one terminal to another, if the wires between them are too few for so
/// many.
fn few_paths(wires: &mut ResourceFlow, ends: [NodeId; 2], width: u32, messages: u64) -> Option<FixedBitSet> {
    let [from, to] = ends.map(ResourceFlow::at);
    let paths = wires.flow(1, from, to);
    (paths * u64::from(width) < messages).then(|| wires.far_side())
}
