//! The names of the selection algorithms.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A selection algorithm: it selects the parents of children and the survivors of a generation.
///
/// ```
/// use lockstep_pareto::SelectionAlgorithm;
///
/// assert_eq!("sms-emoa".parse(), Ok(SelectionAlgorithm::SmsEmoa));
/// assert_eq!(SelectionAlgorithm::Nsga2.to_string(), "nsga2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SelectionAlgorithm {
    /// NSGA-II: non-dominated sorting and crowding distance.
    ///
    /// Parents win binary tournaments. Each generation has one child per individual, and the better half of both
    /// survives.
    ///
    /// # Source
    ///
    /// Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist multiobjective genetic algorithm: NSGA-II*, IEEE
    /// Transactions on Evolutionary Computation 6(2), 2002.
    Nsga2,
    /// SMS-EMOA: non-dominated sorting and hypervolume contribution.
    ///
    /// Parents are drawn uniformly. After each child, the point of the worst front with the smallest contribution is
    /// removed. The front is scaled to the unit cube, and the reference point is 1.1 in each objective. Supports up to
    /// [`MAX_HYPERVOLUME_OBJECTIVES`](crate::MAX_HYPERVOLUME_OBJECTIVES) objectives.
    ///
    /// # Source
    ///
    /// Beume, Naujoks and Emmerich, *SMS-EMOA: multiobjective selection based on dominated hypervolume*, European
    /// Journal of Operational Research 181(3), 2007.
    SmsEmoa,
    /// NSGA-III: non-dominated sorting and reference directions, for many objectives.
    ///
    /// Parents are drawn uniformly. Each generation has one child per individual.
    ///
    /// # Source
    ///
    /// Deb and Jain, *An evolutionary many-objective optimization algorithm using reference-point-based nondominated
    /// sorting approach, part I*, IEEE Transactions on Evolutionary Computation 18(4), 2014.
    Nsga3,
}

/// A word that names no selection algorithm.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown selection algorithm '{word}'; choose nsga2, sms-emoa or nsga3")]
pub struct UnknownAlgorithm {
    /// The word.
    pub word: String,
}

impl SelectionAlgorithm {
    /// All selection algorithms.
    pub const ALL: [Self; 3] = [Self::Nsga2, Self::SmsEmoa, Self::Nsga3];

    /// Returns the name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nsga2 => "nsga2",
            Self::SmsEmoa => "sms-emoa",
            Self::Nsga3 => "nsga3",
        }
    }
}

impl fmt::Display for SelectionAlgorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for SelectionAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| UnknownAlgorithm { word: word.to_owned() })
    }
}
