//! The gene of a delivery.

use serde::{Deserialize, Serialize};

/// The path and the step of one delivery.
///
/// The sender is the first node of the path. A gene thus holds what the published encodings hold: (path, step) for
/// scatter, (source, path, step) for broadcast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Gene {
    /// Number of the path in the [`PathTable`](lockstep_paths::PathTable), or [`Gene::UNPLACED`].
    pub path: u32,
    /// Step, from 0.
    pub step: u32,
}

impl Gene {
    /// The path of a delivery that is not placed at present.
    pub const UNPLACED: u32 = u32::MAX;
}
