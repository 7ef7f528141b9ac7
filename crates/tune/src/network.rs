//! The ranks on a network, and the time of a round.

use std::num::NonZeroU64;

use lockstep_paths::{AllPairsError, ShortestPaths};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::rounds::Message;

/// Why ranks on a network have no times.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The network does not say what a unit of capacity is.
    #[error("the network has no bandwidths; give that of one unit of capacity")]
    NoUnit,
    /// A communicator of fewer than two ranks.
    #[error("{ranks} rank(s) have no choices; a communicator needs at least 2 terminals")]
    FewRanks {
        /// Number of ranks.
        ranks: usize,
    },
    /// A rank that is no terminal, or that is given twice.
    #[error("node '{name}' {why}")]
    Member {
        /// The name of the node.
        name: String,
        /// What is wrong, and the remedy.
        why: &'static str,
    },
    /// A network that is too large for a table of all shortest paths.
    #[error(transparent)]
    Paths(#[from] AllPairsError),
}

/// What the time of a round depends on, besides the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundCosts {
    /// The time that a rank needs for every message that it sends, and for every one that it receives, in picoseconds. A rank
    /// sends and receives at the same time.
    pub start_up_ps: u64,
    /// The number of transfers of one unit of bandwidth that a rank sends, and that it receives, at a time.
    pub ports: Ports,
}

impl RoundCosts {
    /// Returns the costs on a network without a measured start-up time: that of a message is the least latency of a channel.
    pub fn of_network(topology: &Topology, ports: Ports) -> Self {
        let latencies = topology.channels().map(|channel| topology.latency_ps(channel));
        Self { start_up_ps: latencies.min().unwrap_or(0), ports }
    }
}

/// The ranks of a communicator on a network.
#[derive(Debug)]
pub struct Network<'a> {
    topology: &'a Topology,
    paths: ShortestPaths<'a>,
    /// By rank.
    members: Vec<NodeId>,
    costs: RoundCosts,
    unit_bytes_per_second: NonZeroU64,
    /// A load of this number takes the time of one block at one unit of bandwidth: a common multiple of all capacities.
    scale: u64,
}

/// The time of a round: `latency` and the time of `load`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct RoundCost {
    /// The greatest latency of a path, and the start-up times of the rank with most messages, in picoseconds.
    pub(crate) latency_ps: u64,
    /// The greatest load of a resource or port, in blocks per unit of bandwidth times [`Network::scale`].
    pub(crate) load: u64,
}

/// The most that capacities are scaled by. With larger common multiples, loads are rounded up.
const MAX_SCALE: u64 = 1 << 24;

impl<'a> Network<'a> {
    /// Returns the ranks on these terminals, in their order. O(P M) for `P` terminals and `M` channels.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], if the network has no bandwidths, or the ranks are not different terminals.
    pub fn new(topology: &'a Topology, members: &[NodeId], costs: RoundCosts) -> Result<Self, NetworkError> {
        let unit = topology.unit_bytes_per_second().and_then(NonZeroU64::new).ok_or(NetworkError::NoUnit)?;
        if members.len() < 2 {
            return Err(NetworkError::FewRanks { ranks: members.len() });
        }
        let name = |node: NodeId| topology.node_name(node).to_owned();
        let mut is_member = vec![false; topology.node_count()];
        for &node in members {
            let member = |name: String, why| NetworkError::Member { name, why };
            match is_member.get_mut(node.index()) {
                None => return Err(member(node.number().to_string(), "does not exist")),
                Some(_) if !topology.is_terminal(node) => {
                    return Err(member(name(node), "is no terminal; ranks are terminals"));
                }
                Some(is_member) if *is_member => return Err(member(name(node), "is given twice; give each rank once")),
                Some(is_member) => *is_member = true,
            }
        }
        let paths = ShortestPaths::all_pairs(topology)?;
        let capacities = topology.channels().map(|channel| u64::from(topology.capacity(channel)));
        let limit = match costs.ports {
            Ports::Limit(limit) => u64::from(limit.get()),
            Ports::All => 1,
        };
        let scale = capacities.chain([limit]).fold(1, |scale, capacity| match least_common_multiple(scale, capacity) {
            Some(multiple) if multiple <= MAX_SCALE => multiple,
            _ => scale,
        });
        Ok(Self { topology, paths, members: members.to_vec(), costs, unit_bytes_per_second: unit, scale })
    }

    /// Returns the network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Returns the terminals of the ranks.
    pub fn members(&self) -> &[NodeId] {
        &self.members
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> u32 {
        self.members.len() as u32
    }

    /// Returns the number of hosts of the ranks; 1 for a network without hosts.
    pub fn hosts(&self) -> u32 {
        let host_of = |&node: &NodeId| self.topology.host(node).unwrap_or("");
        let mut hosts: Vec<&str> = self.members.iter().map(host_of).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts.len() as u32
    }

    /// Returns the bandwidth of one unit of capacity.
    pub fn unit_bytes_per_second(&self) -> NonZeroU64 {
        self.unit_bytes_per_second
    }

    /// Returns the load whose time is that of one block at one unit of bandwidth.
    pub(crate) fn scale(&self) -> u64 {
        self.scale
    }

    /// Returns the load of a number of blocks on a resource.
    fn load_of(&self, blocks: u64, resource: ResourceId) -> u64 {
        self.load(blocks, self.topology.resource_capacity(resource).into())
    }

    /// Returns the load of a number of blocks at a capacity.
    fn load(&self, blocks: u64, capacity: u64) -> u64 {
        let load = (u128::from(blocks) * u128::from(self.scale)).div_ceil(u128::from(capacity.max(1)));
        u64::try_from(load).unwrap_or(u64::MAX)
    }
}

fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a.max(1), b.max(1));
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a.max(1) / divisor).checked_mul(b.max(1))
}

