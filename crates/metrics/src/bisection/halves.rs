//! A cut into halves, and its judge.

use serde::{Deserialize, Serialize};

use crate::Graph;

/// Two sides with equally many terminals, or one more, and the cables between them.
///
/// The bisection width of a network is the least cut that such sides have. A cable is an entry of [`Graph::undirected`]: two
/// opposite channels share one. Nodes that are no terminals are on either side.
///
/// Plain data: it may be wrong. [`check`](Self::check) counts again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bisection {
    /// By node: its side.
    pub sides: Vec<bool>,
    /// Number of cables between the sides.
    pub cut: u32,
    /// No sides have fewer cables between them, as far as is proved.
    pub lower_bound: u32,
}

/// What is wrong with a [`Bisection`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BisectionError {
    /// Sides of another number of nodes.
    #[error("it has sides for {sides} nodes, but the network has {nodes}")]
    Length {
        /// Nodes with a side.
        sides: usize,
        /// Nodes of the network.
        nodes: usize,
    },
    /// One side has more terminals than half of them, rounded up.
    #[error("one side has {left} terminals and the other {right}")]
    Uneven {
        /// Terminals on the side `false`.
        left: usize,
        /// Terminals on the side `true`.
        right: usize,
    },
    /// Another number of cables is between the sides.
    #[error("it counts {claimed} cables between the sides, but there are {counted}")]
    Cut {
        /// What the bisection says.
        claimed: u32,
        /// What there is.
        counted: u32,
    },
    /// The lower bound is greater than the cut.
    #[error("its lower bound {lower_bound} is above its cut {cut}")]
    Bound {
        /// What the bisection says no cut is below.
        lower_bound: u32,
        /// Its own cut.
        cut: u32,
    },
}

impl Bisection {
    /// Whether the cut is proved to be the least.
    pub fn is_exact(&self) -> bool {
        self.cut == self.lower_bound
    }

    /// Counts terminals and cables again. Takes time in proportion to the channels; shares no code with the searches.
    ///
    /// Whether the lower bound holds is not checked, only that it is not above the cut.
    ///
    /// # Errors
    ///
    /// [`BisectionError`] names the first thing that is wrong.
    pub fn check(&self, graph: &Graph) -> Result<(), BisectionError> {
        let &Self { ref sides, cut, lower_bound } = self;
        if sides.len() != graph.node_count() {
            return Err(BisectionError::Length { sides: sides.len(), nodes: graph.node_count() });
        }
        let right = graph.terminals().iter().filter(|&&terminal| sides[terminal as usize]).count();
        let left = graph.terminals().len() - right;
        if left.abs_diff(right) > 1 {
            return Err(BisectionError::Uneven { left, right });
        }
        let counted = (0..graph.node_count() as u32)
            .flat_map(|node| graph.arcs(node).map(move |(neighbour, width)| (node, neighbour, width)))
            .filter(|&(node, neighbour, _)| sides[node as usize] != sides[neighbour as usize])
            .map(|(node, neighbour, width)| match width.cmp(&graph.width_between(neighbour, node)) {
                std::cmp::Ordering::Less => 0,
                // The other arc of the cable counts it too.
                std::cmp::Ordering::Equal if node > neighbour => 0,
                _ => width,
            })
            .sum();
        if counted != cut {
            return Err(BisectionError::Cut { claimed: cut, counted });
        }
        if lower_bound > cut {
            return Err(BisectionError::Bound { lower_bound, cut });
        }
        Ok(())
    }
}
