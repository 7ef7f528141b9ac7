//! The quantity that a search minimizes.

use super::distance_sum::DistanceTotals;

/// The quantity that a search minimizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Objective {
    /// The sum of distances.
    Sum,
    /// The diameter, then the sum of distances: the ranking of Graph Golf.
    DiameterThenSum,
}

/// Diameter (0 if it does not count) and sum of distances.
pub(super) type Rank = (u32, u64);

impl Objective {
    pub(super) fn rank(self, totals: DistanceTotals) -> Rank {
        self.rank_of(totals.diameter, totals.sum)
    }

    pub(super) fn rank_of(self, diameter: u32, sum: u64) -> Rank {
        match self {
            Self::Sum => (0, sum),
            Self::DiameterThenSum => (diameter, sum),
        }
    }
}