/// The search for the paths of the messages of rounds, with its memory.
///
/// A message takes one shortest path. Messages with one shortest path are first; each of the others takes the path whose
/// greatest load is least.
pub(crate) struct Router<'a> {
    network: &'a Network<'a>,
    /// Rank 0 of an algorithm is this rank.
    root: u32,
    /// By resource: blocks of the current round.
    blocks: Vec<u64>,
    used: Vec<usize>,
    /// By rank: messages and blocks that it sends, and that it receives.
    ends: [Vec<[u64; 2]>; 2],
    /// By node: the best way from it to the target.
    ways: Vec<Way>,
    search: u32,
    queue: Vec<NodeId>,
}

#[derive(Clone, Copy)]
struct Way {
    /// The number of the search that found it.
    search: u32,
    greatest: u64,
    sum: u64,
    channel: Option<ChannelId>,
}

impl<'a> Router<'a> {
    pub(crate) fn new(network: &'a Network<'a>, root: u32) -> Self {
        let ranks = network.members.len();
        Self {
            network,
            root,
            blocks: vec![0; network.topology.resource_count()],
            used: Vec::new(),
            ends: [vec![[0; 2]; ranks], vec![[0; 2]; ranks]],
            ways: vec![Way { search: 0, greatest: 0, sum: 0, channel: None }; network.topology.node_count()],
            search: 0,
            queue: Vec::new(),
        }
    }

    /// Returns the cost of a round with these messages.
    ///
    /// # Errors
    ///
    /// The terminals of a message without a path.
    pub(crate) fn cost(&mut self, messages: &[Message]) -> Result<RoundCost, [NodeId; 2]> {
        let network = self.network;
        for resource in self.used.drain(..) {
            self.blocks[resource] = 0;
        }
        self.ends.iter_mut().for_each(|counts| counts.fill([0; 2]));
        let mut latency = 0;
        for is_free in [false, true] {
            for message in messages {
                let [from, to] = [message.from, message.to].map(|rank| self.member(rank));
                let [source, target] = [from, to].map(|rank| network.members[rank]);
                let paths = network.paths.count(source, target);
                if paths == 0 {
                    return Err([source, target]);
                }
                if (paths > 1) != is_free {
                    continue;
                }
                let blocks = u64::from(message.blocks.count);
                for (end, rank) in self.ends.iter_mut().zip([from, to]) {
                    let [count, sum] = &mut end[rank];
                    (*count, *sum) = (*count + 1, *sum + blocks);
                }
                latency = latency.max(self.route([source, target], blocks));
            }
        }
        let mut cost = RoundCost::default();
        for &resource in &self.used {
            let load = network.load_of(self.blocks[resource], ResourceId::from_index(resource));
            cost.load = cost.load.max(load);
        }
        let mut most_messages = 0;
        for &[messages, blocks] in self.ends.iter().flatten() {
            most_messages = most_messages.max(messages);
            if let Ports::Limit(limit) = network.costs.ports {
                cost.load = cost.load.max(network.load(blocks, limit.get().into()));
            }
        }
        cost.latency_ps = most_messages.saturating_mul(network.costs.start_up_ps).saturating_add(latency);
        Ok(cost)
    }

    /// Returns the place of a rank of an algorithm among the members.
    fn member(&self, rank: u32) -> usize {
        (rank as usize + self.root as usize) % self.network.members.len()
    }

    /// Adds a message to the loads of its path. Returns the latency of the path in picoseconds.
    fn route(&mut self, [source, target]: [NodeId; 2], blocks: u64) -> u64 {
        let network = self.network;
        let topology = network.topology;
        self.search += 1;
        self.queue.clear();
        self.queue.push(target);
        let start = Way { search: self.search, greatest: 0, sum: 0, channel: None };
        self.ways[target.index()] = start;
        let mut at = 0;
        // Nodes at the same distance from the source follow each other, so a node is complete when it is visited.
        while let Some(&node) = self.queue.get(at) {
            at += 1;
            let way = self.ways[node.index()];
            for channel in network.paths.predecessors(source, node) {
                let resource = topology.resource(channel);
                let load = network.load_of(self.blocks[resource.index()] + blocks, resource);
                let (greatest, sum) = (way.greatest.max(load), way.sum.saturating_add(load));
                let tail = topology.tail(channel);
                let known = &mut self.ways[tail.index()];
                let is_new = known.search != self.search;
                if is_new {
                    self.queue.push(tail);
                }
                if is_new || (greatest, sum) < (known.greatest, known.sum) {
                    *known = Way { search: self.search, greatest, sum, channel: Some(channel) };
                }
            }
        }
        let (mut node, mut latency) = (source, 0_u64);
        while let Some(channel) = self.ways[node.index()].channel.filter(|_| node != target) {
            let resource = topology.resource(channel).index();
            if self.blocks[resource] == 0 {
                self.used.push(resource);
            }
            self.blocks[resource] += blocks;
            latency = latency.saturating_add(topology.latency_ps(channel));
            node = topology.head(channel);
        }
        latency
    }
}
