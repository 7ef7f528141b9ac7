//! The choice of hops for all rings together: each terminal is left and entered once per ring.

use lockstep_paths::FlowNetwork;
use lockstep_topology::{ChannelId, NodeId};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::work::Work;

/// A hop between terminals, given by ranks.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) path: Vec<ChannelId>,
}

/// Returns `rings` hops out of each terminal and into it, whose loads divided by the capacities are at most `rho`. They need not form rings.
/// Paths cross switches only.
///
/// `None` if there are none, if the random choice fails, or if the work is used up.
pub(crate) fn choose_hops(
    problem: &RingProblem<'_>,
    rings: u32,
    rho: Rational,
    rng: &mut ChaCha8Rng,
    work: &mut Work<'_>,
) -> Option<Vec<Hop>> {
    let (topology, count) = (problem.topology(), problem.terminals().len());
    let nodes = topology.node_count();
    // A terminal is left at its own node and entered at a second one. Both ends come last.
    let (source, sink) = (nodes + count, nodes + count + 1);
    let mut network = FlowNetwork::new(nodes + count + 2);
    let mut channels: Vec<ChannelId> = topology.channels().collect();
    channels.shuffle(rng);
    let room = rooms(problem, &channels, rings, rho);
    for &channel in &channels {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let is_inner = |node: NodeId| !topology.is_terminal(node) && topology.routes(node);
        let is_open = [tail, head].into_iter().all(|node| problem.rank(node).is_some() || is_inner(node));
        let to = problem.rank(head).map_or(head.index(), |rank| nodes + rank);
        network.add_arc(tail.index(), to, if is_open { room[channel.index()] } else { 0 });
    }
    for (rank, node) in problem.terminals().iter().enumerate() {
        network.add_arc(source, node.index(), rings);
        network.add_arc(nodes + rank, sink, rings);
    }
    let mut flow = 0;
    while let Some(more) = network.augment(source, sink) {
        flow += more;
        if !work.spend((network.arc_count() + nodes) as u64) {
            return None;
        }
    }
    if flow < u64::from(rings) * count as u64 {
        return None;
    }
    let mut hops = Vec::new();
    network.decompose_paths(source, sink, |path| {
        let path: Vec<ChannelId> = path[1..path.len() - 1].iter().map(|arc| channels[arc.index()]).collect();
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return };
        let rank = |node| problem.rank(node).map_or(0, |rank| rank as u32);
        hops.push(Hop { from: rank(topology.tail(*first)), to: rank(topology.head(*last)), path });
    });
    hops.shuffle(rng);
    open_loops(problem, &mut hops).then_some(hops)
}

/// Returns the number of hops that may use each channel. Channels that share a resource get equal parts of its room; the first ones of the
/// list get more if the parts are not whole.
fn rooms(problem: &RingProblem<'_>, channels: &[ChannelId], rings: u32, rho: Rational) -> Vec<u32> {
    let topology = problem.topology();
    let used_by = |channel: ChannelId| problem.resources(channel).into_iter().flatten();
    let mut users = vec![0u64; topology.resource_count()];
    for resource in channels.iter().flat_map(|&channel| used_by(channel)) {
        users[resource] += 1;
    }
    let mut given = vec![0u64; topology.resource_count()];
    let most = u64::from(rings) * problem.terminals().len() as u64;
    let mut room = vec![0; topology.channel_bound()];
    for &channel in channels {
        let part = |resource: usize| {
            (rho.floor_of(problem.capacity(resource)).saturating_sub(given[resource])).div_ceil(users[resource].max(1))
        };
        let of_channel = used_by(channel).map(part).min().unwrap_or(0);
        for resource in used_by(channel) {
            given[resource] += of_channel;
            users[resource] -= 1;
        }
        room[channel.index()] = u32::try_from(of_channel.min(most)).unwrap_or(u32::MAX);
    }
    room
}

/// Exchanges the ends of hops that lead back to their terminal with those of other hops over the same switch. Returns false if a hop
/// has no such partner.
fn open_loops(problem: &RingProblem<'_>, hops: &mut [Hop]) -> bool {
    for place in 0..hops.len() {
        if hops[place].from != hops[place].to {
            continue;
        }
        let partner = (0..hops.len()).filter(|&other| other != place).find_map(|other| {
            let [one, two] = [&hops[place], &hops[other]];
            if two.from == one.from || two.to == one.to { None } else { Some((other, exchanged(problem, one, two)?)) }
        });
        let Some((other, [one, two])) = partner else { return false };
        (hops[place], hops[other]) = (one, two);
    }
    true
}

/// Returns two hops that exchange their ends at a switch which both cross: each begins as one and ends as the other. `None` if there is no
/// such switch, or a path would visit a node or use a resource twice.
pub(crate) fn exchanged(problem: &RingProblem<'_>, one: &Hop, two: &Hop) -> Option<[Hop; 2]> {
    let topology = problem.topology();
    let cut = |path: &[ChannelId]| path.len().saturating_sub(1);
    for first in 0..cut(&one.path) {
        let switch = topology.head(one.path[first]);
        let Some(second) = (0..cut(&two.path)).find(|&place| topology.head(two.path[place]) == switch) else {
            continue;
        };
        let join = |begin: &Hop, begin_length: usize, end: &Hop, end_start: usize| Hop {
            from: begin.from,
            to: end.to,
            path: [&begin.path[..begin_length], &end.path[end_start..]].concat(),
        };
        let new = [join(one, first + 1, two, second + 1), join(two, second + 1, one, first + 1)];
        if new.iter().all(|hop| is_simple(problem, hop)) {
            return Some(new);
        }
    }
    None
}

fn is_simple(problem: &RingProblem<'_>, hop: &Hop) -> bool {
    let topology = problem.topology();
    let is_new = |(place, &channel): (usize, &ChannelId)| {
        let before = &hop.path[..place];
        let head = topology.head(channel);
        before.iter().all(|&used| topology.tail(used) != head && topology.resource(used) != topology.resource(channel))
            && topology.tail(channel) != head
    };
    hop.from != hop.to && hop.path.iter().enumerate().all(is_new)
}
