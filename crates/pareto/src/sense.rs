//! The direction of an objective.

use serde::{Deserialize, Serialize};

/// Whether more or less of an objective is better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// More is better.
    Maximise,
    /// Less is better.
    Minimise,
}

impl Sense {
    /// The score as a cost, of which less is better. The cost of a cost is the score again.
    pub(crate) fn cost(self, score: f64) -> f64 {
        let cost = match self {
            Self::Maximise => -score,
            Self::Minimise => score,
        };
        // There is no negative zero among costs, so that equal ones have equal bits.
        cost + 0.0
    }
}
