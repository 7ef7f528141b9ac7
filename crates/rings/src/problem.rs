//! Ring problems: a network, its terminals, and which channels hops may use.

use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::candidates::Candidates;
use crate::error::RingError;
use crate::ring_set::RingKind;

/// The rank of nodes that are not terminals of the rings.
const NO_RANK: u32 = u32::MAX;

/// A network with the terminals that rings or chains visit.
///
/// Terminals have ranks, in ascending order of their nodes. A chain is a ring over the terminals and one more *end*, which is
/// joined to all of them without cost. It has the last rank.
///
/// ```
/// use lockstep_rings::{RingKind, RingProblem};
/// use lockstep_topology::Topology;
///
/// let tree: Topology = "fat-tree:4,2".parse()?;
/// let problem = RingProblem::new(&tree, RingKind::Ring, None, 0)?;
/// assert_eq!(problem.terminals().len(), 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RingProblem<'a> {
    topology: &'a Topology,
    kind: RingKind,
    /// Ascending.
    terminals: Vec<NodeId>,
    /// By node.
    rank: Vec<u32>,
    relay: u32,
    /// By channel, for chains: the opposite channel.
    opposite: Vec<Option<ChannelId>>,
    candidates: Candidates,
    gateway: Option<Gateway>,
}

/// A terminal with a rule for the nodes before and behind it.
#[derive(Clone, Debug)]
pub(crate) struct Gateway {
    pub(crate) node: NodeId,
    /// The allowed nodes to which a ring leaves the terminal, each with the one from which it enters it. An equal number of rings has each
    /// pair. Without pairs, both nodes are the same.
    pub(crate) pairs: Vec<[NodeId; 2]>,
}

impl<'a> RingProblem<'a> {
    /// Returns the problem of rings or chains over these terminals, or over all of the network.
    ///
    /// `relay` is the maximum number of terminals inside a hop.
    ///
    /// # Errors
    ///
    /// [`RingError`] if there are fewer than two terminals, or a node is not a terminal or listed twice.
    pub fn new(
        topology: &'a Topology,
        kind: RingKind,
        terminals: Option<&[NodeId]>,
        relay: u32,
    ) -> Result<Self, RingError> {
        let mut terminals = terminals.unwrap_or(topology.terminals()).to_vec();
        terminals.sort_unstable();
        let mut rank = vec![NO_RANK; topology.node_count()];
        for (place, &node) in terminals.iter().enumerate() {
            if node.index() >= topology.node_count() || !topology.is_terminal(node) {
                return Err(RingError::NotTerminal { node });
            }
            if rank[node.index()] != NO_RANK {
                return Err(RingError::TerminalTwice { name: topology.node_name(node).to_owned() });
            }
            rank[node.index()] = place as u32;
        }
        if terminals.len() < 2 {
            return Err(RingError::FewTerminals { found: terminals.len() });
        }
        let mut opposite = Vec::new();
        if kind == RingKind::Chain {
            opposite.resize(topology.channel_bound(), None);
            for [there, back] in topology.links() {
                (opposite[there.index()], opposite[back.index()]) = (Some(back), Some(there));
            }
        }
        let resources = (0..topology.resource_count() as u32).map(ResourceId::new);
        let candidates = Candidates::new(resources.map(|resource| topology.resource_capacity(resource)).collect());
        Ok(Self { topology, kind, terminals, rank, relay, opposite, candidates, gateway: None })
    }

    /// Requires that each ring enters a terminal from the node to which it leaves it. So a terminal that stands for all other servers,
    /// behind network cards, is entered and left over one card.
    ///
    /// # Errors
    ///
    /// [`RingError::NotTerminal`] if rings do not visit the node.
    pub fn with_gateway(self, gateway: NodeId) -> Result<Self, RingError> {
        self.with_gateway_pairs(gateway, Vec::new())
    }

    /// Requires that each ring leaves a terminal to the first node of a pair, and enters it from the second one, and that an equal
    /// number of rings has each pair.
    pub(crate) fn with_gateway_pairs(mut self, node: NodeId, pairs: Vec<[NodeId; 2]>) -> Result<Self, RingError> {
        if self.terminals.binary_search(&node).is_err() {
            return Err(RingError::NotTerminal { node });
        }
        self.gateway = Some(Gateway { node, pairs });
        Ok(self)
    }

    /// Returns the terminal that each ring enters from the node to which it leaves it, if there is one.
    pub fn gateway(&self) -> Option<NodeId> {
        self.gateway.as_ref().map(|gateway| gateway.node)
    }

    /// Returns the terminal with a rule for the nodes before and behind it, if there is one.
    pub(crate) fn gateway_rule(&self) -> Option<&Gateway> {
        self.gateway.as_ref()
    }

    /// Returns the network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Returns whether the problem has rings or chains.
    pub fn kind(&self) -> RingKind {
        self.kind
    }

    /// Returns the terminals that each ring visits, ascending.
    pub fn terminals(&self) -> &[NodeId] {
        &self.terminals
    }

    /// Returns the maximum number of terminals inside a hop.
    pub fn relay(&self) -> u32 {
        self.relay
    }

    /// Returns the rank of a node, or `None` if rings do not visit it.
    pub(crate) fn rank(&self, node: NodeId) -> Option<usize> {
        let rank = self.rank[node.index()];
        (rank != NO_RANK).then_some(rank as usize)
    }

    /// Returns the number of stops of a ring: its terminals, and the end of a chain.
    pub(crate) fn stops(&self) -> usize {
        self.terminals.len() + usize::from(self.kind == RingKind::Chain)
    }

    /// Returns the resources that a hop uses with a channel: that of the channel and, for chains, that of the opposite channel.
    /// `None` if hops may not use the channel.
    pub(crate) fn resources(&self, channel: ChannelId) -> Option<impl Iterator<Item = usize> + Clone + use<>> {
        let back = match self.kind {
            RingKind::Ring => None,
            RingKind::Chain => Some(self.opposite[channel.index()]?),
        };
        let resource = |channel| self.topology.resource(channel).index();
        Some([Some(resource(channel)), back.map(resource)].into_iter().flatten())
    }

    /// Returns the capacity of a resource.
    pub(crate) fn capacity(&self, resource: usize) -> u32 {
        self.topology.resource_capacity(ResourceId::from_index(resource))
    }

    /// Returns the values that `rho` can have.
    pub(crate) fn candidates(&self) -> &Candidates {
        &self.candidates
    }
}
