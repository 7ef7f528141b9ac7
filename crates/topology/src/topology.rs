//! The network itself: a frozen directed multigraph.

use sha2::{Digest, Sha256};

use crate::{ChannelId, NodeId, ResourceId, TopologyBuilder};

/// The names of nodes, end to end in one string.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NodeNames {
    text: String,
    end: Vec<usize>,
}

impl NodeNames {
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.end.push(self.text.len());
    }

    pub(crate) fn get(&self, node: usize) -> &str {
        let start = if node == 0 { 0 } else { self.end[node - 1] };
        &self.text[start..self.end[node]]
    }

    fn len(&self) -> usize {
        self.end.len()
    }

    /// The lowest pair of nodes that share a name.
    pub(crate) fn duplicate(&self) -> Option<(usize, usize)> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&node| (self.get(node as usize), node));
        order
            .windows(2)
            .map(|pair| (pair[0] as usize, pair[1] as usize))
            .filter(|&(first, second)| self.get(first) == self.get(second))
            .min()
    }
}

/// The working channels at each node, in compressed sparse rows, ascending inside a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Adjacency {
    start: Box<[u32]>,
    channels: Box<[ChannelId]>,
}

impl Adjacency {
    /// Groups the working channels, ascending, by the node that `end` gives for each channel.
    pub(crate) fn new(node_count: usize, working: &[ChannelId], end: &[NodeId]) -> Self {
        let mut start = vec![0u32; node_count + 1];
        for channel in working {
            start[end[channel.index()].index() + 1] += 1;
        }
        for node in 0..node_count {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut channels = vec![ChannelId::new(0); working.len()];
        for &channel in working {
            let place = &mut next[end[channel.index()].index()];
            channels[*place as usize] = channel;
            *place += 1;
        }
        Self { start: start.into(), channels: channels.into() }
    }

    fn row(&self, node: NodeId) -> &[ChannelId] {
        &self.channels[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }
}

/// An interconnection network: a frozen directed multigraph of nodes and channels.
///
/// A node is a *terminal* (it sends, receives and holds messages), a switch, and it may or may not *route*, that is, be
/// an inner node of a path. Every channel occupies one *resource* while it carries a transfer; the two channels of a
/// half-duplex link share theirs.
///
/// What has failed keeps its number, so that numbers mean the same before and after a fault: a failed node is still a
/// node, but neither terminal nor routing and without channels; a failed channel is no channel any more, and the numbers of
/// [`channels`](Self::channels) have a gap in its place. Tables by channel have [`channel_bound`](Self::channel_bound)
/// entries.
///
/// Invariants: at least one node; channel ends are nodes and differ; node names differ; resources are numbered in the
/// order of their first working channel. Memory: about 24 bytes a channel and 20 bytes a node beside its name.
///
/// ```
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// assert_eq!((mesh.node_count(), mesh.channel_count()), (16, 48));
/// assert_eq!(mesh.node_name(mesh.terminals()[6]), "12");
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Topology {
    pub(crate) name: String,
    pub(crate) names: NodeNames,
    pub(crate) terminals: Box<[NodeId]>,
    pub(crate) terminal_rank: Box<[u32]>,
    pub(crate) routes: Box<[bool]>,
    /// The nodes that have failed, ascending.
    pub(crate) failed: Box<[NodeId]>,
    /// The channels that have not failed, ascending.
    pub(crate) working: Box<[ChannelId]>,
    pub(crate) out: Adjacency,
    pub(crate) into: Adjacency,
    /// By number, failed channels included, as `head`.
    pub(crate) tail: Box<[NodeId]>,
    pub(crate) head: Box<[NodeId]>,
    /// By number; [`NO_RESOURCE`](Self::NO_RESOURCE) for failed channels.
    pub(crate) resource: Box<[ResourceId]>,
    pub(crate) resource_count: u32,
    pub(crate) positions: Box<[[f64; 2]]>,
}

impl Topology {
    /// The rank that [`TopologyBuilder`] writes for nodes that are no terminals.
    pub(crate) const NO_RANK: u32 = u32::MAX;

    /// The resource of failed channels.
    pub(crate) const NO_RESOURCE: ResourceId = ResourceId::new(u32::MAX);

    /// The spec it was generated from, or the name its file gives.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes: terminals, switches and those that have failed.
    pub fn node_count(&self) -> usize {
        self.names.len()
    }

    /// Number of channels that work.
    pub fn channel_count(&self) -> usize {
        self.working.len()
    }

    /// One more than the highest number of a channel, failed ones included: the length of a table by channel.
    pub fn channel_bound(&self) -> usize {
        self.tail.len()
    }

    /// Number of resources; equal to the number of channels unless some share.
    pub fn resource_count(&self) -> usize {
        self.resource_count as usize
    }

    /// Number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.terminals.len()
    }

    /// Number of nodes that only route and have not failed.
    pub fn switch_count(&self) -> usize {
        self.node_count() - self.terminal_count() - self.failed.len()
    }

    /// All nodes, ascending, those that have failed included.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + Clone + use<> {
        (0..self.node_count() as u32).map(NodeId::new)
    }

