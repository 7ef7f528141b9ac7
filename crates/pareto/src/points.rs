//! Points in the space of objectives.

use crate::costs::Costs;
use crate::crowding::crowding;
use crate::hypervolume::{contributions, volume};
use crate::options::EqualPoints;
use crate::ranks::{front, ranks};
use crate::sense::Sense;

/// The greatest size of a score, so that differences and volumes of three objectives stay finite.
pub const MAX_SCORE: f64 = 1e100;

/// Why rows of scores are no points.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// Points of nothing.
    #[error("there is no objective; give the sense of at least one")]
    NoObjectives,
    /// A row that is too short or too long.
    #[error("point {point} has {scores} scores, but there are {objectives} objectives; give one score for each")]
    Length {
        /// Place of the row.
        point: usize,
        /// Number of its scores.
        scores: usize,
        /// Number of objectives.
        objectives: usize,
    },
    /// A score that cannot be compared.
    #[error(
        "objective {objective} of point {point} is {value}; scores are numbers from -{MAX_SCORE:e} to {MAX_SCORE:e}"
    )]
    Score {
        /// Place of the row.
        point: usize,
        /// Number of the objective, from 0.
        objective: usize,
        /// The score.
        value: f64,
    },
}

/// Points in the space of objectives: rows of scores, and what is better.
///
/// A point dominates another if it is no worse in any objective and better in one. Memory: 8 bytes a score.
///
/// ```
/// use lockstep_pareto::{EqualPoints, Points, Sense};
///
/// // Bisection, and links of a router.
/// let points = Points::new(&[Sense::Maximise, Sense::Minimise], [[18.0, 4.0], [16.0, 4.0], [2.0, 2.0], [18.0, 4.0]])?;
/// assert_eq!(points.ranks(), [0, 1, 0, 0]);
/// assert_eq!(points.front(EqualPoints::Keep), [0, 2, 3]);
/// assert_eq!(points.front(EqualPoints::Remove), [0, 2]);
/// assert_eq!(points.hypervolume(&[0.0, 5.0])?, 18.0 * 1.0 + 2.0 * 2.0);
/// assert_eq!(points.contributions(&[0.0, 5.0])?, [0.0, 0.0, 2.0 * 2.0, 0.0]);
/// # Ok::<(), lockstep_pareto::PointsError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    senses: Box<[Sense]>,
    costs: Costs,
}

impl Points {
    /// The points with these scores, one row each.
    ///
    /// # Errors
    ///
    /// [`PointsError`], if there is no objective, a row has not one score for each, or a score is no number or larger
    /// than [`MAX_SCORE`].
    pub fn new<R: AsRef<[f64]>>(senses: &[Sense], rows: impl IntoIterator<Item = R>) -> Result<Self, PointsError> {
        if senses.is_empty() {
            return Err(PointsError::NoObjectives);
        }
        let mut scores = Vec::new();
        for (point, row) in rows.into_iter().enumerate() {
            check_row(senses, point, row.as_ref())?;
            scores.extend_from_slice(row.as_ref());
        }
        Ok(Self { senses: senses.into(), costs: Costs::of_scores(senses, &scores) })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of the points that no other dominates, ascending; of equal ones all, or the first.
    ///
    /// Time O(n log n) of up to three objectives, else O(m·n·f) of a front of `f`.
    pub fn front(&self, equal_points: EqualPoints) -> Vec<usize> {
        front(&self.costs, equal_points)
    }

    /// The number of the front of each point: 0 of those that no other dominates, then the front of what is left.
    ///
    /// Time O(n log² n) of up to three objectives, else O(m·n²) at worst.
    ///
    /// Source: efficient non-dominated sort with binary search (Zhang, Tian, Cheng and Jin, IEEE Transactions on
    /// Evolutionary Computation 19(2), 2015).
    pub fn ranks(&self) -> Vec<u32> {
        ranks(&self.costs)
    }

    /// The crowding distance of each point, all taken as one front: over all objectives, the distance between its two
    /// neighbours as a share of the range, infinite at the ends of an objective. Time O(m·n log n).
    ///
    /// Source: Deb, Pratap, Agarwal and Meyarivan, IEEE Transactions on Evolutionary Computation 6(2), 2002.
    pub fn crowding(&self) -> Vec<f64> {
        crowding(&self.costs, &(0..self.len()).collect::<Vec<_>>())
    }

    /// The volume between the points and a reference point that the points dominate, exactly up to rounding. Points
    /// that are not better than the reference point in all objectives have no part in it. Of four objectives and more,
    /// scores near [`MAX_SCORE`] make it more than an `f64` holds, which shows as infinite or as no number.
    ///
    /// Time O(n log n) of up to three objectives; each further one multiplies it by n at worst.
    ///
    /// # Errors
    ///
    /// [`PointsError`], if the reference point is no point of the same objectives.
    pub fn hypervolume(&self, reference: &[f64]) -> Result<f64, PointsError> {
        Ok(volume(&self.costs, &self.reference(reference)?))
    }

    /// The part of the hypervolume that each point alone dominates: what would be lost without it.
    ///
    /// Time O(n²) of usual fronts and O(n² log n) of any with up to three objectives; else n times that of
    /// [`hypervolume`](Self::hypervolume).
    ///
    /// # Errors
    ///
    /// [`PointsError`], if the reference point is no point of the same objectives.
    pub fn contributions(&self, reference: &[f64]) -> Result<Vec<f64>, PointsError> {
        Ok(contributions(&self.costs, &self.reference(reference)?))
    }

    /// The costs of a reference point, which is counted behind the points.
    fn reference(&self, reference: &[f64]) -> Result<Vec<f64>, PointsError> {
        check_row(&self.senses, self.len(), reference)?;
        Ok(reference.iter().zip(&self.senses).map(|(&score, sense)| sense.cost(score)).collect())
    }
}

/// Refuses a row that is none of the objectives.
fn check_row(senses: &[Sense], point: usize, row: &[f64]) -> Result<(), PointsError> {
    if row.len() != senses.len() {
        return Err(PointsError::Length { point, scores: row.len(), objectives: senses.len() });
    }
    unusable(row).map_or(Ok(()), |(objective, value)| Err(PointsError::Score { point, objective, value }))
}

/// The first score that cannot be compared, and its objective.
pub(crate) fn unusable(scores: &[f64]) -> Option<(usize, f64)> {
    scores.iter().copied().enumerate().find(|(_, score)| !(-MAX_SCORE..=MAX_SCORE).contains(score))
}
