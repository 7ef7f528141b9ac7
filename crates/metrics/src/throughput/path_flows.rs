//! Paths of all pairs and the traffic on each path.

use super::class_loads::{ClassLoads, exponential};
use super::demand_pairs::DemandPairs;
use super::shortest_path_tree::ShortestPathTree;

/// Marks the absence of a path or hop.
pub(super) const NONE: u32 = u32::MAX;

/// Largest number of hops, 24 bytes each. Beyond, no new paths are added.
const MAX_HOPS: usize = 1 << 23;

/// Relative improvement that a new path needs.
const NOTICEABLE: f64 = 1e-9;

/// Offset of the entries of `change`, which distinguishes a changed class with difference 0 from an unchanged one.
const EVEN: i32 = 1 << 30;

/// Factor by which steps exceed the point of equal lengths, for faster convergence.
const OVERRELAXATION: f64 = 1.5;

/// A hop of a tree of paths; also the end of a path if it has traffic.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathHop {
    /// The previous hop; `NONE` at the source.
    pub(super) before: u32,
    /// Class of the arc from the previous hop.
    class: u32,
    /// The head of the arc.
    pub(super) node: u32,
    /// The next path of the same pair.
    next: u32,
    /// Traffic of the path that ends here.
    rate: f64,
}

/// The paths of all pairs. Paths that were found together share their common prefix.
#[derive(Clone, Debug, Default)]
pub(super) struct PathFlows {
    /// Hops, each after its previous hop.
    hops: Vec<PathHop>,
    /// Newest path of each pair.
    newest: Vec<u32>,
    /// Hop of each node in the tree that is being added.
    place: Vec<u32>,
    /// Nodes of a path that have no hop yet.
    chain: Vec<u32>,
    /// [`EVEN`] plus the difference of the numbers of hops of two paths, by class; 0 between steps.
    change: Vec<i32>,
    /// Classes on either path.
    changed: Vec<u32>,
    /// Rates of the best flow so far, by hop. Later hops have no entry.
    best: Vec<f64>,
}

impl PathFlows {
    /// Removes all paths.
    pub(super) fn clear(&mut self, nodes: usize, pairs: usize, classes: usize) {
        self.hops.clear();
        self.newest.clear();
        self.newest.resize(pairs, NONE);
        self.place.clear();
        self.place.resize(nodes, NONE);
        self.change.clear();
        self.change.resize(classes, 0);
    }

    /// Adds the paths of a tree that are shorter than all known paths of their pairs. The first path of a pair gets all
    /// its traffic.
    pub(super) fn add(&mut self, demands: &DemandPairs, number: usize, tree: &ShortestPathTree, lengths: &[f64]) {
        let source = demands.source(number);
        let rate = demands.rate(number);
        self.place.fill(NONE);
        for (pair, &target) in demands.pairs(number).zip(demands.targets(number)) {
            if target == source {
                continue;
            }
            let shortest = self.shortest(pair, lengths).map_or(f64::INFINITY, |(_, length)| length);
            if tree.distance[target as usize] >= shortest * (1.0 - NOTICEABLE) {
                continue;
            }
            let is_first = self.newest[pair] == NONE;
            if self.hops.len() >= MAX_HOPS && !is_first {
                continue;
            }
            let last = self.insert(source, target, tree);
            self.hops[last as usize].next = self.newest[pair];
            self.newest[pair] = last;
            if is_first {
                self.hops[last as usize].rate = rate;
            }
        }
    }

    /// Inserts the path of the tree to a target, and returns its last hop.
    fn insert(&mut self, source: u32, target: u32, tree: &ShortestPathTree) -> u32 {
        let mut node = target;
        while node != source && self.place[node as usize] == NONE {
            self.chain.push(node);
            node = tree.before[node as usize];
        }
        if self.place[node as usize] == NONE {
            self.push(NONE, NONE, source);
        }
        let mut last = self.place[node as usize];
        while let Some(node) = self.chain.pop() {
            self.push(last, tree.class[node as usize], node);
            last = self.place[node as usize];
        }
        last
    }

    fn push(&mut self, before: u32, class: u32, node: u32) {
        self.place[node as usize] = self.hops.len() as u32;
        self.hops.push(PathHop { before, class, node, next: NONE, rate: 0.0 });
    }

