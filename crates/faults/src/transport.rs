//! Transport modes: which nodes messages can cross.

use std::fmt;

use lockstep_schedule::{Collective, CommunicationModel, Switching};
use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

/// The rule that decides which nodes a message can cross, and thus whether two terminals are connected.
///
/// ```
/// use lockstep_faults::{Survivability, Transport};
/// use lockstep_topology::Topology;
///
/// // Without its switches, a fat tree has no paths.
/// let fat_tree: Topology = "fat-tree:2,2".parse()?;
/// assert!(Survivability::of(&fat_tree, Transport::Direct).is_connected());
/// assert!(!Survivability::of(&fat_tree, Transport::StoreAndForward).is_connected());
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
    /// Returns the transport of a collective in this model. Terminals forward broadcasts, and scatters if the model allows it.
    pub fn of(collective: &Collective, model: CommunicationModel) -> Self {
        match model.switching {
            Switching::StoreAndForward => Self::StoreAndForward,
            Switching::Wormhole if collective.pattern().is_scatter() && model.is_direct() => Self::Direct,
            Switching::Wormhole => Self::Relayed,
        }
    }

    /// Returns true if a message can reach a node.
    pub(crate) fn touches(self, topology: &Topology, node: NodeId) -> bool {
        self != Self::StoreAndForward || topology.is_terminal(node)
    }

    /// Returns true if a message can pass through a node.
    pub(crate) fn crosses(self, topology: &Topology, node: NodeId) -> bool {
        match self {
            Self::Direct => topology.routes(node),
            Self::Relayed => topology.routes(node) || topology.is_terminal(node),
            Self::StoreAndForward => topology.is_terminal(node),
        }
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
