//! The bisection width with its proof.

mod partial;
mod search;
mod sequence;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use self::search::Search;
use self::sequence::Sequence;
use super::bisector::cables;
use super::{Bisection, BisectionEffort, Bisector};
use crate::Graph;

/// The most terminals that [`exact_bisection`] takes.
pub const MAX_EXACT_TERMINALS: usize = 128;

/// The search whose cut the exact one begins with.
const EFFORT: BisectionEffort = BisectionEffort { starts: 4, rounds: 10 };

/// What [`exact_bisection`] returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExactBisection {
    /// The best sides found; exact unless the search was stopped.
    pub bisection: Bisection,
    /// Nodes of the search tree that were visited.
    pub search_nodes: u64,
}

/// More than [`MAX_EXACT_TERMINALS`] terminals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "an exact bisection takes {MAX_EXACT_TERMINALS} terminals at most and the network has {terminals}: take the best of many \
     searches instead"
)]
pub struct TooManyTerminals {
    /// Terminals of the network.
    pub terminals: usize,
}

/// The bisection width, its sides and how many nodes of a search tree the proof took.
///
/// At most `node_budget` nodes are visited, about 10 million a second, but for one an entry of the table below; when they do
/// not suffice, the bisection has the best cut and the best lower bound so far. Random regular networks of 32 nodes take up to
/// 100,000, of 40 nodes up to a million, of 64 nodes about 10 million; meshes and tori far fewer; fat trees and others with many
/// switches far more, as these fit either side. The same network always gives the same result. Memory: 4 bytes for each node and
/// number of terminals.
///
/// Depth-first branch and bound: nodes in the order of their attachment to those before them go to one side or the other, the
/// first to one by symmetry. A branch is left when no completion beats the best cut: what is cut already, what the waiting nodes
/// add at the least by their cables to those decided, given how many terminals must go to each side, and the least cut *among*
/// the waiting nodes with that many on each side. The waiting nodes are always the same ones at the same depth, so that last
/// part comes from a table, which the same search fills from the end of the order up to its last two thirds.
///
/// ```
/// use lockstep_metrics::{Graph, exact_bisection};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:5x5".parse()?;
/// let found = exact_bisection(&Graph::of(&mesh), 1_000_000)?.bisection;
/// assert_eq!((found.cut, found.lower_bound), (6, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Source**: the table is Russian doll search, Verfaillie, Lemaître, Schiex, *Russian doll search for solving constraint
/// optimization problems*, AAAI 1996, here with a row by number of terminals; the sum over waiting nodes under a balance is that
/// of Roucairol, Hansen, *Problème de la bipartition minimale d'un graphe*, RAIRO 21 (1987).
///
/// # Errors
///
/// [`TooManyTerminals`] for more than [`MAX_EXACT_TERMINALS`].
pub fn exact_bisection(graph: &Graph, node_budget: u64) -> Result<ExactBisection, TooManyTerminals> {
    let terminals = graph.terminals().len();
    if terminals > MAX_EXACT_TERMINALS {
        return Err(TooManyTerminals { terminals });
    }
    let cables = cables(graph);
    let mut bisector = Bisector::default();
    let start = bisector.bisect(&cables, EFFORT, &mut ChaCha8Rng::seed_from_u64(0));
    let mut sides = bisector.sides().to_vec();
    let sequence = Sequence::new(&cables);
    let mut search = Search::new(&sequence);
    search.fill_floors(node_budget / 2);
    let found = search.halve(start, node_budget);
    if let Some(better) = found.sides {
        for (&node, side) in sequence.nodes.iter().zip(better) {
            sides[node as usize] = side;
        }
    }
    let bisection = Bisection { sides, cut: found.cut, lower_bound: found.lower_bound };
    Ok(ExactBisection { bisection, search_nodes: search.visited })
}
