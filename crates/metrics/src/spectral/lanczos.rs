//! The Lanczos iteration for large networks.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::spectral_gap::SpectralGap;
use super::tridiagonal::{Tridiagonal, add, dot};
use crate::graph::Graph;

/// Dimension of a subspace before a restart from its best vector.
const VECTORS: usize = 128;

/// Limit on the number of vector entries that are processed: about 10 s.
const WORK: usize = 1 << 33;

/// Residual that ends the iteration, relative to the greatest degree.
const TOLERANCE: f64 = 1e-9;

/// The Lanczos iteration with full reorthogonalisation, restarted from its best vector.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanczos {
    /// The vectors of the subspace, one after the other, with one entry per node.
    basis: Vec<f64>,
    small: Tridiagonal,
}

impl Lanczos {
    /// Computes the smallest eigenvalue on the vectors whose entries on these nodes sum to 0. All other entries are 0.
    pub(super) fn search(&mut self, graph: &Graph, nodes: &[u32]) -> SpectralGap {
        let length = graph.node_count();
        // The start vector needs a component along the eigenvector. A random one has it, independent of node numbers.
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut start = vec![0.0; length];
        for &node in nodes {
            start[node as usize] = rng.random_range(-1.0..1.0);
        }
        let greatest = nodes.iter().map(|&node| f64::from(graph.out_degree(node))).fold(0.0, f64::max);
        let rounding = length as f64 * f64::EPSILON * 2.0 * greatest;
        let round = length * VECTORS * VECTORS;
        let mut left = WORK / round;
        loop {
            let residual = self.extend(graph, nodes, TOLERANCE * greatest, &mut start);
            let value = self.small.eigenvalue(0);
            let weights = self.small.eigenvector(value);
            let error = residual * weights[weights.len() - 1].abs();
            if error <= TOLERANCE * greatest || left == 0 {
                return SpectralGap { value: value.max(0.0), error: error.max(rounding) };
            }
            left -= 1;
            start.fill(0.0);
            for (vector, &weight) in self.basis.chunks_exact(length).zip(&weights) {
                add(&mut start, weight, vector);
            }
        }
    }

    /// Builds the Krylov subspace of a vector and its tridiagonal matrix. Returns the norm of the next residual vector.
    ///
    /// Stops at the full dimension, or when the residual is at most `least`.
    fn extend(&mut self, graph: &Graph, nodes: &[u32], least: f64, vector: &mut [f64]) -> f64 {
        let length = vector.len();
        self.basis.clear();
        self.small.diagonal.clear();
        self.small.beside.clear();
        let mut image = vector.to_vec();
        centre(nodes, &mut image);
        let mut norm = dot(&image, &image).sqrt();
        let most = VECTORS.min(nodes.len() - 1);
        loop {
            for entry in &mut image {
                *entry /= norm;
            }
            self.basis.extend(&image);
            let newest = &self.basis[self.basis.len() - length..];
            apply(graph, nodes, newest, &mut image);
            self.small.diagonal.push(dot(newest, &image));
            // Orthogonalises twice, for vectors that almost lie in the subspace.
            for _ in 0..2 {
                centre(nodes, &mut image);
                for vector in self.basis.chunks_exact(length) {
                    let along = dot(vector, &image);
                    add(&mut image, -along, vector);
                }
            }
            norm = dot(&image, &image).sqrt();
            if self.small.diagonal.len() == most || norm <= least {
                return norm;
            }
            self.small.beside.push(norm);
        }
    }
}

/// Multiplies the Laplacian by a vector.
fn apply(graph: &Graph, nodes: &[u32], vector: &[f64], image: &mut [f64]) {
    image.fill(0.0);
    for &node in nodes {
        let own = vector[node as usize];
        image[node as usize] =
            graph.arcs(node).map(|(neighbour, width)| f64::from(width) * (own - vector[neighbour as usize])).sum();
    }
}

/// Subtracts the mean of the entries of the nodes.
fn centre(nodes: &[u32], vector: &mut [f64]) {
    let mean = nodes.iter().map(|&node| vector[node as usize]).sum::<f64>() / nodes.len() as f64;
    for &node in nodes {
        vector[node as usize] -= mean;
    }
}
