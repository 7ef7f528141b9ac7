//! Minimal routing: no path is longer than it must be.

use lockstep_topology::{ChannelId, NodeId};

use super::{Case, Findings, Spot};
use crate::model::{Routing, Switching};
use crate::reach::{Inner, Search, UNREACHED};
use crate::violation::Violation;

/// A transfer over several channels, seen from its sender.
#[derive(Clone, Copy)]
struct Journey {
    receiver: NodeId,
    channels: u32,
    /// Its place among the long transfers.
    place: u32,
}

/// A path of one channel is as short as can be.
pub(super) fn judge(case: &Case<'_>, findings: &mut Findings) {
    let model = case.problem.model();
    if model.routing == Routing::Any || model.switching == Switching::StoreAndForward {
        return;
    }
    let mut detours = detours(case).into_iter().peekable();
    for (place, (spot, sender, receiver)) in (0..).zip(long_transfers(case)) {
        if findings.is_full() || detours.peek().is_none() {
            return;
        }
        if let Some((_, shortest)) = detours.next_if(|&(detour, _)| detour == place)
            && is_legal(case, spot.moved.path)
        {
            let (at, channels, shortest) = (case.place(spot), spot.moved.path.len(), shortest as usize);
            let (from, to) = (case.node(sender), case.node(receiver));
            findings.add(Violation::NotMinimal { at, from, to, channels, shortest });
        }
    }
}

/// The places of the long transfers that a shorter path could make, ascending, each with the channels of the shortest.
///
/// A search from a sender need not go as deep as its longest path.
fn detours(case: &Case<'_>) -> Vec<(u32, u32)> {
    let topology = case.topology;
    let search = Search { topology, backwards: false, inner: Inner::Routing };
    let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
    let (end, journeys) = journeys(case);
    let mut start = 0;
    let mut detours = Vec::new();
    for (sender, end) in topology.nodes().zip(end) {
        let here = &journeys[start..end as usize];
        start = end as usize;
        let Some(longest) = here.iter().map(|journey| journey.channels).max() else { continue };
        search.distances_within(longest - 1, sender, &mut distance, &mut queue);
        detours.extend(here.iter().filter_map(|journey| {
            let shortest = distance[journey.receiver.index()];
            (shortest < journey.channels).then_some((journey.place, shortest))
        }));
    }
    detours.sort_unstable();
    detours
}

/// The long transfers by sender, and where those of each node end.
fn journeys(case: &Case<'_>) -> (Vec<u32>, Vec<Journey>) {
    let mut end = vec![0u32; case.topology.node_count() + 1];
    for (_, sender, _) in long_transfers(case) {
        end[sender.index() + 1] += 1;
    }
    let mut total = 0;
    for count in &mut end {
        total += *count;
        *count = total;
    }
    let mut journeys = vec![Journey { receiver: NodeId::new(0), channels: 0, place: 0 }; total as usize];
    for (place, (spot, sender, receiver)) in (0..).zip(long_transfers(case)) {
        let next = &mut end[sender.index()];
        journeys[*next as usize] = Journey { receiver, channels: spot.moved.path.len() as u32, place };
        *next += 1;
    }
    (end, journeys)
}

/// The transfers over several channels, with sender and receiver.
fn long_transfers<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (Spot<'a>, NodeId, NodeId)> {
    let spots = case.schedule.steps().flat_map(|(step, transfers)| {
        transfers.iter().enumerate().map(move |(transfer, moved)| Spot { step, transfer, moved })
    });
    spots.filter(|spot| spot.moved.path.len() > 1).filter_map(|spot| {
        let (sender, receiver) = case.ends(spot.moved)?;
        Some((spot, sender, receiver))
    })
}

/// Whether the path is legal but for its length, so that one mistake is not listed twice.
#[cold]
fn is_legal(case: &Case<'_>, path: &[ChannelId]) -> bool {
    let topology = case.topology;
    if path.iter().any(|&channel| !topology.is_working(channel)) {
        return false;
    }
    let connected = path.windows(2).all(|pair| topology.head(pair[0]) == topology.tail(pair[1]));
    let routed = path.iter().skip(1).all(|&channel| topology.routes(topology.tail(channel)));
    let mut nodes: Vec<NodeId> = path.iter().map(|&channel| topology.head(channel)).collect();
    nodes.push(topology.tail(path[0]));
    nodes.sort_unstable();
    connected && routed && nodes.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{CommunicationModel, ScatterRule};
    use crate::strategy::{Instance, spoiled_instance};

    /// A search of the whole network for each transfer.
    fn judge_one_by_one(case: &Case<'_>) -> Vec<Violation> {
        let topology = case.topology;
        let search = Search { topology, backwards: false, inner: Inner::Routing };
        let violation = |(spot, sender, receiver): (Spot<'_>, NodeId, NodeId)| {
            let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
            search.distances(sender, &mut distance, &mut queue);
            let (channels, shortest) = (spot.moved.path.len(), distance[receiver.index()] as usize);
            let (at, from, to) = (case.place(spot), case.node(sender), case.node(receiver));
            let is_detour = channels > shortest && is_legal(case, spot.moved.path);
            is_detour.then_some(Violation::NotMinimal { at, from, to, channels, shortest })
        };
        long_transfers(case).filter_map(violation).collect()
    }

    proptest! {
        /// Schedules for any routing have detours of their own.
        #[test]
        fn bounded_searches_find_every_detour((instance, schedule) in spoiled_instance(12), limit in 1..4usize) {
            let (routing, switching, scatter) = (Routing::Minimal, Switching::Wormhole, ScatterRule::Relay);
            let model = CommunicationModel { switching, routing, scatter, ..instance.model };
            let instance = Instance { model, ..instance };
            let problem = instance.problem();
            let case = Case::new(&problem, &schedule);
            let [mut all, mut first] = [usize::MAX, limit].map(Findings::new);
            judge(&case, &mut all);
            judge(&case, &mut first);
            let (all, expected) = (all.into_list(), judge_one_by_one(&case));
            prop_assert_eq!(&first.into_list()[..], &expected[..limit.min(expected.len())]);
            prop_assert_eq!(all, expected);
        }
    }
}
