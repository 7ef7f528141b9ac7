//! Trees, and the spanning trees of connected full-duplex networks.
//!
//! On a tree with one port a terminal, the broadcast takes `ceil(log2 P)` steps, the all-gather `P - 1` and the total exchange
//! as many as messages cross the busiest link; none of it can be beaten, and the last two not with more ports either, as long
//! as a terminal hangs on a single wire.

mod broadcast;
mod exchange;
mod links;
mod rooted;
mod shortest;

use lockstep_schedule::{Budget, CollectiveName, Ports, Problem, Routing, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};

use self::broadcast::Ring;
use self::links::Links;
use self::rooted::{Duplex, RootedTree};
use self::shortest::are_shortest;
use crate::construction::Construction;

/// The most deliveries for which a schedule is written down.
const MAX_DELIVERIES: u64 = 1 << 24;

/// The most channels of all paths together of a schedule that is written down: 1 GiB.
const MAX_CHANNEL_USES: usize = 1 << 28;

/// The most roots that are tried where paths must be shortest.
const MAX_ROOTS: usize = 8;

pub(crate) const TREE: Construction = Construction {
    name: "tree",
    about: "trees: broadcast by halving, all-gather round the Euler tour, total exchange at the load of the busiest link",
    construct: tree,
};

pub(crate) const SPANNING_TREE: Construction = Construction {
    name: "spanning-tree",
    about: "connected full-duplex networks: broadcast and all-gather as on a tree, optimal for terminals of one port",
    construct: spanning_tree,
};

/// On networks whose links make a tree, whatever the numbers of the nodes; its paths are the only ones.
fn tree(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    if has_cycle(topology) || problem.messages().delivery_count() > MAX_DELIVERIES {
        return None;
    }
    let network = Network::new(problem);
    let tree = network.tree(network.hub()?)?;
    if !network.is_tree(&tree) {
        return None;
    }
    let duplex = tree.duplex(topology)?;
    let collective = problem.collective();
    match (collective.name()?, model.switching, duplex) {
        (CollectiveName::Broadcast, Switching::Wormhole, _) => broadcast::halving(&tree, collective.root()?),
        (CollectiveName::AllGather, Switching::Wormhole, Duplex::Full) => Ring::new(&tree).all_gather(topology, budget),
        (CollectiveName::AllGather, Switching::StoreAndForward, Duplex::Full) => {
            let degree = |&node: &NodeId| network.links.at(node).len();
            let busiest = tree.node.iter().map(degree).max()?;
            let ports_suffice = model.ports == Ports::All || model.ports.of_degree(busiest) == busiest;
            if ports_suffice { broadcast::flood(&tree, topology, budget) } else { None }
        }
        (CollectiveName::AllToAll, Switching::Wormhole, Duplex::Full) => {
            exchange::total_exchange(&tree, topology, budget)
        }
        _ => None,
    }
}

/// Whether there are more neighbours than in a tree: a short look at networks that are none.
fn has_cycle(topology: &Topology) -> bool {
    let mut last_tail = vec![None; topology.node_count()];
    let heads = |tail| topology.out_channels(tail).iter().map(move |&channel| (tail, topology.head(channel)));
    let ends = topology.nodes().flat_map(heads);
    let mut neighbours = ends.filter(|&(tail, head)| last_tail[head.index()].replace(tail) != Some(tail));
    neighbours.nth(2 * (topology.node_count() - 1)).is_some()
}

/// On connected networks of full-duplex links that are no trees. Where paths must be shortest, trees of shortest ways from
/// the middle of the network are tried, which on a fat tree are right.
fn spanning_tree(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    let collective = problem.collective();
    let name = collective.name()?;
    let is_broadcast = matches!(name, CollectiveName::Broadcast | CollectiveName::AllGather);
    let fits = is_broadcast && model.switching == Switching::Wormhole;
    if !fits || problem.messages().delivery_count() > MAX_DELIVERIES {
        return None;
    }
    let network = Network::new(problem);
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
            let schedule = broadcast::halving(&tree, collective.root()?);
            schedule.filter(|schedule| {
                let transfers = schedule.steps().flat_map(|(_, step)| step.iter());
                !is_minimal || are_shortest(topology, transfers.map(|transfer| transfer.path))
            })
        }
        (CollectiveName::AllGather, Duplex::Full) => {
            let ring = Ring::new(&tree);
            if is_minimal && !are_shortest(topology, ring.paths()) {
                return None;
            }
            ring.all_gather(topology, budget)
        }
        _ => None,
    })
}

/// The links that paths may take, and the nodes that they may cross.
struct Network<'a> {
    topology: &'a Topology,
    switching: Switching,
    links: Links,
}

impl<'a> Network<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let (topology, switching) = (problem.topology(), problem.model().switching);
        let takes_part = |node| switching == Switching::Wormhole || topology.is_terminal(node);
        Self { topology, switching, links: Links::new(topology, takes_part) }
    }

    fn is_inner(&self, node: NodeId) -> bool {
        match self.switching {
            Switching::Wormhole => self.topology.routes(node),
            Switching::StoreAndForward => self.topology.is_terminal(node),
        }
    }

    /// The first terminal, or a node behind it where it does not route.
    fn hub(&self) -> Option<NodeId> {
        self.inner_near(*self.topology.terminals().first()?)
    }

    fn inner_near(&self, terminal: NodeId) -> Option<NodeId> {
        let neighbours = self.links.at(terminal).iter().map(|link| link.neighbour);
        std::iter::once(terminal).chain(neighbours).find(|&node| self.is_inner(node))
    }

    fn tree(&self, root: NodeId) -> Option<RootedTree> {
        RootedTree::breadth_first(self.topology, &self.links, root, |node| self.is_inner(node))
    }

    /// Whether there is no channel but those of the tree and in parallel to them.
    fn is_tree(&self, tree: &RootedTree) -> bool {
        let ends: usize = tree.node.iter().map(|&node| self.links.at(node).len()).sum();
        ends == 2 * (tree.len() - 1) && !self.links.has_one_way
    }

    /// Some of the nodes half way between two terminals far apart.
    fn middle(&self, hub: NodeId) -> Option<Vec<NodeId>> {
        let depths_and_farthest = |root| {
            let tree = self.tree(root)?;
            let mut depth = vec![u32::MAX; self.topology.node_count()];
            depth[root.index()] = 0;
            for (node, &parent) in tree.node.iter().zip(&tree.parent).skip(1) {
                depth[node.index()] = depth[tree.node[parent as usize].index()] + 1;
            }
            let farthest = self.topology.terminals().iter().rev().max_by_key(|terminal| depth[terminal.index()])?;
            Some((depth, self.inner_near(*farthest)?))
        };
        let (_, one) = depths_and_farthest(hub)?;
        let (from_one, other) = depths_and_farthest(one)?;
        let (from_other, _) = depths_and_farthest(other)?;
        let length = from_one[other.index()];
        let is_between = |&node: &NodeId| {
            let (one, other) = (from_one[node.index()], from_other[node.index()]);
            one == length / 2 && other == length - length / 2 && self.is_inner(node)
        };
        let between: Vec<NodeId> = self.topology.nodes().filter(is_between).collect();
        Some(between.iter().copied().step_by(between.len().div_ceil(MAX_ROOTS).max(1)).collect())
    }
}

#[cfg(test)]
mod tests;
