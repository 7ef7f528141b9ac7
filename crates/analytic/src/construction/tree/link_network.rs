//! The links and nodes that paths may use.

use lockstep_schedule::{Budget, Problem, Transport};
use lockstep_topology::{NodeId, Topology};

use super::duplex_links::DuplexLinks;
use super::rooted_tree::RootedTree;

/// The largest number of roots that are tried if paths must be shortest.
const MAX_ROOTS: usize = 8;

/// The links that paths may use, and the nodes that they may pass.
pub(super) struct LinkNetwork<'a> {
    topology: &'a Topology,
    transport: Transport,
    budget: &'a Budget,
    pub(super) links: DuplexLinks,
}

impl<'a> LinkNetwork<'a> {
    /// Returns `None` when the budget ends.
    pub(super) fn new(problem: &Problem<'a>, budget: &'a Budget) -> Option<Self> {
        let (topology, transport) = (problem.topology(), Transport::along_path(problem.model().switching));
        let takes_part = |node| transport.touches(topology, node);
        Some(Self { topology, transport, budget, links: DuplexLinks::new(topology, takes_part, budget)? })
    }

    fn is_inner(&self, node: NodeId) -> bool {
        self.transport.crosses(self.topology, node)
    }

    /// Returns the first terminal, or a neighbour of it if it does not route.
    pub(super) fn hub(&self) -> Option<NodeId> {
        self.inner_near(*self.topology.terminals().first()?)
    }

    fn inner_near(&self, terminal: NodeId) -> Option<NodeId> {
        let neighbours = self.links.at(terminal).iter().map(|link| link.neighbour);
        std::iter::once(terminal).chain(neighbours).find(|&node| self.is_inner(node))
    }

    /// Returns the tree of shortest paths from the root, if it spans all terminals. Returns `None` when the budget ends.
    pub(super) fn tree(&self, root: NodeId) -> Option<RootedTree> {
        RootedTree::breadth_first(self.topology, &self.links, root, |node| self.is_inner(node), self.budget)
    }

    /// Returns true if all channels belong to the tree or are parallel to its channels.
    pub(super) fn is_tree(&self, tree: &RootedTree) -> bool {
        let ends: usize = tree.node.iter().map(|&node| self.links.at(node).len()).sum();
        ends == 2 * (tree.len() - 1) && !self.links.has_one_way
    }

    /// Returns some of the nodes half way between two distant terminals.
    pub(super) fn middle(&self, hub: NodeId) -> Option<Vec<NodeId>> {
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
