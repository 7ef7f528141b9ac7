//! Trees through time: every transfer of a tree has a step.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::Rng;

use super::groups::Group;
use super::neighbour_graph::NeighbourGraph;
use super::price_table::{PriceTable, StepChoice};
use super::route_table::RouteTable;

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
    pub(crate) graph: &'a NeighbourGraph,
    pub(crate) group: &'a Group,
    pub(crate) root: u32,
    /// A tree towards the root uses steps before this one, and a tree away from the root uses steps from this one on.
    pub(crate) time: u32,
    /// The cost of each step between `time` and a transfer.
    pub(crate) step_cost: u32,
}

/// A transfer by which a tree may grow: its cost, a random number, its route and its step.
type Candidate = (u32, u32, u32, u32);

/// Grows trees from their roots, by the cheapest transfer each time. The cost of a transfer is its price, and more the
/// farther in time it is from the root.
pub(crate) struct TreeGrower<'a> {
    routes: &'a RouteTable,
    candidates: BinaryHeap<Reverse<Candidate>>,
    /// The new terminals of the tree, the nearest to the root first.
    order: Vec<u32>,
    /// Number of routes considered so far.
    pub(crate) considered: u64,
}

impl<'a> TreeGrower<'a> {
    pub(crate) fn new(routes: &'a RouteTable) -> Self {
        Self { routes, candidates: BinaryHeap::new(), order: Vec::new(), considered: 0 }
    }

    /// Adds all missing members to the tree in `links`, which has one place per terminal. `None` if the steps do not
    /// suffice; the tree is then incomplete.
    pub(crate) fn grow(
        &mut self,
        request: TreeRequest<'_>,
        table: &PriceTable<'_>,
        links: &mut [Link],
        rng: &mut impl Rng,
    ) -> Option<()> {
        let TreeRequest { graph, group, root, time, .. } = request;
        self.candidates.clear();
        self.order.clear();
        let next = |step: u32| if graph.is_towards_root() { step } else { step + 1 };
        self.offer(request, table, links, (root, time), rng);
        for terminal in 0..links.len() as u32 {
            let link = links[terminal as usize];
            if link.is_some() {
                self.offer(request, table, links, (terminal, next(link.step)), rng);
            }
        }
        let is_missing = |&&member: &&u32| member != root && !links[member as usize].is_some();
        let mut missing = group.members.iter().filter(is_missing).count();
        while missing > 0 {
            let Reverse((_, _, route, step)) = self.candidates.pop()?;
            let [_, far] = graph.near_and_far(self.routes, route);
            if links[far as usize].is_some() {
                continue;
            }
            links[far as usize] = Link { route, step };
            self.order.push(far);
            missing -= usize::from(group.is_member[far as usize]);
            self.offer(request, table, links, (far, next(step)), rng);
        }
        self.prune(request, links);
        Some(())
    }

    /// Offers the cheapest step of every route from a terminal of the tree to others: before the step `time` in a tree
    /// towards the root, otherwise from it on.
    fn offer(
        &mut self,
        request: TreeRequest<'_>,
        table: &PriceTable<'_>,
        links: &[Link],
        (terminal, time): (u32, u32),
        rng: &mut impl Rng,
    ) {
        let TreeRequest { graph, time: root_time, step_cost, .. } = request;
        let choice = StepChoice { time, is_towards_root: graph.is_towards_root(), root_time, step_cost };
        for &route in graph.routes_at(terminal) {
            let [_, far] = graph.near_and_far(self.routes, route);
            let is_allowed = !request.group.is_direct || request.group.is_member[far as usize];
            if far == request.root || links[far as usize].is_some() || !is_allowed {
                continue;
            }
            self.considered += 1;
            let slots = self.routes.slots(route);
            if let Some((cost, step)) = table.cheapest(slots, choice) {
                self.candidates.push(Reverse((cost, rng.next_u32(), route, step)));
            }
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
                let [near, _] = request.graph.near_and_far(self.routes, link.route);
                is_needed[near as usize] = true;
            } else {
                *link = Link::NONE;
            }
        }
    }
}
