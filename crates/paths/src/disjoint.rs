//! Channel-disjoint sets of paths.

use lockstep_topology::{ChannelId, NodeId, Topology};

/// A largest set of legal paths from `source` to `target` of which no two share a channel.
///
/// The paths need not be shortest. They are a function of the topology alone; their number is the least number of
/// channels whose loss disconnects the pair. Empty if `source` is `target`. Takes `O(K M)` for `K` paths and `M`
/// channels.
///
/// Source: Edmonds and Karp, *Theoretical improvements in algorithmic efficiency for network flow problems*, J. ACM 19
/// (1972), with unit capacities; only nodes that route are crossed.
///
/// ```
/// use lockstep_paths::disjoint_paths;
/// use lockstep_topology::{NodeId, Topology};
///
/// let ring: Topology = "ring:5".parse()?;
/// let paths = disjoint_paths(&ring, NodeId::new(0), NodeId::new(1));
/// assert_eq!(paths.iter().map(Vec::len).collect::<Vec<_>>(), [1, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn disjoint_paths(topology: &Topology, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    if source == target {
        return Vec::new();
    }
    let mut flow = UnitFlow {
        topology,
        source,
        target,
        carries: vec![false; topology.channel_count()],
        arrival: vec![None; topology.node_count()],
        queue: Vec::new(),
    };
    let count = std::iter::from_fn(|| flow.augment()).count();
    let mut next = vec![0; topology.node_count()];
    let mut exit = vec![ChannelId::new(0); topology.node_count()];
    (0..count).map(|_| flow.extract(&mut next, &mut exit)).collect()
}

/// A flow of at most one unit on every channel.
struct UnitFlow<'a> {
    topology: &'a Topology,
    source: NodeId,
    target: NodeId,
    /// Whether a channel carries a unit.
    carries: Vec<bool>,
    /// The channel by which the search in progress came to a node.
    arrival: Vec<Option<ChannelId>>,
    queue: Vec<NodeId>,
}

impl UnitFlow<'_> {
    /// Sends one more unit along a shortest path of the residual network, if there is one.
    fn augment(&mut self) -> Option<()> {
        let topology = self.topology;
        self.arrival.fill(None);
        self.queue.clear();
        self.queue.push(self.source);
        let mut next = 0;
        while self.arrival[self.target.index()].is_none() {
            let node = *self.queue.get(next)?;
            next += 1;
            // Units only pass nodes that route, so those alone are reached against a unit.
            if node == self.source || topology.routes(node) {
                for &channel in topology.out_channels(node) {
                    if !self.carries[channel.index()] {
                        self.visit(topology.head(channel), channel);
                    }
                }
            }
            for &channel in topology.in_channels(node) {
                if self.carries[channel.index()] {
                    self.visit(topology.tail(channel), channel);
                }
            }
        }
        let mut node = self.target;
        while node != self.source {
            let channel = self.arrival[node.index()].expect("the search came here by a channel");
            let forward = topology.head(channel) == node;
            self.carries[channel.index()] = forward;
            node = if forward { topology.tail(channel) } else { topology.head(channel) };
        }
        Some(())
    }

    fn visit(&mut self, node: NodeId, channel: ChannelId) {
        let arrival = &mut self.arrival[node.index()];
        if arrival.is_none() {
            *arrival = Some(channel);
            self.queue.push(node);
        }
    }

    /// Takes one unit out of the flow, lowest channels first, and returns its path without the cycles it may run.
    ///
    /// `next` is, for each node, how many of its channels are known to be empty; `exit` is scratch space for nodes.
    fn extract(&mut self, next: &mut [usize], exit: &mut [ChannelId]) -> Vec<ChannelId> {
        let topology = self.topology;
        let mut node = self.source;
        while node != self.target {
            let channels = topology.out_channels(node);
            let next = &mut next[node.index()];
            while !self.carries[channels[*next].index()] {
                *next += 1;
            }
            let channel = channels[*next];
            self.carries[channel.index()] = false;
            exit[node.index()] = channel;
            node = topology.head(channel);
        }
        // Each channel is the one by which the unit left a node for good, so no node comes twice.
        std::iter::successors(Some(exit[self.source.index()]), |&channel| {
            let node = topology.head(channel);
            (node != self.target).then(|| exit[node.index()])
        })
        .collect()
    }
}
