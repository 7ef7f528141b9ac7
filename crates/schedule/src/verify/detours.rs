//! Minimal routing: no path is longer than the shortest legal one.

use std::ops::Range;
use std::sync::OnceLock;

use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use super::case::{PlacedTransfer, ScheduleCase};
use super::findings::Findings;
use crate::bit_set::BitSet;
use crate::model::{Routing, Switching};
use crate::parallel::{map_parts, useful_threads};
use crate::reach::{ReachSearch, UNREACHED};
use crate::violation::Violation;

/// A transfer over several channels, listed by the node from which its path is searched.
#[derive(Clone, Copy)]
struct LongTransfer {
    /// The receiver, or the sender if searches begin at receivers.
    target: NodeId,
    channels: u32,
    /// The place among all long transfers.
    place: u32,
}

/// All transfers over several channels, by their sender or by their receiver.
struct LongTransfers {
    /// Whether searches begin at receivers and follow channels backwards, or begin at senders.
    from_receivers: bool,
    /// For each node, the place in `list` after its last transfer. The transfers of a node follow each other.
    end: Vec<u32>,
    list: Vec<LongTransfer>,
}

/// There are few receivers if there are at least this number of senders per receiver. With fewer senders, searches from them
/// may take less time, because they can be combined with searches from their receivers.
const FEW_RECEIVERS: usize = 8;

impl LongTransfers {
    /// Lists the transfers by sender, or by receiver if there are few receivers, as in a gather.
    fn of(case: &ScheduleCase<'_>) -> Self {
        let [sent, received] = counts_of_long_transfers(case);
        let [senders, receivers] = [&sent, &received].map(|counts| counts.iter().filter(|&&count| count > 0).count());
        // In networks with buses, a search may take too long. The check of the problem has excluded this for senders only.
        let from_receivers = !case.topology.has_buses() && FEW_RECEIVERS * receivers <= senders;
        Self::by_node(case, from_receivers, if from_receivers { received } else { sent })
    }

    /// Lists the transfers by receiver or by sender, with the [counts](counts_of_long_transfers) of receivers or senders.
    fn by_node(case: &ScheduleCase<'_>, from_receivers: bool, counts: Vec<u32>) -> Self {
        let mut end = counts;
        let mut total = 0;
        for count in &mut end {
            total += *count;
            *count = total;
        }
        let mut list = vec![LongTransfer { target: NodeId::new(0), channels: 0, place: 0 }; total as usize];
        for (place, (at, sender, receiver)) in (0..).zip(long_transfers(case)) {
            let (node, target) = if from_receivers { (receiver, sender) } else { (sender, receiver) };
            let next = &mut end[node.index()];
            list[*next as usize] = LongTransfer { target, channels: at.transfer.path.len() as u32, place };
            *next += 1;
        }
        Self { from_receivers, end, list }
    }
}

/// Adds the transfers whose path is too long. A path of one channel never is.
pub(super) fn verify(case: &ScheduleCase<'_>, findings: &mut Findings) {
    let model = case.problem.model();
    let is_any = model.routing == Routing::Any || model.switching == Switching::StoreAndForward;
    if is_any || case.schedule.has_only_hops() {
        return;
    }
    // The search from the sender alone takes less time per node.
    let is_shorter = |of_both: f64, of_one: f64| 2.0 * of_both < of_one;
    let mut detours = detours(case, &LongTransfers::of(case), is_shorter).into_iter().peekable();
    for (number, (at, sender, receiver)) in (0..).zip(long_transfers(case)) {
        if findings.is_full() || detours.peek().is_none() {
            return;
        }
        if let Some((_, shortest)) = detours.next_if(|&(detour, _)| detour == number)
            && is_legal(case, at.transfer.path)
        {
            let (at, channels, shortest) = (case.place(at), at.transfer.path.len(), shortest as usize);
            let (from, to) = (case.node(sender), case.node(receiver));
            findings.add(Violation::NotMinimal { at, from, to, channels, shortest });
        }
    }
}

