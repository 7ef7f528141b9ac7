//! Promising cuts, tried one by one.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{NodeId, Topology};

use super::best_cut::BestCut;
use crate::bfs::{Bfs, Neighbours};
use crate::demand::Demand;
use crate::sample::sample;

/// Node and channel visits that each family of cuts may take: a few tenths of a second.
const FAMILY_WORK: usize = 1 << 26;

/// Number of half-spaces and balls in the quick search.
const FEW: usize = 4;

/// Tries three families of cuts:
///
/// - the subtrees of a spanning tree, so every bridge, and every link of a tree,
/// - for each link, the half-space of the nodes that are nearer to one end than to the other: in a hypercube, mesh or
///   even torus, a half,
/// - the first nodes in the order of numbers, of coordinates, and of the distance from a node (balls).
///
/// Takes `O(N + M)` time per half-space, and `O(N log N + M)` per other family. Beyond a fixed amount of work, it tries
/// a sample of the links and nodes.
///
/// # Source
///
/// The subtrees are exact for trees: Gargano, Hell and Perennes, "Colouring paths in directed symmetric trees with
/// applications to WDM routing", ICALP 1997. Half-spaces: Djoković, *J. Combinatorial Theory B* 14 (1973).
pub(super) fn search(problem: &Problem<'_>, demand: &Demand<'_>, best: &mut BestCut<'_, '_>) {
    let (nodes, channels) = (problem.topology().node_count(), problem.topology().channel_count());
    search_with(problem, FAMILY_WORK / (2 * (nodes + channels) + demand.listed_deliveries()), best);
}

/// Tries subtrees, orders, and a few half-spaces and balls.
pub(super) fn search_few(problem: &Problem<'_>, best: &mut BestCut<'_, '_>) {
    search_with(problem, FEW, best);
}

/// Tries at most `count` half-spaces and balls.
fn search_with(problem: &Problem<'_>, count: usize, best: &mut BestCut<'_, '_>) {
    let links = Neighbours::new(problem.topology());
    let mut families = CutFamilies { topology: best.topology, best, links };
    families.subtrees();
    families.half_spaces(count);
    families.orders();
    families.balls(count, problem.collective().root());
}

struct CutFamilies<'c, 'a, 'p> {
    topology: &'a Topology,
    best: &'c mut BestCut<'a, 'p>,
    links: Neighbours,
}

impl CutFamilies<'_, '_, '_> {
    /// Tries all subtrees of a spanning forest. A subtree keeps the nodes of the subtree of its largest child, so each
    /// node moves `O(log N)` times.
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
                    self.best.cut.flip(member);
                }
                if self.best.present_steps() > best.0 {
                    best = (self.best.present_steps(), node);
                }
            }
            for &member in forest.subtree(head) {
                self.best.cut.flip(member);
            }
        }
        self.best.offer(best.0, forest.subtree(best.1).iter().copied());
    }

    /// Tries the half-spaces of at most `count` links.
    fn half_spaces(&mut self, count: usize) {
        let (mut near, mut far) = ((None, Bfs::default()), Bfs::default());
        let mut nearer = FixedBitSet::with_capacity(self.topology.node_count());
        for &(u, v) in sample(&self.links.pairs(), count) {
            if self.best.is_done() {
                break;
            }
            if near.0.replace(u) != Some(u) {
                near.1.everywhere(&self.links, u);
            }
            far.everywhere(&self.links, v);
            nearer.clear();
            let distances = near.1.distance.iter().zip(&far.distance);
            nearer.extend(distances.enumerate().filter(|(_, (to_u, to_v))| to_u < to_v).map(|(node, _)| node));
            self.best.try_side(&nearer);
        }
        nearer.clear();
        self.best.cut.become_set(&nearer);
    }

    /// Tries the first nodes by number, and by coordinates in either priority.
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

    /// Tries the nearest nodes around at most `count` nodes, and around the root if there is one.
    fn balls(&mut self, count: usize, root: Option<NodeId>) {
        let centres: Vec<NodeId> = self.topology.nodes().collect();
        let mut bfs = Bfs::default();
        for centre in sample(&centres, count).copied().chain(root) {
            if self.best.is_done() {
                break;
            }
            bfs.everywhere(&self.links, centre);
            self.sweep(&bfs.order);
        }
    }

    /// Tries every prefix of an order of all nodes. The present set changes from empty to all nodes or back, so one of
    /// its sides is always a prefix.
    fn sweep(&mut self, order: &[NodeId]) {
        let mut best = (0, 0);
        for (before, &node) in order.iter().enumerate() {
            self.best.cut.flip(node);
            if self.best.present_steps() > best.0 {
                best = (self.best.present_steps(), before + 1);
            }
        }
        self.best.offer(best.0, order[..best.1].iter().copied());
    }
}

/// Rooted trees that span all nodes.
struct Forest {
    parent: Vec<Option<NodeId>>,
    heavy_child: Vec<Option<NodeId>>,
    /// The place of each node in `preorder`.
    place: Vec<usize>,
    size: Vec<usize>,
    /// All nodes. A subtree is a contiguous range: its root first, and the subtree of its largest child last.
    preorder: Vec<NodeId>,
}

impl Forest {
    /// Builds breadth-first trees over the links in both directions.
    fn spanning(links: &Neighbours, node_count: usize) -> Self {
        let mut bfs = Bfs::default();
        bfs.everywhere(links, NodeId::new(0));
        let nodes = || (0..node_count).map(NodeId::from_index);
        let distance = |node: NodeId| bfs.distance[node.index()];
        let nearer = |node: NodeId| links.at(node).iter().copied().find(|&other| distance(other) < distance(node));
        let parent: Vec<Option<NodeId>> = nodes().map(nearer).collect();
        let mut size = vec![1; node_count];
        let mut heavy_child: Vec<Option<NodeId>> = vec![None; node_count];
        for &node in bfs.order.iter().rev() {
            if let Some(parent) = parent[node.index()] {
                size[parent.index()] += size[node.index()];
                let heavy = &mut heavy_child[parent.index()];
                if heavy.is_none_or(|heavy| size[heavy.index()] < size[node.index()]) {
                    *heavy = Some(node);
                }
            }
        }
        // Parents come before children. Each child takes a range in that of its parent, and the heavy child the last
        // one.
        let (mut place, mut free) = (vec![0; node_count], vec![0; node_count]);
        let mut next_root = 0;
        for &node in &bfs.order {
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
