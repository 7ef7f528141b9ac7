//! The search for lengths by which every ring is long.

use lockstep_paths::FlowNetwork;
use lockstep_topology::{ChannelId, NodeId, ResourceId};

use crate::assignment::potentials;
use crate::bound::RingLengths;
use crate::path_search::PathSearch;
use crate::problem::RingProblem;
use crate::ring_set::RingKind;

/// Maximum number of stops for which potentials are computed.
const MAX_STOPS: usize = 512;

/// Returns the best lengths of all resources, and of the channels of the terminal with the least capacity.
pub(crate) fn simple_lengths(problem: &RingProblem<'_>) -> RingLengths {
    let topology = problem.topology();
    let capacity = |channels: &[ChannelId]| -> u64 {
        resources_of(problem, channels.iter().copied())
            .iter()
            .map(|resource| u64::from(problem.capacity(resource.index())))
            .sum()
    };
    let least = |&&node: &&NodeId| capacity(topology.out_channels(node)).min(capacity(topology.in_channels(node)));
    let of_terminal = problem.terminals().iter().min_by_key(least).map(|&node| of_terminal(problem, node));
    of_terminal.into_iter().fold(of_all_resources(problem), better)
}

/// Returns the best lengths of minimum cuts between the first terminal and the others, in both directions.
///
/// Channels that share a resource have its capacity each in the search, but not in the result. `work` counts visits of nodes and channels,
/// 2^20 in ten milliseconds. The search ends when it is used up.
pub(crate) fn cut_lengths(problem: &RingProblem<'_>, work: &mut u64) -> Option<RingLengths> {
    let topology = problem.topology();
    let mut network = FlowNetwork::new(topology.node_count());
    let channels: Vec<_> = topology.channels().collect();
    for &channel in &channels {
        network.add_arc(topology.tail(channel).index(), topology.head(channel).index(), topology.capacity(channel));
    }
    let first = problem.terminals()[0].index();
    let mut best: Option<RingLengths> = None;
    for &other in &problem.terminals()[1..] {
        for [source, sink] in [[first, other.index()], [other.index(), first]] {
            let before = network.visits();
            network.reset(|arc| topology.capacity(channels[arc.index()]));
            network.max_flow(source, sink);
            let Some(left) = work.checked_sub(network.visits() - before + channels.len() as u64) else { return best };
            *work = left;
            let is_inside: Vec<bool> = topology.nodes().map(|node| network.is_on_source_side(node.index())).collect();
            best = best.into_iter().chain(of_cut(problem, &is_inside)).reduce(better);
        }
    }
    best
}

/// Returns the lengths that allow less bandwidth; the first if both allow the same.
pub(crate) fn better(first: RingLengths, second: RingLengths) -> RingLengths {
    let is_better = match (first.bandwidth(), second.bandwidth()) {
        (_, None) => false,
        (None, _) => true,
        (Some(first), Some(second)) => second < first,
    };
    if is_better { second } else { first }
}

/// Returns the resources of channels, each once.
fn resources_of(problem: &RingProblem<'_>, channels: impl Iterator<Item = ChannelId>) -> Vec<ResourceId> {
    let mut resources: Vec<ResourceId> = channels.map(|channel| problem.topology().resource(channel)).collect();
    resources.sort_unstable();
    resources.dedup();
    resources
}

/// Returns the length 1 of the resources of some channels, without potentials.
fn with_unit_lengths(problem: &RingProblem<'_>, channels: impl Iterator<Item = ChannelId>) -> RingLengths {
    let resources = resources_of(problem, channels);
    let volume = resources.iter().map(|resource| u64::from(problem.capacity(resource.index()))).sum();
    let stops = problem.stops();
    let lengths = resources.into_iter().map(|resource| (resource, 1)).collect();
    RingLengths { lengths, cuts: Vec::new(), leave: vec![0; stops], enter: vec![0; stops], length: 0, volume }
}

/// Returns the length 1 of all resources. A terminal leaves by its shortest hop.
fn of_all_resources(problem: &RingProblem<'_>) -> RingLengths {
    let topology = problem.topology();
    let mut lengths = with_unit_lengths(problem, topology.channels());
    if problem.kind() == RingKind::Chain {
        // Each hop has the length 2, except the two of the end.
        let end = problem.terminals().len();
        lengths.leave[..end].fill(1);
        lengths.enter[..end].fill(1);
        (lengths.leave[end], lengths.enter[end]) = (-1, -1);
        lengths.length = 2 * (i64::try_from(end).unwrap_or(i64::MAX / 2) - 1);
        return lengths;
    }
    let mut search = NearestTerminal::new(problem);
    for (rank, &node) in problem.terminals().iter().enumerate() {
        let Some(distance) = search.distance(node) else { continue };
        lengths.leave[rank] = distance;
        lengths.length += distance;
    }
    lengths
}

/// A breadth-first search for the nearest terminal, which may cross any node that is not one.
struct NearestTerminal<'a> {
    problem: &'a RingProblem<'a>,
    /// By node: the last search that reached it, from 1.
    reached_by: Vec<u32>,
    queue: Vec<(NodeId, i64)>,
    searches: u32,
}

impl<'a> NearestTerminal<'a> {
    fn new(problem: &'a RingProblem<'a>) -> Self {
        Self { problem, reached_by: vec![0; problem.topology().node_count()], queue: Vec::new(), searches: 0 }
    }

