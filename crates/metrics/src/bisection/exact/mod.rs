//! Exact bisection width by branch and bound.

mod branch_and_bound;
mod node_order;
mod partial_assignment;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use self::branch_and_bound::BranchAndBound;
use self::node_order::NodeOrder;
use super::bisector::{BisectionEffort, Bisector, cables};
use super::sides::Bisection;
use crate::Graph;

/// Largest number of terminals of [`exact_bisection`].
pub const MAX_EXACT_TERMINALS: usize = 128;

/// Effort of the heuristic search for the initial cut.
const EFFORT: BisectionEffort = BisectionEffort { starts: 4, rounds: 10 };

/// The result of [`exact_bisection`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExactBisection {
    /// The best bisection found. It is exact unless the budget ended.
    pub bisection: Bisection,
    /// Number of visited nodes of the search tree.
    pub search_nodes: u64,
}

/// The network has more than [`MAX_EXACT_TERMINALS`] terminals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "exact bisection supports at most {MAX_EXACT_TERMINALS} terminals, and the network has {terminals}; use a heuristic search"
)]
pub struct TooManyTerminals {
    /// Number of terminals of the network.
    pub terminals: usize,
}

/// Computes the bisection width with its sides, by depth-first branch and bound.
///
/// Visits at most about `node_budget` nodes of the search tree, about 10 million per second. If they are not
/// sufficient, the result has the best cut and the best lower bound so far. Random regular networks of 32, 40 and 64
/// nodes take up to about 100,000, 1 million and 10 million nodes. Meshes and tori take much fewer, networks with many
/// switches much more. The result is deterministic. Takes 4 bytes per node and number of terminals.
///
/// Nodes are assigned in a fixed order. The bound of a branch is the sum of three parts: the cables that are already
/// cut, the least cut between assigned and unassigned nodes for the required balance, and the least cut among the
/// unassigned nodes. The last part comes from a table, which the same search fills for the last two thirds of the
/// order.
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
/// # Errors
///
/// Returns [`TooManyTerminals`] for more than [`MAX_EXACT_TERMINALS`].
///
/// # Source
///
/// The table is Russian doll search: Verfaillie, Lemaître and Schiex, *Russian doll search for solving constraint
/// optimization problems*, AAAI 1996, here with one row per number of terminals. The bound under balance: Roucairol and
/// Hansen, *Problème de la bipartition minimale d'un graphe*, RAIRO 21, 1987.
pub fn exact_bisection(graph: &Graph, node_budget: u64) -> Result<ExactBisection, TooManyTerminals> {
    let terminals = graph.terminals().len();
    if terminals > MAX_EXACT_TERMINALS {
        return Err(TooManyTerminals { terminals });
    }
    let cables = cables(graph);
    let mut bisector = Bisector::default();
    let start = bisector.bisect(&cables, EFFORT, &mut ChaCha8Rng::seed_from_u64(0));
    let mut sides = bisector.sides().to_vec();
    let sequence = NodeOrder::new(&cables);
    let mut search = BranchAndBound::new(&sequence);
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
