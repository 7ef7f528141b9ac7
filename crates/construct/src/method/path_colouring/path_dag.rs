//! The ways of every message, as a small acyclic graph for each pair of terminals.

use std::collections::BTreeSet;

use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::capacities::{Capacities, PortPair, SlotId, resource_slot};
use crate::kit::distances::{DistanceScratch, SourceDistances};
use crate::kit::method_error::MethodError;
use crate::kit::shortest_path_dag::ShortestPathDag;
use crate::kit::task::SchedulingTask;

/// The most arcs of all pairs together: 256 MiB.
const MAX_ARCS: usize = 1 << 24;

/// A channel on a way, or a port at its end. It leads to the place in whose list it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathArc {
    /// A place of the same pair.
    pub(super) tail: u32,
    pub(super) slot: SlotId,
    /// `None` for a port.
    pub(super) channel: Option<ChannelId>,
}

/// Longer paths that are allowed beside the shortest ones, each with the number of its pair.
pub(super) type Detours = BTreeSet<(u32, Vec<ChannelId>)>;

/// All ways of all messages.
///
/// The graph of a pair has places instead of nodes, tails before heads: a way leads from its first to its last place, over
/// the sender's port, the channels and the receiver's port. All shortest paths share their nodes; each detour has places
/// of its own. Memory: 16 bytes an arc, 4 bytes a place, 16 bytes a pair and 4 bytes a message.
#[derive(Debug, Default)]
pub(super) struct PathDags {
    arcs: Vec<PathArc>,
    /// Where the arcs into each place end.
    arcs_end: Vec<u32>,
    /// Where the places of each pair end.
    places_end: Vec<u32>,
    /// Source and receiver of each pair.
    ends: Vec<(NodeId, NodeId)>,
    /// The pair of each message.
    pair: Vec<u32>,
    /// Slots on a shortest way of each pair.
    length: Vec<u32>,
    /// Slots on the longest way of all.
    longest: usize,
}

impl PathDags {
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if some receiver cannot be reached in one transfer, or there are more than [`MAX_ARCS`].
    pub(super) fn new(
        task: &SchedulingTask<'_>,
        capacities: &Capacities,
        detours: &Detours,
    ) -> Result<Self, MethodError> {
        let messages = task.messages();
        let receiver = |message| messages.receivers_iter(message).next().expect("a message has a receiver");
        let mut by_pair: Vec<((NodeId, NodeId), MessageId)> =
            messages.ids().map(|message| ((messages.source(message), receiver(message)), message)).collect();
        by_pair.sort_unstable();

        let distances = SourceDistances::new(task);
        let (mut row, mut shortest) = (DistanceScratch::default(), ShortestPathDag::new(task.topology().node_count()));
        let mut ways = Self { pair: vec![0; by_pair.len()], ..Self::default() };
        for chunk in by_pair.chunk_by(|a, b| a.0 == b.0) {
            let (ends, _) = chunk[0];
            let number = ways.ends.len() as u32;
            for (_, message) in chunk {
                ways.pair[message.index()] = number;
            }
            let is_reached = shortest.collect(task, &distances, ends, &mut row);
            if !is_reached || ways.arcs.len() + shortest.arcs().len() > MAX_ARCS {
                return Err(MethodError::Unsupported);
            }
            let beside = detours.range((number, Vec::new())..(number + 1, Vec::new())).map(|(_, path)| path.as_slice());
            let ports = PortPair::new(task, capacities, ends.0, ends.1);
            ways.add(task, &shortest, beside, ports);
            ways.ends.push(ends);
        }
        Ok(ways)
    }

