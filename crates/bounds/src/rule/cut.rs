//! What crosses from one part of the network to the other.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{NodeId, Topology};

use super::sample;
use crate::certificate::{LowerBound, Rule};
use crate::crossing::Crossing;
use crate::demand::Demand;
use crate::search::{Links, Search};

/// Node and channel visits that each family of cuts may take: tenths of a second.
const FAMILY_WORK: usize = 1 << 26;

/// Links whose half-spaces are looked at in any case.
const FEW: usize = 4;

/// The steps in which the messages that must cross the best known cut do so, each over a resource of its own.
///
/// Tried are the subtrees of a spanning tree (with them every bridge, so every link of a tree), the nodes nearer to one
/// end of a link than to the other (in a hypercube, mesh or even torus the halves), and the first nodes in the order of
/// numbers, of coordinates and of distance from a node. Takes O(N + M) time a cut of the second kind and O(N log N + M)
/// a family of the others; beyond a fixed amount of work links and nodes are sampled evenly.
///
/// Applies to two and more messages on four and more nodes. Single nodes are the matter of [ports](super::ports).
///
/// Source: the bisection argument, Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.9; for
/// trees it is exact (Gargano, Hell and Perennes, ICALP 1997). The link cuts are Djoković's half-spaces,
/// *J. Combinatorial Theory B* 14 (1973).
pub(crate) fn bound(problem: &Problem<'_>, enough: u32) -> Option<LowerBound> {
    let (nodes, channels) = (problem.topology().node_count(), problem.topology().channel_count());
    search(problem, enough, |listed| FAMILY_WORK / (2 * (nodes + channels) + listed))
}

/// The same by subtrees, orders, and a few of the other cuts.
pub(crate) fn quick(problem: &Problem<'_>, enough: u32) -> Option<LowerBound> {
    search(problem, enough, |_| FEW)
}

/// The best cut, with so many half-spaces and balls as `count` says for a number of listed messages.
fn search(problem: &Problem<'_>, enough: u32, count: impl Fn(usize) -> usize) -> Option<LowerBound> {
    if problem.messages().len() == 1 {
        return None;
    }
    let (topology, demand) = (problem.topology(), Demand::new(problem));
    let (crossing, links) = (Crossing::new(problem, &demand), Links::new(topology));
    let best = (0, FixedBitSet::with_capacity(topology.node_count()));
    let mut cuts = Cuts { topology, crossing, links, best, enough };
    let count = count(demand.listed_deliveries());
    cuts.subtrees();
    cuts.half_spaces(count);
    cuts.orders();
    cuts.balls(count, problem.collective().root());
    cuts.finish()
}

struct Cuts<'a, 'p> {
    topology: &'a Topology,
    crossing: Crossing<'a, 'p>,
    links: Links,
    /// The steps of the best cut so far, and one of its sides.
    best: (u32, FixedBitSet),
    /// No better cut is asked for.
    enough: u32,
}

impl Cuts<'_, '_> {
    fn is_done(&self) -> bool {
        self.best.0 >= self.enough
    }

    /// The steps of the present cut; 0 where it says nothing new.
    fn steps(&self) -> u32 {
        let inside = self.crossing.len();
        let parts = inside >= 2 && inside + 2 <= self.topology.node_count();
        parts.then(|| self.crossing.steps()).flatten().map_or(0, |(steps, _)| steps)
    }

    /// Remembers a cut by one of its sides if it is the best so far.
    fn offer(&mut self, steps: u32, side: impl IntoIterator<Item = NodeId>) {
        if steps > self.best.0 {
            self.best.0 = steps;
            self.best.1.clear();
            self.best.1.extend(side.into_iter().map(NodeId::index));
        }
    }

    /// The bound of the best cut, told by its smaller side, or of halves the one with the first node.
    fn finish(mut self) -> Option<LowerBound> {
        let (_, mut side) = self.best;
        let (inside, all) = (side.count_ones(..), side.len());
        if 2 * inside > all || 2 * inside == all && !side.contains(0) {
            side.toggle_range(..);
        }
        self.crossing.become_set(&side);
        self.crossing.bound(Rule::Cut)
    }

    /// Considers all subtrees of a spanning forest. A subtree keeps the nodes of its largest child's subtree, so that
    /// each node moves O(log N) times.
    fn subtrees(&mut self) {
        let forest = Forest::spanning(&self.links, self.topology.node_count());
        let mut best = (0, NodeId::new(0));
        for &head in &forest.preorder {
            if forest.parent(head).is_some_and(|parent| forest.heavy_child(parent) == Some(head)) {
                continue;
            }
            let path: Vec<NodeId> = std::iter::successors(Some(head), |&node| forest.heavy_child(node)).collect();
            for &node in path.iter().rev() {
                let kept = forest.heavy_child(node).map_or(&[][..], |child| forest.subtree(child));
                let moves = forest.subtree(node).len() - kept.len();
                // The heavy child comes last, so the rest of the subtree comes first.
                for &member in &forest.subtree(node)[..moves] {
                    self.crossing.flip(member);
                }
                if self.steps() > best.0 {
                    best = (self.steps(), node);
                }
            }
            for &member in forest.subtree(head) {
                self.crossing.flip(member);
            }
        }
        self.offer(best.0, forest.subtree(best.1).iter().copied());
    }