/// Returns the places of the long transfers that have a shorter path, ascending, each with the length of the shortest
/// one.
///
/// The search from a node stops before the length of its longest path. If `from_both_ends` returns true for the estimated
/// numbers of nodes that searches from both ends visit and that the search from a sender visits, the former come first.
fn detours(
    case: &ScheduleCase<'_>,
    transfers: &LongTransfers,
    from_both_ends: impl Fn(f64, f64) -> bool + Sync,
) -> Vec<(u32, u32)> {
    let topology = case.topology;
    let &LongTransfers { from_receivers, ref end, ref list } = transfers;
    let crosses = |node| topology.routes(node);
    let search = ReachSearch { topology, backwards: from_receivers, crosses, forwards: false };
    let tails = OnceLock::new();
    let detours_from = |nodes: Range<usize>| {
        let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
        let mut receiver_side = ReceiverSide::new(topology);
        let mut start = nodes.start.checked_sub(1).map_or(0, |before| end[before] as usize);
        let mut detours = Vec::new();
        for node in nodes {
            if case.stops() {
                break;
            }
            let here = &list[start..end[node] as usize];
            start = end[node] as usize;
            let node = NodeId::from_index(node);
            let Some(longest) = here.iter().map(|transfer| transfer.channels).max() else { continue };
            if !from_receivers
                && let Some(near) = search_near(search, node, here, &from_both_ends, (&mut distance, &mut queue))
            {
                let tails = tails.get_or_init(|| Tails::of(topology));
                receiver_side.set_near(&queue, true);
                let has_no_detour = here.iter().all(|transfer| {
                    let shorter = transfer.channels - 1;
                    match shorter.checked_sub(near).filter(|&rest| rest > 0) {
                        Some(rest) => !receiver_side.is_near(rest, transfer.target, tails),
                        None => distance[transfer.target.index()] > shorter,
                    }
                });
                receiver_side.set_near(&queue, false);
                if has_no_detour {
                    continue;
                }
            }
            let searched = search.distances_within(longest - 1, node, &mut distance, &mut queue);
            searched.expect("the check of the problem has made a longer search from every terminal");
            detours.extend(here.iter().filter_map(|transfer| {
                let shortest = distance[transfer.target.index()];
                (shortest < transfer.channels).then_some((transfer.place, shortest))
            }));
        }
        detours
    };
    let mut detours = map_parts(node_ranges(end, topology.node_count()), detours_from).concat();
    detours.sort_unstable();
    detours
}

/// Searches the nodes near a sender, as far as searches from its receivers cover the rest of every shorter path, and returns
/// the limit. Returns `None` if this is not worth it.
///
/// The limit is half of the longest path, or more if there are many receivers and few nodes near the sender.
fn search_near<F: Fn(NodeId) -> bool + Copy>(
    search: ReachSearch<'_, F>,
    sender: NodeId,
    transfers: &[LongTransfer],
    from_both_ends: impl Fn(f64, f64) -> bool,
    (distance, queue): (&mut [u32], &mut Vec<NodeId>),
) -> Option<u32> {
    let longest = transfers.iter().map(|transfer| transfer.channels).max()?;
    let mut limit = longest / 2;
    while limit < longest - 1 && !search.topology.has_buses() {
        search.walks_within(limit, sender, distance, queue);
        // About as many nodes are near a receiver as near the sender.
        let within = |limit: u32| queue.partition_point(|node| distance[node.index()] <= limit);
        let near_receiver = |transfer: &LongTransfer| (transfer.channels - 1).checked_sub(limit + 1).map_or(0, within);
        let near_receivers: usize = transfers.iter().map(near_receiver).sum();
        let growth = queue.len() as f64 / within(limit - 1) as f64;
        let of_one = queue.len() as f64 * growth.powi((longest - 1 - limit).cast_signed());
        let of_one = of_one.min(distance.len() as f64);
        // A limit that is greater by 1 costs as much as all smaller ones together if the number of nodes doubles.
        let is_last = near_receivers <= queue.len() || growth < 2.0 || limit + 2 == longest;
        let of_both = if is_last { queue.len() + near_receivers } else { queue.len() };
        if !from_both_ends(of_both as f64, of_one) {
            return None;
        }
        if is_last {
            return Some(limit);
        }
        limit += 1;
    }
    None
}

/// The time to search the paths of a transfer, relative to the time that the verifier takes for a transfer otherwise.
const TIME_OF_SEARCH: usize = 64;

