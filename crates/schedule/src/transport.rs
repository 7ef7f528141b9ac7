//! Transport: which nodes messages can pass through.
//!
//! Bounds, engines and the analysis of faults share this definition. The verifier and the check of certificates have
//! their own, so that no mistake here can hide another.

use std::fmt;

use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::model::{CommunicationModel, Switching};
use crate::pattern::Pattern;
use crate::reach::{ReachSearch, UNREACHED};

/// The rule that decides which nodes a message can pass through, and thus whether two terminals are connected.
///
/// ```
/// use lockstep_schedule::{CommunicationModel, Pattern, Transport};
/// use lockstep_topology::Topology;
///
/// // Terminals of a fat tree do not route. A message can pass through one only if the terminal forwards it.
/// let fat_tree: Topology = "fat-tree:2,2".parse()?;
/// let terminal = fat_tree.terminals()[0];
/// assert!(!Transport::Direct.crosses(&fat_tree, terminal));
/// assert!(Transport::Relayed.crosses(&fat_tree, terminal));
///
/// // A broadcast is forwarded, a scatter is not.
/// let model = CommunicationModel::wormhole();
/// assert_eq!(Transport::of(Pattern::Broadcast, model), Transport::Relayed);
/// assert_eq!(Transport::of(Pattern::Scatter, model), Transport::Direct);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A single wormhole transfer crosses nodes that route.
    Direct,
    /// Wormhole transfers that terminals forward cross nodes that route, and terminals.
    Relayed,
    /// Store-and-forward transfers use single channels between terminals. They cross terminals and no switches.
    StoreAndForward,
}

impl Transport {
    /// Returns the transport of the messages of a collective. Terminals forward broadcasts, and scatters if the model
    /// allows it.
    pub fn of(pattern: Pattern, model: CommunicationModel) -> Self {
        if pattern.is_scatter() && model.is_direct() { Self::Direct } else { Self::forwarded(model.switching) }
    }

    /// Returns the transport of messages that terminals may forward.
    pub fn forwarded(switching: Switching) -> Self {
        match switching {
            Switching::Wormhole => Self::Relayed,
            Switching::StoreAndForward => Self::StoreAndForward,
        }
    }

    /// Returns the transport along one path: a single wormhole transfer, or store-and-forward transfers over one
    /// channel each.
    pub fn along_path(switching: Switching) -> Self {
        match switching {
            Switching::Wormhole => Self::Direct,
            Switching::StoreAndForward => Self::StoreAndForward,
        }
    }

    /// Returns for each node the minimum number of channels of a legal path from `source`, or to it if `backwards`; `None`
    /// for a node without such a path. Only the numbers of terminals are complete.
    ///
    /// No transfer of a legal path uses a resource twice. With [buses](Topology::has_buses), the search takes up to
    /// 2^22 steps and 64 per channel; otherwise it takes `O(M)` time. Returns `None` if that is not enough.
    ///
    /// ```
    /// use lockstep_schedule::Transport;
    /// use lockstep_topology::TopologyBuilder;
    ///
    /// // The two channels of the only path share a wire.
    /// let mut bus = TopologyBuilder::new("bus");
    /// let [a, b] = ["a", "b"].map(|name| bus.terminal(name));
    /// let switch = bus.switch("s");
    /// let wire = [bus.channel(a, switch), bus.channel(switch, b)];
    /// bus.share(wire);
    /// let bus = bus.build()?;
    /// let distances = Transport::Direct.distances(&bus, a, false).ok_or("too long")?;
    /// assert_eq!((distances[a.index()], distances[b.index()]), (Some(0), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distances(self, topology: &Topology, source: NodeId, backwards: bool) -> Option<Vec<Option<u32>>> {
        let crosses = |node| self.crosses(topology, node);
        let search = ReachSearch { topology, backwards, crosses, forwards: self != Self::Direct };
        let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
        search.distances(source, &mut distance, &mut queue).ok()?;
        Some(distance.into_iter().map(|length| (length != UNREACHED).then_some(length)).collect())
    }

    /// Returns true if a message can start, end or pass at a node.
    #[inline]
    pub fn touches(self, topology: &Topology, node: NodeId) -> bool {
        topology.is_terminal(node) || self != Self::StoreAndForward && topology.routes(node)
    }

    /// Returns true if a message can pass through a node.
    #[inline]
    pub fn crosses(self, topology: &Topology, node: NodeId) -> bool {
        match self {
            Self::Direct => topology.routes(node),
            Self::Relayed => topology.routes(node) || topology.is_terminal(node),
            Self::StoreAndForward => topology.is_terminal(node),
        }
    }
}

impl Switching {
    /// Returns true if one transfer can pass through a node. A message can pass through more nodes: see
    /// [`Transport::crosses`].
    #[inline]
    pub fn crosses(self, topology: &Topology, node: NodeId) -> bool {
        self == Self::Wormhole && topology.routes(node)
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Relayed => "relayed",
            Self::StoreAndForward => "store-and-forward",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_forward_broadcasts_and_not_scatters() {
        use Pattern::{Broadcast, Gather, Reduce, ReduceBroadcast, Scatter};
        for pattern in [Broadcast, Scatter, Gather, Reduce, ReduceBroadcast] {
            let is_scatter = matches!(pattern, Scatter | Gather);
            let expected = if is_scatter { Transport::Direct } else { Transport::Relayed };
            assert_eq!(Transport::of(pattern, CommunicationModel::wormhole()), expected);
            let stored = Transport::of(pattern, CommunicationModel::store_and_forward());
            assert_eq!(stored, Transport::StoreAndForward);
        }
    }
}
