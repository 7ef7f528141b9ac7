//! How messages cross the network.

use std::fmt;

use lockstep_schedule::{Collective, CommunicationModel, Switching};
use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

/// Which nodes a message may cross on its way; what decides whether two terminals are connected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// One wormhole transfer: nodes that route.
    Direct,
    /// Wormhole transfers that terminals pass on: nodes that route, and terminals.
    Relayed,
    /// Single channels between terminals: no switch at all.
    StoreAndForward,
}

impl Transport {
    /// How the messages of a collective travel in this model: broadcasts are passed on, scatters if the model says so.
    pub fn of(collective: &Collective, model: CommunicationModel) -> Self {
        match model.switching {
            Switching::StoreAndForward => Self::StoreAndForward,
            Switching::Wormhole if collective.pattern().is_scatter() && model.is_direct() => Self::Direct,
            Switching::Wormhole => Self::Relayed,
        }
    }

    /// Whether a message may come to a node.
    pub(crate) fn touches(self, topology: &Topology, node: NodeId) -> bool {
        self != Self::StoreAndForward || topology.is_terminal(node)
    }

    /// Whether a message may come to a node and leave it again.
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
