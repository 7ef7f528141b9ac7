//! The channels on the paths from one source, and flows along and near the shortest of these paths.

use lockstep_topology::NodeId;

use super::capacitated_network::CapacitatedNetwork;
use super::shortest_paths::ShortestPaths;

/// A channel of a [`PathGraph`].
#[derive(Clone, Copy)]
pub(super) struct PathArc {
    pub(super) channel: u32,
    /// The place of its tail.
    tail: u32,
}

/// The channels on the paths from one source, grouped by their heads.
///
/// The *place* of a node is its position in an order in which the nodes of a shortest path ascend; the source is first.
/// Memory: 8 bytes per channel, 12 per node.
#[derive(Clone, Default)]
pub(super) struct PathGraph {
    /// The node at each place.
    node: Vec<u32>,
    /// The number of messages from the source to each place.
    messages: Vec<u32>,
    /// The end of the arcs into each place.
    arc_end: Vec<u32>,
    pub(super) arcs: Vec<PathArc>,
    /// Scratch space: the place of each node, or `UNSEEN`.
    place: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

/// All integers below are exact as `f64`.
const EXACT: f64 = (1u64 << 53) as f64;

impl PathGraph {
    /// Returns a copy without scratch space.
    pub(super) fn compact(&self) -> Self {
        let Self { node, messages, arc_end, arcs, .. } = self.clone();
        Self { node, messages, arc_end, arcs, place: Vec::new() }
    }

    /// Sets the graph to the paths with the fewest channels.
    pub(super) fn set_fewest_channels(
        &mut self,
        network: &CapacitatedNetwork,
        source: NodeId,
        receivers: impl Iterator<Item = NodeId>,
    ) {
        self.clear(network.node_count());
        self.node.push(source.number());
        self.place[source.index()] = 0;
        let mut layer = 0..1;
        while !layer.is_empty() {
            for place in layer.clone() {
                for channel in network.leaving(self.node[place], source) {
                    let head = network.head(channel);
                    if self.place[head as usize] == UNSEEN {
                        self.place[head as usize] = self.node.len() as u32;
                        self.node.push(head);
                    }
                }
            }
            let next = layer.end..self.node.len();
            for &node in &self.node[next.clone()] {
                for &channel in network.entering(node) {
                    let tail = network.tail(channel as usize);
                    let place = self.place[tail as usize];
                    if layer.contains(&(place as usize)) && network.may_leave(tail, source) {
                        self.arcs.push(PathArc { channel, tail: place });
                    }
                }
                self.arc_end.push(self.arcs.len() as u32);
            }
            layer = next;
        }
        self.count(receivers);
    }

    /// Sets the graph to the shortest paths and the channels with flow.
    pub(super) fn set(
        &mut self,
        network: &CapacitatedNetwork,
        paths: &ShortestPaths,
        receivers: impl Iterator<Item = NodeId>,
        flow: &[f32],
    ) {
        self.clear(network.node_count());
        self.node.extend_from_slice(&paths.order);
        (0..).zip(&self.node).for_each(|(place, &node)| self.place[node as usize] = place);
        for &node in &self.node[1..] {
            let has = |channel: u32| flow[channel as usize] > 0.0 || paths.last[node as usize] == channel;
            let entering = network.entering(node).iter().filter(|&&channel| has(channel));
            let place = &self.place;
            self.arcs.extend(
                entering.map(|&channel| PathArc { channel, tail: place[network.tail(channel as usize) as usize] }),
            );
            self.arc_end.push(self.arcs.len() as u32);
        }
        self.count(receivers);
    }

    fn clear(&mut self, node_count: usize) {
        self.place.clear();
        self.place.resize(node_count, UNSEEN);
        self.node.clear();
        self.arcs.clear();
        self.arc_end.clear();
        self.arc_end.push(0);
    }

    /// Counts the messages to each place. Every receiver is reached, and the source receives nothing over channels.
    fn count(&mut self, receivers: impl Iterator<Item = NodeId>) {
        self.messages.clear();
        self.messages.resize(self.node.len(), 0);
        receivers.for_each(|receiver| self.messages[self.place[receiver.index()] as usize] += 1);
    }

    /// Returns each place except the source, last first, with its arcs.
    fn places_backwards(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + use<'_> {
        (1..self.node.len()).rev().map(|place| (place, self.arcs_into(place)))
    }

    #[inline]
    fn arcs_into(&self, place: usize) -> std::ops::Range<usize> {
        self.arc_end[place - 1] as usize..self.arc_end[place] as usize
    }

    /// Returns the sum of the distances of all messages.
    pub(super) fn distance_sum(&self, paths: &PathFlow) -> f64 {
        self.messages.iter().zip(&paths.distance).map(|(&messages, distance)| f64::from(messages) * distance).sum()
    }

