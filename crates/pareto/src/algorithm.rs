//! The evolutionary algorithms: who become parents, and who survives.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::costs::Costs;
use crate::nsga2::Nsga2;
use crate::nsga3::Nsga3;
use crate::sms_emoa::SmsEmoa;

/// An evolutionary algorithm: who become parents, and who survives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Fronts, and room within them: binary tournaments for parents, as many children as parents, the better half of
    /// both survives.
    ///
    /// Source: Deb, Pratap, Agarwal and Meyarivan, *A fast and elitist multiobjective genetic algorithm: NSGA-II*, IEEE
    /// Transactions on Evolutionary Computation 6(2), 2002.
    Nsga2,
    /// Hypervolume: random parents, one child at a time, and of the worst front the individual goes that alone
    /// dominates least, the front being scaled to the unit cube and the reference point at 1.1. Up to
    /// [`MAX_HYPERVOLUME_OBJECTIVES`](crate::MAX_HYPERVOLUME_OBJECTIVES) objectives.
    ///
    /// Source: Beume, Naujoks and Emmerich, *SMS-EMOA: multiobjective selection based on dominated hypervolume*,
    /// European Journal of Operational Research 181(3), 2007.
    SmsEmoa,
    /// Fronts, and evenly spread directions: for many objectives. Random parents, as many children as parents.
    ///
    /// Source: Deb and Jain, *An evolutionary many-objective optimization algorithm using reference-point-based
    /// nondominated sorting approach, part I*, IEEE Transactions on Evolutionary Computation 18(4), 2014.
    Nsga3,
}

/// A word that is no algorithm.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{word}' is no algorithm; choose nsga2, sms-emoa or nsga3")]
pub struct UnknownAlgorithm {
    /// The word.
    pub word: String,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nsga2, Self::SmsEmoa, Self::Nsga3];

    /// The name, as it is written in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nsga2 => "nsga2",
            Self::SmsEmoa => "sms-emoa",
            Self::Nsga3 => "nsga3",
        }
    }

    /// The algorithm for so many objectives and individuals.
    pub(crate) fn selection(self, objectives: usize, population: usize) -> Box<dyn Selection> {
        match self {
            Self::Nsga2 => Box::new(Nsga2::default()),
            Self::SmsEmoa => Box::new(SmsEmoa),
            Self::Nsga3 => Box::new(Nsga3::new(objectives, population)),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| UnknownAlgorithm { word: word.to_owned() })
    }
}

/// What makes an [`Algorithm`].
pub(crate) trait Selection: Send + Sync {
    /// How many children are born at a time.
    fn offspring_count(&self, population: usize) -> usize {
        population
    }

    /// Looks at those among whom parents are picked next.
    fn observe(&mut self, _population: &Costs) {}

    /// The place of a parent.
    fn parent(&self, population: usize, random: &mut ChaCha8Rng) -> usize {
        random.random_range(0..population)
    }

    /// The places of `count` of the candidates, which are more; ascending. Parents stand before children.
    fn survivors(&mut self, candidates: &Costs, count: usize, random: &mut ChaCha8Rng) -> Vec<usize>;

    /// What must be known of earlier generations.
    fn memory(&self) -> &[f64] {
        &[]
    }

    /// Takes what [`memory`](Self::memory) gave, if it can be that.
    fn restore(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }
}
