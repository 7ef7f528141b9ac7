//! The terminals from which a mean over pairs is taken.

use crate::Graph;

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

    /// The terminals with the number of those each stands for.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + '_ {
        self.nodes.iter().copied().zip(self.shares.iter().copied())
    }
}
