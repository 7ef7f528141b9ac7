//! The published figures of clusters, in `data/papers/clusters.json`.

use std::fs;

use anyhow::{Context, Result};
use lockstep::CommunicationModel;
use serde::Deserialize;

use crate::repository::root;

/// All published figures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    pub(super) throughput: Throughput,
    pub(super) widths: Widths,
    pub(super) networks: Networks,
    pub(super) times: Times,
}

/// The least numbers of steps per chunk.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Throughput {
    pub(super) source: String,
    pub(super) rows: Vec<ThroughputRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThroughputRow {
    pub(super) network: String,
    switching: String,
    /// Numerator and denominator.
    pub(super) steps_per_chunk: [u64; 2],
}

impl ThroughputRow {
    /// Returns the switching, in the words of the table, and the model.
    pub(super) fn model(&self) -> (&str, CommunicationModel) {
        let is_stored = self.switching == "store-and-forward";
        let model = if is_stored { CommunicationModel::store_and_forward() } else { CommunicationModel::wormhole() };
        (&self.switching, model)
    }
}

/// The schedules that are best for some size, as steps, sums of widths and chunks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Widths {
    pub(super) source: String,
    pub(super) network: String,
    pub(super) schedules: Vec<[u64; 3]>,
}

/// Networks for all-gathers by breadth-first broadcast.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Networks {
    pub(super) source: String,
    pub(super) order: u32,
    pub(super) degree: u32,
    pub(super) rows: Vec<NetworkRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkRow {
    pub(super) name: String,
    pub(super) stages: u32,
    /// 1 is the time in which a node receives all data over all its channels.
    pub(super) bandwidth: f64,
}

/// Times of all-gathers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Times {
    pub(super) source: String,
    pub(super) rows: Vec<TimeRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TimeRow {
    pub(super) network: String,
    pub(super) size: String,
    pub(super) microseconds: f64,
    pub(super) solver_seconds: u64,
}

impl Published {
    /// Reads the figures.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or if its content is another one.
    pub(super) fn read() -> Result<Self> {
        let file = root().join("data/papers/clusters.json");
        let text = fs::read_to_string(&file).with_context(|| format!("{}: cannot be read", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{}: unexpected content", file.display()))
    }
}
