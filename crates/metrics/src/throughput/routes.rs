//! The paths that traffic takes, and how much takes each.

use super::demands::Demands;
use super::links::{Links, exponential};
use super::trees::Tree;

/// No path, no hop.
pub(super) const NONE: u32 = u32::MAX;

/// The most hops that are kept; then traffic goes on over the paths there are. 24 bytes each.
const MAX_HOPS: usize = 1 << 23;

/// A path is to be shorter by this part to be a new one.
const NOTICEABLE: f64 = 1e-9;

/// The change of a class that both paths have, or none so far, when it is to be known from one that is untouched.
const EVEN: i32 = 1 << 30;

/// Steps go beyond the point where the two paths are equally long, which converges in fewer sweeps.
const OVERRELAXATION: f64 = 1.5;

/// The last hop of a path, and of what it has in common with others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// The hop before; `NONE` at the source.
    pub(super) before: u32,
    /// The class of the arc from there.
    class: u32,
    /// Where it leads.
    pub(super) node: u32,
    /// The next path of the same pair.
    next: u32,
    /// The traffic of the pair that ends its path here.
    rate: f64,
}

/// Paths of all pairs, those of a source in common as far as they were found together.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    /// A hop comes after the one before.
    hops: Vec<Hop>,
    /// By pair, its newest path.
    newest: Vec<u32>,
    /// By node, its hop in the tree that is being added.
    place: Vec<u32>,
    /// Nodes of a path that are yet without a hop.
    chain: Vec<u32>,
    /// By class, [`EVEN`] and how many hops more the one path has than the other; 0 between steps.
    change: Vec<i32>,
    /// The classes on either.
    changed: Vec<u32>,
    /// By hop, the rates of the best flow so far; none for hops that came later.
    best: Vec<f64>,
}

impl Routes {
    /// Forgets all paths.
    pub(super) fn clear(&mut self, nodes: usize, pairs: usize, classes: usize) {
        self.hops.clear();
        self.newest.clear();
        self.newest.resize(pairs, NONE);
        self.place.clear();
        self.place.resize(nodes, NONE);
        self.change.clear();
        self.change.resize(classes, 0);
    }

    /// Adds the paths of a tree that are shorter than all that a pair has. The first one gets all its traffic.
    pub(super) fn add(&mut self, demands: &Demands, number: usize, tree: &Tree, lengths: &[f64]) {
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

    /// The last hop of the path in the tree to a target.
    fn insert(&mut self, source: u32, target: u32, tree: &Tree) -> u32 {
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
        self.hops.push(Hop { before, class, node, next: NONE, rate: 0.0 });
    }

    /// The last hops of the paths of a pair.
    fn paths(&self, pair: usize) -> impl Iterator<Item = u32> + '_ {
        let known = |path: u32| (path != NONE).then_some(path);
        std::iter::successors(known(self.newest[pair]), move |&path| known(self.hops[path as usize].next))
    }

    /// The hops of a path, from its last to its first.
    pub(super) fn hops(&self, path: u32) -> impl Iterator<Item = &Hop> + '_ {
        std::iter::successors(Some(&self.hops[path as usize]), |hop| self.hops.get(hop.before as usize))
            .take_while(|hop| hop.before != NONE)
    }

    fn length(&self, path: u32, lengths: &[f64]) -> f64 {
        self.hops(path).map(|hop| lengths[hop.class as usize]).sum()
    }

    /// The shortest path of a pair, and its length.
    fn shortest(&self, pair: usize, lengths: &[f64]) -> Option<(u32, f64)> {
        self.paths(pair).map(|path| (path, self.length(path, lengths))).min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Keeps the present flow as the best.
    pub(super) fn keep_rates(&mut self) {
        self.best.clear();
        self.best.extend(self.hops.iter().map(|hop| hop.rate));
    }

    /// The paths of a pair that the best flow uses, with its rates.
    pub(super) fn best_rates(&self, pair: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let rate = |path| (path, self.best.get(path as usize).copied().unwrap_or(0.0));
        self.paths(pair).map(rate).filter(|&(_, rate)| rate > 0.0)
    }

    /// Sets loads to what the paths carry.
    pub(super) fn load(&self, links: &mut Links) {
        links.loads.fill(0.0);
        for last in (0..self.hops.len() as u32).filter(|&hop| self.hops[hop as usize].rate > 0.0) {
            for hop in self.hops(last) {
                links.loads[hop.class as usize] += self.hops[last as usize].rate;
            }
        }
    }

    /// Moves traffic of every pair from its longer paths to its shortest one, lengths keeping up with the loads.
    pub(super) fn balance(&mut self, links: &mut Links) {
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

    /// Moves traffic from one path of a pair to another until they are equally long, if the other is shorter.
    fn shift(&mut self, from: u32, to: u32, links: &mut Links) {
        let Links { capacities, loads, lengths, steepness } = links;
        self.count(from, -1);
        self.count(to, 1);
        // What the paths have in common does not change.
        let (mut longer, mut shorter, mut quickest) = (0.0, 0.0, 0.0);
        for &class in &self.changed {
            let change = f64::from(self.change[class as usize] - EVEN);
            let part = lengths[class as usize] * change.abs();
            *(if change < 0.0 { &mut longer } else { &mut shorter }) += part;
            quickest = f64::max(quickest, change.abs() / capacities[class as usize]);
        }
        let step = if shorter > 0.0 && longer > shorter {
            // Lengths grow and shrink by the exponential of the traffic that is moved, at most as quickly as this.
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

    /// Counts the hops of a path by class, each as so many.
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

    /// A hop by its number.
    pub(super) fn hop(&self, number: u32) -> &Hop {
        &self.hops[number as usize]
    }
}

/// About the natural logarithm of what is little more than 1; too little of greater numbers, and never more than 4.
fn logarithm(ratio: f64) -> f64 {
    let root = ratio.sqrt();
    if root.is_finite() { 4.0 * (root - 1.0) / (root + 1.0) } else { 4.0 }
}
