//! The first subproblem: paths without predicted conflicts.

use rand::{Rng, RngExt};

use super::message_trees::MessageTrees;
use super::predicted_conflicts::PredictedConflicts;
use super::prediction::Prediction;
use crate::local_search::{PathChoices, accepts};
use crate::space::SearchSpace;

/// The deliveries at which moves begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveOrigin {
    /// Any delivery.
    Anywhere,
    /// Deliveries that take part in predicted conflicts.
    Conflicts,
}

/// The paths of all deliveries, with the conflicts that they predict: the published first subproblem.
///
/// A move takes time proportional to the users of the channels whose windows change: the two channels of the delivery,
/// and those before and behind it whose `L` or `O` changes.
#[derive(Debug)]
pub(super) struct PathAnnealing<'a> {
    trees: MessageTrees<'a>,
    conflicts: PredictedConflicts,
}

/// The current path of each delivery is its only choice.
impl PathChoices for PathAnnealing<'_> {
    fn of(&self, delivery: usize) -> &[u32] {
        std::slice::from_ref(&self.trees.paths()[delivery])
    }
}

impl<'a> PathAnnealing<'a> {
    /// Creates the tables for a broadcast under store-and-forward switching; [`load`](Self::load) sets the paths.
    pub(super) fn new(space: &'a SearchSpace<'a>, prediction: Prediction) -> Self {
        Self { trees: MessageTrees::new(space), conflicts: PredictedConflicts::new(space, prediction) }
    }

    /// Replaces the paths, one per delivery. They must make trees no deeper than the number of steps.
    pub(super) fn load(&mut self, paths: impl Iterator<Item = u32>) {
        let Self { trees, conflicts } = self;
        trees.load(paths);
        conflicts.clear();
        for (delivery, &path) in trees.paths().iter().enumerate() {
            conflicts.add(trees.space(), delivery, path);
        }
        conflicts.update(trees.space(), |delivery| trees.window(delivery));
    }

    /// Returns the trees of all messages.
    pub(super) fn trees(&self) -> &MessageTrees<'a> {
        &self.trees
    }

    /// Returns the number of conflicts that any steps will have on these paths.
    pub(super) fn predicted(&self) -> u64 {
        self.conflicts.total()
    }

    /// Moves deliveries to other channels until no conflict is predicted or `moves` are tried; returns the number of
    /// moves tried. Moves that add conflicts are kept by Metropolis's rule with these odds.
    pub(super) fn anneal(
        &mut self,
        choices: &impl PathChoices,
        origin: MoveOrigin,
        moves: u64,
        uphill_odds: u32,
        rng: &mut impl Rng,
    ) -> u64 {
        for tried in 0..moves {
            if self.predicted() == 0 {
                return tried;
            }
            let delivery = match origin {
                MoveOrigin::Anywhere => rng.random_range(0..self.trees.paths().len()),
                MoveOrigin::Conflicts => self.draw_conflict(rng),
            };
            let (path, before) = (self.trees.paths()[delivery], self.predicted());
            self.perturb(choices, delivery, rng);
            if !accepts(self.predicted().saturating_sub(before), uphill_odds, rng) {
                self.reroute(delivery, path);
            }
        }
        moves
    }

    /// Moves a delivery to a random one of its channels, if every window stays nonempty.
    pub(super) fn perturb(&mut self, choices: &impl PathChoices, delivery: usize, rng: &mut impl Rng) {
        let paths = choices.of(delivery);
        let path = paths[rng.random_range(0..paths.len())];
        if path != self.trees.paths()[delivery] && self.trees.admits(delivery, path) {
            self.reroute(delivery, path);
        }
    }

    /// Returns a user of a crowded resource or, because it determines the end of that window, one of the farthest
    /// deliveries behind it.
    fn draw_conflict(&self, rng: &mut impl Rng) -> usize {
        let crowded = self.conflicts.crowded();
        let users = self.conflicts.users(crowded[rng.random_range(0..crowded.len())]);
        let mut delivery = users[rng.random_range(0..users.len())] as usize;
        let distance = if rng.random() { rng.random_range(0..=self.trees.height(delivery)) } else { 0 };
        for _ in 0..distance {
            let farthest = self.trees.children(delivery).max_by_key(|&child| self.trees.height(child));
            delivery = farthest.expect("a delivery of positive height has a child");
        }
        delivery
    }

    /// Moves a delivery to a path that the trees admit.
    fn reroute(&mut self, delivery: usize, path: u32) {
        let Self { trees, conflicts } = self;
        let space = trees.space();
        conflicts.remove(space, delivery, trees.paths()[delivery]);
        conflicts.add(space, delivery, path);
        trees.reroute(delivery, path, |path| conflicts.mark(space, path));
        conflicts.update(space, |delivery| trees.window(delivery));
    }
}

#[cfg(test)]
mod tests;
