//! The constructions for trees and for networks with a spanning tree.

use lockstep_schedule::{Budget, CollectiveName, Ports, Problem, Routing, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};

use super::euler_tour::TerminalRing;
use super::flooding;
use super::halving;
use super::link_network::LinkNetwork;
use super::rooted_tree::Duplex;
use super::shortest_check::are_shortest;
use super::total_exchange;
use crate::Construction;

/// The largest number of deliveries of a stored schedule.
const MAX_DELIVERIES: u64 = 1 << 30;

/// Broadcast, all-gather and total exchange on trees, in the fewest steps.
pub(crate) const TREE: Construction = Construction {
    name: "tree",
    about: "trees: one-port broadcast, all-gather, and all-to-all in as many steps as the load of the busiest link",
    construct: tree,
};

/// Broadcast and all-gather on connected full-duplex networks, as on a tree. Optimal for terminals with one port.
pub(crate) const SPANNING_TREE: Construction = Construction {
    name: "spanning-tree",
    about: "full-duplex networks: broadcast and all-gather along a spanning tree, optimal for one-port terminals",
    construct: spanning_tree,
};

/// Returns a schedule if the links form a tree, under any numbering. Its paths are the only ones.
fn tree(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    if has_cycle(topology) || problem.messages().delivery_count() > MAX_DELIVERIES {
        return None;
    }
    let network = LinkNetwork::new(problem, budget)?;
    let tree = network.tree(network.hub()?)?;
    if !network.is_tree(&tree) {
        return None;
    }
    let duplex = tree.duplex(topology)?;
    let collective = problem.collective();
    match (collective.name()?, model.switching, duplex) {
        (CollectiveName::Broadcast, Switching::Wormhole, _) => halving::halving(&tree, collective.root()?),
        (CollectiveName::AllGather, Switching::Wormhole, Duplex::Full) => {
            TerminalRing::new(&tree).all_gather(topology, budget)
        }
        (CollectiveName::AllGather, Switching::StoreAndForward, Duplex::Full) => {
            let degree = |&node: &NodeId| network.links.at(node).len();
            let busiest = tree.node.iter().map(degree).max()?;
            let ports_suffice = model.ports == Ports::All || model.ports.of_degree(busiest) == busiest;
            if ports_suffice { flooding::flood(&tree, topology, budget) } else { None }
        }
        (CollectiveName::AllToAll, Switching::Wormhole, Duplex::Full) => {
            total_exchange::total_exchange(&tree, topology, budget)
        }
        _ => None,
    }
}

/// Returns true if there are more pairs of neighbours than in a tree: a fast test that excludes most networks.
fn has_cycle(topology: &Topology) -> bool {
    let mut last_tail = vec![None; topology.node_count()];
    let heads = |tail| topology.out_channels(tail).iter().map(move |&channel| (tail, topology.head(channel)));
    let ends = topology.nodes().flat_map(heads);
    let mut neighbours = ends.filter(|&(tail, head)| last_tail[head.index()].replace(tail) != Some(tail));
    neighbours.nth(2 * (topology.node_count() - 1)).is_some()
}

/// Returns a schedule on a spanning tree of a connected full-duplex network that is not a tree.
///
/// If paths must be shortest, it tries trees of shortest paths from the centre of the network, which are valid on fat
/// trees.
fn spanning_tree(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    let collective = problem.collective();
    let name = collective.name()?;
    let is_broadcast = matches!(name, CollectiveName::Broadcast | CollectiveName::AllGather);
    let fits = is_broadcast && model.switching == Switching::Wormhole;
    if !fits || problem.messages().delivery_count() > MAX_DELIVERIES {
        return None;
    }
    let network = LinkNetwork::new(problem, budget)?;
    let hub = network.hub()?;
    let first = network.tree(hub)?;
    if network.is_tree(&first) {
        return None;
    }
    let is_minimal = model.routing == Routing::Minimal;
    let others = if is_minimal { network.middle(hub).unwrap_or_default() } else { Vec::new() };
    let others = others.into_iter().filter_map(|root| network.tree(root));
    std::iter::once(first).chain(others).find_map(|tree| match (name, tree.duplex(topology)?) {
        (CollectiveName::Broadcast, _) => {
            let schedule = halving::halving(&tree, collective.root()?);
            schedule.filter(|schedule| {
                let transfers = schedule.steps().flat_map(|(_, step)| step.iter());
                !is_minimal || are_shortest(topology, transfers.map(|transfer| transfer.path))
            })
        }
        (CollectiveName::AllGather, Duplex::Full) => {
            let ring = TerminalRing::new(&tree);
            if is_minimal && !are_shortest(topology, ring.paths()) {
                return None;
            }
            ring.all_gather(topology, budget)
        }
        _ => None,
    })
}
