//! The rows of the benchmark, from `data/benchmarks/rows.json`.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context, Result};
use lockstep::schedule::Switching;
use lockstep::{Collective, CollectiveName, CommunicationModel, Topology, load};
use serde::Deserialize;

use super::rival::Figure;
use crate::repository::root;

/// All tables, and the source of the figures of other programs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rows {
    pub(super) source: String,
    pub(super) tables: Vec<RowTable>,
}

/// A table of rows with one switching.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowTable {
    pub(super) title: String,
    pub(super) about: String,
    #[serde(default = "store_and_forward")]
    switching: Switching,
    pub(super) rows: Vec<Row>,
}

fn store_and_forward() -> Switching {
    Switching::StoreAndForward
}

/// One collective on one network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    /// A spec, or the path of a file relative to the root folder.
    network: String,
    pub(super) collective: String,
    #[serde(default = "one")]
    pub(super) chunks: NonZeroU32,
    /// The number of blocks of an all-reduce; that of terminals times chunks, if there is none.
    pub(super) blocks: Option<NonZeroU32>,
    /// Limit of seeds for a long row.
    pub(super) seeds: Option<u32>,
    /// Time limit of a run in seconds.
    #[serde(default = "usual_budget")]
    pub(super) budget: u64,
    /// Figures of TACOS and of SCCL.
    pub(super) tacos: Option<Figure>,
    pub(super) sccl: Option<Figure>,
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

impl RowTable {
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

    /// Returns the collective on this network. A rooted collective has the first terminal as its root.
    pub(super) fn collective(&self, topology: &Topology) -> Result<Collective> {
        let name: CollectiveName = self.collective.parse()?;
        if let Some(blocks) = self.blocks {
            return Ok(Collective::all_reduce_in_blocks(topology, &[], blocks)?);
        }
        Ok(name.with_root(name.has_root().then_some(topology.terminals()[0]))?.with_chunks(self.chunks))
    }
}
