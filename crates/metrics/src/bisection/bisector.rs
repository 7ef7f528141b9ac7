//! Small cuts by search from random sides.

use std::borrow::Cow;

use rand::Rng;

use super::multilevel::Multilevel;
use super::refiner::{Load, Refiner, Rule};
use crate::Graph;

/// How many of a hundred nodes a round deals anew.
///
/// Of 15 to 85 the middle served best on random regular networks of 128 and 1,024 nodes.
const DEALT_PERCENT: usize = 60;

/// How long [`Bisector::bisect`] searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BisectionEffort {
    /// Cuts made from nothing, of which the best is kept; one at the least.
    pub starts: u32,
    /// How often the best cut is disturbed and improved again.
    pub rounds: u32,
}

/// Searches for small cuts in memory that the next search uses again.
///
/// A search returns the cut; [`sides`](Self::sides) are those of the last one. On networks where every channel has its opposite
/// it allocates nothing once it has seen one as large; others are turned into their cables first.
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
    /// By node: how many terminals it holds, 0 or 1.
    terminals: Vec<u32>,
}

impl Bisector {
    /// The cut, in cables, that one run of Kernighan and Lin's algorithm finds from random sides.
    ///
    /// A pass exchanges the two terminals that save most, or least lose, again and again until all have been exchanged once, and
    /// keeps the best moment; passes follow each other until one is in vain. A switch, or the odd terminal, moves alone when it
    /// saves as much as the best exchange. What saves equally much goes by first come, first served, from a random order, so
    /// that numbers of nodes do not matter. Takes about `O(NM)` steps a pass at worst and far fewer on sparse networks; about
    /// five passes.
    ///
    /// How good the cut is depends on luck: on a ring of 16 nodes with a node hanging from each, whose bisection width is 2,
    /// 6 of 10 runs find 4 or 6.
    ///
    /// **Source**: Kernighan, Lin, *An efficient heuristic procedure for partitioning graphs*, Bell System Technical Journal 49
    /// (1970), with the pairs met by descending savings as in its section 3; the buckets are those of Fiduccia, Mattheyses, *A
    /// linear-time heuristic for improving network partitions*, DAC 1982.
    pub fn kernighan_lin(&mut self, graph: &Graph, random: &mut impl Rng) -> u32 {
        self.best_of(graph, 1, random)
    }

    /// The least cut of several runs of [`kernighan_lin`](Self::kernighan_lin), one at the least.
    pub fn best_of(&mut self, graph: &Graph, starts: u32, random: &mut impl Rng) -> u32 {
        let cables = cables(graph);
        let Self { refiner, best, terminals, .. } = self;
        let load = load(&cables, terminals);
        let mut least = u32::MAX;
        for _ in 0..starts.max(1) {
            refiner.shuffle(load, random);
            refiner.deal(load, load.terminals.len());
            let cut = refiner.refine(load, Rule::Exchange);
            if cut < least {
                least = cut;
                std::mem::swap(&mut refiner.sides, best);
            }
        }
        least
    }

    /// The least cut, in cables, of a search that goes on for as long as wished.
    ///
    /// A start joins neighbours to groups, and these again, until few are left, deals sides to the groups and refines them by
    /// moves of single nodes while the groups fall apart again. A round deals most nodes of the best cut anew and refines. A
    /// start takes as long as about three runs of [`kernighan_lin`](Self::kernighan_lin), a round little more than one.
    ///
    /// Starts are for networks with a structure, where Kernighan and Lin's algorithm is lost as soon as they are large: on
    /// `fat-tree:2,10`, a fat tree of 1,024 terminals, 4 starts find the width of 512 and the best of 10 runs is about 700. Rounds
    /// are for random networks: on 8-regular ones with 1,024 nodes, 1 start and 10 rounds are 2 % below what
    /// [`best_of`](Self::best_of) finds in the same time. Random networks of up to 128 nodes do not need either: there both are
    /// equally good, and 1 start and 50 rounds, or the best of 200 runs, rarely miss the least cut known.
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
    /// **Source**: Hendrickson, Leland, *A multilevel algorithm for partitioning graphs*, Supercomputing 1995; groups by the widest
    /// cables, the first choice of Karypis, Kumar, *Multilevel k-way hypergraph partitioning*, DAC 1999; moves by Fiduccia,
    /// Mattheyses, DAC 1982; rounds by Lourenço, Martin, Stützle, *Iterated local search*, Handbook of Metaheuristics (2003).
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
                refiner.refine(load.loosely(), Rule::Move);
            }
            let cut = refiner.refine(load, Rule::Move);
            // As small a cut elsewhere leads to others.
            if cut <= least {
                least = cut;
                std::mem::swap(&mut refiner.sides, best);
            }
        }
        least
    }

    /// By node, its side in the cut of the last search.
    pub fn sides(&self) -> &[bool] {
        &self.best
    }
}

/// Halves of the terminals, one of which may have the odd one.
fn load<'a>(cables: &'a Graph, terminals: &'a mut Vec<u32>) -> Load<'a> {
    terminals.clear();
    terminals.resize(cables.node_count(), 0);
    for &terminal in cables.terminals() {
        terminals[terminal as usize] = 1;
    }
    Load { cables, terminals, slack: cables.terminals().len() as u64 % 2 }
}

/// The same graph if every channel has its opposite.
pub(super) fn cables(graph: &Graph) -> Cow<'_, Graph> {
    if graph.is_symmetric() { Cow::Borrowed(graph) } else { Cow::Owned(graph.undirected()) }
}
