//! Minimal routing: no path is longer than the shortest legal one.

use lockstep_topology::{ChannelId, NodeId, ResourceId};

use super::case::{PlacedTransfer, ScheduleCase};
use super::findings::Findings;
use crate::model::{Routing, Switching};
use crate::reach::{ReachSearch, UNREACHED};
use crate::violation::Violation;

/// A transfer over several channels, listed by its sender.
#[derive(Clone, Copy)]
struct LongTransfer {
    receiver: NodeId,
    channels: u32,
    /// The place among all long transfers.
    place: u32,
}

/// Adds the transfers whose path is too long. A path of one channel never is.
pub(super) fn verify(case: &ScheduleCase<'_>, findings: &mut Findings) {
    let model = case.problem.model();
    let is_any = model.routing == Routing::Any || model.switching == Switching::StoreAndForward;
    if is_any || case.schedule.has_only_hops() {
        return;
    }
    let nodes = case.topology.node_count();
    // A sender has few transfers, and near it are few of all nodes: then searches from both ends visit fewer nodes.
    let is_shorter = |transfers: usize, near: usize| 2 * transfers < near && 2 * transfers.saturating_mul(near) < nodes;
    let mut detours = detours(case, is_shorter).into_iter().peekable();
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
/// The search from a sender stops before the length of its longest path. If `from_both_ends` returns true for the number of
/// transfers and that of the nodes within half of this length, then the paths are searched from both ends first.
fn detours(case: &ScheduleCase<'_>, from_both_ends: impl Fn(usize, usize) -> bool) -> Vec<(u32, u32)> {
    let topology = case.topology;
    let search = ReachSearch { topology, backwards: false, crosses: |node| topology.routes(node), forwards: false };
    let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
    let mut receiver_side = ReceiverSide::default();
    let (end, transfers) = by_sender(case);
    let mut start = 0;
    let mut detours = Vec::new();
    for (sender, end) in topology.nodes().zip(end) {
        let here = &transfers[start..end as usize];
        start = end as usize;
        let Some(longest) = here.iter().map(|transfer| transfer.channels).max() else { continue };
        let half = longest / 2;
        if half < longest - 1 && !topology.has_buses() {
            search.walks_within(half, sender, &mut distance, &mut queue);
            if from_both_ends(here.len(), queue.len())
                && here.iter().all(|transfer| receiver_side.has_no_shorter_path(case, transfer, half, &distance))
            {
                continue;
            }
        }
        let searched = search.distances_within(longest - 1, sender, &mut distance, &mut queue);
        searched.expect("the check of the problem has made a longer search from every terminal");
        detours.extend(here.iter().filter_map(|transfer| {
            let shortest = distance[transfer.receiver.index()];
            (shortest < transfer.channels).then_some((transfer.place, shortest))
        }));
    }
    detours.sort_unstable();
    detours
}

/// The search from a receiver towards a sender.
#[derive(Default)]
struct ReceiverSide {
    distance: Vec<u32>,
    queue: Vec<NodeId>,
}

impl ReceiverSide {
    /// Returns true only if no path is shorter than that of a transfer. `distance` has the nodes within `half` channels of the
    /// sender; the search from the receiver covers the rest of a shorter path, which meets one of them.
    fn has_no_shorter_path(
        &mut self,
        case: &ScheduleCase<'_>,
        transfer: &LongTransfer,
        half: u32,
        distance: &[u32],
    ) -> bool {
        let (topology, shorter) = (case.topology, transfer.channels - 1);
        let Some(rest) = shorter.checked_sub(half).filter(|&rest| rest > 0) else {
            return distance[transfer.receiver.index()] > shorter;
        };
        let search = ReachSearch { topology, backwards: true, crosses: |node| topology.routes(node), forwards: false };
        self.distance.resize(distance.len(), UNREACHED);
        search.walks_within(rest, transfer.receiver, &mut self.distance, &mut self.queue);
        self.queue.iter().all(|node| distance[node.index()].saturating_add(self.distance[node.index()]) > shorter)
    }
}

/// Returns the ends of each node's range in the list, and the long transfers by sender.
fn by_sender(case: &ScheduleCase<'_>) -> (Vec<u32>, Vec<LongTransfer>) {
    let mut end = vec![0u32; case.topology.node_count() + 1];
    for (_, sender, _) in long_transfers(case) {
        end[sender.index() + 1] += 1;
    }
    let mut total = 0;
    for count in &mut end {
        total += *count;
        *count = total;
    }
    let mut transfers = vec![LongTransfer { receiver: NodeId::new(0), channels: 0, place: 0 }; total as usize];
    for (number, (at, sender, receiver)) in (0..).zip(long_transfers(case)) {
        let next = &mut end[sender.index()];
        transfers[*next as usize] = LongTransfer { receiver, channels: at.transfer.path.len() as u32, place: number };
        *next += 1;
    }
    (end, transfers)
}

/// Returns the transfers over several channels, with sender and receiver.
fn long_transfers<'a>(case: &'a ScheduleCase<'_>) -> impl Iterator<Item = (PlacedTransfer<'a>, NodeId, NodeId)> {
    let all = case.schedule.steps().flat_map(|(step, transfers)| {
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

    proptest! {
        /// Schedules for any routing have detours of their own.
        #[test]
        fn bounded_searches_find_every_detour((instance, schedule) in spoiled_instance(12), limit in 1..4usize) {
            let (routing, switching, scatter) = (Routing::Minimal, Switching::Wormhole, ScatterRule::Relay);
            let model = CommunicationModel { switching, routing, scatter, ..instance.model };
            let instance = Instance { model, ..instance };
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule);
            let [mut all, mut first] = [usize::MAX, limit].map(Findings::new);
            prop_assert_eq!(detours(&case, |_, _| true), detours(&case, |_, _| false));
            verify(&case, &mut all);
            verify(&case, &mut first);
            let (all, expected) = (all.into_list(), detours_one_by_one(&case));
            prop_assert_eq!(&first.into_list()[..], &expected[..limit.min(expected.len())]);
            prop_assert_eq!(all, expected);
        }
    }
}
