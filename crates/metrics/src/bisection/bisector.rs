//! Small cuts by search from random sides.

use std::borrow::Cow;

use rand::Rng;
use rand::seq::SliceRandom;

use super::refiner::{Load, Refiner, Rule};
use crate::Graph;

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
    /// about 2 of 3 runs find 4 or 6.
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
        self.count_terminals(&cables);
        let mut best = u32::MAX;
        for _ in 0..starts.max(1) {
            self.draw_sides(random);
            let slack = (cables.terminals().len() % 2) as u64;
            let load = Load { cables: &cables, terminals: &self.terminals, slack };
            let cut = self.refiner.refine(load, Rule::Exchange);
            if cut < best {
                best = cut;
                std::mem::swap(&mut self.refiner.sides, &mut self.best);
            }
        }
        best
    }

    /// By node, its side in the cut of the last search.
    pub fn sides(&self) -> &[bool] {
        &self.best
    }

    fn count_terminals(&mut self, graph: &Graph) {
        self.terminals.clear();
        self.terminals.resize(graph.node_count(), 0);
        for &terminal in graph.terminals() {
            self.terminals[terminal as usize] = 1;
        }
    }

    /// Deals terminals, and switches, to one side and the other by turns in random order.
    fn draw_sides(&mut self, random: &mut impl Rng) {
        let Refiner { sides, order, .. } = &mut self.refiner;
        order.clear();
        order.extend(0..self.terminals.len() as u32);
        order.shuffle(random);
        sides.clear();
        sides.resize(self.terminals.len(), false);
        let mut dealt = [false; 2];
        for &node in &*order {
            let side = &mut dealt[self.terminals[node as usize] as usize];
            sides[node as usize] = *side;
            *side ^= true;
        }
    }
}

/// The same graph if every channel has its opposite.
pub(super) fn cables(graph: &Graph) -> Cow<'_, Graph> {
    if graph.is_symmetric() { Cow::Borrowed(graph) } else { Cow::Owned(graph.undirected()) }
}