    /// Returns the number of channels to the nearest other terminal of the rings.
    fn distance(&mut self, from: NodeId) -> Option<i64> {
        let topology = self.problem.topology();
        self.searches += 1;
        self.reached_by[from.index()] = self.searches;
        self.queue.clear();
        self.queue.push((from, 0));
        let mut next = 0;
        while let Some(&(node, distance)) = self.queue.get(next) {
            next += 1;
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if self.problem.rank(head).is_some() && head != from {
                    return Some(distance + 1);
                }
                if std::mem::replace(&mut self.reached_by[head.index()], self.searches) != self.searches {
                    self.queue.push((head, distance + 1));
                }
            }
        }
        None
    }
}

/// Returns the lengths of the channels that leave a terminal, or that enter it if their capacities are smaller.
fn of_terminal(problem: &RingProblem<'_>, node: NodeId) -> RingLengths {
    let topology = problem.topology();
    let of_channels = |channels: &[ChannelId]| with_unit_lengths(problem, channels.iter().copied());
    let (mut leaving, mut entering) =
        (of_channels(topology.out_channels(node)), of_channels(topology.in_channels(node)));
    let rank = problem.rank(node).expect("a terminal of the problem");
    match problem.kind() {
        RingKind::Ring => (leaving.leave[rank], entering.enter[rank]) = (1, 1),
        RingKind::Chain => {
            for lengths in [&mut leaving, &mut entering] {
                cross(problem, lengths, vec![node]);
            }
        }
    }
    (leaving.length, entering.length) = (1, 1);
    better(leaving, entering)
}

/// Adds the cuts of a set of terminals that a ring leaves, or that a chain crosses.
fn cross(problem: &RingProblem<'_>, lengths: &mut RingLengths, inside: Vec<NodeId>) {
    if problem.kind() == RingKind::Chain {
        // The end of a chain joins both sides at most once, so a hop crosses the cut, in one of the directions. It loads both.
        // Both lists are ascending.
        let is_outside = |node: &NodeId| inside.binary_search(node).is_err();
        lengths.cuts.push((problem.terminals().iter().copied().filter(is_outside).collect(), 1));
        lengths.enter[problem.terminals().len()] = -1;
    }
    lengths.cuts.push((inside, 1));
}

/// Returns the lengths of the channels that leave a set of nodes, with the cut of its terminals. `None` unless terminals are on both sides.
pub(crate) fn of_cut(problem: &RingProblem<'_>, is_inside: &[bool]) -> Option<RingLengths> {
    let topology = problem.topology();
    let crosses = |from: NodeId, to: NodeId| is_inside[from.index()] && !is_inside[to.index()];
    let leaving = topology.channels().filter(|&channel| crosses(topology.tail(channel), topology.head(channel)));
    let mut lengths = with_unit_lengths(problem, leaving);
    let inside: Vec<NodeId> = problem.terminals().iter().copied().filter(|node| is_inside[node.index()]).collect();
    if inside.is_empty() || inside.len() == problem.terminals().len() {
        return None;
    }
    cross(problem, &mut lengths, inside);
    lengths.length = 1;
    Some(lengths)
}

/// Returns the certificate with these lengths and cuts, whose potentials are the best. Without a length, hops that do not exist have the
/// length `missing`.
///
/// `None` if there are too many terminals.
pub(crate) fn with_potentials(
    problem: &RingProblem<'_>,
    lengths: &[u32],
    cuts: Vec<(Vec<NodeId>, u32)>,
    missing: Option<u32>,
) -> Option<RingLengths> {
    let (stops, topology) = (problem.stops(), problem.topology());
    if stops > MAX_STOPS {
        return None;
    }
    let mut table: Vec<Option<i64>> = vec![missing.map(i64::from); stops * stops];
    let mut search = PathSearch::new(topology, problem.relay());
    for from in 0..stops {
        let start = problem.terminals().get(from).copied();
        if let Some(start) = start {
            let cost = |resource: usize| u64::from(lengths[resource]);
            search.run(start, None, |channel| Some(problem.resources(channel)?.map(cost).sum()));
        }
        for to in (0..stops).filter(|&to| to != from) {
            let ends = start.zip(problem.terminals().get(to));
            let length = ends.map_or(Some(0), |(_, &end)| search.cost(end));
            if let Some(length) = length {
                table[from * stops + to] = Some(i64::try_from(length).ok()?);
            }
        }
    }
    for (nodes, weight) in &cuts {
        let mut is_inside = vec![false; stops];
        nodes.iter().filter_map(|&node| problem.rank(node)).for_each(|rank| is_inside[rank] = true);
        for from in (0..stops).filter(|&from| is_inside[from]) {
            for to in (0..stops).filter(|&to| !is_inside[to]) {
                if let Some(length) = &mut table[from * stops + to] {
                    *length -= i64::from(*weight);
                }
            }
        }
    }
    let (leave, enter) = potentials(stops, |from, to| table[from * stops + to]);
    let resources = lengths.iter().enumerate().filter(|&(_, &length)| length > 0);
    let lengths: Vec<(ResourceId, u32)> =
        resources.map(|(resource, &length)| (ResourceId::from_index(resource), length)).collect();
    let volume =
        lengths.iter().map(|&(resource, length)| u64::from(length) * u64::from(problem.capacity(resource.index())));
    let weights = cuts.iter().map(|&(_, weight)| i64::from(weight));
    let length = leave.iter().chain(&enter).sum::<i64>() + weights.sum::<i64>();
    Some(RingLengths { volume: volume.sum(), lengths, cuts, leave, enter, length })
}
