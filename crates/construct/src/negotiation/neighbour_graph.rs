//! The routes of a table by their ends.

use lockstep_model::Routes;

/// The routes by their ends.
pub(crate) struct NeighbourGraph {
    /// The start of each terminal's routes in `routes`, by the end at which the tree has arrived.
    start: Vec<u32>,
    routes: Vec<u32>,
    /// Which end of a route is nearer to the root: 0 the sender, 1 the receiver.
    near: usize,
}

impl NeighbourGraph {
    /// Returns the routes that lead away from the root of a tree, or towards it.
    pub(crate) fn new(routes: &Routes, terminals: usize, towards_root: bool) -> Self {
        let near = usize::from(towards_root);
        let mut start = vec![0; terminals + 1];
        let all = 0..routes.len() as u32;
        all.clone().for_each(|route| start[routes.ends(route)[near] as usize + 1] += 1);
        for terminal in 0..terminals {
            start[terminal + 1] += start[terminal];
        }
        let (mut next, mut sorted) = (start.clone(), vec![0; routes.len()]);
        for route in all {
            let place = &mut next[routes.ends(route)[near] as usize];
            sorted[*place as usize] = route;
            *place += 1;
        }
        Self { start, routes: sorted, near }
    }

    pub(crate) fn terminal_count(&self) -> usize {
        self.start.len() - 1
    }

    /// Returns true if the routes lead towards the root.
    #[inline]
    pub(crate) fn is_towards_root(&self) -> bool {
        self.near == 1
    }

    /// Returns the end of a route that is nearer to the root, and the other end.
    #[inline]
    pub(crate) fn near_and_far(&self, routes: &Routes, route: u32) -> [u32; 2] {
        let ends = routes.ends(route);
        [ends[self.near], ends[1 - self.near]]
    }

    #[inline]
    pub(crate) fn routes_at(&self, terminal: u32) -> &[u32] {
        &self.routes[self.start[terminal as usize] as usize..self.start[terminal as usize + 1] as usize]
    }

    /// Returns the number of transfers between each terminal and `root`; `u32::MAX` if there is no path.
    pub(crate) fn distances(&self, routes: &Routes, root: u32) -> Vec<u32> {
        let (mut distance, mut queue, mut next) = (vec![u32::MAX; self.start.len() - 1], vec![root], 0);
        distance[root as usize] = 0;
        while let Some(&terminal) = queue.get(next) {
            next += 1;
            for &route in self.routes_at(terminal) {
                let [_, far] = self.near_and_far(routes, route);
                if distance[far as usize] == u32::MAX {
                    distance[far as usize] = distance[terminal as usize] + 1;
                    queue.push(far);
                }
            }
        }
        distance
    }
}
