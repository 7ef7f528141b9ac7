//! The builder of networks.

use std::sync::Arc;

use crate::adjacency::Adjacency;
use crate::buses::buses;
use crate::channel_rates::{RateError, RatesBuilder};
use crate::node_names::NodeNames;
use crate::{ChannelId, NodeId, ResourceId, Topology};

/// The maximum number of nodes of a [`Topology`]: 2^24.
pub const MAX_NODES: u64 = 1 << 24;

/// The maximum number of channels of a [`Topology`]: 2^26.
pub const MAX_CHANNELS: u64 = 1 << 26;

/// The reason nodes and channels do not form a [`Topology`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// More nodes than [`MAX_NODES`].
    #[error("the network has {} nodes, more than {MAX_NODES}; choose a smaller one", amount(*nodes))]
    TooManyNodes {
        /// Requested number of nodes, `u64::MAX` if it is larger.
        nodes: u64,
    },
    /// More channels than [`MAX_CHANNELS`].
    #[error("the network has {} channels, more than {MAX_CHANNELS}; choose a smaller one", amount(*channels))]
    TooManyChannels {
        /// Requested number of channels, `u64::MAX` if it is larger.
        channels: u64,
    },
    /// A network without nodes.
    #[error("the network has no nodes; add at least one")]
    Empty,
    /// A channel names a node that does not exist.
    #[error("channel {channel} names node {node}, but the nodes are 0 to {}", .node_count - 1)]
    UnknownNode {
        /// Number of the channel.
        channel: u32,
        /// The unknown node number.
        node: u32,
        /// Number of nodes.
        node_count: u32,
    },
    /// A channel from a node to itself.
    #[error("channel {channel} leads from node '{name}' to itself; remove it")]
    SelfLoop {
        /// Number of the channel.
        channel: u32,
        /// Name of the node.
        name: String,
    },
    /// Two nodes with the same name.
    #[error("nodes {first} and {second} are both named '{name}'; give each node a unique name")]
    DuplicateName {
        /// The lower node.
        first: u32,
        /// The higher node.
        second: u32,
        /// Their common name.
        name: String,
    },
    /// A shared group with a channel that does not exist.
    #[error("shared group {group} names channel {channel}, but the channels are numbered below {channel_count}")]
    UnknownShared {
        /// Index of the group.
        group: usize,
        /// The unknown channel number.
        channel: u32,
        /// Number of channels.
        channel_count: u32,
    },
    /// A channel that is twice in the shared groups.
    #[error("channel {channel} is twice in the shared groups; a channel has one resource")]
    SharedTwice {
        /// The channel.
        channel: u32,
    },
    /// Capacities, bandwidths or latencies that do not fit the network.
    #[error(transparent)]
    Rate(#[from] RateError),
    /// A failed node or channel that does not exist.
    #[error("failed {what} {number} does not exist; the {what}s are numbered below {count}")]
    UnknownFailed {
        /// `node` or `channel`.
        what: &'static str,
        /// The unknown number.
        number: u32,
        /// Number of nodes or channels.
        count: u32,
    },
    /// A number of positions that differs from the number of nodes.
    #[error("{positions} positions for {nodes} nodes; give one per node, or none")]
    PositionCount {
        /// Number of positions.
        positions: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A coordinate that is infinite or not a number.
    #[error("the position of node {node} is not finite")]
    PositionNotFinite {
        /// The node.
        node: u32,
    },
}

/// The role of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct NodeRole {
    terminal: bool,
    /// `None` is the default: switches route, and terminals route if there is no switch.
    routes: Option<bool>,
}

