//! Any permutation in one step.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::construction::clos::Clos;
use crate::construction::fat_tree::FatTree;
use crate::kit::cyclic_shifts::Shifts;
use crate::kit::path_list::PathList;

/// Why a permutation is not routed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PermutationError {
    /// Not one entry a terminal.
    #[error("{given} receivers for {terminals} terminals; give one a terminal, or none for it")]
    Count {
        /// Number of entries given.
        given: usize,
        /// Number of terminals.
        terminals: usize,
    },
    /// A receiver that is no node or only routes.
    #[error("the receiver of terminal '{sender}' is node {receiver}, which is no terminal")]
    NotATerminal {
        /// Name of the sender.
        sender: String,
        /// Number of its receiver.
        receiver: u32,
    },
    /// A receiver of two senders.
    #[error("terminals '{first}' and '{second}' both send to '{receiver}'; a permutation has one sender a receiver")]
    TwoSenders {
        /// Name of the first sender.
        first: String,
        /// Name of the second sender.
        second: String,
        /// Name of their receiver.
        receiver: String,
    },
    /// A network that does not pass every permutation, or is not known to.
    #[error(
        "'{network}' is neither a Clos network with as many middle switches as inputs a switch nor a fat tree of full \
         bisection"
    )]
    Network {
        /// Name of the network.
        network: String,
    },
}

/// Paths that carry any permutation of the terminals in one step: one a terminal, by rank, from it to the receiver given
/// for it; empty where that is `None` or the terminal itself.
///
/// No two paths share a channel, and all are shortest ones. The network is a three-stage Clos network of `n` inputs a
/// switch and `m >= n` middle switches, or a fat tree in which no switch below the top has fewer links up than down;
/// terminals have one channel each way. Both are recognised by structure. Takes `O(N (N + m))` time for `N` terminals, at
/// each level of a fat tree, and usually much less.
///
/// ```
/// use lockstep_topology::Topology;
///
/// let clos: Topology = "clos:3,3,4".parse()?;
/// let backwards: Vec<_> = clos.terminals().iter().rev().copied().map(Some).collect();
/// let paths = lockstep_analytic::route_permutation(&clos, &backwards)?;
/// assert!(paths.iter().all(|path| path.len() == 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The first [`PermutationError`], receivers in the order of their senders before the network.
///
/// **Source**: the Slepian-Duguid theorem; Beneš, *Mathematical Theory of Connecting Networks and Telephone Traffic* (1965).
pub fn route_permutation(
    topology: &Topology,
    receivers: &[Option<NodeId>],
) -> Result<Vec<Vec<ChannelId>>, PermutationError> {
    let terminals = topology.terminals();
    if receivers.len() != terminals.len() {
        return Err(PermutationError::Count { given: receivers.len(), terminals: terminals.len() });
    }
    let name = |rank: usize| topology.node_name(terminals[rank]).to_owned();
    let mut sender_of = vec![None; terminals.len()];
    let mut pairs = Vec::new();
    for (sender, &receiver) in receivers.iter().enumerate() {
        let Some(receiver) = receiver else { continue };
        let rank = if receiver.index() < topology.node_count() { topology.terminal_rank(receiver) } else { None };
        let Some(rank) = rank else {
            return Err(PermutationError::NotATerminal { sender: name(sender), receiver: receiver.number() });
        };
        if let Some(first) = sender_of[rank].replace(sender) {
            let (first, second, receiver) = (name(first), name(sender), name(rank));
            return Err(PermutationError::TwoSenders { first, second, receiver });
        }
        if rank != sender {
            pairs.push((sender as u32, rank as u32));
        }
    }
    let found = if let Some(clos) = Clos::recognise(topology) {
        let mut paths = PathList::default();
        clos.route(&pairs, &mut paths);
        paths
    } else if let Some(fat_tree) = FatTree::recognise(topology) {
        fat_tree.permute(&pairs)
    } else {
        return Err(PermutationError::Network { network: topology.name().to_owned() });
    };
    let mut paths = vec![Vec::new(); terminals.len()];
    for (&(sender, _), path) in pairs.iter().zip(found.iter()) {
        paths[sender as usize] = path.to_vec();
    }
    Ok(paths)
}
