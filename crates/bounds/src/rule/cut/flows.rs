//! The best cuts, by maximum flows.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};
use rayon::prelude::*;

use super::best_cut::BestCut;
use crate::demand::Demand;
use crate::resource_flow::ResourceFlow;
use crate::sample::{SEARCH_WORK, sample};
use crate::transfer_rules::TransferRules;

/// The typical number of visits per arc that a flow takes.
const VISITS: usize = 16;

/// Number of receivers that are tried in parallel before the best cut is updated.
const ROUND: usize = 64;

/// Returns true if flows find the best cut.
pub(super) fn are_exact(demand: &Demand<'_>) -> bool {
    matches!(demand, Demand::Broadcast { .. }) || has_one_receiver(demand) || scatter_source(demand).is_some()
}

fn has_one_receiver(demand: &Demand<'_>) -> bool {
    matches!(demand, Demand::Listed { .. }) && demand.receivers().len() == 1
}

/// Returns the only source, if every message has one receiver.
fn scatter_source(demand: &Demand<'_>) -> Option<NodeId> {
    let sources = demand.sources();
    let is_scatter = |source: NodeId| demand.from(source).all(|request| request.count == 1);
    sources.first().copied().filter(|&source| sources.len() == 1 && is_scatter(source))
}

/// Finds the best cuts that prove more than the ports: around all receivers of the messages from one source, or around
/// each receiver with all messages for it.
///
/// `T` steps are too few for some cut if the messages do not all flow through resources of capacity `T`. A minimum cut
/// then gives the number of steps that it needs, and the search continues from there (Newton's method, a few flows). If
/// the receivers wait for the same messages, a flow runs for one of them, the hub. It runs for another receiver only if
/// there are fewer disjoint paths from the hub to it than its messages need. So an all-gather takes `O(N D M)` time for
/// `N` terminals of degree `D`, and few flows of many units. Beyond a fixed amount of work, it tries a sample of the
/// receivers.
///
/// # Source
///
/// Ford and Fulkerson, *Flows in Networks* (1962), §I.5; the quotient by Dinkelbach, "On nonlinear fractional
/// programming", *Management Science* 13 (1967).
pub(super) fn search(problem: &Problem<'_>, demand: &Demand<'_>, best: &mut BestCut<'_, '_>) {
    if let Some(source) = scatter_source(demand) {
        scatter(problem, demand, source, best);
    } else if has_one_receiver(demand) || !problem.messages().is_scatter() {
        gather(problem, demand, best);
    }
}

fn scatter(problem: &Problem<'_>, demand: &Demand<'_>, source: NodeId, best: &mut BestCut<'_, '_>) {
    let topology = problem.topology();
    let mut flow = resource_flow(problem, forwards);
    for receiver in demand.receivers() {
        flow.demand(receiver, demand.count_to(receiver) * problem.messages().chunks());
    }
    let ends = [ResourceFlow::at(source), ResourceFlow::sink(topology)];
    let capacities = [best.steps(), best.request.enough];
    flow.raise_steps(problem.messages().len() as u64, ends, capacities, |side| {
        best.try_side(&side);
        Some((best.steps(), ()))
    });
}

/// Builds a flow network of the channels that carry transfers. `arcs` returns the arcs of a channel.
fn resource_flow(problem: &Problem<'_>, arcs: fn([usize; 2]) -> [Option<[usize; 2]>; 2]) -> ResourceFlow {
    let (topology, rules) = (problem.topology(), TransferRules::new(problem));
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    ResourceFlow::new(topology, |channel| if rules.carries(channel) { arcs(ends(channel)) } else { [None; 2] })
}

fn forwards(ends: [usize; 2]) -> [Option<[usize; 2]>; 2] {
    [Some(ends), None]
}

fn both_directions([tail, head]: [usize; 2]) -> [Option<[usize; 2]>; 2] {
    [Some([tail, head]), Some([head, tail])]
}

