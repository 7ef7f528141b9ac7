//! The hybrid of genetic algorithm and simulated annealing.

use lockstep_files::FileKind;
use lockstep_schedule::{NotFound, Switching};

use super::individual_maker::AnnealingMaker;
use super::options::HgsaOptions;
use crate::evolution::{Algorithm, Evolution, Maker};
use crate::space::SearchSpace;

/// The hybrid of genetic algorithm and simulated annealing of the store-and-forward document: a search for a
/// conflict-free schedule of a given number of steps.
///
/// It supports broadcasts under store-and-forward switching. The published gene is a shortest path and the steps of its
/// channels, for each pair of source and destination. Copies of one message on one channel count once, so the paths of
/// a message are a tree. A gene here is the part that a delivery adds to its sender's: the last channel and its step.
///
/// Each individual is the best schedule of one annealing. In the first generation, annealing starts from random
/// shortest paths. Later it starts from the crossover of two individuals: the genes of all deliveries to a terminal,
/// and so the load of the channels to it, come from one of them. Two subproblems are annealed in turn, at falling
/// temperatures:
///
/// 1. Paths without conflicts in the [`Prediction`](crate::Prediction) (equations 1 to 5). Their fitness is the number
///    of predicted conflicts.
/// 2. Conflict-free steps for the channels of these paths. Their fitness is the number of conflicts of the schedule. If
///    some remain, the deliveries in conflict get other channels, and the first subproblem is next.
///
/// Without prediction, paths and steps are annealed together, on the conflicts of the schedule.
///
/// Decisions that the document leaves open:
///
/// - The first generation anneals every individual. Later ones anneal half that number, which replace the worse half.
/// - The number of moves doubles whenever a generation finds no better individual.
/// - Every move is an evaluation, in both subproblems.
/// - Port sets and half-duplex links are predicted like channels.
///
/// [`HgsaOptions::directed`] differs from the document: moves start at conflicts and continue as ejection chains,
/// channels get their first steps in the order of the ends of their windows, and
/// [`LastResort::AnyPath`](crate::LastResort::AnyPath) helps where shortest paths are not sufficient.
///
/// The random stream of an individual depends only on the seed, the generation and its index. The number of threads
/// does not change the result.
///
/// # Examples
///
/// ```
/// use lockstep_evolve::{Hgsa, HgsaOptions, SearchSpace, candidate_paths};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:3".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&cube, &all_gather, CommunicationModel::store_and_forward())?;
/// let channels = candidate_paths(&problem)?;
/// let space = SearchSpace::new(problem, &channels, 3)?;
/// let schedule = Hgsa::new(&space, HgsaOptions::directed(1)).run(&Budget::evaluations(1_000_000), |_| {})?;
/// assert_eq!(schedule.step_count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        Box::new(AnnealingMaker::new(space, *self))
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