    /// The channels that work, ascending.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = ChannelId> + DoubleEndedIterator + Clone {
        self.working.iter().copied()
    }

    /// All numbers of channels, ascending, those of failed channels included.
    pub fn channel_numbers(&self) -> impl ExactSizeIterator<Item = ChannelId> + DoubleEndedIterator + Clone + use<> {
        (0..self.channel_bound() as u32).map(ChannelId::new)
    }

    /// The terminals, ascending.
    pub fn terminals(&self) -> &[NodeId] {
        &self.terminals
    }

    /// The place of a node in [`terminals`](Self::terminals), or `None` for a switch.
    #[inline]
    pub fn terminal_rank(&self, node: NodeId) -> Option<usize> {
        let rank = self.terminal_rank[node.index()];
        (rank != Self::NO_RANK).then_some(rank as usize)
    }

    /// Whether the node sends, receives and holds messages.
    #[inline]
    pub fn is_terminal(&self, node: NodeId) -> bool {
        self.terminal_rank[node.index()] != Self::NO_RANK
    }

    /// Whether the node may be an inner node of a path.
    #[inline]
    pub fn routes(&self, node: NodeId) -> bool {
        self.routes[node.index()]
    }

    /// Whether the node would route if nothing were said: switches do, and terminals do where there is no switch.
    pub(crate) fn routes_by_rule(&self, node: NodeId) -> bool {
        !self.has_failed(node) && (!self.is_terminal(node) || self.is_direct())
    }

    /// Whether the node routes, where that is not [by the rule](Self::routes_by_rule).
    pub(crate) fn routes_against_rule(&self, node: NodeId) -> Option<bool> {
        (self.routes(node) != self.routes_by_rule(node)).then_some(self.routes(node))
    }

    /// Whether every node that has not failed is a terminal.
    pub fn is_direct(&self) -> bool {
        self.switch_count() == 0
    }

    /// The node a channel leaves.
    #[inline]
    pub fn tail(&self, channel: ChannelId) -> NodeId {
        self.tail[channel.index()]
    }

    /// The node a channel enters.
    #[inline]
    pub fn head(&self, channel: ChannelId) -> NodeId {
        self.head[channel.index()]
    }

    /// The resource that a channel occupies; a number past all resources if it has failed.
    #[inline]
    pub fn resource(&self, channel: ChannelId) -> ResourceId {
        self.resource[channel.index()]
    }

    /// The channels that leave a node, ascending.
    #[inline]
    pub fn out_channels(&self, node: NodeId) -> &[ChannelId] {
        self.out.row(node)
    }

    /// The channels that enter a node, ascending.
    #[inline]
    pub fn in_channels(&self, node: NodeId) -> &[ChannelId] {
        self.into.row(node)
    }

    /// The name of a node, as its family writes it.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.names.get(node.index())
    }

    /// The node of this name. Takes time in proportion to the number of nodes.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.nodes().find(|&node| self.node_name(node) == name)
    }

    /// The node that a person means by a name or, where no node has that name, by a number.
    pub fn find_node(&self, name_or_number: &str) -> Option<NodeId> {
        self.node_named(name_or_number).or_else(|| {
            let number: u32 = name_or_number.parse().ok()?;
            ((number as usize) < self.node_count()).then(|| NodeId::new(number))
        })
    }

    /// A channel in words, `tail->head` by the names of its nodes.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        format!("{}->{}", self.node_name(self.tail(channel)), self.node_name(self.head(channel)))
    }

    /// Where the nodes are drawn, one `[x, y]` a node with y downwards, if the network says so.
    pub fn positions(&self) -> Option<&[[f64; 2]]> {
        (!self.positions.is_empty()).then_some(&self.positions)
    }

    /// The groups of two and more channels that are one resource, in the order of their resources.
    pub fn shared_groups(&self) -> Vec<Vec<ChannelId>> {
        if self.resource_count() == self.channel_count() {
            return Vec::new();
        }
        let mut groups = vec![Vec::new(); self.resource_count()];
        for channel in self.channels() {
            groups[self.resource(channel).index()].push(channel);
        }
        groups.retain(|group| group.len() > 1);
        groups
    }

    /// The same network with every channel turned round; all numbers stay.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            tail: self.head.clone(),
            head: self.tail.clone(),
            out: self.into.clone(),
            into: self.out.clone(),
            ..self.clone()
        }
    }

    /// The same network under another name.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same network with other node numbers: node `v` becomes `place[v]`, keeps its name and its position, and
    /// the channels are numbered anew by their new ends. For tests that an algorithm does not lean on numbers.
    ///
    /// # Panics
    ///
    /// If `place` is not a permutation of the nodes.
    #[must_use]
    pub fn relabelled(&self, place: &[NodeId]) -> Self {
        let mut old = vec![None; self.node_count()];
        for (node, new) in self.nodes().zip(place) {
            assert!(old[new.index()].replace(node).is_none(), "two nodes move to {new:?}");
        }
        let old: Vec<NodeId> = old.into_iter().map(|node| node.expect("one place a node")).collect();
        let mut builder = TopologyBuilder::new(self.name());
        for &node in &old {
            builder.node(self.node_name(node), self.is_terminal(node), Some(self.routes(node)));
        }
        let mut order: Vec<ChannelId> = self.channel_numbers().collect();
        let ends = |channel| (place[self.tail(channel).index()], place[self.head(channel).index()]);
        order.sort_by_key(|&channel| ends(channel));
        let mut new_channel = vec![ChannelId::new(0); self.channel_bound()];
        for &channel in &order {
            let (tail, head) = ends(channel);
            new_channel[channel.index()] = builder.channel(tail, head);
        }
        for &node in self.failed_nodes() {
            builder.fail_node(place[node.index()]);
        }
        for channel in self.failed_channels() {
            builder.fail_channel(new_channel[channel.index()]);
        }
        for group in self.shared_groups() {
            builder.share(group.iter().map(|channel| new_channel[channel.index()]));
        }
        if let Some(positions) = self.positions() {
            builder.positions(old.iter().map(|node| positions[node.index()]));
        }
        builder.build().expect("a relabelled topology is a topology")
    }

    /// SHA-256 of everything that decides which schedules are valid: node roles, channel ends and resources, in the
    /// order of their numbers, and which channels have failed. Names and positions do not count.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"lockstep-topology 1\0");
        hash.update((self.node_count() as u64).to_le_bytes());
        hash.update((self.channel_bound() as u64).to_le_bytes());
        for node in self.nodes() {
            hash.update([u8::from(self.is_terminal(node)) | u8::from(self.routes(node)) << 1]);
        }
        for channel in self.channel_numbers() {
            for number in [self.tail(channel).number(), self.head(channel).number(), self.resource(channel).number()] {
                hash.update(number.to_le_bytes());
            }
        }
        hash.finalize().into()
    }
}