    /// Considers, for at most `count` links, the nodes nearer to one end.
    fn half_spaces(&mut self, count: usize) {
        let (mut near, mut far) = ((None, Search::default()), Search::default());
        let mut nearer = FixedBitSet::with_capacity(self.topology.node_count());
        for &(u, v) in sample(&self.links.pairs(), count) {
            if self.is_done() {
                break;
            }
            if near.0.replace(u) != Some(u) {
                near.1.everywhere(&self.links, u);
            }
            far.everywhere(&self.links, v);
            nearer.clear();
            let distances = near.1.distance.iter().zip(&far.distance);
            nearer.extend(distances.enumerate().filter(|(_, (to_u, to_v))| to_u < to_v).map(|(node, _)| node));
            self.crossing.become_set(&nearer);
            self.offer(self.steps(), nearer.ones().map(NodeId::from_index));
        }
        nearer.clear();
        self.crossing.become_set(&nearer);
    }

    /// Considers the first nodes by number, and by coordinates in either priority.
    fn orders(&mut self) {
        let mut order: Vec<NodeId> = self.topology.nodes().collect();
        self.sweep(&order);
        if let Some(positions) = self.topology.positions() {
            for first in [0, 1] {
                order.sort_by(|u, v| {
                    let (u, v) = (positions[u.index()], positions[v.index()]);
                    u[first].total_cmp(&v[first]).then(u[1 - first].total_cmp(&v[1 - first]))
                });
                self.sweep(&order);
            }
        }
    }

    /// Considers the nearest nodes around at most `count` nodes, and around the root if there is one.
    fn balls(&mut self, count: usize, root: Option<NodeId>) {
        let centres: Vec<NodeId> = self.topology.nodes().collect();
        let mut search = Search::default();
        for centre in sample(&centres, count).copied().chain(root) {
            if self.is_done() {
                break;
            }
            search.everywhere(&self.links, centre);
            self.sweep(&search.order);
        }
    }

    /// Considers the first nodes of an order of all nodes. Begins with the empty set or with all nodes, and ends with
    /// the other: either way, one side is a beginning of the order.
    fn sweep(&mut self, order: &[NodeId]) {
        let mut best = (0, 0);
        for (before, &node) in order.iter().enumerate() {
            self.crossing.flip(node);
            if self.steps() > best.0 {
                best = (self.steps(), before + 1);
            }
        }
        self.offer(best.0, order[..best.1].iter().copied());
    }
}

/// Rooted trees over all nodes.
struct Forest {
    parent: Vec<Option<NodeId>>,
    heavy_child: Vec<Option<NodeId>>,
    /// Where each node stands in `preorder`.
    place: Vec<usize>,
    size: Vec<usize>,
    /// All nodes; a subtree is a run of them, its root first and its largest child's subtree last.
    preorder: Vec<NodeId>,
}

impl Forest {
    /// Breadth-first trees over the links, whatever their direction.
    fn spanning(links: &Links, node_count: usize) -> Self {
        let mut search = Search::default();
        search.everywhere(links, NodeId::new(0));
        let nodes = || (0..node_count).map(NodeId::from_index);
        let distance = |node: NodeId| search.distance[node.index()];
        let nearer = |node: NodeId| links.at(node).iter().copied().find(|&other| distance(other) < distance(node));
        let parent: Vec<Option<NodeId>> = nodes().map(nearer).collect();
        let mut size = vec![1; node_count];
        let mut heavy_child: Vec<Option<NodeId>> = vec![None; node_count];
        for &node in search.order.iter().rev() {
            if let Some(parent) = parent[node.index()] {
                size[parent.index()] += size[node.index()];
                let heavy = &mut heavy_child[parent.index()];
                if heavy.is_none_or(|heavy| size[heavy.index()] < size[node.index()]) {
                    *heavy = Some(node);
                }
            }
        }
        // Parents come before children: each finds its run, the heavy one at the end of the parent's.
        let (mut place, mut free) = (vec![0; node_count], vec![0; node_count]);
        let mut next_root = 0;
        for &node in &search.order {
            let run = size[node.index()];
            place[node.index()] = match parent[node.index()] {
                None => {
                    next_root += run;
                    next_root - run
                }
                Some(up) if heavy_child[up.index()] == Some(node) => place[up.index()] + size[up.index()] - run,
                Some(up) => {
                    free[up.index()] += run;
                    free[up.index()] - run
                }
            };
            free[node.index()] = place[node.index()] + 1;
        }
        let mut preorder = vec![NodeId::new(0); node_count];
        for node in nodes() {
            preorder[place[node.index()]] = node;
        }
        Self { parent, heavy_child, place, size, preorder }
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parent[node.index()]
    }

    fn heavy_child(&self, node: NodeId) -> Option<NodeId> {
        self.heavy_child[node.index()]
    }

    fn subtree(&self, node: NodeId) -> &[NodeId] {
        let place = self.place[node.index()];
        &self.preorder[place..place + self.size[node.index()]]
    }
}
