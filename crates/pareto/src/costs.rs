//! The table that all algorithms work on.

use crate::sense::Sense;

/// A row a point, a column an objective, less is better. There is a column, and no entry is NaN.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Costs {
    dimension: usize,
    entries: Vec<f64>,
}

impl Costs {
    /// The costs of scores, row by row.
    pub(crate) fn of_scores(senses: &[Sense], scores: &[f64]) -> Self {
        let costs = scores.iter().zip(senses.iter().cycle()).map(|(&score, sense)| sense.cost(score));
        Self::new(senses.len(), costs.collect())
    }

    pub(crate) fn new(dimension: usize, entries: Vec<f64>) -> Self {
        debug_assert!(entries.len().is_multiple_of(dimension), "rows are whole");
        Self { dimension, entries }
    }

    /// Number of objectives.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() / self.dimension
    }

    pub(crate) fn row(&self, place: usize) -> &[f64] {
        &self.entries[place * self.dimension..][..self.dimension]
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.dimension)
    }

    /// The rows at these places, in this order.
    pub(crate) fn select(&self, places: &[usize]) -> Self {
        Self::new(self.dimension, places.iter().flat_map(|&place| self.row(place)).copied().collect())
    }

    /// The least and the greatest cost of an objective among these places; infinite and the wrong way round of none.
    pub(crate) fn range(&self, objective: usize, places: &[usize]) -> [f64; 2] {
        places.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], &place| {
            let cost = self.row(place)[objective];
            [least.min(cost), most.max(cost)]
        })
    }
}
