//! The interface of the selection algorithms.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::costs::Costs;

/// Parent and survivor selection of one [`SelectionAlgorithm`](crate::SelectionAlgorithm).
pub(crate) trait Selection: Send + Sync {
    /// Returns the number of children between two survivor selections.
    fn offspring_count(&self, population: usize) -> usize {
        population
    }

    /// Prepares parent selection from this population.
    fn observe(&mut self, _population: &Costs) {}

    /// Draws the index of a parent.
    fn parent(&self, population: usize, random: &mut ChaCha8Rng) -> usize {
        random.random_range(0..population)
    }

    /// Returns the indices of `count` survivors, ascending. There are more candidates than `count`, parents before
    /// children.
    fn survivors(&mut self, candidates: &Costs, count: usize, random: &mut ChaCha8Rng) -> Vec<usize>;

    /// Returns the state that depends on earlier generations.
    fn memory(&self) -> &[f64] {
        &[]
    }

    /// Restores the state that [`memory`](Self::memory) returned. Returns false if `memory` is invalid.
    fn restore(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }
}
