//! Scores: their direction and their range.

use serde::{Deserialize, Serialize};

/// Largest absolute value of a score. Differences, and volumes of three objectives, stay finite.
pub const MAX_SCORE: f64 = 1e100;

/// The direction of an objective.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// Greater scores are better.
    Maximise,
    /// Smaller scores are better.
    Minimise,
}

impl Sense {
    /// Converts a score to a cost, of which smaller is better. The cost of a cost is the score.
    pub(crate) fn cost(self, score: f64) -> f64 {
        let cost = match self {
            Self::Maximise => -score,
            Self::Minimise => score,
        };
        // Removes negative zeros, so that equal costs have equal bits.
        cost + 0.0
    }
}

/// Returns the first score that is not a number or out of range, with its index.
pub(crate) fn invalid_score(scores: &[f64]) -> Option<(usize, f64)> {
    scores.iter().copied().enumerate().find(|(_, score)| !(-MAX_SCORE..=MAX_SCORE).contains(score))
}
