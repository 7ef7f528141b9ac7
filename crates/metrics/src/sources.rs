//! The terminals from which a mean over pairs is taken.

use crate::orbits::Orbits;
use crate::{Graph, SymmetryError};

/// Terminals that stand for all: symmetries take each terminal to one of them, so that a mean over pairs needs searches from
/// these alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// The terminals, ascending.
    pub nodes: Vec<u32>,
    /// How many terminals each stands for.
    pub shares: Vec<u32>,
}

impl Sources {
    /// Every terminal for itself.
    pub fn all(graph: &Graph) -> Self {
        Self { nodes: graph.terminals().to_vec(), shares: vec![1; graph.terminals().len()] }
    }

    /// The least terminal of each orbit under the group that these permutations generate; each lists the image of every node.
    ///
    /// Every permutation is held against the network: takes `O(M log M)` time each for `M` entries of the graph.
    ///
    /// ```
    /// use lockstep_metrics::{Graph, Sources};
    ///
    /// // A ring with a node hanging from each: a turn takes each node to the next of its kind.
    /// let graph = Graph::of_links(6, &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 4], [2, 5]]);
    /// let sources = Sources::under(&graph, &[vec![1, 2, 0, 4, 5, 3]])?;
    /// assert_eq!((sources.nodes, sources.shares), (vec![0, 3], vec![3, 3]));
    /// # Ok::<(), lockstep_metrics::SymmetryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SymmetryError`] names the first permutation that is no symmetry, and where.
    pub fn under(graph: &Graph, symmetries: &[Vec<u32>]) -> Result<Self, SymmetryError> {
        let (mut orbits, mut sources) = (Orbits::default(), Self::default());
        orbits.find(graph, symmetries)?;
        orbits.fill_sources(graph, &mut sources);
        Ok(sources)
    }

    /// The terminals with the number of those each stands for.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + '_ {
        self.nodes.iter().copied().zip(self.shares.iter().copied())
    }
}
