//! Promising cuts, tried one by one.

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

/// The largest number of distances that are kept, of 8 bytes each.
const KEPT_DISTANCES: usize = 1 << 21;

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
    let searches = KeptSearches::new(best.topology);
    let mut families = CutFamilies { topology: best.topology, best, searches };
    families.subtrees();
    families.half_spaces(count);
    families.orders();
    families.balls(count, problem.collective().root());
}

struct CutFamilies<'c, 'a, 'p> {
    topology: &'a Topology,
    best: &'c mut BestCut<'a, 'p>,
    searches: KeptSearches,
}

/// The breadth-first searches of half-spaces and balls. The latter follow the former, so each search serves several times.
struct KeptSearches {
    links: Neighbours,
    /// The search from each node.
    from: Vec<Option<Bfs>>,
    kept: usize,
    /// The largest number of searches that are kept: at least 2.
    most: usize,
}

impl KeptSearches {
    fn new(topology: &Topology) -> Self {
        let nodes = topology.node_count();
        let from = std::iter::repeat_with(|| None).take(nodes).collect();
        Self { links: Neighbours::new(topology), from, kept: 0, most: (KEPT_DISTANCES / nodes.max(1)).max(2) }
    }

    /// Returns the searches from two nodes.
    fn both(&mut self, [u, v]: [NodeId; 2]) -> [&Bfs; 2] {
        self.keep(u, v);
        self.keep(v, u);
        [u, v].map(|node| self.from[node.index()].as_ref().expect("the searches from both nodes are kept"))
    }

    /// Searches from a node, if its search is not kept. Drops all searches but that of `other` if they are too many.
    fn keep(&mut self, node: NodeId, other: NodeId) {
        if self.from[node.index()].is_some() {
            return;
        }
        if self.kept == self.most {
            let other_search = self.from[other.index()].take();
            self.from.fill_with(|| None);
            self.kept = usize::from(other_search.is_some());
            self.from[other.index()] = other_search;
        }
        let mut bfs = Bfs::default();
        bfs.everywhere(&self.links, node);
        self.from[node.index()] = Some(bfs);
        self.kept += 1;
    }
}

impl CutFamilies<'_, '_, '_> {
    /// Tries all subtrees of a spanning forest. A subtree keeps the nodes of the subtree of its largest child, so each
    /// node moves `O(log N)` times.
    fn subtrees(&mut self) {
        let forest = Forest::spanning(&self.searches.links, self.topology.node_count());
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
                if let Some(steps) = self.best.present_steps_above(best.0) {
                    best = (steps, node);
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
        for &(u, v) in sample(&self.searches.links.pairs(), count) {
            if self.best.is_done() {
                break;
            }
            let [near, far] = self.searches.both([u, v]);
            self.best.cut.become_nodes(|node| near.distance[node] < far.distance[node]);
            self.best.try_present();
        }
        self.best.cut.become_nodes(|_| false);
    }

    /// Tries the first nodes by number, and by coordinates in either priority.
    fn orders(&mut self) {
        let mut order: Vec<NodeId> = self.topology.nodes().collect();
        sweep(self.best, &order);
        if let Some(positions) = self.topology.positions() {
            for first in [0, 1] {
                order.sort_by(|u, v| {
                    let (u, v) = (positions[u.index()], positions[v.index()]);
                    u[first].total_cmp(&v[first]).then(u[1 - first].total_cmp(&v[1 - first]))
                });
                sweep(self.best, &order);
            }
        }
    }

    /// Tries the nearest nodes around at most `count` nodes, and around the root if there is one.
    fn balls(&mut self, count: usize, root: Option<NodeId>) {
        let centres: Vec<NodeId> = self.topology.nodes().collect();
        for centre in sample(&centres, count).copied().chain(root) {
            if self.best.is_done() {
                break;
            }
            let [search, _] = self.searches.both([centre; 2]);
            sweep(self.best, &search.order);
        }
    }
}

/// Tries every prefix of an order of all nodes. The present set changes from empty to all nodes or back, so one of its
/// sides is always a prefix.
fn sweep(best: &mut BestCut<'_, '_>, order: &[NodeId]) {
    let (mut steps, mut len) = (best.steps(), 0);
    for (before, &node) in order.iter().enumerate() {
        best.cut.flip(node);
        if let Some(more) = best.present_steps_above(steps) {
            (steps, len) = (more, before + 1);
        }
    }
    best.offer(steps, order[..len].iter().copied());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of nodes, with room for two searches, for some, and for all.
    #[test]
    fn searches_are_the_same_whether_they_are_kept_or_not() {
        let network: Topology = "kautz:2,3".parse().unwrap();
        let links = Neighbours::new(&network);
        let distances = |node| {
            let mut bfs = Bfs::default();
            bfs.everywhere(&links, node);
            bfs.distance
        };
        for most in [2, 5, 100] {
            let mut searches = KeptSearches { most, ..KeptSearches::new(&network) };
            for u in network.nodes() {
                for v in network.nodes() {
                    let found = searches.both([u, v]).map(|search| search.distance.clone());
                    assert_eq!(found, [u, v].map(distances));
                    assert!(searches.kept <= most);
                    assert_eq!(searches.kept, searches.from.iter().flatten().count());
                }
            }
        }
    }
}