/// Divides the nodes into ranges of about the same number of long transfers, one per thread.
fn node_ranges(end: &[u32], nodes: usize) -> Vec<Range<usize>> {
    let transfers = end.last().map_or(0, |&end| end as usize);
    let parts = useful_threads(transfers.saturating_mul(TIME_OF_SEARCH));
    let first = |part| end[..nodes].partition_point(|&end| end as usize <= transfers * part / parts);
    let bounds: Vec<usize> = (0..parts).map(first).chain([nodes]).collect();
    bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The tails of the channels into each node, one row per node. Memory: 4 bytes per channel and node.
struct Tails {
    start: Vec<u32>,
    tail: Vec<NodeId>,
}

impl Tails {
    fn of(topology: &Topology) -> Self {
        let mut tails = Self { start: vec![0], tail: Vec::with_capacity(topology.channel_count()) };
        for node in topology.nodes() {
            tails.tail.extend(topology.in_channels(node).iter().map(|&channel| topology.tail(channel)));
            tails.start.push(tails.tail.len() as u32);
        }
        tails
    }

    fn row(&self, node: NodeId) -> &[NodeId] {
        &self.tail[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }
}

/// The search from receivers towards a sender.
struct ReceiverSide<'a> {
    topology: &'a Topology,
    /// The nodes near the sender.
    near: BitSet,
    /// The nodes that the search has met before its last step.
    met: BitSet,
    queue: Vec<NodeId>,
}

impl<'a> ReceiverSide<'a> {
    fn new(topology: &'a Topology) -> Self {
        let [near, met] = [(); 2].map(|()| BitSet::new(topology.node_count() as u64));
        Self { topology, near, met, queue: Vec::new() }
    }

    /// Marks nodes as near the sender, or removes their marks.
    fn set_near(&mut self, nodes: &[NodeId], is_near: bool) {
        for node in nodes {
            let number = node.number().into();
            if is_near {
                self.near.insert(number)
            } else {
                self.near.remove(number)
            };
        }
    }

    /// Returns true if a walk of at most `limit` channels leads from a node near the sender to the receiver.
    ///
    /// If it is false, every path from the sender is longer than `limit` and the distance of the nodes near it together.
    fn is_near(&mut self, limit: u32, receiver: NodeId, tails: &Tails) -> bool {
        self.met.insert(receiver.number().into());
        self.queue.push(receiver);
        let mut start = 0;
        let mut is_near = self.near.contains(receiver.number().into());
        for left in (0..limit).rev() {
            let end = self.queue.len();
            for place in start..end {
                let node = self.queue[place];
                if is_near || node != receiver && !self.topology.routes(node) {
                    continue;
                }
                is_near = tails.row(node).iter().any(|tail| self.near.contains(tail.number().into()));
                if left > 0 {
                    let new = tails.row(node).iter().filter(|tail| self.met.insert(tail.number().into()));
                    self.queue.extend(new);
                }
            }
            start = end;
        }
        for node in self.queue.drain(..) {
            self.met.remove(node.number().into());
        }
        is_near
    }
}

/// Returns the number of long transfers that each node sends, and of those that it receives. Both lists begin with an extra 0.
fn counts_of_long_transfers(case: &ScheduleCase<'_>) -> [Vec<u32>; 2] {
    let [mut sent, mut received] = [(); 2].map(|()| vec![0; case.topology.node_count() + 1]);
    for (_, sender, receiver) in long_transfers(case) {
        sent[sender.index() + 1] += 1;
        received[receiver.index() + 1] += 1;
    }
    [sent, received]
}

/// Returns the transfers over several channels, with sender and receiver.
fn long_transfers<'a>(case: &'a ScheduleCase<'_>) -> impl Iterator<Item = (PlacedTransfer<'a>, NodeId, NodeId)> {
    let all = case.steps().flat_map(|(step, transfers)| {
        transfers.iter().enumerate().map(move |(place, transfer)| PlacedTransfer { step, place, transfer })
    });
    all.filter(|at| at.transfer.path.len() > 1).filter_map(|at| {
        let (sender, receiver) = case.ends(at.transfer)?;
        Some((at, sender, receiver))
    })
}

/// Returns true if the path breaks no other rule, so that no mistake is listed twice.
#[cold]
fn is_legal(case: &ScheduleCase<'_>, path: &[ChannelId]) -> bool {
    let topology = case.topology;
    if path.iter().any(|&channel| !topology.is_working(channel)) {
        return false;
    }
    let connected = path.windows(2).all(|pair| topology.head(pair[0]) == topology.tail(pair[1]));
    let routed = path.iter().skip(1).all(|&channel| topology.routes(topology.tail(channel)));
    let mut nodes: Vec<NodeId> = path.iter().map(|&channel| topology.head(channel)).collect();
    nodes.push(topology.tail(path[0]));
    let mut resources: Vec<ResourceId> = path.iter().map(|&channel| topology.resource(channel)).collect();
    connected && routed && all_differ(&mut nodes) && all_differ(&mut resources)
}

