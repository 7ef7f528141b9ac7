//! Heuristic search for small bisections.

use std::borrow::Cow;

use rand::Rng;

use super::multilevel::Multilevel;
use super::refiner::{BisectionInput, MoveRule, Refiner};
use crate::Graph;

/// Percentage of nodes that a round reassigns. Values near 60 were best on random regular networks of 128 and 1,024
/// nodes.
const DEALT_PERCENT: usize = 60;

/// The effort of [`Bisector::bisect`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BisectionEffort {
    /// Number of starts, at least one. The best cut is kept.
    pub starts: u32,
    /// Number of perturbations of the best cut.
    pub rounds: u32,
}

/// Searches for small bisections, with reusable buffers.
///
/// A search returns the cut in cables, and [`sides`](Self::sides) returns its two sides. Directed networks are first
/// converted to their cables. Otherwise, a search allocates only if the network is larger than earlier ones.
///
/// ```
/// use lockstep_metrics::{Bisector, Graph};
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
///
/// let ring = Graph::of_links(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]);
/// let (mut bisector, mut random) = (Bisector::default(), ChaCha8Rng::seed_from_u64(1));
/// assert_eq!(bisector.best_of(&ring, 10, &mut random), 2);
/// assert_ne!(bisector.sides()[0], bisector.sides()[2]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bisector {
    refiner: Refiner,
    multilevel: Multilevel,
    best: Vec<bool>,
    /// Number of terminals of each node, 0 or 1.
    terminals: Vec<u32>,
}

impl Bisector {
    /// Returns the cut, in cables, of one run of the Kernighan–Lin algorithm from random sides.
    ///
    /// A pass exchanges the best pair of terminals repeatedly, each terminal once, and keeps the best intermediate cut.
    /// Passes repeat until one does not improve the cut. A switch, or an odd terminal, moves alone if it saves at least
    /// as much. Ties are broken by time in a random initial order, so node numbers do not matter.
    ///
    /// At most O(N M) per pass and much less on sparse networks; usually about five passes. The quality of one run
    /// varies.
    ///
    /// # Source
    ///
    /// Kernighan and Lin, *An efficient heuristic procedure for partitioning graphs*, Bell System Technical Journal 49,
    /// 1970. Gain buckets: Fiduccia and Mattheyses, *A linear-time heuristic for improving network partitions*, DAC
    /// 1982.
    pub fn kernighan_lin(&mut self, graph: &Graph, random: &mut impl Rng) -> u32 {
        self.best_of(graph, 1, random)
    }

    /// Returns the smallest cut of several runs of [`kernighan_lin`](Self::kernighan_lin), at least one.
    pub fn best_of(&mut self, graph: &Graph, starts: u32, random: &mut impl Rng) -> u32 {
        let cables = cables(graph);
        let Self { refiner, best, terminals, .. } = self;
        let load = load(&cables, terminals);
        let mut least = u32::MAX;
        for _ in 0..starts.max(1) {
            refiner.shuffle(load, random);
            refiner.deal(load, load.terminals.len());
            let cut = refiner.refine(load, MoveRule::Exchange);
            if cut < least {
                least = cut;
                std::mem::swap(&mut refiner.sides, best);
            }
        }
        least
    }

    /// Returns the smallest cut, in cables, of a multilevel search with perturbations.
    ///
    /// A start contracts neighbours to groups, repeatedly, partitions the groups, and refines the sides while it
    /// expands the groups. A round reassigns most nodes of the best cut and refines again. A start takes about as long
    /// as three runs of [`kernighan_lin`](Self::kernighan_lin), and a round little more than one run.
    ///
    /// Use starts for large structured networks: on `fat-tree:2,10`, 4 starts find the width of 512, while the best of
    /// 10 runs is about 700. Use rounds for large random networks: on 8-regular ones with 1,024 nodes, 1 start and 10
    /// rounds are 2 % better than [`best_of`](Self::best_of) in the same time. Up to 128 nodes, both are equally good.
    ///
    /// ```
    /// use lockstep_metrics::{BisectionEffort, Bisector, Graph};
    /// use lockstep_topology::Topology;
    /// use rand::SeedableRng;
    /// use rand_chacha::ChaCha8Rng;
    ///
    /// let tree: Topology = "full-b-tree:255".parse()?;
    /// let (mut bisector, mut random) = (Bisector::default(), ChaCha8Rng::seed_from_u64(1));
    /// let effort = BisectionEffort { starts: 4, rounds: 0 };
    /// assert_eq!(bisector.bisect(&Graph::of(&tree), effort, &mut random), 1);
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    ///
    /// # Source
    ///
    /// Hendrickson and Leland, *A multilevel algorithm for partitioning graphs*, Supercomputing 1995. Contraction:
    /// first choice of Karypis and Kumar, *Multilevel k-way hypergraph partitioning*, DAC 1999. Moves: Fiduccia and
    /// Mattheyses, DAC 1982. Rounds: Lourenço, Martin and Stützle, *Iterated local search*, Handbook of Metaheuristics,
    /// 2003.
    pub fn bisect(&mut self, graph: &Graph, effort: BisectionEffort, random: &mut impl Rng) -> u32 {
        let cables = cables(graph);
        let Self { refiner, multilevel, best, terminals } = self;
        let load = load(&cables, terminals);
        let starts = u64::from(effort.starts.max(1));
        let mut least = u32::MAX;
        for turn in 0..starts + u64::from(effort.rounds) {
            if turn < starts {
                multilevel.deal(refiner, load, random);
            } else {
                refiner.sides.clone_from(best);
                refiner.shuffle(load, random);
                refiner.deal(load, cables.node_count() * DEALT_PERCENT / 100);
                refiner.refine(load.loosely(), MoveRule::Move);
            }
            let cut = refiner.refine(load, MoveRule::Move);
            // Equal cuts are accepted too, because they lead to new ones.
            if cut <= least {
                least = cut;
                std::mem::swap(&mut refiner.sides, best);
            }
        }
        least
    }

    /// Returns the side of each node in the cut of the last search.
    pub fn sides(&self) -> &[bool] {
        &self.best
    }
}

/// Returns the input for two halves of the terminals, which differ by at most one.
fn load<'a>(cables: &'a Graph, terminals: &'a mut Vec<u32>) -> BisectionInput<'a> {
    terminals.clear();
    terminals.resize(cables.node_count(), 0);
    for &terminal in cables.terminals() {
        terminals[terminal as usize] = 1;
    }
    BisectionInput { cables, terminals, slack: cables.terminals().len() as u64 % 2 }
}

/// Returns the undirected graph, without a copy if the graph is symmetric.
pub(super) fn cables(graph: &Graph) -> Cow<'_, Graph> {
    if graph.is_symmetric() { Cow::Borrowed(graph) } else { Cow::Owned(graph.undirected()) }
}
