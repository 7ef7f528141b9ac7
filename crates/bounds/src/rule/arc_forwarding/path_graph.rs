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

impl PathGraph {
    /// Returns the paths with the fewest channels.
    pub(super) fn of_fewest_channels(
        network: &CapacitatedNetwork,
        source: NodeId,
        receivers: impl Iterator<Item = NodeId>,
    ) -> Self {
        let mut hops = vec![UNSEEN; network.node_count()];
        hops[source.index()] = 0;
        let mut order = vec![source.number()];
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for head in network.leaving(node, source).map(|channel| network.head(channel)) {
                if hops[head as usize] == UNSEEN {
                    hops[head as usize] = hops[node as usize] + 1;
                    order.push(head);
                }
            }
        }
        let mut graph = Self::default();
        graph.build(network, &order, receivers, |channel, node| {
            let tail = network.tail(channel);
            let is_layer = hops[tail as usize].checked_add(1) == Some(hops[node as usize]);
            is_layer && !network.leaving(tail, source).is_empty()
        });
        // Rounds over all sources read less memory without it.
        graph.place = Vec::new();
        graph
    }

    /// Sets the graph to the shortest paths and the channels with flow.
    pub(super) fn set(
        &mut self,
        network: &CapacitatedNetwork,
        paths: &ShortestPaths,
        receivers: impl Iterator<Item = NodeId>,
        flow: &[f32],
    ) {
        self.build(network, &paths.order, receivers, |channel, node| {
            flow[channel] > 0.0 || paths.last[node as usize] as usize == channel
        });
    }

    /// Sets the nodes, and the channels into each that `has`.
    fn build(
        &mut self,
        network: &CapacitatedNetwork,
        order: &[u32],
        receivers: impl Iterator<Item = NodeId>,
        has: impl Fn(usize, u32) -> bool,
    ) {
        self.place.clear();
        self.place.resize(network.node_count(), UNSEEN);
        (0..).zip(order).for_each(|(place, &node)| self.place[node as usize] = place);
        self.messages.clear();
        self.messages.resize(order.len(), 0);
        for receiver in receivers {
            // Every receiver is reached, and the source receives nothing over channels.
            self.messages[self.place[receiver.index()] as usize] += 1;
        }
        self.node.clear();
        self.node.extend_from_slice(order);
        self.arcs.clear();
        self.arc_end.clear();
        self.arc_end.push(0);
        for &node in &order[1..] {
            let entering = network.entering(node).iter().filter(|&&channel| has(channel as usize, node));
            let place = &self.place;
            self.arcs.extend(
                entering.map(|&channel| PathArc { channel, tail: place[network.tail(channel as usize) as usize] }),
            );
            self.arc_end.push(self.arcs.len() as u32);
        }
    }

    /// Returns each place except the source, last first, with its arcs.
    fn places_backwards(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + use<'_> {
        (1..self.node.len()).rev().map(|place| (place, self.arcs_into(place)))
    }

    #[inline]
    fn arcs_into(&self, place: usize) -> std::ops::Range<usize> {
        self.arc_end[place - 1] as usize..self.arc_end[place] as usize
    }

    /// Returns the receivers with their numbers of messages and their distances.
    pub(super) fn deliveries<'a>(&'a self, paths: &'a PathFlow) -> impl Iterator<Item = (u32, u32, f64)> + 'a {
        let places = self.node.iter().zip(&self.messages).zip(&paths.distance);
        places
            .map(|((&node, &messages), &distance)| (node, messages, distance))
            .filter(|&(_, messages, _)| messages > 0)
    }

    /// Sets the flow of each channel to a routing in which every receiver receives its messages, and every node receives equal
    /// parts over all arcs.
    pub(super) fn spread(&self, flow: &mut [f32]) {
        flow.fill(0.0);
        let mut required: Vec<f64> = self.messages.iter().copied().map(f64::from).collect();
        for (place, arcs) in self.places_backwards() {
            let part = required[place] / arcs.len() as f64;
            for arc in &self.arcs[arcs] {
                flow[arc.channel as usize] = part as f32;
                required[arc.tail as usize] += part;
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
        self.distance.clear();
        self.distance.push(0.0);
        self.last.clear();
        self.last.push(UNSEEN);
        for place in 1..graph.node.len() {
            let (mut shortest, mut last) = (f64::INFINITY, UNSEEN);
            for arc in graph.arcs_into(place) {
                // Flow from a farther node comes from earlier rounds.
                let Some(distance) = self.distance.get(graph.arcs[arc].tail as usize) else { continue };
                let distance = distance + self.length[arc];
                if distance < shortest {
                    (shortest, last) = (distance, arc as u32);
                }
            }
            self.distance.push(shortest);
            self.last.push(last);
        }
    }

    /// Computes a better flow: at every node, each arc that is not on the tree of shortest paths passes a part of its flow to
    /// the arc of the tree: `shift_rate` times the relative length of the detour, or all. `flow` has the flow of each channel.
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
                let flow_of = |arc: usize| f64::from(flow[graph.arcs[arc].channel as usize]);
                let incoming: f64 = arcs.clone().map(flow_of).sum();
                let kept = if incoming > required { required / incoming } else { 1.0 };
                for arc in arcs {
                    let (tail, flow) = (graph.arcs[arc].tail as usize, flow_of(arc));
                    if arc == last || flow <= 0.0 || tail >= place {
                        continue;
                    }
                    let detour = (self.distance[tail] + self.length[arc] - self.distance[place]).max(0.0);
                    let lengths = self.length[arc] + self.length[last];
                    let away = if detour > 0.0 { shift_rate * detour / lengths } else { 0.0 };
                    let stays = (flow - away).max(0.0) * kept;
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
