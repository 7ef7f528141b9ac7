//! The table of costs that all algorithms use.

use crate::score::Sense;

/// Costs of points: one row per point, one column per objective. Smaller is better.
///
/// Invariants: there is at least one column, and no entry is NaN.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Costs {
    dimension: usize,
    entries: Vec<f64>,
}

impl Costs {
    /// Converts scores, given row by row, to costs.
    pub(crate) fn of_scores(senses: &[Sense], scores: &[f64]) -> Self {
        let costs = scores.iter().zip(senses.iter().cycle()).map(|(&score, sense)| sense.cost(score));
        Self::new(senses.len(), costs.collect())
    }

    pub(crate) fn new(dimension: usize, entries: Vec<f64>) -> Self {
        debug_assert!(entries.len().is_multiple_of(dimension), "all rows are complete");
        Self { dimension, entries }
    }

    /// Returns the number of objectives.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the number of points.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() / self.dimension
    }

    /// Returns the costs of one point.
    pub(crate) fn row(&self, place: usize) -> &[f64] {
        &self.entries[place * self.dimension..][..self.dimension]
    }

    /// Returns the costs of each point.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.dimension)
    }

    /// Returns the rows with these indices, in this order.
    pub(crate) fn select(&self, places: &[usize]) -> Self {
        Self::new(self.dimension, places.iter().flat_map(|&place| self.row(place)).copied().collect())
    }

    /// Returns the minimum and maximum cost of an objective among these points, or `[∞, -∞]` if there are none.
    pub(crate) fn range(&self, objective: usize, places: &[usize]) -> [f64; 2] {
        places.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], &place| {
            let cost = self.row(place)[objective];
            [least.min(cost), most.max(cost)]
        })
    }
}
