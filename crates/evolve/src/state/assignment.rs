//! The gene of every delivery.

use crate::space::{Gene, SearchSpace};

/// The genes, with the sender of each.
///
/// Invariant: `sender` is the sender of the gene's path, and `u32::MAX` where the gene is unplaced. An unplaced gene
/// keeps its last step. Memory: 12 bytes per delivery.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Assignment {
    genes: Vec<Gene>,
    /// Kept beside the genes because [`first_forwarded`](Self::first_forwarded) scans it.
    sender: Vec<u32>,
}

impl Assignment {
    /// Creates an assignment of `deliveries` unplaced genes.
    pub(super) fn new(deliveries: usize) -> Self {
        let unplaced = Gene { path: Gene::UNPLACED, step: 0 };
        Self { genes: vec![unplaced; deliveries], sender: vec![u32::MAX; deliveries] }
    }

    /// Makes all genes unplaced.
    pub(super) fn clear(&mut self) {
        self.genes.fill(Gene { path: Gene::UNPLACED, step: 0 });
        self.sender.fill(u32::MAX);
    }

    pub(super) fn genes(&self) -> &[Gene] {
        &self.genes
    }

    #[inline]
    pub(super) fn sender(&self, delivery: usize) -> u32 {
        self.sender[delivery]
    }

    #[inline]
    pub(super) fn place(&mut self, delivery: usize, gene: Gene, sender: u32) {
        self.genes[delivery] = gene;
        self.sender[delivery] = sender;
    }

    /// Makes a gene unplaced and returns its old value.
    #[inline]
    pub(super) fn take(&mut self, delivery: usize) -> Gene {
        let gene = self.genes[delivery];
        self.genes[delivery].path = Gene::UNPLACED;
        self.sender[delivery] = u32::MAX;
        gene
    }

    /// Returns the first step in which the terminal of a rank can send a broadcast message; `u32::MAX` if it never
    /// receives it.
    #[inline]
    pub(super) fn ready(&self, space: &SearchSpace<'_>, message: u32, rank: u32) -> u32 {
        match space.delivery_to(message, rank) {
            SearchSpace::AT_SOURCE => 0,
            SearchSpace::NEVER => u32::MAX,
            delivery => {
                let gene = self.genes[delivery as usize];
                if gene.path == Gene::UNPLACED { u32::MAX } else { gene.step + 1 }
            }
        }
    }

    /// Returns the first step in which a terminal forwards a message, or the number of steps if it never does.
    #[inline]
    pub(super) fn first_forwarded(&self, space: &SearchSpace<'_>, message: u32, rank: u32) -> u32 {
        let deliveries = space.deliveries_of(message);
        let forwarded = self.sender[deliveries.clone()].iter().zip(&self.genes[deliveries]);
        let steps = forwarded.filter(|&(&sender, _)| sender == rank).map(|(_, gene)| gene.step);
        steps.min().unwrap_or(space.step_count())
    }

    /// Sets the step that an unplaced gene remembers.
    #[cfg(test)]
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.genes.clone_from(&other.genes);
    }
}
