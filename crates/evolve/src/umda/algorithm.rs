//! The univariate marginal distribution algorithm.

use lockstep_files::FileKind;
use lockstep_schedule::NotFound;

use super::individual_maker::UmdaMaker;
use super::options::UmdaOptions;
use crate::evolution::{Algorithm, Evolution, Maker};
use crate::space::SearchSpace;

/// The univariate marginal distribution algorithm of the multistage-network document: a search for a conflict-free
/// schedule of a given number of steps.
///
/// Each generation, binary tournaments select half as many parents as there are individuals. New individuals take every
/// gene from the univariate marginal distribution of the parents. They are mutated, repaired (broadcast) or balanced
/// over the ports (scatter), and replace the worse half.
///
/// Decisions that the document leaves open:
///
/// - A gene's parts (sender, path, step) are one variable of the distribution. Sampling the marginal distribution means
///   copying the gene of a random parent.
/// - Individuals with the same number of conflicts rank by age, the older first.
/// - A pair in conflict counts once per resource that both use, including port sets.
/// - Repair and balance move no more deliveries than necessary.
/// - The first broadcasts take the earliest free step of a nearest sender that holds the message, not of a random
///   sender.
///
/// [`Mutation::SlotSwap`](crate::Mutation::SlotSwap) is the published mutation.
/// [`Mutation::EjectionChains`](crate::Mutation::EjectionChains) differs as follows:
///
/// - Instead of a random swap, and after repair, it runs an [`EjectionChainSearch`](crate::EjectionChainSearch).
/// - A broadcast delivery that moves considers short paths and paths from the source, not any path.
/// - The effort, a number of chains per individual, doubles whenever a generation finds no better individual.
///
/// The random stream of an individual depends only on the seed, the generation and its index. The number of threads
/// does not change the result.
///
/// # Source
///
/// Mühlenbein, Paaß, *From recombination of genes to the estimation of distributions* (1996).
///
/// # Examples
///
/// ```
/// use lockstep_evolve::{SearchSpace, Umda, UmdaOptions, candidate_paths};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let tree: Topology = "b-tree:4".parse()?;
/// let exchange = Collective::all_to_all();
/// let problem = Problem::new(&tree, &exchange, CommunicationModel::wormhole())?;
/// let paths = candidate_paths(&problem)?;
/// let space = SearchSpace::new(problem, &paths, 4)?;
/// let mut umda = Umda::new(&space, UmdaOptions::directed(1));
/// let schedule = umda.run(&Budget::evaluations(100_000), |_| {})?;
/// assert_eq!(schedule.step_count(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Umda<'a> = Evolution<'a, UmdaOptions>;

impl Algorithm for UmdaOptions {
    const CHECKPOINT_KIND: FileKind = FileKind {
        format: "lockstep-umda-checkpoint",
        noun: "checkpoint of UMDA",
        magic: *b"lockumda",
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
        Box::new(UmdaMaker::new(space, *self))
    }

    fn check(&self, _: &SearchSpace<'_>) -> Result<(), NotFound> {
        Ok(())
    }
}
