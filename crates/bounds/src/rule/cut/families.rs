//! Cuts that are likely to be good, looked at one by one.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{NodeId, Topology};

use super::Cuts;
use crate::demand::Demand;
use crate::rule::sample;
use crate::search::{Links, Search};

/// Node and channel visits that each family of cuts may take: tenths of a second.
const FAMILY_WORK: usize = 1 << 26;

/// Links whose half-spaces are looked at in any case.
const FEW: usize = 4;

/// Looks at the subtrees of a spanning tree (with them every bridge, so every link of a tree), the nodes nearer to one
/// end of a link than to the other (in a hypercube, mesh or even torus the halves), and the first nodes in the order of
/// numbers, of coordinates and of distance from a node. Takes O(N + M) time a cut of the second kind and O(N log N + M)
/// a family of the others; beyond a fixed amount of work links and nodes are sampled evenly.
///
/// Source: for trees it is exact (Gargano, Hell and Perennes, ICALP 1997). The link cuts are Djoković's half-spaces,
/// *J. Combinatorial Theory B* 14 (1973).
pub(super) fn look(problem: &Problem<'_>, demand: &Demand<'_>, cuts: &mut Cuts<'_, '_>) {
    let (nodes, channels) = (problem.topology().node_count(), problem.topology().channel_count());
    look_at(problem, FAMILY_WORK / (2 * (nodes + channels) + demand.listed_deliveries()), cuts);
}

/// Looks at subtrees, orders, and a few of the other cuts.
pub(super) fn look_at_few(problem: &Problem<'_>, cuts: &mut Cuts<'_, '_>) {
    look_at(problem, FEW, cuts);
}

/// With so many half-spaces and balls.
fn look_at(problem: &Problem<'_>, count: usize, cuts: &mut Cuts<'_, '_>) {
    let links = Links::new(problem.topology());
    let mut families = Families { topology: cuts.topology, cuts, links };
    families.subtrees();
    families.half_spaces(count);
    families.orders();
    families.balls(count, problem.collective().root());
}

struct Families<'c, 'a, 'p> {
    topology: &'a Topology,
    cuts: &'c mut Cuts<'a, 'p>,
    links: Links,
}

impl Families<'_, '_, '_> {
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
                    self.cuts.crossing.flip(member);
                }
                if self.cuts.steps() > best.0 {
                    best = (self.cuts.steps(), node);
                }
            }
            for &member in forest.subtree(head) {
                self.cuts.crossing.flip(member);
            }
        }
        self.cuts.offer(best.0, forest.subtree(best.1).iter().copied());
    }

    /// Considers, for at most `count` links, the nodes nearer to one end.
    fn half_spaces(&mut self, count: usize) {
        let (mut near, mut far) = ((None, Search::default()), Search::default());
        let mut nearer = FixedBitSet::with_capacity(self.topology.node_count());
        for &(u, v) in sample(&self.links.pairs(), count) {
            if self.cuts.is_done() {
                break;
            }
            if near.0.replace(u) != Some(u) {
                near.1.everywhere(&self.links, u);
            }
            far.everywhere(&self.links, v);
            nearer.clear();
            let distances = near.1.distance.iter().zip(&far.distance);
            nearer.extend(distances.enumerate().filter(|(_, (to_u, to_v))| to_u < to_v).map(|(node, _)| node));
            self.cuts.try_side(&nearer);
        }
        nearer.clear();
        self.cuts.crossing.become_set(&nearer);
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
            if self.cuts.is_done() {
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
            self.cuts.crossing.flip(node);
            if self.cuts.steps() > best.0 {
                best = (self.cuts.steps(), before + 1);
            }
        }
        self.cuts.offer(best.0, order[..best.1].iter().copied());
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
