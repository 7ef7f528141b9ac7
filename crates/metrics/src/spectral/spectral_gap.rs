//! The spectral gap.

/// The spectral gap: the second smallest eigenvalue of the Laplacian of the cables, also called algebraic connectivity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SpectralGap {
    /// The eigenvalue. 0 for disconnected networks and for fewer than two nodes.
    pub value: f64,
    /// Distance within which an eigenvalue lies: a few rounding errors for up to 512 nodes, otherwise the residual of
    /// the best vector. The residual is at most `1e-9` times the greatest degree, unless the iteration reached its
    /// limit.
    pub error: f64,
}