    /// Adds the graph of one more pair.
    fn add<'b>(
        &mut self,
        task: &SchedulingTask<'_>,
        shortest: &ShortestPathDag,
        detours: impl Iterator<Item = &'b [ChannelId]> + Clone,
        ports: PortPair,
    ) {
        let first = self.arcs_end.len();
        let port = |tail, slot| PathArc { tail, slot, channel: None };
        let channel = |tail, channel| PathArc { tail, slot: resource_slot(task, channel), channel: Some(channel) };
        self.end_place();
        if let Some(slot) = ports.send {
            self.arcs.push(port(0, slot));
            self.end_place();
        }
        let source = (self.arcs_end.len() - first - 1) as u32;
        // Shortest paths are listed from the target to the source.
        let on_shortest = |place: usize| {
            let arcs = shortest.ending_at(place).iter();
            arcs.map(|arc| channel(source + shortest.source() as u32 - arc.tail, arc.channel))
        };
        for place in (ShortestPathDag::TARGET + 1..shortest.source()).rev() {
            self.arcs.extend(on_shortest(place));
            self.end_place();
        }
        let mut into_target: Vec<PathArc> = on_shortest(ShortestPathDag::TARGET).collect();
        for path in detours.clone() {
            let mut tail = source;
            let (&last, inner) = path.split_last().expect("a detour has channels");
            for &next in inner {
                self.arcs.push(channel(tail, next));
                tail = (self.arcs_end.len() - first) as u32;
                self.end_place();
            }
            into_target.push(channel(tail, last));
        }
        self.arcs.append(&mut into_target);
        self.end_place();
        if let Some(slot) = ports.receive {
            let target = (self.arcs_end.len() - first - 1) as u32;
            self.arcs.push(port(target, slot));
            self.end_place();
        }
        self.places_end.push(self.arcs_end.len() as u32);

        let port_count = ports.iter().count();
        let length = shortest.length() + port_count;
        let longest = detours.map(|path| path.len() + port_count).fold(length, usize::max);
        self.length.push(length as u32);
        self.longest = self.longest.max(longest);
    }

    fn end_place(&mut self) {
        self.arcs_end.push(self.arcs.len() as u32);
    }

    pub(super) fn message_count(&self) -> usize {
        self.pair.len()
    }

    pub(super) fn arc_count(&self) -> usize {
        self.arcs.len()
    }

    /// The number of a message's pair.
    pub(super) fn pair(&self, message: u32) -> u32 {
        self.pair[message as usize]
    }

    /// Source and receiver of a message.
    pub(super) fn ends(&self, message: u32) -> (NodeId, NodeId) {
        self.ends[self.pair(message) as usize]
    }

    /// Slots on a shortest way of a message.
    #[inline]
    pub(super) fn length(&self, message: u32) -> u32 {
        self.length[self.pair(message) as usize]
    }

    /// Channels on a shortest path of a message.
    pub(super) fn distance(&self, message: u32) -> u32 {
        self.length(message) - self.of(message).ports().count() as u32
    }

    /// Slots on the longest way of all.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The most places of a pair.
    pub(super) fn most_places(&self) -> usize {
        let starts = [0].iter().chain(&self.places_end);
        self.places_end.iter().zip(starts).map(|(end, start)| (end - start) as usize).max().unwrap_or(0)
    }

    /// Leaves the numbers of the arcs of a message's way along a path in `trail`, from its end; `false` if there is none.
    pub(super) fn trace(&self, message: u32, path: &[ChannelId], trail: &mut Vec<u32>) -> bool {
        let way = self.of(message);
        trail.clear();
        way.trace(way.place_count() - 1, path, trail)
    }

    #[inline]
    pub(super) fn arc(&self, number: u32) -> PathArc {
        self.arcs[number as usize]
    }

    /// The ways of a message.
    #[inline]
    pub(super) fn of(&self, message: u32) -> PathDag<'_> {
        let pair = self.pair(message) as usize;
        let first = pair.checked_sub(1).map_or(0, |before| self.places_end[before]);
        PathDag { arcs: &self.arcs, ends: &self.arcs_end[first as usize..self.places_end[pair] as usize] }
    }

    /// Uses of all resources together, if all messages take shortest paths.
    pub(super) fn channel_uses(&self) -> u64 {
        (0..self.message_count() as u32).map(|message| u64::from(self.distance(message))).sum()
    }

    /// Steps needed because of slots that messages cannot do without: their ports, and all on an only way.
    pub(super) fn forced_steps(&self, capacities: &Capacities) -> u32 {
        let mut load = vec![0u32; capacities.len()];
        for way in (0..self.message_count() as u32).map(|message| self.of(message)) {
            let is_only = (1..way.place_count()).all(|place| way.into(place).len() == 1);
            for arc in (1..way.place_count()).flat_map(|place| way.into(place)) {
                load[arc.slot as usize] += u32::from(is_only || arc.channel.is_none());
            }
        }
        (0..).zip(load).map(|(slot, load)| load.div_ceil(capacities.of(slot))).max().unwrap_or(0)
    }
}

/// The graph of all ways of one message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathDag<'a> {
    arcs: &'a [PathArc],
    ends: &'a [u32],
}

impl<'a> PathDag<'a> {
    #[inline]
    pub(super) fn place_count(self) -> usize {
        self.ends.len()
    }

    /// The number of the first arc into a place, which is not the first place.
    #[inline]
    pub(super) fn first_arc(self, place: usize) -> u32 {
        self.ends[place - 1]
    }

