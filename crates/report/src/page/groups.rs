//! The groups of nodes that a page can isolate.

use lockstep_schedule::Problem;
use lockstep_topology::{NodeId, Topology};
use serde::Serialize;

use crate::labels::{clip, visible};

/// Maximum length of a name, in letters.
const NAME_LETTERS: usize = 40;

/// Nodes in groups: hosts of machines, or terminals that exchange messages.
#[derive(Debug, Serialize)]
pub(super) struct Groups {
    noun: &'static str,
    names: Vec<String>,
    /// The group of each node.
    of: Vec<Option<usize>>,
}

/// Returns the hosts of the network, otherwise the groups of a collective whose messages connect only parts of the
/// terminals. `None` if there is only one group.
pub(super) fn groups(problem: &Problem<'_>) -> Option<Groups> {
    if problem.topology().has_hosts() {
        return hosts(problem.topology());
    }
    message_groups(problem).filter(|groups| groups.names.len() > 1)
}

/// Returns the hosts of a network. `None` if there is only one host, or none.
pub(super) fn hosts(topology: &Topology) -> Option<Groups> {
    let mut hosts: Vec<&str> = topology.nodes().filter_map(|node| topology.host(node)).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let place = |node| topology.host(node).and_then(|host| hosts.binary_search(&host).ok());
    let of = topology.nodes().map(place).collect();
    let names: Vec<_> = hosts.into_iter().map(|host| visible(&clip(host, NAME_LETTERS))).collect();
    (names.len() > 1).then_some(Groups { noun: "host", names, of })
}

/// Joins the terminals of each listed message.
fn message_groups(problem: &Problem<'_>) -> Option<Groups> {
    let listed = problem.collective().listed()?;
    let mut parent: Vec<usize> = (0..problem.topology().node_count()).collect();
    let mut is_member = vec![false; parent.len()];
    for message in listed {
        is_member[message.source.index()] = true;
        for &receiver in &message.receivers {
            is_member[receiver.index()] = true;
            let (one, other) = (root(&mut parent, message.source), root(&mut parent, receiver));
            parent[one.max(other)] = one.min(other);
        }
    }
    let mut group: Vec<Option<usize>> = vec![None; parent.len()];
    let mut names = Vec::new();
    let mut of = vec![None; parent.len()];
    for node in problem.topology().nodes().filter(|node| is_member[node.index()]) {
        // The root is the smallest node of its group, so it comes first.
        let root = root(&mut parent, node);
        if group[root].is_none() {
            group[root] = Some(names.len());
            names.push(format!("group of {}", visible(&clip(problem.topology().node_name(node), NAME_LETTERS))));
        }
        of[node.index()] = group[root];
    }
    Some(Groups { noun: "group", names, of })
}

/// Returns the root of a node, and shortens the way to it.
fn root(parent: &mut [usize], node: NodeId) -> usize {
    let mut place = node.index();
    while parent[place] != place {
        parent[place] = parent[parent[place]];
        place = parent[place];
    }
    place
}
