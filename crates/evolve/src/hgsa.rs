//! The hybrid of genetic algorithm and simulated annealing.

use lockstep_schedule::{NotFound, Switching};
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::evolution::{Algorithm, Evolution, Maker};
use crate::prediction::Prediction;
use crate::space::SearchSpace;
use crate::walk::WalkOptions;

/// How annealing moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Moves {
    /// As the document has it: any gene gets another path or step.
    Blind,
    /// At conflicts, steps by chains of exchanges, see [`Walk`](crate::Walk).
    Directed(WalkOptions),
}

/// What a chain does where half of its moves have left conflicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LastResort {
    /// As the document has it: the same with the other half.
    None,
    /// It anneals paths and steps together, and paths need no longer be shortest.
    AnyPath,
}

/// The parameters of [`Hgsa`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HgsaOptions {
    /// Number of individuals; half as many chains are annealed in each generation.
    pub population: usize,
    /// What judges paths without steps.
    pub prediction: Prediction,
    /// How annealing moves.
    pub moves: Moves,
    /// What a chain does where half of its moves have left conflicts.
    pub last_resort: LastResort,
    /// Seed of all random streams.
    pub seed: u64,
}

impl HgsaOptions {
    /// The document's encoding, prediction and moves. It gives no numbers.
    pub const fn published(seed: u64) -> Self {
        Self {
            population: 8,
            prediction: Prediction::Published,
            moves: Moves::Blind,
            last_resort: LastResort::None,
            seed,
        }
    }

    /// Moves directed at conflicts, the stronger prediction, and any path as the last resort.
    pub const fn directed(seed: u64) -> Self {
        let walk = WalkOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
        Self {
            prediction: Prediction::Matching,
            moves: Moves::Directed(walk),
            last_resort: LastResort::AnyPath,
            ..Self::published(seed)
        }
    }
}

/// The search of the store-and-forward document for a conflict-free schedule of a given number of steps: chains of
/// simulated annealing, with genetic crossover between them, and conflict prediction.
///
/// For broadcasts under store-and-forward switching. A gene is a shortest path and the steps of its channels for each
/// pair of source and destination; copies of one message over one channel count once, so these are trees, and a gene
/// adds to the path and the steps of its sender one channel and one step.
///
/// Each individual is the end of a chain, which begins with random shortest paths in the first generation, later with
/// the crossover of two individuals: what arrives at a terminal, and so the load of its channels, is taken from one or
/// the other. Then two subproblems are annealed by turns, at temperatures that fall from move to move:
///
/// 1. paths whose [`Prediction`] sees no conflict (equations 1 to 5), its fitness being the conflicts predicted;
/// 2. steps for the channels of these paths, its fitness being the conflicts of the schedule. Where they stay, the
///    channels in conflict get other paths, and the first subproblem is next.
///
/// Without prediction, paths and steps are annealed together on the conflicts of the schedule.
///
/// Where the document is silent: half as many chains as individuals are annealed in a generation and replace the worse
/// half; the moves of a chain double whenever a generation brings no better individual; one of them is an evaluation,
/// whichever subproblem it belongs to; the prediction judges port sets and half-duplex links as it does channels.
/// [`HgsaOptions::directed`] goes beyond it: moves begin at conflicts, the first steps are those of the earliest end of
/// the window, and as the last resort paths need not be shortest.
#[doc(alias = "simulated annealing")]
pub type Hgsa<'a> = Evolution<'a, HgsaOptions>;

impl Algorithm for HgsaOptions {
    const MAGIC: [u8; 8] = *b"lockhgsa";

    fn within_limits(self) -> Self {
        Self { population: self.population.max(4), ..self }
    }

    fn population(&self) -> usize {
        self.population
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn maker<'a>(&self, space: &'a SearchSpace<'a>) -> Box<dyn Maker + 'a> {
        Box::new(Chain::new(space, *self))
    }

    fn check(&self, space: &SearchSpace<'_>) -> Result<(), NotFound> {
        let why = match space.problem().model().switching {
            Switching::Wormhole => "its prediction is for single channels, not for wormhole paths; use --engine umda",
            Switching::StoreAndForward if !space.is_broadcast() => "it delivers broadcasts only; use --engine auto",
            Switching::StoreAndForward => return Ok(()),
        };
        Err(NotFound::Unsupported { engine: "hgsa", why: why.to_owned() })
    }
}