fn all_differ<T: Ord>(items: &mut [T]) -> bool {
    items.sort_unstable();
    items.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::collective::Collective;
    use crate::messages::MessageId;
    use crate::model::{CommunicationModel, ScatterRule};
    use crate::problem::Problem;
    use crate::schedule::Schedule;
    use crate::strategy::{Instance, spoiled_instance};
    use crate::verify::violations;

    /// A search of the whole network for each transfer.
    fn detours_one_by_one(case: &ScheduleCase<'_>) -> Vec<Violation> {
        let topology = case.topology;
        let search = ReachSearch { topology, backwards: false, crosses: |node| topology.routes(node), forwards: false };
        let violation = |(at, sender, receiver): (PlacedTransfer<'_>, NodeId, NodeId)| {
            let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
            search.distances(sender, &mut distance, &mut queue).unwrap();
            let (channels, shortest) = (at.transfer.path.len(), distance[receiver.index()] as usize);
            let is_detour = channels > shortest && is_legal(case, at.transfer.path);
            let (at, from, to) = (case.place(at), case.node(sender), case.node(receiver));
            is_detour.then_some(Violation::NotMinimal { at, from, to, channels, shortest })
        };
        long_transfers(case).filter_map(violation).collect()
    }

    /// Searches from senders, from both ends and from receivers.
    fn all_searches_find_the_same_detours(case: &ScheduleCase<'_>) {
        let [sent, received] = counts_of_long_transfers(case);
        let by_sender = LongTransfers::by_node(case, false, sent);
        let by_receiver = LongTransfers::by_node(case, true, received);
        let expected = detours(case, &by_sender, |_, _| false);
        assert_eq!(detours(case, &by_sender, |_, _| true), expected);
        assert_eq!(detours(case, &by_receiver, |_, _| false), expected);
    }

    /// Each path from 0 to 1 is longer than the channel between them.
    #[test]
    fn a_long_path_that_breaks_another_rule_is_listed_once() {
        let mut network = TopologyBuilder::new("detours");
        let ends: Vec<NodeId> = (0..3).map(|node| network.node(node.to_string(), true, Some(true))).collect();
        let [bus, failed] = ["bus", "failed"].map(|name| network.switch(name));
        let passive = network.node("passive", true, Some(false));
        let mut channel = |tail, head| network.channel(tail, head);
        let direct = channel(ends[0], ends[1]);
        let around = [channel(ends[0], ends[2]), channel(ends[2], ends[1])];
        let back = channel(ends[2], ends[0]);
        let over_bus = [channel(ends[0], bus), channel(bus, ends[1])];
        let over_passive = [channel(ends[0], passive), channel(passive, ends[1])];
        let over_failed = [channel(ends[0], failed), channel(failed, ends[1])];
        network.share(over_bus);
        network.fail_channel(over_failed[0]);
        let network = network.build().unwrap();
        let broadcast = Collective::broadcast(ends[0]);
        let problem = Problem::new(&network, &broadcast, CommunicationModel::wormhole()).unwrap();
        let found = |path: &[ChannelId]| -> Vec<Violation> {
            let mut schedule = Schedule::new();
            schedule.begin_step();
            schedule.push(MessageId::new(0), path);
            let all = violations(&problem, &schedule, usize::MAX);
            all.into_iter().filter(|violation| violation.place().is_some()).collect()
        };
        assert_eq!(found(&[direct]), []);
        assert!(matches!(found(&around)[..], [Violation::NotMinimal { channels: 2, shortest: 1, .. }]));
        assert!(matches!(found(&[around[0], direct])[..], [Violation::BrokenPath { .. }]));
        assert!(matches!(found(&[around[0], back, direct])[..], [Violation::NodeTwice { .. }]));
        assert!(matches!(found(&over_bus)[..], [Violation::ResourceTwice { .. }]));
        assert!(matches!(found(&over_passive)[..], [Violation::InnerNode { .. }]));
        assert!(matches!(found(&over_failed)[..], [Violation::FailedChannel { .. }]));
    }

    /// Paths of up to ten channels in a hypercube: from each sender several, most of them not shortest.
    #[test]
    fn searches_from_both_ends_find_every_detour_of_long_paths() {
        let cube: Topology = "hypercube:6".parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(0));
        let problem = Problem::new(&cube, &broadcast, CommunicationModel::wormhole()).unwrap();
        let mut schedule = Schedule::new();
        let mut random = 1u32;
        let mut next = |limit: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as usize % limit
        };
        for sender in cube.nodes().chain(cube.nodes()) {
            schedule.begin_step();
            // The paths of every third sender have at most three channels, so most of them are shortest.
            let longest = if sender.index() % 3 == 0 { 3 } else { 10 };
            for _ in 0..2 + next(3) {
                let (mut node, mut path, mut visited) = (sender, Vec::new(), vec![sender]);
                for _ in 0..2 + next(longest - 1) {
                    let channel = cube.out_channels(node)[next(6)];
                    if !visited.contains(&cube.head(channel)) {
                        node = cube.head(channel);
                        visited.push(node);
                        path.push(channel);
                    }
                }
                if !path.is_empty() {
                    schedule.push(MessageId::new(0), &path);
                }
            }
        }
        let case = ScheduleCase::new(&problem, &schedule, None);
        let mut all = Findings::new(usize::MAX);
        verify(&case, &mut all);
        let (all, expected) = (all.into_list(), detours_one_by_one(&case));
        assert!(expected.len() > 100 && expected.len() + 100 < long_transfers(&case).count());
        assert_eq!(all, expected);
        all_searches_find_the_same_detours(&case);
    }

    /// A gather has one receiver, and a scatter one sender.
    #[test]
    fn searches_begin_at_the_root_of_a_gather_and_a_scatter() {
        let line: Topology = "mesh:1x20".parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(0));
        let problem = Problem::new(&line, &broadcast, CommunicationModel::wormhole()).unwrap();
        let towards = |node: usize, next: usize| {
            let mut channels = line.out_channels(NodeId::from_index(node)).iter().copied();
            channels.find(|&channel| line.head(channel).index() == next).unwrap()
        };
        let is_from_receivers = |path_to: &dyn Fn(usize) -> Vec<ChannelId>| {
            let mut schedule = Schedule::new();
            for node in 2..20 {
                schedule.begin_step();
                schedule.push(MessageId::new(0), &path_to(node));
            }
            let case = ScheduleCase::new(&problem, &schedule, None);
            all_searches_find_the_same_detours(&case);
            LongTransfers::of(&case).from_receivers
        };
        let gather = |node: usize| (0..node).rev().map(|next| towards(next + 1, next)).collect();
        let scatter = |node: usize| (0..node).map(|before| towards(before, before + 1)).collect();
        assert!(is_from_receivers(&gather));
        assert!(!is_from_receivers(&scatter));
    }

    proptest! {
        /// Each node is in one range.
        #[test]
        fn ranges_contain_every_long_transfer_once(counts in proptest::collection::vec(0..9u32, 1..40)) {
            let total = |counts: &[u32]| counts.iter().sum::<u32>();
            let mut end: Vec<u32> = (1..=counts.len()).map(|nodes| total(&counts[..nodes])).collect();
            end.push(total(&counts));
            let ranges = node_ranges(&end, counts.len());
            let inside: Vec<usize> = ranges.into_iter().flatten().collect();
            prop_assert!(inside.is_sorted_by(|a, b| a < b));
            prop_assert!((0..counts.len()).all(|sender| counts[sender] == 0 || inside.contains(&sender)));
        }

        /// Schedules for any routing have detours of their own.
        #[test]
        fn bounded_searches_find_every_detour((instance, schedule) in spoiled_instance(12), limit in 1..4usize) {
            let (routing, switching, scatter) = (Routing::Minimal, Switching::Wormhole, ScatterRule::Relay);
            let model = CommunicationModel { switching, routing, scatter, ..instance.model };
            let instance = Instance { model, ..instance };
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule, None);
            let [mut all, mut first] = [usize::MAX, limit].map(Findings::new);
            all_searches_find_the_same_detours(&case);
            verify(&case, &mut all);
            verify(&case, &mut first);
            let (all, expected) = (all.into_list(), detours_one_by_one(&case));
            prop_assert_eq!(&first.into_list()[..], &expected[..limit.min(expected.len())]);
            prop_assert_eq!(all, expected);
        }
    }
}
