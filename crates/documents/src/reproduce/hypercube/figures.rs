//! The figures of the lecture, from `data/papers/hypercube.json`.

use anyhow::Result;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::reproduce::paper_figures;

/// All formulas and tables of the lecture.
#[derive(Deserialize)]
pub(super) struct Figures {
    pub(super) collectives: Vec<Formulas>,
    /// `m(t)` by the binary form of `t`.
    pub(super) links_of_the_4_cube: BTreeMap<String, u32>,
    pub(super) torus: TorusFormulas,
}

/// The counts of one collective, as the lecture writes them.
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
        paper_figures::read("hypercube.json")
    }
}
