//! Permutations in one step.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::construction::clos::ClosNetwork;
use crate::construction::fat_tree::FatTreeNetwork;
use crate::kit::cyclic_shifts::CyclicShifts;
use crate::kit::path_list::PathList;

/// The reason why a permutation is not routed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PermutationError {
    /// The number of receivers differs from the number of terminals.
    #[error("{given} receivers for {terminals} terminals; give one receiver, or none, per terminal")]
    Count {
        /// Number of entries given.
        given: usize,
        /// Number of terminals.
        terminals: usize,
    },
    /// A receiver does not exist or is a switch.
    #[error("the receiver of terminal '{sender}' is node {receiver}, which is not a terminal")]
    NotATerminal {
        /// Name of the sender.
        sender: String,
        /// Number of its receiver.
        receiver: u32,
    },
    /// Two senders have the same receiver.
    #[error("terminals '{first}' and '{second}' both send to '{receiver}'; a permutation has one sender per receiver")]
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
        "'{network}' is neither a Clos network with at least one middle switch per input of a switch nor a fat tree of \
         full bisection"
    )]
    /// The network is not known to pass every permutation.
    Network {
        /// Name of the network.
        network: String,
    },
}

/// Returns paths that carry a permutation of the terminals in one step.
///
/// The result has one path per terminal, by rank, from the terminal to its receiver. The path is empty if the receiver
/// is `None` or the terminal itself. No two paths share a channel, and all are shortest paths.
///
/// The network is a three-stage Clos network of `n` inputs per switch and `m >= n` middle switches, or a fat tree in
/// which no switch below the top has fewer links up than down. Terminals have one channel in each direction. Both are
/// recognised by structure. Takes `O(N (N + m))` time for `N` terminals, at each level of a fat tree, and usually much
/// less.
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
/// The first [`PermutationError`]; receivers are checked in the order of their senders, before the network.
///
/// # Source
///
/// The Slepian-Duguid theorem; Beneš, *Mathematical Theory of Connecting Networks and Telephone Traffic* (1965).
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
    let found = if let Some(clos) = ClosNetwork::recognise(topology) {
        let mut paths = PathList::default();
        clos.route(&pairs, &mut paths);
        paths
    } else if let Some(fat_tree) = FatTreeNetwork::recognise(topology) {
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
