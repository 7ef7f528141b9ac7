//! The document's figures, from `data/papers/hgsa.json`.

use anyhow::Result;
use serde::Deserialize;

use crate::reproduce::figures;

/// Both tables of the document.
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
    /// As the document calls the network.
    pub(super) name: String,
    pub(super) spec: String,
    /// The steps that the document's algorithm reached.
    pub(super) steps: u32,
    /// The lower bound, where the document gives one.
    #[serde(default)]
    pub(super) bound: Option<u32>,
    /// Why it may be about another network.
    #[serde(default)]
    pub(super) doubt: Option<String>,
}

impl Figures {
    pub(super) fn read() -> Result<Self> {
        figures("hgsa.json")
    }
}
