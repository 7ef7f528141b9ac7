//! The network type: an immutable directed multigraph.

use std::sync::Arc;

#[cfg(feature = "digest")]
use sha2::{Digest, Sha256};

use crate::adjacency::Adjacency;
use crate::channel_rates::ChannelRates;
use crate::node_names::NodeNames;
use crate::{ChannelId, NodeId, ResourceId};

/// An interconnection network: an immutable directed multigraph of nodes and channels.
///
/// A node is either a *terminal*, which sends, receives and holds messages, or a *switch*. A node that *routes* can be
/// an inner node of a path. Each channel occupies one *resource* while it carries a transfer. The two channels of a
/// half-duplex link share one resource.
///
/// A failed node or channel keeps its number, so that numbers mean the same before and after a fault. A failed node is
/// still a node, but is neither terminal nor switch, does not route, and has no channels. A failed channel leaves a gap
/// in the numbers of [`channels`](Self::channels). A table indexed by channel has
/// [`channel_bound`](Self::channel_bound) entries.
///
/// Create a network from a spec with [`str::parse`], from a file with [`read_graph`](crate::read_graph), from a
/// generator such as [`mesh`](crate::mesh), or node by node with a [`TopologyBuilder`](crate::TopologyBuilder).
///
/// Invariants: there is at least one node; the ends of a channel are distinct nodes; node names are distinct; resources
/// are numbered in the order of their first working channel; channels that share a resource have the same capacity.
/// Memory: about 24 bytes per channel, 8 more if there are capacities and 8 more if there are latencies, and 20 bytes per
/// node in addition to its name. Copies share the tables of channels, names and positions.
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
    pub(crate) names: Arc<NodeNames>,
    pub(crate) terminals: Box<[NodeId]>,
    pub(crate) terminal_rank: Box<[u32]>,
    pub(crate) routes: Box<[bool]>,
    /// The failed nodes, ascending.
    pub(crate) failed: Box<[NodeId]>,
    /// The working channels, ascending.
    pub(crate) working: Arc<[ChannelId]>,
    pub(crate) out: Adjacency,
    pub(crate) into: Adjacency,
    /// Tail of each channel, including failed ones.
    pub(crate) tail: Arc<[NodeId]>,
    /// Head of each channel, including failed ones.
    pub(crate) head: Arc<[NodeId]>,
    /// Resource of each channel, [`NO_RESOURCE`](Self::NO_RESOURCE) for failed ones.
    pub(crate) resource: Arc<[ResourceId]>,
    pub(crate) resource_count: u32,
    /// True for each resource that is a bus; empty if there is none.
    pub(crate) buses: Box<[bool]>,
    pub(crate) rates: ChannelRates,
    /// Capacity of each resource; empty if all are 1.
    pub(crate) resource_capacity: Box<[u32]>,
    /// The name of the host of each node, empty for none; an empty table if no node has one.
    pub(crate) hosts: NodeNames,
    pub(crate) positions: Arc<[[f64; 2]]>,
}

impl Topology {
    /// The terminal rank of nodes that are not terminals.
    pub(crate) const NO_RANK: u32 = u32::MAX;

    /// The resource of failed channels.
    pub(crate) const NO_RESOURCE: ResourceId = ResourceId::new(u32::MAX);

    /// Returns the spec of a generated network, or the name in its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of nodes: terminals, switches and failed nodes.
    pub fn node_count(&self) -> usize {
        self.names.len()
    }

    /// Returns the number of working channels.
    pub fn channel_count(&self) -> usize {
        self.working.len()
    }

    /// Returns the number of channels, including failed ones: the length of a table indexed by channel.
    pub fn channel_bound(&self) -> usize {
        self.tail.len()
    }

    /// Returns the number of resources. It equals the number of channels unless channels share a resource.
    pub fn resource_count(&self) -> usize {
        self.resource_count as usize
    }