/// A network under construction. [`build`](Self::build) checks it and returns the [`Topology`].
///
/// ```
/// use lockstep_topology::TopologyBuilder;
///
/// let mut network = TopologyBuilder::new("two hosts");
/// let (left, right) = (network.terminal("left"), network.terminal("right"));
/// let switch = network.switch("switch");
/// network.link(left, switch);
/// network.link(right, switch);
/// let topology = network.build()?;
/// assert_eq!((topology.terminal_count(), topology.channel_count()), (2, 4));
/// # Ok::<(), lockstep_topology::TopologyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TopologyBuilder {
    name: String,
    names: NodeNames,
    roles: Vec<NodeRole>,
    tail: Vec<NodeId>,
    head: Vec<NodeId>,
    shared: Vec<Vec<ChannelId>>,
    failed_nodes: Vec<NodeId>,
    failed_channels: Vec<ChannelId>,
    rates: RatesBuilder,
    /// Nodes past the end have no host.
    hosts: Vec<Option<String>>,
    positions: Vec<[f64; 2]>,
}

impl TopologyBuilder {
    /// Creates an empty network with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Creates an empty network with capacity for a known number of nodes and channels.
    ///
    /// # Errors
    ///
    /// [`TopologyError::TooManyNodes`] or [`TopologyError::TooManyChannels`]; then nothing is allocated.
    pub fn sized(name: impl Into<String>, nodes: u64, channels: u64) -> Result<Self, TopologyError> {
        Self::check_size(nodes, channels)?;
        let (nodes, channels) = (nodes as usize, channels as usize);
        Ok(Self {
            name: name.into(),
            roles: Vec::with_capacity(nodes),
            tail: Vec::with_capacity(channels),
            head: Vec::with_capacity(channels),
            ..Self::default()
        })
    }

    /// Returns an error if a network has too many nodes or channels.
    pub(crate) fn check_size(nodes: u64, channels: u64) -> Result<(), TopologyError> {
        if nodes > MAX_NODES {
            return Err(TopologyError::TooManyNodes { nodes });
        }
        if channels > MAX_CHANNELS {
            return Err(TopologyError::TooManyChannels { channels });
        }
        Ok(())
    }

    /// Adds a terminal: a node that sends, receives and holds messages.
    pub fn terminal(&mut self, name: impl AsRef<str>) -> NodeId {
        self.node(name, true, None)
    }

    /// Adds a switch: a node that only routes.
    pub fn switch(&mut self, name: impl AsRef<str>) -> NodeId {
        self.node(name, false, None)
    }

    /// Adds a terminal or a switch.
    ///
    /// `routes` says whether it can be an inner node of a path. `None` is the default: switches route, and terminals
    /// route if there is no switch.
    pub fn node(&mut self, name: impl AsRef<str>, terminal: bool, routes: Option<bool>) -> NodeId {
        let node = NodeId::from_index(self.roles.len());
        self.names.push(name.as_ref());
        self.roles.push(NodeRole { terminal, routes });
        node
    }

    /// Returns the number of nodes so far.
    pub fn node_count(&self) -> usize {
        self.roles.len()
    }

    /// Returns the number of channels so far.
    pub fn channel_count(&self) -> usize {
        self.tail.len()
    }

    /// Changes a terminal into a switch.
    pub fn demote(&mut self, node: NodeId) {
        self.roles[node.index()].terminal = false;
    }

    /// Adds the channel `tail -> head`.
    pub fn channel(&mut self, tail: NodeId, head: NodeId) -> ChannelId {
        let channel = ChannelId::from_index(self.tail.len());
        self.tail.push(tail);
        self.head.push(head);
        channel
    }

    /// Adds the full-duplex link `u - v`. Returns its channels, `u -> v` and `v -> u`.
    pub fn link(&mut self, u: NodeId, v: NodeId) -> [ChannelId; 2] {
        [self.channel(u, v), self.channel(v, u)]
    }

    /// Sets the capacity of channels: the number of transfers that each carries in a step, 1 to [`MAX_CAPACITY`]. The
    /// default is 1.
    ///
    /// [`MAX_CAPACITY`]: crate::MAX_CAPACITY
    pub fn set_capacity(&mut self, channels: impl IntoIterator<Item = ChannelId>, capacity: u64) {
        self.rates.set_capacity(channels, capacity);
    }

