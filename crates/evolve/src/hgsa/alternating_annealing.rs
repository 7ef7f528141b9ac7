//! Simulated annealing of paths and steps in turn.

use rand::Rng;

use super::gene_annealing::{anneal_genes, cooling};
use super::path_annealing::{MoveOrigin, PathAnnealing};
use super::prediction::Prediction;
use super::step_assignment::{assign_first_steps, keep_steps};
use crate::evolution::Individual;
use crate::local_search::{EjectionChainSearch, PathChoices};
use crate::space::{Gene, SearchSpace};
use crate::state::SearchState;

/// One annealing: the paths, the schedule under construction, and the best schedule so far.
pub(super) struct AlternatingAnnealing<'a> {
    pub(super) paths: PathAnnealing<'a>,
    pub(super) state: SearchState<'a>,
    /// `None` if moves are random.
    pub(super) search: Option<EjectionChainSearch>,
    /// Steps get at most one part in `rounds` of the moves before paths are annealed again.
    rounds: u64,
    best: Individual,
    /// Scratch space.
    genes: Vec<Gene>,
}

impl<'a> AlternatingAnnealing<'a> {
    /// Creates the tables of a space.
    pub(super) fn new(
        space: &'a SearchSpace<'a>,
        prediction: Prediction,
        search: Option<EjectionChainSearch>,
        rounds: u64,
    ) -> Self {
        Self {
            paths: PathAnnealing::new(space, prediction),
            state: SearchState::new(space),
            search,
            rounds,
            best: Individual { genes: Vec::new(), conflicts: u64::MAX },
            genes: Vec::new(),
        }
    }

    /// Makes the current schedule the best one, at the start of an annealing.
    pub(super) fn begin(&mut self) {
        self.best.conflicts = u64::MAX;
        self.keep();
    }

    /// Returns the best schedule of the annealing.
    pub(super) fn best(&self) -> &Individual {
        &self.best
    }

    /// Makes the best schedule the current one.
    pub(super) fn restart_from_best(&mut self) {
        self.state.load(&self.best.genes);
    }

    /// Saves the schedule if it is the best of the annealing.
    fn keep(&mut self) {
        if self.state.conflicts() < self.best.conflicts {
            self.best.conflicts = self.state.conflicts();
            self.best.genes.clear();
            self.best.genes.extend_from_slice(self.state.genes());
        }
    }

    /// Assigns steps to the new paths, from which the annealing of steps starts.
    fn assign_steps(&mut self, rng: &mut impl Rng) {
        if self.search.is_some() {
            assign_first_steps(self.paths.trees(), &mut self.state, rng);
        } else {
            self.genes.clear();
            self.genes.extend_from_slice(self.state.genes());
            keep_steps(self.paths.trees(), &mut self.state, &self.genes);
        }
    }

    /// Anneals paths and steps together; returns the number of evaluations.
    pub(super) fn anneal_together(&mut self, choices: &impl PathChoices, moves: u64, rng: &mut impl Rng) -> u64 {
        let spent = anneal_genes(choices, &mut self.state, self.search.as_mut(), moves, rng);
        self.keep();
        spent
    }

    /// Anneals paths until no conflict is predicted, then their steps, then again the paths of deliveries in conflict,
    /// and so on; returns the number of evaluations.
    pub(super) fn alternate(&mut self, choices: &impl PathChoices, moves: u64, rng: &mut impl Rng) -> u64 {
        let mut spent = 0;
        while spent < moves && self.best.conflicts > 0 {
            spent += self.perturb_conflicts(choices, rng);
            spent += self.anneal_paths(choices, moves.saturating_sub(spent), rng);
            self.assign_steps(rng);
            spent += 1;
            if self.paths.predicted() == 0 {
                let moves = (moves / self.rounds).min(moves.saturating_sub(spent));
                spent += anneal_genes(&self.paths, &mut self.state, self.search.as_mut(), moves, rng);
            }
            self.keep();
        }
        spent
    }

    /// Moves the deliveries in conflict to random paths; returns the number of moves.
    fn perturb_conflicts(&mut self, choices: &impl PathChoices, rng: &mut impl Rng) -> u64 {
        let mut spent = 0;
        for delivery in 0..self.state.genes().len() {
            if self.state.in_conflict(delivery) {
                self.paths.perturb(choices, delivery, rng);
                spent += 1;
            }
        }
        spent
    }

    /// Anneals paths, the first subproblem; returns the number of moves.
    fn anneal_paths(&mut self, choices: &impl PathChoices, moves: u64, rng: &mut impl Rng) -> u64 {
        let origin = if self.search.is_some() { MoveOrigin::Conflicts } else { MoveOrigin::Anywhere };
        cooling(moves).map(|(odds, moves)| self.paths.anneal(choices, origin, moves, odds, rng)).sum()
    }
}
