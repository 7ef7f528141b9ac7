//! The lecture's figures as data.

use anyhow::Result;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::reproduce::figures;

#[derive(Deserialize)]
pub(super) struct Figures {
    pub(super) collectives: Vec<Formulas>,
    /// `m(t)`, by the bits of `t`.
    pub(super) links_of_the_4_cube: BTreeMap<String, u32>,
    pub(super) torus: TorusFormulas,
}

/// How the lecture writes its counts.
#[derive(Deserialize)]
pub(super) struct Formulas {
    pub(super) collective: String,
    pub(super) rounds: String,
    pub(super) transmissions: String,
}

#[derive(Deserialize)]
pub(super) struct TorusFormulas {
    pub(super) tiling: TilingFormulas,
    pub(super) diagonals: DiagonalFormulas,
}

#[derive(Deserialize)]
pub(super) struct TilingFormulas {
    pub(super) rounds: String,
    pub(super) transmissions: String,
}

#[derive(Deserialize)]
pub(super) struct DiagonalFormulas {
    pub(super) rounds: String,
    pub(super) rounds_above_the_bound: u32,
}

impl Figures {
    pub(super) fn read() -> Result<Self> {
        figures("hypercube.json")
    }
}
