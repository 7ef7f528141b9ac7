//! The conflicts that are certain for given paths, per resource.

use super::prediction::{Prediction, Predictor};
use super::window::Window;
use crate::space::SearchSpace;
use crate::state::SparseSet;

/// The users of every resource and the number of conflicts predicted there, kept up to date under changes.
///
/// Memory: 4 bytes per delivery and resource of its path, and about 40 bytes per resource.
#[derive(Debug)]
pub(super) struct PredictedConflicts {
    /// The deliveries that use each resource.
    users: Vec<Vec<u32>>,
    /// Predicted conflicts of each resource.
    predicted: Vec<u32>,
    /// Sum of `predicted`.
    total: u64,
    /// The resources with predicted conflicts.
    crowded: SparseSet,
    /// The resources whose users or windows have changed since the last update.
    stale: SparseSet,
    predictor: Predictor,
    /// Scratch space.
    windows: Vec<Window>,
}

impl PredictedConflicts {
    /// Creates the tables of a space, without a user.
    pub(super) fn new(space: &SearchSpace<'_>, prediction: Prediction) -> Self {
        let resources = space.resource_count();
        Self {
            users: vec![Vec::new(); resources],
            predicted: vec![0; resources],
            total: 0,
            crowded: SparseSet::new(resources),
            stale: SparseSet::new(resources),
            predictor: Predictor::new(prediction, space.step_count()),
            windows: Vec::new(),
        }
    }

    /// Removes all users. The order of every table is as in a new one.
    pub(super) fn clear(&mut self) {
        self.users.iter_mut().for_each(Vec::clear);
        self.predicted.fill(0);
        self.total = 0;
        self.crowded.clear();
    }

    /// Returns the sum of the predicted conflicts, as of the last [`update`](Self::update).
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the resources with predicted conflicts.
    pub(super) fn crowded(&self) -> &[u32] {
        self.crowded.members()
    }

    /// Returns the deliveries that use a resource.
    pub(super) fn users(&self, resource: u32) -> &[u32] {
        &self.users[resource as usize]
    }

    /// Adds a delivery to the users of the resources of a path.
    pub(super) fn add(&mut self, space: &SearchSpace<'_>, delivery: usize, path: u32) {
        for &resource in space.resources(path) {
            self.users[resource as usize].push(delivery as u32);
        }
        self.mark(space, path);
    }

    /// Removes a delivery from the users of the resources of a path.
    pub(super) fn remove(&mut self, space: &SearchSpace<'_>, delivery: usize, path: u32) {
        for &resource in space.resources(path) {
            let users = &mut self.users[resource as usize];
            let place = users.iter().position(|&user| user == delivery as u32);
            users.swap_remove(place.expect("a delivery uses the resources of its path"));
        }
        self.mark(space, path);
    }

    /// Notes that the users of a path's resources, or their windows, have changed.
    pub(super) fn mark(&mut self, space: &SearchSpace<'_>, path: u32) {
        for &resource in space.resources(path) {
            self.stale.insert(resource);
        }
    }

    /// Predicts the conflicts of all resources that have changed. `window` returns the window of a delivery.
    pub(super) fn update(&mut self, space: &SearchSpace<'_>, window: impl Fn(usize) -> Window) {
        while let Some(resource) = self.stale.pop() {
            let place = resource as usize;
            self.windows.clear();
            self.windows.extend(self.users[place].iter().map(|&user| window(user as usize)));
            let predicted = self.predictor.conflicts(&mut self.windows, space.capacity(place));
            let before = std::mem::replace(&mut self.predicted[place], predicted);
            self.total = self.total - u64::from(before) + u64::from(predicted);
            match (before > 0, predicted > 0) {
                (false, true) => self.crowded.insert(resource),
                (true, false) => self.crowded.remove(resource),
                _ => {}
            }
        }
    }

    /// Everything that follows from the paths, in ascending order.
    #[cfg(test)]
    pub(super) fn contents(&self) -> (Vec<Vec<u32>>, Vec<u32>, Vec<u32>, u64) {
        let mut users = self.users.clone();
        for users in &mut users {
            users.sort_unstable();
        }
        let mut crowded = self.crowded.members().to_vec();
        crowded.sort_unstable();
        (users, self.predicted.clone(), crowded, self.total)
    }
}
