//! Bisections and their verification.

use serde::{Deserialize, Serialize};

use crate::Graph;

/// Two sides whose numbers of terminals differ by at most one, and the number of cables between them.
///
/// The bisection width of a network is the smallest such cut. Two opposite channels share one cable, as in
/// [`Graph::undirected`]. Switches may be on either side.
///
/// Plain data, which may be wrong; [`check`](Self::check) recounts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bisection {
    /// Side of each node.
    pub sides: Vec<bool>,
    /// Number of cables between the sides.
    pub cut: u32,
    /// Proved lower bound on the bisection width.
    pub lower_bound: u32,
}

/// Why a [`Bisection`] is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BisectionError {
    /// The number of sides is wrong.
    #[error("the bisection has sides for {sides} nodes, but the network has {nodes}")]
    Length {
        /// Number of sides.
        sides: usize,
        /// Number of nodes of the network.
        nodes: usize,
    },
    /// The numbers of terminals differ by more than one.
    #[error("one side has {left} terminals and the other {right}")]
    Uneven {
        /// Number of terminals on the side `false`.
        left: usize,
        /// Number of terminals on the side `true`.
        right: usize,
    },
    /// The number of cables is wrong.
    #[error("the bisection claims {claimed} cables between the sides, but there are {counted}")]
    Cut {
        /// The claimed number.
        claimed: u32,
        /// The counted number.
        counted: u32,
    },
    /// The lower bound exceeds the cut.
    #[error("the lower bound {lower_bound} exceeds the cut {cut}")]
    Bound {
        /// The claimed lower bound.
        lower_bound: u32,
        /// The cut.
        cut: u32,
    },
}

impl Bisection {
    /// Returns true if the cut is proved to be minimum.
    pub fn is_exact(&self) -> bool {
        self.cut == self.lower_bound
    }

    /// Recounts terminals and cables, without code of the searches. O(M log N).
    ///
    /// The lower bound is not verified, except that it does not exceed the cut.
    ///
    /// # Errors
    ///
    /// Returns the first [`BisectionError`].
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
                // The opposite arc counts this cable.
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

#[cfg(test)]
mod tests {
    use lockstep_topology::{Topology, strategy};
    use proptest::prelude::*;

    use super::{Bisection, BisectionError};
    use crate::{Graph, exact_bisection};

    #[test]
    fn the_wider_direction_determines_the_cable() {
        let mut network = lockstep_topology::TopologyBuilder::new("one way, and two for one");
        let [a, b, c] = ["a", "b", "c"].map(|name| network.terminal(name));
        network.channel(a, b);
        network.channel(c, b);
        network.channel(c, b);
        network.channel(b, c);
        let graph = Graph::of(&network.build().unwrap());
        let with = |sides: [bool; 3], cut| Bisection { sides: sides.to_vec(), cut, lower_bound: 0 }.check(&graph);
        assert_eq!(with([true, false, false], 1), Ok(()));
        assert_eq!(with([false, false, true], 2), Ok(()));
        assert_eq!(with([false, true, false], 4), Err(BisectionError::Cut { claimed: 4, counted: 3 }));
    }

    #[test]
    fn the_first_error_is_returned() {
        let graph = Graph::of(&"ring:4".parse::<Topology>().unwrap());
        let with =
            |sides: &[bool], cut, lower_bound| Bisection { sides: sides.to_vec(), cut, lower_bound }.check(&graph);
        assert_eq!(with(&[true; 3], 0, 0), Err(BisectionError::Length { sides: 3, nodes: 4 }));
        assert_eq!(with(&[true; 4], 0, 0), Err(BisectionError::Uneven { left: 0, right: 4 }));
        assert_eq!(with(&[true, false, true, false], 2, 2), Err(BisectionError::Cut { claimed: 2, counted: 4 }));
        assert_eq!(with(&[true, true, false, false], 2, 3), Err(BisectionError::Bound { lower_bound: 3, cut: 2 }));
        assert_eq!(with(&[true, true, false, false], 2, 2), Ok(()));
    }

    proptest! {
        #[test]
        fn invalid_bisections_are_refused(topology in strategy::any_topology(10), more in 1..9u32) {
            let graph = Graph::of(&topology);
            let right = exact_bisection(&graph, 1_000_000).unwrap().bisection;
            let terminal = graph.terminals()[0] as usize;
            let spoiled = [
                Bisection { cut: right.cut + more, ..right.clone() },
                Bisection { cut: right.cut.wrapping_sub(more), lower_bound: 0, ..right.clone() },
                Bisection { lower_bound: right.cut + more, ..right.clone() },
                Bisection { sides: [right.sides.clone(), vec![false]].concat(), ..right.clone() },
                Bisection { sides: Vec::new(), ..right.clone() },
                Bisection { sides: vec![right.sides[terminal]; right.sides.len()], cut: 0, lower_bound: 0 },
            ];
            for spoiled in spoiled {
                prop_assert!(spoiled.check(&graph).is_err(), "{:?}", spoiled);
            }
        }
    }
}
