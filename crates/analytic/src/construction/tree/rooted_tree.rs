//! A tree of full-duplex links, with terminals numbered so that every link separates an interval of them.

use lockstep_schedule::Budget;
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::duplex_links::{DuplexLink, DuplexLinks};
use crate::kit::budget_check::BudgetCheck;

/// The largest number of channel uses of a stored schedule: 1 GiB.
pub(super) const MAX_CHANNEL_USES: usize = 1 << 28;

/// The absence of a place.
pub(super) const NONE: u32 = u32::MAX;

/// A rooted tree that spans all terminals of a network. Nodes are identified by their *place* in a preorder.
///
/// The nodes below `place` are those before `end[place]`. So an interval of the terminals, in their order, is below
/// each link. Memory: 32 bytes per node.
#[derive(Debug)]
pub(super) struct RootedTree {
    /// The nodes in preorder, which is the order of all tables.
    pub(super) node: Vec<NodeId>,
    /// The place of the parent; the root is its own parent.
    pub(super) parent: Vec<u32>,
    /// The end of the nodes below this one.
    pub(super) end: Vec<u32>,
    /// The channel to the parent; none for the root.
    pub(super) up: Vec<Option<ChannelId>>,
    /// The channel from the parent; none for the root.
    pub(super) down: Vec<Option<ChannelId>>,
    /// The places of the terminals, ascending.
    pub(super) terminals: Vec<u32>,
}

/// Whether the two channels of a link can carry two transfers in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Duplex {
    Full,
    Half,
}

impl RootedTree {
    /// Returns the tree of shortest paths from the root through inner nodes, or `None` if it does not reach every
    /// terminal, or the budget ends. Takes `O(N + M)` time.
    pub(super) fn breadth_first(
        topology: &Topology,
        links: &DuplexLinks,
        root: NodeId,
        inner: impl Fn(NodeId) -> bool,
        budget: &Budget,
    ) -> Option<Self> {
        let mut check = BudgetCheck::new(budget);
        // The nodes in the order of the search, each with the index of its parent in this order.
        let mut found: Vec<(u32, Option<DuplexLink>)> = vec![(0, None)];
        let mut is_found = vec![false; topology.node_count()];
        is_found[root.index()] = true;
        let node_of = |link: Option<DuplexLink>| link.map_or(root, |link| link.neighbour);
        let mut next = 0;
        while let Some(&(_, link)) = found.get(next) {
            let node = node_of(link);
            check.spend(links.at(node).len())?;
            if inner(node) {
                for &link in links.at(node) {
                    if !std::mem::replace(&mut is_found[link.neighbour.index()], true) {
                        found.push((next as u32, Some(link)));
                    }
                }
            }
            next += 1;
        }
        if !topology.terminals().iter().all(|terminal| is_found[terminal.index()]) {
            return None;
        }
        let count = found.len();
        let mut size = vec![1u32; count];
        for (at, &(parent, _)) in found.iter().enumerate().skip(1).rev() {
            size[parent as usize] += size[at];
        }
        let mut tree = Self {
            node: vec![root; count],
            parent: vec![0; count],
            end: vec![count as u32; count],
            up: vec![None; count],
            down: vec![None; count],
            terminals: Vec::with_capacity(topology.terminal_count()),
        };
        // The place of each found node, and the place of its next child.
        let (mut place, mut free) = (vec![0u32; count], vec![1u32; count]);
        for (at, &(parent, link)) in found.iter().enumerate().skip(1) {
            let here = free[parent as usize];
            free[parent as usize] += size[at];
            place[at] = here;
            free[at] = here + 1;
            let (row, link) = (here as usize, link.expect("only the root has no link"));
            tree.node[row] = link.neighbour;
            tree.parent[row] = place[parent as usize];
            tree.end[row] = here + size[at];
            (tree.up[row], tree.down[row]) = (Some(link.back), Some(link.out));
        }
        tree.terminals.extend((0..count as u32).filter(|&place| topology.is_terminal(tree.node[place as usize])));
        Some(tree)
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.node.len()
    }

    /// Returns the places of a subtree, beginning with its root.
    pub(super) fn below(&self, place: u32) -> std::ops::Range<u32> {
        place..self.end[place as usize]
    }

    /// Returns the number of terminals in a subtree.
    pub(super) fn terminals_below(&self, place: u32) -> usize {
        let before = |bound: u32| self.terminals.partition_point(|&terminal| terminal < bound);
        before(self.end[place as usize]) - before(place)
    }

    /// Returns the number of terminals below each link.
    pub(super) fn parts(&self) -> impl Iterator<Item = usize> {
        (1..self.len() as u32).map(|place| self.terminals_below(place))
    }

    /// Returns the terminals in cyclic preorder, beginning with `first`.
    pub(super) fn terminals_from(&self, first: NodeId) -> Vec<u32> {
        let turn = self.terminals.iter().position(|&place| self.node[place as usize] == first);
        let mut terminals = self.terminals.clone();
        terminals.rotate_left(turn.expect("the tree has every terminal"));
        terminals
    }

    /// Writes the channels from one place to another into `path`.
    pub(super) fn path(&self, from: u32, to: u32, path: &mut Vec<ChannelId>) {
        path.clear();
        let (mut from, mut to) = (from, to);
        // The later of two places is not above the other, so it moves up. First the path up, then the path down, reversed.
        let start = to;
        while from != to {
            if from > to {
                path.extend(self.up[from as usize]);
                from = self.parent[from as usize];
            } else {
                to = self.parent[to as usize];
            }
        }
        let climbed = path.len();
        let mut to = start;
        while to != from {
            path.extend(self.down[to as usize]);
            to = self.parent[to as usize];
        }
        path[climbed..].reverse();
    }

    /// Returns whether links are full or half duplex; `None` if different links share a resource.
    pub(super) fn duplex(&self, topology: &Topology) -> Option<Duplex> {
        let mut owner = vec![NONE; topology.resource_count()];
        let mut duplex = Duplex::Full;
        for (place, (up, down)) in self.up.iter().zip(&self.down).enumerate() {
            for &channel in [up, down].into_iter().flatten() {
                match std::mem::replace(&mut owner[topology.resource(channel).index()], place as u32) {
                    NONE => {}
                    other if other == place as u32 => duplex = Duplex::Half,
                    _ => return None,
                }
            }
        }
        Some(duplex)
    }
}
