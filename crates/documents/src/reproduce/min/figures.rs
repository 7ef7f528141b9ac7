//! The published figures, from `data/papers/min.json`.

use anyhow::Result;
use serde::Deserialize;

use crate::reproduce::paper_figures;

/// All tables of the paper.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    #[serde(rename = "paper")]
    _paper: String,
    /// The rows of Tables 1 and 3, with their figures from Tables 5 and 6.
    pub(super) networks: Vec<Network>,
    pub(super) table2: DestinationTable,
    pub(super) table4: DestinationTable,
    pub(super) equation1: Equation1,
}

/// A row of Table 1 or 3.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Network {
    /// 1 or 3.
    pub(super) table: u8,
    /// The name in the paper.
    pub(super) name: String,
    pub(super) spec: String,
    pub(super) cells: Vec<Cell>,
}

/// One collective on one network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cell {
    pub(super) collective: String,
    /// The number of steps; in trees one number per level of the root, from leaf to root.
    pub(super) steps: Vec<u32>,
    /// Whether the paper calls it suboptimal.
    #[serde(default)]
    pub(super) suboptimal: bool,
    /// Table 5.
    pub(super) success_percent: u32,
    /// Table 6; `None` where it says less than one second.
    pub(super) seconds: Option<f64>,
    /// Why the published figure may be wrong.
    pub(super) doubt: Option<String>,
}

/// A schedule of Table 2 or 4. The cell of a source and a step is the destination of the message of the source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DestinationTable {
    pub(super) spec: String,
    pub(super) collective: String,
    pub(super) rows: Vec<Vec<usize>>,
}

/// The example of equation 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Equation1 {
    pub(super) start_up_ps: u64,
    pub(super) byte_ps: u64,
    pub(super) bytes: u64,
    /// Numbers of steps with their published times in microseconds.
    pub(super) times_us: Vec<(u64, String)>,
}

impl Figures {
    pub(super) fn read() -> Result<Self> {
        paper_figures::read("min.json")
    }
}
