//! Points in objective space.

use crate::costs::Costs;
use crate::crowding::crowding;
use crate::hypervolume::{contributions, volume};
use crate::options::EqualPoints;
use crate::ranks::{front, ranks};
use crate::score::{MAX_SCORE, Sense, invalid_score};

/// Why rows of scores are invalid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// There is no objective.
    #[error("there is no objective; give the sense of at least one")]
    NoObjectives,
    /// A row has too few or too many scores.
    #[error("point {point} has {scores} scores, but there are {objectives} objectives; give one score for each")]
    Length {
        /// Index of the row, from 0.
        point: usize,
        /// Number of scores in the row.
        scores: usize,
        /// Number of objectives.
        objectives: usize,
    },
    /// A score is not a number or out of range.
    #[error(
        "objective {objective} of point {point} is {value}; scores are numbers from -{MAX_SCORE:e} to {MAX_SCORE:e}"
    )]
    Score {
        /// Index of the row, from 0.
        point: usize,
        /// Index of the objective, from 0.
        objective: usize,
        /// The score.
        value: f64,
    },
}

/// Points in objective space: rows of scores, and the direction of each objective.
///
/// A point dominates another if it is not worse in any objective and better in at least one. Takes 8 bytes per score.
///
/// ```
/// use lockstep_pareto::{EqualPoints, Points, Sense};
///
/// // Bisection width (more is better), and links per router (fewer is better).
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
    /// Creates points from their scores, one row per point. O(number of scores).
    ///
    /// # Errors
    ///
    /// Returns a [`PointsError`] if there is no objective, a row does not have one score per objective, or a score is
    /// not a number or exceeds [`MAX_SCORE`] in absolute value.
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

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// Returns true if there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the indices of the non-dominated points, ascending, with all or only the first of equal points.
    ///
    /// O(n log n) for up to three objectives, otherwise O(m·n·f) for a front of `f` points.
    pub fn front(&self, equal_points: EqualPoints) -> Vec<usize> {
        front(&self.costs, equal_points)
    }

    /// Computes the rank of each point: 0 on the front, 1 on the front of the remaining points, and so on.
    ///
    /// O(n log² n) for up to three objectives, otherwise O(m·n²) in the worst case.
    ///
    /// # Source
    ///
    /// Zhang, Tian, Cheng and Jin, *An efficient approach to nondominated sorting for evolutionary multiobjective
    /// optimization*, IEEE Transactions on Evolutionary Computation 19(2), 2015.
    pub fn ranks(&self) -> Vec<u32> {
        ranks(&self.costs)
    }

    /// Computes the crowding distance of each point, with all points taken as one front.
    ///
    /// It is the sum, over all objectives, of the distance between the two neighbours divided by the range. It is
    /// infinite at the two ends of an objective. O(m·n log n).
    ///
    /// # Source
    ///
    /// Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist multiobjective genetic algorithm: NSGA-II*, IEEE
    /// Transactions on Evolutionary Computation 6(2), 2002.
    pub fn crowding(&self) -> Vec<f64> {
        crowding(&self.costs, &(0..self.len()).collect::<Vec<_>>())
    }

    /// Computes the hypervolume: the volume that the points dominate, bounded by a reference point.
    ///
    /// The result is exact up to rounding. Points that are not better than the reference point in all objectives are
    /// ignored. For more than three objectives, scores near [`MAX_SCORE`] may overflow to infinity or NaN.
    ///
    /// O(n log n) for up to three objectives. Each further objective multiplies the time by at most n.
    ///
    /// # Errors
    ///
    /// Returns a [`PointsError`] if the reference point does not have one valid score per objective.
    pub fn hypervolume(&self, reference: &[f64]) -> Result<f64, PointsError> {
        Ok(volume(&self.costs, &self.reference(reference)?))
    }

    /// Computes the hypervolume contribution of each point: the volume that only this point dominates.
    ///
    /// O(n² log n) for up to three objectives, and usually O(n²). Otherwise n times the time of
    /// [`hypervolume`](Self::hypervolume).
    ///
    /// # Errors
    ///
    /// Returns a [`PointsError`] if the reference point does not have one valid score per objective.
    pub fn contributions(&self, reference: &[f64]) -> Result<Vec<f64>, PointsError> {
        Ok(contributions(&self.costs, &self.reference(reference)?))
    }

    /// Returns the costs of a reference point. Errors count it as the point after the last.
    fn reference(&self, reference: &[f64]) -> Result<Vec<f64>, PointsError> {
        check_row(&self.senses, self.len(), reference)?;
        Ok(reference.iter().zip(&self.senses).map(|(&score, sense)| sense.cost(score)).collect())
    }
}

/// Verifies that a row has one valid score per objective.
fn check_row(senses: &[Sense], point: usize, row: &[f64]) -> Result<(), PointsError> {
    if row.len() != senses.len() {
        return Err(PointsError::Length { point, scores: row.len(), objectives: senses.len() });
    }
    invalid_score(row).map_or(Ok(()), |(objective, value)| Err(PointsError::Score { point, objective, value }))
}