    /// The arcs into a place, which is not the first place.
    #[inline]
    pub(super) fn into(self, place: usize) -> &'a [PathArc] {
        &self.arcs[self.ends[place - 1] as usize..self.ends[place] as usize]
    }

    /// Adds the arcs of a way to a place along a path, last ones first; `false` if there is none.
    fn trace(self, place: usize, path: &[ChannelId], trail: &mut Vec<u32>) -> bool {
        if place == 0 {
            return path.is_empty();
        }
        for (number, arc) in (self.first_arc(place)..).zip(self.into(place)) {
            let before = match (arc.channel, path.split_last()) {
                (None, _) => path,
                (Some(channel), Some((&last, before))) if channel == last => before,
                _ => continue,
            };
            trail.push(number);
            if self.trace(arc.tail as usize, before, trail) {
                return true;
            }
            trail.pop();
        }
        false
    }

    /// The ports that every way takes.
    pub(super) fn ports(self) -> impl Iterator<Item = SlotId> {
        let all = &self.arcs[self.ends[0] as usize..self.ends[self.ends.len() - 1] as usize];
        all.iter().filter(|arc| arc.channel.is_none()).map(|arc| arc.slot)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_paths::ShortestPaths as AllPairs;
    use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
    use lockstep_topology::Topology;
    use lockstep_topology::strategy::{any_topology, shuffled};
    use proptest::prelude::*;

    use super::*;

    /// The number of ways to the last place, and whether all have as many arcs as the message is long.
    fn count(way: PathDag<'_>, length: u32) -> (u64, bool) {
        let mut ways = vec![(1, 0)];
        let mut is_level = true;
        for place in 1..way.place_count() {
            let arcs = way.into(place);
            let depth = ways[arcs[0].tail as usize].1 + 1;
            is_level &= arcs.iter().all(|arc| ways[arc.tail as usize].1 + 1 == depth);
            ways.push((arcs.iter().map(|arc| ways[arc.tail as usize].0).sum(), depth));
        }
        let (count, depth) = ways[way.place_count() - 1];
        (count, is_level && depth == length)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn all_shortest_paths_are_ways(topology in any_topology(12).prop_flat_map(shuffled), ports in 1..=3u32) {
            let collective = Collective::all_to_all();
            let model = CommunicationModel { ports: Ports::limit(ports).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let ways = PathDags::new(&task, &Capacities::new(&task), &Detours::new()).unwrap();
            let paths = AllPairs::all_pairs(&topology).unwrap();
            for message in 0..ways.message_count() as u32 {
                let (source, target) = ways.ends(message);
                prop_assert_eq!(count(ways.of(message), ways.length(message)), (paths.count(source, target), true));
                prop_assert_eq!(Some(ways.distance(message)), paths.distance(source, target));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Any way, with its ports, is found again by its channels, and by nothing less.
        #[test]
        fn a_way_is_found_by_its_channels(
            topology in any_topology(12).prop_flat_map(shuffled), ports in 1..=3u32, turns in prop::collection::vec(any::<usize>(), 12),
        ) {
            let collective = Collective::all_to_all();
            let model = CommunicationModel { ports: Ports::limit(ports).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let ways = PathDags::new(&task, &Capacities::new(&task), &Detours::new()).unwrap();
            let mut trail = Vec::new();
            for message in 0..ways.message_count() as u32 {
                let way = ways.of(message);
                let (mut place, mut chosen) = (way.place_count() - 1, Vec::new());
                while place != 0 {
                    let turn = turns[chosen.len() % turns.len()] % way.into(place).len();
                    chosen.push(way.first_arc(place) + turn as u32);
                    place = way.into(place)[turn].tail as usize;
                }
                let path: Vec<ChannelId> = chosen.iter().rev().filter_map(|&arc| ways.arc(arc).channel).collect();
                prop_assert!(ways.trace(message, &path, &mut trail));
                prop_assert_eq!(&trail, &chosen);
                prop_assert!(!ways.trace(message, &path[1..], &mut trail));
                prop_assert!(!ways.trace(message, &path[..path.len() - 1], &mut trail));
            }
        }
    }

    #[test]
    fn a_detour_is_one_way_more() {
        let ring: Topology = "ring:4".parse().unwrap();
        let collective = Collective::all_to_all();
        let problem = Problem::new(&ring, &collective, CommunicationModel::wormhole()).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let path = |nodes: &[u32]| -> Vec<ChannelId> {
            let channel = |ends: &[u32]| {
                let is_it = |&channel: &ChannelId| [ring.tail(channel).number(), ring.head(channel).number()] == ends;
                ring.channels().find(is_it).unwrap()
            };
            nodes.windows(2).map(channel).collect()
        };
        // The first message goes from 0 to 1.
        let detours = Detours::from([(0, path(&[0, 3, 2, 1]))]);
        let ways = PathDags::new(&task, &Capacities::new(&task), &detours).unwrap();
        assert_eq!((count(ways.of(0), 1).0, ways.length(0), ways.longest()), (2, 1, 3));
        assert_eq!(count(ways.of(1), 2), (2, true));
    }
}
