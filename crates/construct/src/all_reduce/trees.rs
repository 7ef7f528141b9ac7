//! Roots and trees of blocks, chosen so that no resource has more transfers than needed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_model::{Routes, SlotId, Slots};
use lockstep_schedule::Budget;
use rand::{Rng, RngExt};

use super::parts::TWO_ROOTS;
use crate::negotiation::neighbour_graph::NeighbourGraph;

/// The roots of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RootChoice {
    /// The centres of the network in turn.
    Centres,
    /// All members in turn.
    Members,
}

/// How an attempt chooses roots and trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttemptChoice {
    pub(super) roots: RootChoice,
    /// Whether the trees of a block have two neighbours as roots, which exchange their sums, if there are such roots.
    pub(super) is_exchange: bool,
    /// Whether the blocks follow each other, or the transfers with the most transfers after them come first.
    pub(super) is_by_block: bool,
    /// The cost of one more transfer on the way from or to the root, in uses of a busy resource.
    pub(super) depth_cost: u32,
}

impl AttemptChoice {
    /// Returns the choice of an attempt: the first ones are the most promising ones, later ones are random.
    pub(super) fn of_attempt(attempt: u32, rng: &mut impl Rng) -> Self {
        match attempt {
            0 => Self { roots: RootChoice::Centres, is_exchange: false, is_by_block: true, depth_cost: 64 },
            1 => Self { roots: RootChoice::Centres, is_exchange: true, is_by_block: false, depth_cost: 1 << 12 },
            2 => Self { roots: RootChoice::Members, is_exchange: false, is_by_block: false, depth_cost: 1 },
            3 => Self { roots: RootChoice::Centres, is_exchange: false, is_by_block: true, depth_cost: 1 },
            4 => Self { roots: RootChoice::Centres, is_exchange: false, is_by_block: false, depth_cost: 4 },
            _ => Self {
                roots: if rng.random() { RootChoice::Centres } else { RootChoice::Members },
                is_exchange: rng.random(),
                is_by_block: rng.random(),
                depth_cost: 1 << rng.random_range(0..5),
            },
        }
    }

    /// Returns the same choice without what a budget [leaves out](Budget::without).
    pub(super) fn without_left_out(self, budget: &Budget) -> Self {
        Self { is_exchange: self.is_exchange && budget.uses(TWO_ROOTS), ..self }
    }
}

/// The routes of a block to its roots and from its roots, each in the order of growth from the roots.
#[derive(Clone, Default)]
pub(super) struct BlockTrees {
    /// The routes by which two roots send each other their sums in the same step. Otherwise, there is one root.
    pub(super) exchange: Option<[u32; 2]>,
    pub(super) in_tree: Vec<u32>,
    pub(super) out_tree: Vec<u32>,
}

/// A route that a tree may grow along: its cost, a random number, and the route.
type Candidate = (Cost, u32, u32);

/// The uses of the busiest slot of a route and its depth, then the uses of all its slots together.
type Cost = (u64, u64);

/// Grows trees one after the other, and counts the uses of every resource and port.
pub(super) struct TreeGrowth<'a> {
    routes: &'a Routes,
    slots: &'a Slots,
    /// Number of uses of each slot by all trees so far.
    load: Vec<u32>,
    /// The depth of each terminal in the current tree.
    depth: Vec<u32>,
    candidates: BinaryHeap<Reverse<Candidate>>,
}

impl<'a> TreeGrowth<'a> {
    pub(super) fn new(routes: &'a Routes, slots: &'a Slots, terminals: usize) -> Self {
        Self {
            routes,
            slots,
            load: vec![0; slots.len()],
            depth: vec![u32::MAX; terminals],
            candidates: BinaryHeap::new(),
        }
    }

    /// Returns the cost of adding a route to the tree.
    fn cost(&self, route: u32, depth: u32, choice: AttemptChoice) -> Cost {
        let uses = |&slot: &SlotId| u64::from(16 * (self.load[slot as usize] + 1) / self.slots.capacity(slot));
        let uses = self.routes.slots(route).iter().map(uses);
        let (busiest, sum) = uses.fold((0, 0), |(most, sum), uses| (uses.max(most), sum + uses));
        (busiest + u64::from(16 * choice.depth_cost * depth), sum)
    }

    /// Counts the uses of one more route.
    pub(super) fn add(&mut self, route: u32) {
        self.routes.slots(route).iter().for_each(|&slot| self.load[slot as usize] += 1);
    }

    /// Takes back one use of a route.
    fn remove(&mut self, route: u32) {
        self.routes.slots(route).iter().for_each(|&slot| self.load[slot as usize] -= 1);
    }

    /// Returns the routes of trees that contain all members, in the order of their growth from the roots: the cheapest route
    /// comes next. `None` if some member cannot be reached.
    pub(super) fn grow(
        &mut self,
        graph: &NeighbourGraph,
        roots: &[u32],
        is_member: &[bool],
        choice: AttemptChoice,
        rng: &mut impl Rng,
    ) -> Option<Vec<u32>> {
        let mut tree = Vec::new();
        self.depth.fill(u32::MAX);
        self.candidates.clear();
        let mut left = is_member.iter().filter(|&&is_member| is_member).count();
        for &root in roots {
            self.depth[root as usize] = 0;
            left -= usize::from(is_member[root as usize]);
        }
        for &root in roots {
            self.offer(graph, root, choice, rng);
        }
        while left > 0 {
            let Reverse((cost, noise, route)) = self.candidates.pop()?;
            let [near, far] = graph.near_and_far(self.routes, route);
            if self.depth[far as usize] != u32::MAX {
                continue;
            }
            let depth = self.depth[near as usize] + 1;
            let actual = self.cost(route, depth, choice);
            if actual > cost {
                self.candidates.push(Reverse((actual, noise, route)));
                continue;
            }
            self.depth[far as usize] = depth;
            self.add(route);
            tree.push(route);
            left -= usize::from(is_member[far as usize]);
            self.offer(graph, far, choice, rng);
        }
        Some(self.pruned(graph, is_member, &tree))
    }

    fn offer(&mut self, graph: &NeighbourGraph, terminal: u32, choice: AttemptChoice, rng: &mut impl Rng) {
        let depth = self.depth[terminal as usize] + 1;
        for &route in graph.routes_at(terminal) {
            if self.depth[graph.near_and_far(self.routes, route)[1] as usize] == u32::MAX {
                let cost = self.cost(route, depth, choice);
                self.candidates.push(Reverse((cost, rng.random(), route)));
            }
        }
    }

    /// Returns the tree without terminals that neither take part nor pass anything on.
    fn pruned(&mut self, graph: &NeighbourGraph, is_member: &[bool], tree: &[u32]) -> Vec<u32> {
        let mut is_needed = is_member.to_vec();
        let mut kept: Vec<u32> = Vec::with_capacity(tree.len());
        for &route in tree.iter().rev() {
            let [near, far] = graph.near_and_far(self.routes, route);
            if is_needed[far as usize] {
                is_needed[near as usize] = true;
                kept.push(route);
            } else {
                self.remove(route);
            }
        }
        kept.reverse();
        kept
    }
}