    /// Sets the bandwidth of channels in bytes per second, instead of a capacity. If one channel has a bandwidth, all must.
    ///
    /// One unit of capacity is the greatest common divisor of all bandwidths, unless [`set_unit`](Self::set_unit) gives
    /// another.
    pub fn set_bandwidth(&mut self, channels: impl IntoIterator<Item = ChannelId>, bytes_per_second: u64) {
        self.rates.set_bandwidth(channels, bytes_per_second);
    }

    /// Sets the bandwidth of one unit of capacity, in bytes per second. Bandwidths are rounded down to multiples of it.
    pub fn set_unit(&mut self, bytes_per_second: u64) {
        self.rates.set_unit(bytes_per_second);
    }

    /// Sets the latency of channels in picoseconds, at most [`MAX_LATENCY_PS`](crate::MAX_LATENCY_PS). The default is 0.
    pub fn set_latency(&mut self, channels: impl IntoIterator<Item = ChannelId>, picoseconds: u64) {
        self.rates.set_latency(channels, picoseconds);
    }

    /// Sets all capacities, bandwidths and latencies.
    #[cfg(feature = "formats")]
    pub(crate) fn set_rates(&mut self, rates: RatesBuilder) {
        self.rates = rates;
    }

    /// Sets the name of the machine that a node belongs to.
    pub fn set_host(&mut self, node: NodeId, host: impl AsRef<str>) {
        if self.hosts.len() <= node.index() {
            self.hosts.resize(node.index() + 1, None);
        }
        self.hosts[node.index()] = Some(host.as_ref().to_owned());
    }

    /// Makes these channels share one resource, so that together they carry no more transfers in a step than one of them.
    pub fn share(&mut self, channels: impl IntoIterator<Item = ChannelId>) {
        self.shared.push(channels.into_iter().collect());
    }

    /// Marks a node and all its channels as failed. They keep their numbers.
    pub fn fail_node(&mut self, node: NodeId) {
        self.failed_nodes.push(node);
    }

    /// Marks a channel as failed. It keeps its number.
    pub fn fail_channel(&mut self, channel: ChannelId) {
        self.failed_channels.push(channel);
    }

    /// Sets the positions of the nodes in a drawing, in the order of their numbers, y downwards.
    pub fn positions(&mut self, positions: impl IntoIterator<Item = [f64; 2]>) {
        self.positions = positions.into_iter().collect();
    }

    /// Checks the network and returns it. Takes `O(N log N + M)` time.
    ///
    /// # Errors
    ///
    /// The first [`TopologyError`], in the order nodes, channels, shared groups, capacities and latencies, failures,
    /// positions.
    pub fn build(self) -> Result<Topology, TopologyError> {
        let (node_count, channel_count) = (self.roles.len(), self.tail.len());
        Self::check_size(node_count as u64, channel_count as u64)?;
        if node_count == 0 {
            return Err(TopologyError::Empty);
        }
        if let Some((first, second)) = self.names.duplicate() {
            let name = self.names.get(first).to_owned();
            return Err(TopologyError::DuplicateName { first: first as u32, second: second as u32, name });
        }
        for (channel, (&tail, &head)) in self.tail.iter().zip(&self.head).enumerate() {
            let channel = channel as u32;
            for node in [tail, head] {
                if node.index() >= node_count {
                    let (node, node_count) = (node.number(), node_count as u32);
                    return Err(TopologyError::UnknownNode { channel, node, node_count });
                }
            }
            if tail == head {
                let name = self.names.get(tail.index()).to_owned();
                return Err(TopologyError::SelfLoop { channel, name });
            }
        }
        let (resource, resource_count) = resources(channel_count, &self.shared)?;
        let name_of = |channel: usize| {
            let [tail, head] = [self.tail[channel], self.head[channel]].map(|node| self.names.get(node.index()));
            format!("{tail}->{head}")
        };
        let rates = self.rates.build(channel_count, &self.shared, name_of)?;
        let failed_nodes = self.failed_nodes.iter().map(|node| ("node", node.number(), node_count));
        let failed_channels = self.failed_channels.iter().map(|channel| ("channel", channel.number(), channel_count));
        for (what, number, count) in failed_nodes.chain(failed_channels) {
            if number as usize >= count {
                return Err(TopologyError::UnknownFailed { what, number, count: count as u32 });
            }
        }
        if !self.positions.is_empty() && self.positions.len() != node_count {
            return Err(TopologyError::PositionCount { positions: self.positions.len(), nodes: node_count });
        }
        if let Some(node) = self.positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(TopologyError::PositionNotFinite { node: node as u32 });
        }

