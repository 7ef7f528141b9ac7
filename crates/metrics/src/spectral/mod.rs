//! Spectral gap: the second smallest eigenvalue of the Laplacian.

mod lanczos;
mod spectral_gap;
mod spectral_search;
#[cfg(test)]
mod tests;
mod tridiagonal;

pub use spectral_gap::SpectralGap;
pub use spectral_search::SpectralSearch;
