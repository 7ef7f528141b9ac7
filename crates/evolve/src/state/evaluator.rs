//! The conflicts of complete individuals.

use crate::space::{Gene, SearchSpace};

/// Counts the conflicts of complete individuals, without the tables that incremental changes need.
///
/// Memory: 2 bytes per resource and step.
#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    space: &'a SearchSpace<'a>,
    load: Vec<u16>,
}

impl<'a> Evaluator<'a> {
    /// Creates an evaluator for individuals of a space.
    pub fn new(space: &'a SearchSpace<'a>) -> Self {
        Self { space, load: vec![0; space.resource_count() * space.step_count() as usize] }
    }

    /// Returns the number of conflicts of genes that are all placed, as in
    /// [`SearchState::conflicts`](crate::SearchState::conflicts).
    ///
    /// Takes time proportional to the number of cells and the lengths of the paths.
    ///
    /// # Panics
    ///
    /// If a gene names a path or a step that does not exist.
    pub fn conflicts(&mut self, genes: &[Gene]) -> u64 {
        self.load.fill(0);
        let steps = self.space.step_count() as usize;
        let mut conflicts = 0;
        for gene in genes {
            assert!((gene.step as usize) < steps, "step {} of {steps}", gene.step);
            for &resource in self.space.resources(gene.path) {
                let load = &mut self.load[resource as usize * steps + gene.step as usize];
                conflicts += u64::from((*load + 1).saturating_sub(self.space.capacity(resource as usize)));
                *load += 1;
            }
        }
        conflicts
    }
}
