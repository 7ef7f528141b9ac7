//! The published figures, from `data/papers/hgsa.json`.

use anyhow::Result;
use serde::Deserialize;

use crate::reproduce::paper_figures;

/// Both tables of the paper.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    #[serde(rename = "paper")]
    _paper: String,
    pub(super) tables: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(rename = "table")]
    pub(super) number: u8,
    pub(super) rows: Vec<Row>,
}

/// All-gather on one network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// The name of the network in the paper.
    pub(super) name: String,
    pub(super) spec: String,
    /// The number of steps that the published algorithm reached.
    pub(super) steps: u32,
    /// The published lower bound, if there is one.
    #[serde(default)]
    pub(super) bound: Option<u32>,
    /// Why the paper may mean another network.
    #[serde(default)]
    pub(super) doubt: Option<String>,
}

impl Figures {
    pub(super) fn read() -> Result<Self> {
        paper_figures::read("hgsa.json")
    }
}
