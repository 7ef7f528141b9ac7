//! Broadcasts along the diagonals of a square torus.

mod broadcast;
mod broadcast_line;
#[cfg(test)]
mod tests;

pub(crate) use broadcast::DIAGONALS;
pub use broadcast::DiagonalBroadcast;