    /// Returns the last hops of the paths of a pair.
    fn paths(&self, pair: usize) -> impl Iterator<Item = u32> + '_ {
        let known = |path: u32| (path != NONE).then_some(path);
        std::iter::successors(known(self.newest[pair]), move |&path| known(self.hops[path as usize].next))
    }

    /// Returns the hops of a path, last hop first.
    pub(super) fn hops(&self, path: u32) -> impl Iterator<Item = &PathHop> + '_ {
        std::iter::successors(Some(&self.hops[path as usize]), |hop| self.hops.get(hop.before as usize))
            .take_while(|hop| hop.before != NONE)
    }

    fn length(&self, path: u32, lengths: &[f64]) -> f64 {
        self.hops(path).map(|hop| lengths[hop.class as usize]).sum()
    }

    /// Returns the shortest path of a pair and its length.
    fn shortest(&self, pair: usize, lengths: &[f64]) -> Option<(u32, f64)> {
        self.paths(pair).map(|path| (path, self.length(path, lengths))).min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Saves the current flow as the best one.
    pub(super) fn keep_rates(&mut self) {
        self.best.clear();
        self.best.extend(self.hops.iter().map(|hop| hop.rate));
    }

    /// Returns the paths of a pair with positive rates in the best flow.
    pub(super) fn best_rates(&self, pair: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let rate = |path| (path, self.best.get(path as usize).copied().unwrap_or(0.0));
        self.paths(pair).map(rate).filter(|&(_, rate)| rate > 0.0)
    }

    /// Recomputes the loads from the traffic of all paths.
    pub(super) fn load(&self, links: &mut ClassLoads) {
        links.loads.fill(0.0);
        for last in (0..self.hops.len() as u32).filter(|&hop| self.hops[hop as usize].rate > 0.0) {
            for hop in self.hops(last) {
                links.loads[hop.class as usize] += self.hops[last as usize].rate;
            }
        }
    }

    /// Moves traffic of each pair from longer paths to the shortest one, and updates lengths.
    pub(super) fn balance(&mut self, links: &mut ClassLoads) {
        for pair in 0..self.newest.len() {
            let Some(newest) = self.hops.get(self.newest[pair] as usize) else { continue };
            if newest.next == NONE {
                continue;
            }
            let Some((shortest, _)) = self.shortest(pair, &links.lengths) else { continue };
            let mut path = self.newest[pair];
            while path != NONE {
                if path != shortest && self.hops[path as usize].rate > 0.0 {
                    self.shift(path, shortest, links);
                }
                path = self.hops[path as usize].next;
            }
        }
    }

    /// Moves traffic from one path of a pair to a shorter one, until their lengths are about equal.
    fn shift(&mut self, from: u32, to: u32, links: &mut ClassLoads) {
        let ClassLoads { capacities, loads, lengths, steepness } = links;
        self.count(from, -1);
        self.count(to, 1);
        // Common hops do not change.
        let (mut longer, mut shorter, mut quickest) = (0.0, 0.0, 0.0);
        for &class in &self.changed {
            let change = f64::from(self.change[class as usize] - EVEN);
            let part = lengths[class as usize] * change.abs();
            *(if change < 0.0 { &mut longer } else { &mut shorter }) += part;
            quickest = f64::max(quickest, change.abs() / capacities[class as usize]);
        }
        let step = if shorter > 0.0 && longer > shorter {
            // Lengths change exponentially with the moved traffic, at most at this rate.
            let even = logarithm(longer / shorter) / (2.0 * *steepness * quickest);
            (OVERRELAXATION * even).min(self.hops[from as usize].rate)
        } else if longer > shorter {
            self.hops[from as usize].rate
        } else {
            0.0
        };
        for class in self.changed.drain(..) {
            let change = std::mem::take(&mut self.change[class as usize]) - EVEN;
            if step > 0.0 && change != 0 {
                let more = step * f64::from(change);
                loads[class as usize] += more;
                lengths[class as usize] *= exponential(*steepness * more / capacities[class as usize]);
            }
        }
        self.hops[from as usize].rate -= step;
        self.hops[to as usize].rate += step;
    }

    /// Adds `each` to the entry of each hop's class.
    fn count(&mut self, path: u32, each: i32) {
        let mut hop = self.hops[path as usize];
        while hop.before != NONE {
            let change = &mut self.change[hop.class as usize];
            if *change == 0 {
                *change = EVEN;
                self.changed.push(hop.class);
            }
            *change += each;
            hop = self.hops[hop.before as usize];
        }
    }

    /// Returns a hop by its index.
    pub(super) fn hop(&self, number: u32) -> &PathHop {
        &self.hops[number as usize]
    }
}

/// Approximates the natural logarithm near 1. The result is too small for large ratios, and at most 4.
fn logarithm(ratio: f64) -> f64 {
    let root = ratio.sqrt();
    if root.is_finite() { 4.0 * (root - 1.0) / (root + 1.0) } else { 4.0 }
}
