//! What is measured: `data/benchmarks/rows.json`.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context, Result};
use lockstep::schedule::Switching;
use lockstep::{Collective, CollectiveName, CommunicationModel, Topology, load};
use serde::Deserialize;

use crate::repository::root;

/// All tables, and where the figures of others come from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rows {
    pub(super) source: String,
    pub(super) tables: Vec<Table>,
}

/// Rows of one kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) title: String,
    pub(super) about: String,
    #[serde(default = "store_and_forward")]
    switching: Switching,
    pub(super) rows: Vec<Row>,
}

fn store_and_forward() -> Switching {
    Switching::StoreAndForward
}

/// One network and collective.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    /// A spec, or a file from the root of the repository.
    network: String,
    pub(super) collective: String,
    #[serde(default = "one")]
    pub(super) chunks: NonZeroU32,
    /// Fewer seeds than usual.
    pub(super) seeds: Option<u32>,
    /// Seconds that a run may take.
    #[serde(default = "usual_budget")]
    pub(super) budget: u64,
    /// Best and mean steps, and time, of other programs.
    pub(super) tacos: Option<String>,
    pub(super) sccl: Option<String>,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn usual_budget() -> u64 {
    20
}

impl Rows {
    pub(super) fn read() -> Result<Self> {
        let path = root().join("data/benchmarks/rows.json");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }
}

impl Table {
    pub(super) fn model(&self) -> CommunicationModel {
        match self.switching {
            Switching::Wormhole => CommunicationModel::wormhole(),
            Switching::StoreAndForward => CommunicationModel::store_and_forward(),
        }
    }
}

impl Row {
    pub(super) fn topology(&self) -> Result<Topology> {
        let file = root().join(&self.network);
        let is_file = Path::new(&self.network).components().count() > 1;
        Ok(load(if is_file { file.to_str().context("a path in UTF-8")? } else { &self.network })?)
    }

    /// The collective on this network, from the first terminal where it has a root.
    pub(super) fn collective(&self, topology: &Topology) -> Result<Collective> {
        let name: CollectiveName = self.collective.parse()?;
        Ok(name.with_root(name.has_root().then_some(topology.terminals()[0]))?.with_chunks(self.chunks))
    }
}
