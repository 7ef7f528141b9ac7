//! How well vibrations, diffusions and random walks spread: the second eigenvalue of the Laplacian.

mod krylov;
mod tridiagonal;

#[cfg(test)]
mod tests;

use self::krylov::Krylov;
use self::tridiagonal::Tridiagonal;
use crate::Graph;

/// Up to so many nodes the whole matrix is reduced, `8 n^2` bytes; beyond, vectors of a subspace are kept.
const MOST_DENSE: usize = 512;

/// The second-smallest eigenvalue of the Laplacian of the cables, its widths counted: the algebraic connectivity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SpectralGap {
    /// The eigenvalue; 0 for networks in parts and those of fewer than two nodes.
    pub value: f64,
    /// An eigenvalue lies within this of the value: a few roundings up to 512 nodes; beyond, the residual of the best vector
    /// found, at most `1e-9` of the greatest degree unless convergence is so slow that the search gave up.
    pub error: f64,
}

impl SpectralGap {
    /// The spectral gap of a network. See [`SpectralSearch::measure`], which keeps its memory for the next network.
    ///
    /// ```
    /// use lockstep_metrics::{Graph, SpectralGap};
    /// use lockstep_topology::Topology;
    ///
    /// let cube: Topology = "hypercube:5".parse()?;
    /// let gap = SpectralGap::of(&Graph::of(&cube));
    /// assert!((gap.value - 2.0).abs() <= gap.error);
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    pub fn of(graph: &Graph) -> Self {
        SpectralSearch::default().measure(graph)
    }
}

/// Finds spectral gaps. Memory: `8 n^2` bytes for up to 512 nodes, about `1 KiB` a node beyond.
#[derive(Clone, Debug, Default)]
pub struct SpectralSearch {
    /// The nodes that are part of the network: not those that have failed.
    nodes: Vec<u32>,
    /// The place of each among these.
    place: Vec<u32>,
    matrix: Vec<f64>,
    tridiagonal: Tridiagonal,
    krylov: Krylov,
}

impl SpectralSearch {
    /// The spectral gap of a network; of its [`undirected`](Graph::undirected) graph if it is directed.
    ///
    /// Switches count as nodes; nodes that are neither terminals nor joined to anything do not. Takes `O(n^3)` time for up to 512
    /// nodes, and then allocates only where a network is larger than those before it; `O(n + M)` a step of a Lanczos
    /// iteration and `O(n)` for each vector kept beyond.
    ///
    /// **Source**: Fiedler, *Algebraic connectivity of graphs*, Czechoslovak Math. J. 23 (1973); Householder, *Unitary
    /// triangularization of a nonsymmetric matrix*, J. ACM 5 (1958); Givens' bisection by Sturm sequences (1954); Lanczos (1950).
    pub fn measure(&mut self, graph: &Graph) -> SpectralGap {
        if !graph.is_symmetric() {
            return self.measure(&graph.undirected());
        }
        self.number(graph);
        if self.nodes.len() < 2 {
            return SpectralGap { value: 0.0, error: 0.0 };
        }
        if self.nodes.len() <= MOST_DENSE { self.dense(graph) } else { self.krylov.search(graph, &self.nodes) }
    }

    fn number(&mut self, graph: &Graph) {
        self.nodes.clear();
        self.nodes.extend((0..graph.node_count() as u32).filter(|&node| !graph.neighbours(node).is_empty()));
        let isolated = graph.terminals().iter().filter(|&&terminal| graph.neighbours(terminal).is_empty());
        self.nodes.extend(isolated);
        self.place.clear();
        self.place.resize(graph.node_count(), 0);
        for (place, &node) in self.nodes.iter().enumerate() {
            self.place[node as usize] = place as u32;
        }
    }

    fn dense(&mut self, graph: &Graph) -> SpectralGap {
        let order = self.nodes.len();
        self.matrix.clear();
        self.matrix.resize(order * order, 0.0);
        for (place, (&node, row)) in self.nodes.iter().zip(self.matrix.chunks_exact_mut(order)).enumerate() {
            for (neighbour, width) in graph.arcs(node) {
                row[self.place[neighbour as usize] as usize] = -f64::from(width);
            }
            row[place] = f64::from(graph.out_degree(node));
        }
        self.tridiagonal.reduce(&mut self.matrix, order);
        let value = self.tridiagonal.eigenvalue(1).max(0.0);
        // Householder's reduction moves eigenvalues by a small multiple of this.
        SpectralGap { value, error: order as f64 * f64::EPSILON * self.tridiagonal.radius() }
    }
}
