//! The paths of every message, as a small acyclic graph per pair of terminals.

use std::collections::BTreeSet;

use lockstep_model::{SlotId, Slots};
use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::distances::{DistanceScratch, SourceDistances};
use crate::kit::method_error::MethodError;
use crate::kit::shortest_path_dag::ShortestPathDag;
use crate::kit::task::SchedulingTask;

/// The maximum number of arcs of all pairs together: 256 MiB.
const MAX_ARCS: usize = 1 << 24;

/// Number of pairs between two checks of the time.
const CHECK_INTERVAL: u32 = 256;

/// A channel on a path, or a port at its end. The list that holds the arc belongs to the vertex at its head.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathArc {
    /// A vertex of the same pair.
    pub(super) tail: u32,
    pub(super) slot: SlotId,
    /// The channel; `None` for a port.
    pub(super) channel: Option<ChannelId>,
}

/// Paths that are allowed in addition to the shortest ones, each with the number of its pair.
pub(super) type Detours = BTreeSet<(u32, Vec<ChannelId>)>;

/// All paths of all messages.
///
/// The vertices of a pair are in topological order. A path leads from the first vertex to the last one, over the send
/// port, the channels and the receive port. All shortest paths share their vertices; each detour has its own. Memory:
/// 16 bytes per arc, 4 bytes per vertex, 16 bytes per pair and 4 bytes per message.
#[derive(Debug, Default)]
pub(super) struct PathDags {
    arcs: Vec<PathArc>,
    /// The end of each vertex's incoming arcs.
    arcs_end: Vec<u32>,
    /// The end of each pair's vertices.
    vertices_end: Vec<u32>,
    /// The source and the receiver of each pair.
    ends: Vec<(NodeId, NodeId)>,
    /// The pair of each message.
    pair: Vec<u32>,
    /// Number of slots on a shortest path of each pair.
    length: Vec<u32>,
    /// Number of slots on the longest path of all pairs.
    longest: usize,
}

impl PathDags {
    /// Collects the shortest paths and the detours of all messages. Takes `O(A)` time for `A` arcs, and one search per
    /// source.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if a receiver cannot be reached in one transfer, or there are more than
    /// [`MAX_ARCS`]; otherwise as [`SchedulingTask::check_time`].
    pub(super) fn new(task: &SchedulingTask<'_>, slots: &Slots, detours: &Detours) -> Result<Self, MethodError> {
        let messages = task.messages();
        let receiver = |message| messages.receivers_iter(message).next().expect("a message has a receiver");
        let mut by_pair: Vec<((NodeId, NodeId), MessageId)> =
            messages.ids().map(|message| ((messages.source(message), receiver(message)), message)).collect();
        by_pair.sort_unstable();

        let distances = SourceDistances::new(task)?;
        let (mut scratch, mut shortest) =
            (DistanceScratch::default(), ShortestPathDag::new(task.topology().node_count()));
        let mut dags = Self { pair: vec![0; by_pair.len()], ..Self::default() };
        for chunk in by_pair.chunk_by(|a, b| a.0 == b.0) {
            let (ends, _) = chunk[0];
            let number = dags.ends.len() as u32;
            if number.is_multiple_of(CHECK_INTERVAL) {
                task.check_time()?;
            }
            for (_, message) in chunk {
                dags.pair[message.index()] = number;
            }
            let is_reached = shortest.collect(task, &distances, ends, &mut scratch);
            if !is_reached || dags.arcs.len() + shortest.arcs().len() > MAX_ARCS {
                return Err(MethodError::Unsupported);
            }
            let own_detours =
                detours.range((number, Vec::new())..(number + 1, Vec::new())).map(|(_, path)| path.as_slice());
            let ports = [slots.send_port(task.rank(ends.0)), slots.receive_port(task.rank(ends.1))];
            dags.add(slots, &shortest, own_detours, ports);
            dags.ends.push(ends);
        }
        Ok(dags)
    }