    /// Returns the sums of the distances of all messages, for several integer lengths of each channel. `distance` is scratch
    /// space.
    pub(super) fn distance_sums<const K: usize>(&self, lengths: &[[f64; K]], distance: &mut Vec<[f64; K]>) -> [u64; K] {
        distance.clear();
        distance.resize(self.node.len(), [0.0; K]);
        let mut sums = [0.0; K];
        for place in 1..self.node.len() {
            let mut shortest = [f64::INFINITY; K];
            for arc in &self.arcs[self.arcs_into(place)] {
                let (to_tail, length) = (&distance[arc.tail as usize], &lengths[arc.channel as usize]);
                for lane in 0..K {
                    let by_arc = to_tail[lane] + length[lane];
                    shortest[lane] = if by_arc < shortest[lane] { by_arc } else { shortest[lane] };
                }
            }
            distance[place] = shortest;
            let messages = f64::from(self.messages[place]);
            (0..K).for_each(|lane| sums[lane] += messages * shortest[lane]);
        }
        // Integers are exact up to 2^53, and so are their sums.
        if sums.iter().all(|&sum| sum < EXACT) {
            return sums.map(whole);
        }
        let exact = |lane: usize| {
            let places = self.messages.iter().zip(&*distance);
            places.map(|(&messages, distance)| u64::from(messages) * whole(distance[lane])).sum()
        };
        std::array::from_fn(exact)
    }

    /// Sets the flow of each arc to a routing in which every receiver receives its messages, and every node receives equal
    /// parts over all arcs.
    pub(super) fn spread(&self, flow: &mut [f32]) {
        let mut required: Vec<f64> = self.messages.iter().copied().map(f64::from).collect();
        for (place, arcs) in self.places_backwards() {
            let part = required[place] / arcs.len() as f64;
            for arc in arcs {
                flow[arc] = part as f32;
                required[self.arcs[arc].tail as usize] += part;
            }
        }
    }
}

/// The shortest paths in a [`PathGraph`], and a flow near them. It reuses its memory.
#[derive(Default)]
pub(super) struct PathFlow {
    /// The length of each arc.
    length: Vec<f64>,
    /// The length of a shortest path to each place.
    distance: Vec<f64>,
    /// The last arc of that path.
    last: Vec<u32>,
    /// The flow that must reach each place, to end or to continue there.
    required: Vec<f64>,
    /// The flow of each arc.
    pub(super) flow: Vec<f32>,
}

impl PathFlow {
    /// Finds the shortest paths for the lengths of the channels. For integer lengths with sums below 2^53, the distances are
    /// exact.
    pub(super) fn measure(&mut self, graph: &PathGraph, length: impl Fn(usize) -> f64) {
        self.length.clear();
        self.length.extend(graph.arcs.iter().map(|arc| length(arc.channel as usize)));
        // Flow from a farther node comes from earlier rounds, and is on no shortest path.
        self.distance.clear();
        self.distance.resize(graph.node.len(), f64::INFINITY);
        self.distance[0] = 0.0;
        self.last.clear();
        self.last.push(UNSEEN);
        for place in 1..graph.node.len() {
            let (mut shortest, mut last, arcs) = (f64::INFINITY, UNSEEN, graph.arcs_into(place));
            let first = arcs.start as u32;
            for (arc, (PathArc { tail, .. }, length)) in
                (first..).zip(graph.arcs[arcs.clone()].iter().zip(&self.length[arcs]))
            {
                let distance = self.distance[*tail as usize] + length;
                if distance < shortest {
                    (shortest, last) = (distance, arc);
                }
            }
            self.distance[place] = shortest;
            self.last.push(last);
        }
    }

    /// Computes a better flow: at every node, each arc that is not on the tree of shortest paths passes a part of its flow to
    /// the arc of the tree: `shift_rate` times the relative length of the detour, or all. `flow` has the flow of each arc.
    ///
    /// Flow that enters a node from farther nodes moves to the tree completely, so no flow runs in a cycle. The total
    /// length does not grow.
    pub(super) fn shift(&mut self, graph: &PathGraph, shift_rate: f64, flow: &[f32]) {
        self.required.clear();
        self.required.extend(graph.messages.iter().copied().map(f64::from));
        self.flow.clear();
        self.flow.resize(graph.arcs.len(), 0.0);
        for (place, arcs) in graph.places_backwards() {
            let (required, last) = (self.required[place], self.last[place] as usize);
            if required <= 0.0 {
                continue;
            }
            let mut rest = required;
            if arcs.len() > 1 {
                let flows = &flow[arcs.clone()];
                let incoming: f64 = flows.iter().copied().map(f64::from).sum();
                let kept = if incoming > required { required / incoming } else { 1.0 };
                let (to_place, by_last) = (self.distance[place], self.length[last]);
                for (arc, &flow) in arcs.zip(flows) {
                    let tail = graph.arcs[arc].tail as usize;
                    if arc == last || flow <= 0.0 || tail >= place {
                        continue;
                    }
                    let detour = (self.distance[tail] + self.length[arc] - to_place).max(0.0);
                    let lengths = self.length[arc] + by_last;
                    let away = if detour > 0.0 { shift_rate * detour / lengths } else { 0.0 };
                    let stays = (f64::from(flow) - away).max(0.0) * kept;
                    self.flow[arc] = stays as f32;
                    self.required[tail] += stays;
                    rest -= stays;
                }
            }
            self.flow[last] = rest.max(0.0) as f32;
            self.required[graph.arcs[last].tail as usize] += rest.max(0.0);
        }
    }
}

/// Rounds a length to an integer.
#[expect(clippy::cast_sign_loss, reason = "no length is negative")]
pub(super) fn whole(length: f64) -> u64 {
    length.round() as u64
}
