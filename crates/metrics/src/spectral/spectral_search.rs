//! Computation of spectral gaps.

use super::lanczos::Lanczos;
use super::spectral_gap::SpectralGap;
use super::tridiagonal::Tridiagonal;
use crate::graph::Graph;

/// Largest number of nodes for the dense method, which takes `8 n^2` bytes.
const MAX_DENSE: usize = 512;

impl SpectralGap {
    /// Computes the spectral gap of a network. See [`SpectralSearch::measure`] for many networks.
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

/// Computes spectral gaps, with reusable buffers. Takes `8 n^2` bytes for up to 512 nodes, and about 1 KiB per node
/// beyond.
#[derive(Clone, Debug, Default)]
pub struct SpectralSearch {
    /// The nodes of the network, without failed ones.
    pub(super) nodes: Vec<u32>,
    /// Index of each node in `nodes`.
    place: Vec<u32>,
    matrix: Vec<f64>,
    tridiagonal: Tridiagonal,
    pub(super) lanczos: Lanczos,
}

impl SpectralSearch {
    /// Computes the spectral gap of a network. A directed network is replaced by its [`undirected`](Graph::undirected)
    /// graph.
    ///
    /// All nodes count except isolated nodes that are not terminals. O(n³) for up to 512 nodes, without allocation if
    /// earlier networks were as large. Beyond, O(n + M) per Lanczos step, plus O(n) per kept vector.
    ///
    /// # Source
    ///
    /// Fiedler, *Algebraic connectivity of graphs*, Czechoslovak Mathematical Journal 23, 1973. Householder, *Unitary
    /// triangularization of a nonsymmetric matrix*, Journal of the ACM 5, 1958. Bisection by Sturm sequences: Givens,
    /// 1954. Lanczos iteration: Lanczos, 1950.
    pub fn measure(&mut self, graph: &Graph) -> SpectralGap {
        if !graph.is_symmetric() {
            return self.measure(&graph.undirected());
        }
        self.number(graph);
        if self.nodes.len() < 2 {
            return SpectralGap { value: 0.0, error: 0.0 };
        }
        if self.nodes.len() <= MAX_DENSE { self.dense(graph) } else { self.lanczos.search(graph, &self.nodes) }
    }

    /// Numbers the nodes of the network.
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

    /// Computes the gap from the whole matrix.
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
        // Householder's reduction changes eigenvalues by a small multiple of this.
        SpectralGap { value, error: order as f64 * f64::EPSILON * self.tridiagonal.radius() }
    }
}