    /// Adds the graph of one more pair.
    fn add<'b>(
        &mut self,
        slots: &Slots,
        shortest: &ShortestPathDag,
        detours: impl Iterator<Item = &'b [ChannelId]> + Clone,
        [send, receive]: [Option<SlotId>; 2],
    ) {
        let first = self.arcs_end.len();
        let port = |tail, slot| PathArc { tail, slot, channel: None };
        let channel = |tail, channel| PathArc { tail, slot: slots.resource(channel), channel: Some(channel) };
        self.end_vertex();
        if let Some(slot) = send {
            self.arcs.push(port(0, slot));
            self.end_vertex();
        }
        let source = (self.arcs_end.len() - first - 1) as u32;
        // Shortest paths are listed from the target to the source.
        let on_shortest = |node: usize| {
            let arcs = shortest.ending_at(node).iter();
            arcs.map(|arc| channel(source + shortest.source() as u32 - arc.tail, arc.channel))
        };
        for node in (ShortestPathDag::TARGET + 1..shortest.source()).rev() {
            self.arcs.extend(on_shortest(node));
            self.end_vertex();
        }
        let mut into_target: Vec<PathArc> = on_shortest(ShortestPathDag::TARGET).collect();
        for path in detours.clone() {
            let mut tail = source;
            let (&last, inner) = path.split_last().expect("a detour has channels");
            for &next in inner {
                self.arcs.push(channel(tail, next));
                tail = (self.arcs_end.len() - first) as u32;
                self.end_vertex();
            }
            into_target.push(channel(tail, last));
        }
        self.arcs.append(&mut into_target);
        self.end_vertex();
        if let Some(slot) = receive {
            let target = (self.arcs_end.len() - first - 1) as u32;
            self.arcs.push(port(target, slot));
            self.end_vertex();
        }
        self.vertices_end.push(self.arcs_end.len() as u32);

        let port_count = [send, receive].iter().flatten().count();
        let length = shortest.length() + port_count;
        let longest = detours.map(|path| path.len() + port_count).fold(length, usize::max);
        self.length.push(length as u32);
        self.longest = self.longest.max(longest);
    }

    fn end_vertex(&mut self) {
        self.arcs_end.push(self.arcs.len() as u32);
    }

    /// Returns the number of messages.
    pub(super) fn message_count(&self) -> usize {
        self.pair.len()
    }

    /// Returns the number of arcs of all pairs.
    pub(super) fn arc_count(&self) -> usize {
        self.arcs.len()
    }

    /// Returns the number of a message's pair.
    pub(super) fn pair(&self, message: u32) -> u32 {
        self.pair[message as usize]
    }

    /// Returns the source and the receiver of a message.
    pub(super) fn ends(&self, message: u32) -> (NodeId, NodeId) {
        self.ends[self.pair(message) as usize]
    }

    /// Returns the number of slots on a shortest path of a message.
    #[inline]
    pub(super) fn length(&self, message: u32) -> u32 {
        self.length[self.pair(message) as usize]
    }

    /// Returns the number of channels on a shortest path of a message.
    pub(super) fn distance(&self, message: u32) -> u32 {
        self.length(message) - self.of(message).ports().count() as u32
    }

    /// Returns the number of slots on the longest path of all messages.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the maximum number of vertices of a pair.
    pub(super) fn max_vertex_count(&self) -> usize {
        let starts = [0].iter().chain(&self.vertices_end);
        self.vertices_end.iter().zip(starts).map(|(end, start)| (end - start) as usize).max().unwrap_or(0)
    }

    /// Finds the path of a message along some channels. Writes the numbers of its arcs to `trail`, last arc first.
    /// Returns false if there is no such path.
    pub(super) fn trace(&self, message: u32, path: &[ChannelId], trail: &mut Vec<u32>) -> bool {
        let dag = self.of(message);
        trail.clear();
        dag.trace(dag.vertex_count() - 1, path, trail)
    }

    #[inline]
    pub(super) fn arc(&self, number: u32) -> PathArc {
        self.arcs[number as usize]
    }

    /// Returns the graph of all paths of a message.
    #[inline]
    pub(super) fn of(&self, message: u32) -> PathDag<'_> {
        let pair = self.pair(message) as usize;
        let first = pair.checked_sub(1).map_or(0, |before| self.vertices_end[before]);
        PathDag { arcs: &self.arcs, ends: &self.arcs_end[first as usize..self.vertices_end[pair] as usize] }
    }

    /// Returns the number of channel uses if all messages take shortest paths.
    pub(super) fn channel_uses(&self) -> u64 {
        (0..self.message_count() as u32).map(|message| u64::from(self.distance(message))).sum()
    }

    /// Returns a lower bound on the steps, by the slots that messages must use: their ports, and every slot of a unique
    /// path.
    pub(super) fn least_steps(&self, slots: &Slots) -> u32 {
        let mut load = vec![0u32; slots.len()];
        for dag in (0..self.message_count() as u32).map(|message| self.of(message)) {
            let is_unique = (1..dag.vertex_count()).all(|vertex| dag.arcs_into(vertex).len() == 1);
            for arc in (1..dag.vertex_count()).flat_map(|vertex| dag.arcs_into(vertex)) {
                load[arc.slot as usize] += u32::from(is_unique || arc.channel.is_none());
            }
        }
        (0..).zip(load).map(|(slot, load)| load.div_ceil(slots.capacity(slot))).max().unwrap_or(0)
    }
}