    /// Returns the number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.terminals.len()
    }

    /// Returns the number of working switches.
    pub fn switch_count(&self) -> usize {
        self.node_count() - self.terminal_count() - self.failed.len()
    }

    /// Returns all nodes, ascending, including failed ones.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + Clone + use<> {
        (0..self.node_count() as u32).map(NodeId::new)
    }

    /// Returns the working channels, ascending.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = ChannelId> + DoubleEndedIterator + Clone {
        self.working.iter().copied()
    }

    /// Returns all channels, ascending, including failed ones.
    pub fn channel_numbers(&self) -> impl ExactSizeIterator<Item = ChannelId> + DoubleEndedIterator + Clone + use<> {
        (0..self.channel_bound() as u32).map(ChannelId::new)
    }

    /// Returns the terminals, ascending.
    pub fn terminals(&self) -> &[NodeId] {
        &self.terminals
    }

    /// Returns the index of a node in [`terminals`](Self::terminals), or `None` if it is not a terminal.
    #[inline]
    pub fn terminal_rank(&self, node: NodeId) -> Option<usize> {
        let rank = self.terminal_rank[node.index()];
        (rank != Self::NO_RANK).then_some(rank as usize)
    }

    /// Returns true if the node sends, receives and holds messages.
    #[inline]
    pub fn is_terminal(&self, node: NodeId) -> bool {
        self.terminal_rank[node.index()] != Self::NO_RANK
    }

    /// Returns true if the node can be an inner node of a path.
    #[inline]
    pub fn routes(&self, node: NodeId) -> bool {
        self.routes[node.index()]
    }

    /// Returns the default for [`routes`](Self::routes): switches route, and terminals route if there is no switch.
    pub(crate) fn routes_by_default(&self, node: NodeId) -> bool {
        !self.has_failed(node) && (!self.is_terminal(node) || self.is_direct())
    }

    /// Returns whether the node routes if that differs from the [default](Self::routes_by_default).
    pub(crate) fn routes_override(&self, node: NodeId) -> Option<bool> {
        (self.routes(node) != self.routes_by_default(node)).then_some(self.routes(node))
    }

    /// Returns the value of the attribute `routes` in a file, or `None` if the file leaves it out.
    ///
    /// A failed node is written as neither terminal nor switch. A reader that does not know the attribute `failed` would take
    /// it for a switch, and then terminals do not route by default. So a file with failed nodes has the attribute at every
    /// node.
    pub(crate) fn written_routes(&self, node: NodeId) -> Option<bool> {
        (!self.failed.is_empty() || self.routes_override(node).is_some()).then_some(self.routes(node))
    }

    /// Returns true if every working node is a terminal.
    pub fn is_direct(&self) -> bool {
        self.switch_count() == 0
    }

    /// Returns the node that a channel leaves.
    #[inline]
    pub fn tail(&self, channel: ChannelId) -> NodeId {
        self.tail[channel.index()]
    }

    /// Returns the node that a channel enters.
    #[inline]
    pub fn head(&self, channel: ChannelId) -> NodeId {
        self.head[channel.index()]
    }

    /// Returns the resource that a channel occupies. For a failed channel it is not below
    /// [`resource_count`](Self::resource_count).
    #[inline]
    pub fn resource(&self, channel: ChannelId) -> ResourceId {
        self.resource[channel.index()]
    }

    /// Returns the number of transfers that a channel carries in a step.
    #[inline]
    pub fn capacity(&self, channel: ChannelId) -> u32 {
        self.rates.capacity.get(channel.index()).copied().unwrap_or(1)
    }

    /// Returns the number of transfers that the channels of a resource carry together in a step.
    #[inline]
    pub fn resource_capacity(&self, resource: ResourceId) -> u32 {
        self.resource_capacity.get(resource.index()).copied().unwrap_or(1)
    }

    /// Returns the sum of the capacities of all resources.
    pub fn capacity_sum(&self) -> u64 {
        if self.resource_capacity.is_empty() {
            return self.resource_count() as u64;
        }
        self.resource_capacity.iter().map(|&capacity| u64::from(capacity)).sum()
    }

    /// Returns true if a channel has a capacity other than 1.
    pub fn has_capacities(&self) -> bool {
        !self.rates.capacity.is_empty()
    }

    /// Returns the latency of a channel in picoseconds.
    #[inline]
    pub fn latency_ps(&self, channel: ChannelId) -> u64 {
        self.rates.latency_ps.get(channel.index()).copied().unwrap_or(0)
    }

    /// Returns true if a channel has a latency other than 0.
    pub fn has_latencies(&self) -> bool {
        !self.rates.latency_ps.is_empty()
    }

    /// Returns the bandwidth of one unit of capacity in bytes per second, if it is known.
    pub fn unit_bytes_per_second(&self) -> Option<u64> {
        self.rates.unit_bytes_per_second
    }

    /// Returns true if channels between different pairs of nodes share a resource. Then a simple path can use a resource
    /// twice, which is illegal, and a shortest path need not be legal.
    ///
    /// ```
    /// use lockstep_topology::{Topology, TopologyBuilder};
    ///
    /// let half_duplex = "ring:4".parse::<Topology>()?.half_duplex();
    /// assert!(!half_duplex.has_buses());
    ///
    /// let mut bus = TopologyBuilder::new("bus");
    /// let [a, b, c] = ["a", "b", "c"].map(|name| bus.terminal(name));
    /// let wire = [bus.channel(a, b), bus.channel(b, c)];
    /// bus.share(wire);
    /// assert!(bus.build()?.has_buses());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_buses(&self) -> bool {
        !self.buses.is_empty()
    }

    /// Returns true if the resource is a bus: channels between different pairs of nodes share it.
    #[inline]
    pub fn is_bus(&self, resource: ResourceId) -> bool {
        self.buses.get(resource.index()).is_some_and(|&is_bus| is_bus)
    }

    /// Returns the working channels that leave a node, ascending.
    #[inline]
    pub fn out_channels(&self, node: NodeId) -> &[ChannelId] {
        self.out.row(node)
    }

    /// Returns the working channels that enter a node, ascending.
    #[inline]
    pub fn in_channels(&self, node: NodeId) -> &[ChannelId] {
        self.into.row(node)
    }

    /// Returns the name of a node.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.names.get(node.index())
    }

    /// Returns the name of the machine that a node belongs to, if it is known.
    pub fn host(&self, node: NodeId) -> Option<&str> {
        self.has_hosts().then(|| self.hosts.get(node.index())).filter(|host| !host.is_empty())
    }

    /// Returns true if a node has a host.
    pub fn has_hosts(&self) -> bool {
        self.hosts.len() > 0
    }

    /// Finds a node by its name in `O(N)` time.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.nodes().find(|&node| self.node_name(node) == name)
    }

    /// Finds a node by its name or, if no node has that name, by its number. Takes `O(N)` time.
    pub fn find_node(&self, name_or_number: &str) -> Option<NodeId> {
        self.node_named(name_or_number).or_else(|| {
            let number: u32 = name_or_number.parse().ok()?;
            ((number as usize) < self.node_count()).then(|| NodeId::new(number))
        })
    }

    /// Returns the question whether nodes of similar names were meant, such as `did you mean 'R3'?`. `None` for a number, which is
    /// similar to too many names. Takes `O(N)` time.
    pub fn similar_nodes(&self, word: &str) -> Option<String> {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let names = self.nodes().map(|node| self.node_name(node));
        (!is_number).then(|| lockstep_files::did_you_mean(word, names)).flatten()
    }

    /// Returns the name of a channel, `tail->head`, with the names of its nodes.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        format!("{}->{}", self.node_name(self.tail(channel)), self.node_name(self.head(channel)))
    }

    /// Returns the positions of the nodes in a drawing, if known: one `[x, y]` per node, y downwards.
    pub fn positions(&self) -> Option<&[[f64; 2]]> {
        (!self.positions.is_empty()).then_some(&self.positions)
    }

    /// Returns the groups of two or more channels that share a resource, in the order of their resources.
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

    /// Returns the same network with all channels reversed. Numbers do not change.
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

    /// Returns the same network with another name.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Computes a SHA-256 digest of everything that determines which schedules are valid.
    ///
    /// That is whether each node is a terminal and routes, the ends, resource and capacity of each channel, and the failed
    /// channels, in the order of their numbers. Names, hosts, latencies and positions are not included. Takes `O(N + M)`
    /// time.
    #[cfg(feature = "digest")]
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
        if self.has_capacities() {
            hash.update(b"capacities");
            for channel in self.channel_numbers() {
                hash.update(self.capacity(channel).to_le_bytes());
            }
        }
        hash.finalize().into()
    }
}
