//! The lecture's figures as data.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::run::root;

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
        let file = root().join("data/papers/hypercube.json");
        let text = fs::read_to_string(&file).with_context(|| format!("{}: cannot be read", file.display()))?;
        serde_json::from_str(&text).with_context(|| file.display().to_string())
    }
}
