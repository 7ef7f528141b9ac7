//! Trees through time: every transfer of a tree has a step.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::Rng;

use super::groups::Group;
use super::neighbour_graph::NeighbourGraph;
use super::price_table::{PriceTable, StepChoice};
use lockstep_model::Routes;

/// The transfer between a terminal and the next terminal on the way to the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    /// `u32::MAX` if there is no transfer.
    pub(crate) route: u32,
    pub(crate) step: u32,
}

impl Link {
    /// No transfer: the terminal is the root, or not in the tree.
    pub(crate) const NONE: Self = Self { route: u32::MAX, step: 0 };

    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self.route != Self::NONE.route
    }
}

/// The tree to grow.
#[derive(Clone, Copy)]
pub(crate) struct TreeRequest<'a> {
    /// Routes that lead towards a root, and away from it.
    pub(crate) graphs: &'a [NeighbourGraph; 2],
    /// The place of the graph of this tree in `graphs`.
    pub(crate) direction: usize,
    pub(crate) group: &'a Group,
    pub(crate) root: u32,
    /// A tree towards the root uses steps before this one, and a tree away from the root uses steps from this one on.
    pub(crate) time: u32,
    /// The cost of each step between `time` and a transfer.
    pub(crate) step_cost: u32,
}

impl<'a> TreeRequest<'a> {
    fn graph(self) -> &'a NeighbourGraph {
        &self.graphs[self.direction]
    }

    /// Returns true if the terminal may become a part of the tree.
    fn may_add(self, links: &[Link], terminal: u32) -> bool {
        let is_allowed = !self.group.is_direct || self.group.is_member[terminal as usize];
        terminal != self.root && !links[terminal as usize].is_some() && is_allowed
    }

    /// Returns the first step for transfers from this terminal, or the first step after transfers to it in a tree towards the
    /// root; `None` if it is not in the tree.
    fn time_at(self, links: &[Link], terminal: u32) -> Option<u32> {
        if terminal == self.root {
            return Some(self.time);
        }
        let link = links[terminal as usize];
        link.is_some().then(|| if self.graph().is_towards_root() { link.step } else { link.step + 1 })
    }
}

/// A transfer by which a tree may grow: its cost, a random number, its route and its step.
type Candidate = (u32, u32, u32, u32);

/// Grows trees from their roots, by the cheapest transfer each time. The cost of a transfer is its price, and more the
/// farther in time it is from the root.
pub(crate) struct TreeGrower<'a> {
    routes: &'a Routes,
    candidates: BinaryHeap<Reverse<Candidate>>,
    /// By terminal: the cost and the random number of its cheapest candidate.
    cheapest: Vec<(u32, u32)>,
    /// The new terminals of the tree, the nearest to the root first.
    order: Vec<u32>,
    /// Number of routes whose prices were added so far.
    pub(crate) considered: u64,
    /// Number of routes that were too expensive at the lowest prices.
    pub(crate) skipped: u64,
}

impl<'a> TreeGrower<'a> {
    pub(crate) fn new(routes: &'a Routes) -> Self {
        let (candidates, cheapest, order) = (BinaryHeap::new(), Vec::new(), Vec::new());
        Self { routes, candidates, cheapest, order, considered: 0, skipped: 0 }
    }

    /// Adds all missing members to the tree in `links`, which has one place per terminal. `None` if the steps do not
    /// suffice; the tree is then incomplete.
    pub(crate) fn grow(
        &mut self,
        mut request: TreeRequest<'_>,
        table: &PriceTable<'_>,
        links: &mut [Link],
        rng: &mut impl Rng,
    ) -> Option<()> {
        request.step_cost = request.step_cost.min(table.highest_step_cost());
        let TreeRequest { root, group, .. } = request;
        self.candidates.clear();
        self.order.clear();
        self.cheapest.clear();
        self.cheapest.resize(links.len(), (u32::MAX, u32::MAX));
        self.offer_first(request, table, links, rng);
        let is_missing = |&&member: &&u32| member != root && !links[member as usize].is_some();
        let mut missing = group.members.iter().filter(is_missing).count();
        while missing > 0 {
            let Reverse((_, _, route, step)) = self.candidates.pop()?;
            let [_, far] = request.graph().near_and_far(self.routes, route);
            if links[far as usize].is_some() {
                continue;
            }
            links[far as usize] = Link { route, step };
            self.order.push(far);
            missing -= usize::from(group.is_member[far as usize]);
            if missing > 0 {
                self.offer_from(request, table, links, far, rng);
            }
        }
        self.prune(request, links);
        Some(())
    }

