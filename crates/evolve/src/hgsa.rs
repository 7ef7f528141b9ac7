//! The hybrid of genetic algorithm and simulated annealing.

use lockstep_files::FileKind;
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
    /// It goes on from its best schedule, anneals paths and steps together, and paths need no longer be shortest.
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
/// simulated annealing, genetic crossover between them, and conflict prediction.
///
/// For broadcasts under store-and-forward switching. The document's gene is a shortest path and the steps of its
/// channels, for each pair of source and destination. Copies of one message over one channel count once, so the paths
/// of a message are a tree, and a gene here is what it adds to that of its sender: the last channel and its step.
///
/// Each individual is the best of a chain. Chains begin with random shortest paths in the first generation, and later
/// with the crossover of two individuals: what arrives at a terminal, and so the load of the channels into it, is taken
/// from one of them. Two subproblems are annealed by turns, at falling temperatures:
///
/// 1. paths whose [`Prediction`] sees no conflict (equations 1 to 5); their fitness is the conflicts it sees;
/// 2. conflict-free steps for the channels of these paths; their fitness is the conflicts of the schedule. Where some
///    stay, the deliveries in conflict get other channels, and the first subproblem is next.
///
/// Without prediction, paths and steps are annealed together on the conflicts of the schedule.
///
/// Where the document is silent: the first generation anneals a chain for each individual and later ones half as many,
/// whose ends replace the worse half; the moves of a chain double whenever a generation brings no better individual;
/// every move is an evaluation, whichever subproblem it belongs to; port sets and half-duplex links are predicted as
/// channels are. [`HgsaOptions::directed`] goes beyond it: moves begin at conflicts and carry on in chains of exchanges,
/// channels get their first steps in the order in which windows end, and [`LastResort::AnyPath`] helps where shortest
/// paths cannot do.
///
/// The random stream of an individual depends on seed, generation and place alone, so threads change nothing.
pub type Hgsa<'a> = Evolution<'a, HgsaOptions>;

impl Algorithm for HgsaOptions {
    const CHECKPOINT_KIND: FileKind = FileKind {
        format: "lockstep-hgsa-checkpoint",
        noun: "checkpoint of HGSA",
        magic: *b"lockhgsa",
        version: 1,
        remedies: &[],
    };

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
            Switching::Wormhole => "its prediction is for single channels, not for wormhole paths",
            Switching::StoreAndForward if !space.is_broadcast() => "it delivers broadcasts only",
            Switching::StoreAndForward => return Ok(()),
        };
        Err(NotFound::Unsupported { engine: "hgsa", why: why.to_owned() })
    }
}
