//! The published figures, from `data/papers/exanest.json`.

use anyhow::Result;
use lockstep::design::{CablingCode, Machine};
use lockstep::pareto::SelectionAlgorithm;
use serde::Deserialize;

use crate::reproduce::paper_figures;

/// All published figures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    #[serde(rename = "paper")]
    _paper: String,
    /// Runs per column.
    pub(super) runs: u32,
    pub(super) figure2: Drawing,
    /// The columns of Tables II and III.
    pub(super) columns: Vec<Column>,
    /// The networks of Figures 3 and 4. The paper prints no codes; these are found again.
    pub(super) picks: Vec<Pick>,
    pub(super) survey: AllNetworks,
}

/// A machine with some of its cables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Drawing {
    pub(super) machine: Machine,
    pub(super) code: CablingCode,
    /// Pairs of slots, from 1.
    pub(super) cables: Vec<[u32; 2]>,
}

/// One algorithm on one problem.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) table: u8,
    pub(super) machine: Machine,
    pub(super) external: f64,
    pub(super) algorithm: SelectionAlgorithm,
    /// Mean of whole fronts.
    #[serde(default)]
    pub(super) diameter: Option<f64>,
    #[serde(default)]
    pub(super) distance: Option<f64>,
    pub(super) groups: Vec<Group>,
}

/// The designs of a column with a number of links.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub(super) links: u32,
    /// Mean of f1, and its standard deviation if it is published.
    pub(super) cut: Vec<f64>,
    /// Mean of f2, and its standard deviation.
    pub(super) paths: Vec<f64>,
}

/// A network that the paper picks from its fronts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pick {
    /// The name in the paper: f1, f2 and f3.
    pub(super) name: String,
    pub(super) code: CablingCode,
    /// The proved bisection width.
    pub(super) bisection: u32,
}

/// All networks with a number of links, from a later analysis.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AllNetworks {
    pub(super) links: u32,
    pub(super) choices: u128,
    pub(super) classes: usize,
    pub(super) connected: usize,
    /// Bisection widths and numbers of paths.
    pub(super) front: Vec<[f64; 2]>,
}

impl Figures {
    pub(super) fn read() -> Result<Self> {
        paper_figures::read("exanest.json")
    }
}