    /// Offers the routes between the terminals of the tree and others, from the side with fewer terminals.
    fn offer_first(&mut self, request: TreeRequest<'_>, table: &PriceTable<'_>, links: &[Link], rng: &mut impl Rng) {
        let terminals = 0..links.len() as u32;
        let in_tree = 1 + links.iter().filter(|link| link.is_some()).count();
        if 2 * in_tree <= links.len() {
            for near in terminals {
                self.offer_from(request, table, links, near, rng);
            }
            return;
        }
        // Seen from the other end, the same routes lead the other way.
        let reverse = &request.graphs[1 - request.direction];
        for far in terminals.filter(|&far| request.may_add(links, far)) {
            for &route in reverse.routes_at(far) {
                let [_, near] = reverse.near_and_far(self.routes, route);
                if let Some(time) = request.time_at(links, near) {
                    self.offer(request, table, (route, far), time, rng);
                }
            }
        }
    }

    /// Offers the routes from a terminal to others, if it is in the tree.
    fn offer_from(
        &mut self,
        request: TreeRequest<'_>,
        table: &PriceTable<'_>,
        links: &[Link],
        near: u32,
        rng: &mut impl Rng,
    ) {
        let Some(time) = request.time_at(links, near) else { return };
        for &route in request.graph().routes_at(near) {
            let [_, far] = request.graph().near_and_far(self.routes, route);
            if request.may_add(links, far) {
                self.offer(request, table, (route, far), time, rng);
            }
        }
    }

    /// Offers the cheapest step of a route between the tree and the terminal `far`, if no candidate for `far` is cheaper. The
    /// step is before `time` in a tree towards the root, otherwise `time` or later.
    fn offer(
        &mut self,
        request: TreeRequest<'_>,
        table: &PriceTable<'_>,
        (route, far): (u32, u32),
        time: u32,
        rng: &mut impl Rng,
    ) {
        let TreeRequest { time: root_time, step_cost, .. } = request;
        let is_towards_root = request.graph().is_towards_root();
        let (slots, least) = (self.routes.slots(route), &mut self.cheapest[far as usize]);
        // Every slot costs at least 1.
        let lowest = slots.len() as u32 + step_cost * (time.abs_diff(root_time) + u32::from(is_towards_root));
        if lowest > least.0 {
            self.skipped += 1;
            return;
        }
        self.considered += 1;
        let choice = StepChoice { time, is_towards_root, root_time, step_cost, limit: least.0 };
        let Some((cost, step)) = table.cheapest(slots, choice) else { return };
        let candidate = (cost, rng.next_u32());
        if candidate < *least {
            *least = candidate;
            self.candidates.push(Reverse((cost, candidate.1, route, step)));
        }
    }

    /// Removes new terminals that neither take part nor pass anything on.
    fn prune(&self, request: TreeRequest<'_>, links: &mut [Link]) {
        if request.group.members.len() == links.len() {
            return;
        }
        let mut is_needed = request.group.is_member.clone();
        for &far in self.order.iter().rev() {
            let link = &mut links[far as usize];
            if is_needed[far as usize] {
                let [near, _] = request.graph().near_and_far(self.routes, link.route);
                is_needed[near as usize] = true;
            } else {
                *link = Link::NONE;
            }
        }
    }
}