fn gather(problem: &Problem<'_>, demand: &Demand<'_>, best: &mut BestCut<'_, '_>) {
    let (topology, chunks) = (problem.topology(), problem.messages().chunks());
    let (sources, receivers) = (demand.sources(), demand.receivers());
    let mut flow_in = resource_flow(problem, forwards);
    for &source in &sources {
        flow_in.supply(source, 0);
    }
    // A set that holds the only source stops no message. Every other set that stops messages either holds the hub,
    // whose own flow finds it, or separates the hub from a receiver.
    let hub = if let &[source] = sources.as_slice() { source } else { receivers[0] };
    let at_hub: Vec<NodeId> = demand.to(hub).collect();
    each_receiver(problem, flow_in, &receivers, best, |flow, capacity, receiver| {
        let messages = u64::from(demand.count_to(receiver) * chunks);
        let others = demand.to(receiver).filter(|&source| source != hub);
        if receiver != hub
            && is_subset(others, &at_hub)
            && few_paths(flow, [hub, receiver], capacity, messages).is_none()
        {
            return None;
        }
        let mut units = vec![0; sources.len()];
        for source in demand.to(receiver) {
            units[sources.binary_search(&source).expect("a source of a message")] += chunks;
        }
        flow.replace_ends(units);
        let arrived = flow.flow(capacity, ResourceFlow::source(topology), ResourceFlow::at(receiver));
        (arrived < messages).then(|| flow.far_side())
    });
    // Where the directions share resources, the messages in both directions compete.
    let is_shared = topology.resource_count() < topology.channel_count();
    if is_shared && matches!(demand, Demand::Broadcast { .. }) && sources.len() > 1 {
        let messages = problem.messages().len() as u64;
        each_receiver(
            problem,
            resource_flow(problem, both_directions),
            &receivers[1..],
            best,
            |flow, capacity, receiver| few_paths(flow, [hub, receiver], capacity, messages),
        );
    }
}

/// Returns true if ascending nodes are a sub-multiset of other ascending nodes.
fn is_subset(nodes: impl Iterator<Item = NodeId>, others: &[NodeId]) -> bool {
    let mut others = others.iter();
    nodes.into_iter().all(|node| others.by_ref().find(|&&other| other >= node) == Some(&node))
}

/// Tries, for each receiver, cuts that stop its messages at a capacity: the best number of steps so far. Repeats while
/// a receiver has such a cut. The results are in the order of the receivers, for any number of threads.
fn each_receiver(
    problem: &Problem<'_>,
    mut flow: ResourceFlow,
    receivers: &[NodeId],
    best: &mut BestCut<'_, '_>,
    stops: impl Fn(&mut ResourceFlow, u32, NodeId) -> Option<FixedBitSet> + Sync,
) {
    let topology = problem.topology();
    let work = VISITS * (topology.node_count() + topology.channel_count());
    // One flow sorts the arcs, so that the copies of the threads need not.
    flow.flow(0, ResourceFlow::source(topology), ResourceFlow::sink(topology));
    let receivers: Vec<NodeId> = sample(receivers, SEARCH_WORK / work).copied().collect();
    for round in receivers.chunks(ROUND) {
        let mut open = round.to_vec();
        while !open.is_empty() && !best.is_done() {
            let capacity = best.steps();
            let sides: Vec<Option<FixedBitSet>> = open
                .par_iter()
                .with_min_len(ROUND / 8)
                .map_init(|| flow.clone(), |flow, &receiver| stops(flow, capacity, receiver))
                .collect();
            sides.iter().flatten().for_each(|side| best.try_side(side));
            let is_better = best.steps() > capacity;
            let mut stopped = sides.iter().map(|side| is_better && side.is_some());
            open.retain(|_| stopped.next() == Some(true));
        }
    }
}

/// Returns the far side of a cut that stops messages from one terminal to another, if there are too few disjoint paths.
fn few_paths(flow: &mut ResourceFlow, ends: [NodeId; 2], capacity: u32, messages: u64) -> Option<FixedBitSet> {
    let [from, to] = ends.map(ResourceFlow::at);
    let paths = flow.flow(1, from, to);
    (paths * u64::from(capacity) < messages).then(|| flow.far_side())
}