        let mut has_failed = vec![false; node_count];
        for node in &self.failed_nodes {
            has_failed[node.index()] = true;
        }
        let direct = self.roles.iter().zip(&has_failed).all(|(role, &has_failed)| role.terminal || has_failed);
        let routes = self.roles.iter().map(|role| role.routes.unwrap_or(!role.terminal || direct)).collect();
        let mut terminals = Vec::new();
        let mut terminal_rank = vec![Topology::NO_RANK; node_count];
        for (node, role) in self.roles.iter().enumerate() {
            if role.terminal {
                terminal_rank[node] = terminals.len() as u32;
                terminals.push(NodeId::from_index(node));
            }
        }
        let working: Arc<[ChannelId]> = (0..channel_count).map(ChannelId::from_index).collect();
        let buses = buses(&working, &self.tail, &self.head, &resource, resource_count);
        let resource_capacity = rates.of_resources(&working, &resource, resource_count);
        let mut hosts = NodeNames::default();
        if self.hosts.iter().flatten().any(|host| !host.is_empty()) {
            for node in 0..node_count {
                hosts.push(self.hosts.get(node).and_then(Option::as_deref).unwrap_or_default());
            }
        }
        let whole = Topology {
            name: self.name,
            names: self.names.into(),
            terminals: terminals.into(),
            terminal_rank: terminal_rank.into(),
            routes,
            failed: Box::default(),
            out: Adjacency::new(node_count, &working, &self.tail),
            into: Adjacency::new(node_count, &working, &self.head),
            working,
            tail: self.tail.into(),
            head: self.head.into(),
            resource,
            resource_count,
            buses,
            resource_capacity,
            rates,
            hosts,
            positions: self.positions.into(),
        };
        if self.failed_nodes.is_empty() && self.failed_channels.is_empty() {
            return Ok(whole);
        }
        Ok(whole.with_failures(self.failed_nodes, self.failed_channels))
    }
}

/// Returns the count as text. `u64::MAX` stands for a saturated count.
fn amount(count: u64) -> String {
    if count == u64::MAX { "2^64 or more".into() } else { count.to_string() }
}

/// Returns the resource of each channel and the number of resources. Resources are numbered by their first channels.
fn resources(channel_count: usize, shared: &[Vec<ChannelId>]) -> Result<(Arc<[ResourceId]>, u32), TopologyError> {
    if shared.is_empty() {
        return Ok(((0..channel_count).map(ResourceId::from_index).collect(), channel_count as u32));
    }
    let mut group_of = vec![u32::MAX; channel_count];
    for (group, channels) in shared.iter().enumerate() {
        for &channel in channels {
            let Some(slot) = group_of.get_mut(channel.index()) else {
                let (channel, channel_count) = (channel.number(), channel_count as u32);
                return Err(TopologyError::UnknownShared { group, channel, channel_count });
            };
            if *slot != u32::MAX {
                return Err(TopologyError::SharedTwice { channel: channel.number() });
            }
            *slot = group as u32;
        }
    }
    let mut resource_of_group = vec![u32::MAX; shared.len()];
    let mut count = 0;
    let mut next_resource = || {
        count += 1;
        count - 1
    };
    let resource = group_of
        .iter()
        .map(|&group| match resource_of_group.get_mut(group as usize) {
            None => ResourceId::new(next_resource()),
            Some(resource) => {
                if *resource == u32::MAX {
                    *resource = next_resource();
                }
                ResourceId::new(*resource)
            }
        })
        .collect();
    Ok((resource, count))
}