/// The graph of all paths of one message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathDag<'a> {
    arcs: &'a [PathArc],
    ends: &'a [u32],
}

impl<'a> PathDag<'a> {
    #[inline]
    pub(super) fn vertex_count(self) -> usize {
        self.ends.len()
    }

    pub(super) fn arc_count(self) -> u32 {
        self.ends[self.ends.len() - 1] - self.ends[0]
    }

    /// Returns the number of the first arc into a vertex other than the first one.
    #[inline]
    pub(super) fn first_arc(self, vertex: usize) -> u32 {
        self.ends[vertex - 1]
    }

    /// Returns the arcs into a vertex other than the first one.
    #[inline]
    pub(super) fn arcs_into(self, vertex: usize) -> &'a [PathArc] {
        &self.arcs[self.ends[vertex - 1] as usize..self.ends[vertex] as usize]
    }

    /// Appends the arcs of the path to a vertex along some channels, last arc first. Returns false if there is no such
    /// path.
    fn trace(self, vertex: usize, path: &[ChannelId], trail: &mut Vec<u32>) -> bool {
        if vertex == 0 {
            return path.is_empty();
        }
        for (number, arc) in (self.first_arc(vertex)..).zip(self.arcs_into(vertex)) {
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

    /// Returns the ports that every path uses.
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

    /// Returns the number of paths to the last vertex, and whether all of them have `length` arcs.
    fn count(dag: PathDag<'_>, length: u32) -> (u64, bool) {
        let mut counts = vec![(1, 0)];
        let mut is_level = true;
        for vertex in 1..dag.vertex_count() {
            let arcs = dag.arcs_into(vertex);
            let depth = counts[arcs[0].tail as usize].1 + 1;
            is_level &= arcs.iter().all(|arc| counts[arc.tail as usize].1 + 1 == depth);
            counts.push((arcs.iter().map(|arc| counts[arc.tail as usize].0).sum(), depth));
        }
        let (count, depth) = counts[dag.vertex_count() - 1];
        (count, is_level && depth == length)
    }

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(64))]

        #[test]
        fn every_shortest_path_is_in_the_graph(topology in any_topology(12).prop_flat_map(shuffled), ports in 1..=3u32) {
            let collective = Collective::all_to_all();
            let model = CommunicationModel { ports: Ports::limit(ports).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let dags = PathDags::new(&task, &task.slots(), &Detours::new()).unwrap();
            let paths = AllPairs::all_pairs(&topology).unwrap();
            for message in 0..dags.message_count() as u32 {
                let (source, target) = dags.ends(message);
                prop_assert_eq!(count(dags.of(message), dags.length(message)), (paths.count(source, target), true));
                prop_assert_eq!(Some(dags.distance(message)), paths.distance(source, target));
            }
        }
    }

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(64))]

        /// Every path, with its ports, is found by its channels, and not by fewer channels.
        #[test]
        fn a_path_is_found_by_its_channels(
            topology in any_topology(12).prop_flat_map(shuffled), ports in 1..=3u32, turns in prop::collection::vec(any::<usize>(), 12),
        ) {
            let collective = Collective::all_to_all();
            let model = CommunicationModel { ports: Ports::limit(ports).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let dags = PathDags::new(&task, &task.slots(), &Detours::new()).unwrap();
            let mut trail = Vec::new();
            for message in 0..dags.message_count() as u32 {
                let dag = dags.of(message);
                let (mut vertex, mut chosen) = (dag.vertex_count() - 1, Vec::new());
                while vertex != 0 {
                    let turn = turns[chosen.len() % turns.len()] % dag.arcs_into(vertex).len();
                    chosen.push(dag.first_arc(vertex) + turn as u32);
                    vertex = dag.arcs_into(vertex)[turn].tail as usize;
                }
                let path: Vec<ChannelId> = chosen.iter().rev().filter_map(|&arc| dags.arc(arc).channel).collect();
                prop_assert!(dags.trace(message, &path, &mut trail));
                prop_assert_eq!(&trail, &chosen);
                prop_assert!(!dags.trace(message, &path[1..], &mut trail));
                prop_assert!(!dags.trace(message, &path[..path.len() - 1], &mut trail));
            }
        }
    }

    #[test]
    fn a_detour_is_one_more_path() {
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
        let dags = PathDags::new(&task, &task.slots(), &detours).unwrap();
        assert_eq!((count(dags.of(0), 1).0, dags.length(0), dags.longest()), (2, 1, 3));
        assert_eq!(count(dags.of(1), 2), (2, true));
    }
}
