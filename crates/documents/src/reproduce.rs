//! `cargo xtask reproduce-paper`: one file a paper.

mod exanest;
mod fault;
mod hgsa;
mod hypercube;
mod min;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use lockstep::EngineChoice;
use serde::de::DeserializeOwned;

use crate::repository::root;

/// A document whose tables can be reproduced.
#[derive(Clone, Copy, ValueEnum)]
enum Paper {
    /// Interconnects designed by multi-objective evolution, and simulated.
    Exanest,
    /// Collectives on Kautz networks and meshes with faults.
    Fault,
    /// Store-and-forward all-gather by annealing with conflict prediction.
    Hgsa,
    /// Collectives on hypercubes and broadcasts on tori, a lecture.
    Hypercube,
    /// Evolutionary scheduling on multistage interconnection networks.
    Min,
}

/// What finds our schedules.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// The planner: bound, construction, search.
    Auto,
    /// The document's own algorithm at the document's number of steps.
    Umda,
}

impl Method {
    fn engine(self) -> EngineChoice {
        match self {
            Self::Auto => EngineChoice::Auto,
            Self::Umda => EngineChoice::Named("umda"),
        }
    }
}

/// What to reproduce, and how.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The document.
    paper: Paper,
    /// Only this table.
    #[arg(long)]
    table: Option<u8>,
    /// Runs of each cell, with seeds from --seed on [default: 10, with --quick 1].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,
    /// Seed of the first run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What finds our schedules.
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    engine: Method,
    /// One run of the small networks, for a first look: well below two minutes.
    #[arg(long)]
    quick: bool,
    /// Folder of the report [default: docs/reproduction, with --quick or --table target/reproduction].
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Arguments {
    /// Writes the files of a report, by their extensions, to the folder that is wanted; a whole one belongs to the documents.
    fn write(&self, stem: &str, files: &[(&str, String)]) -> Result<()> {
        let is_whole = !self.quick && self.table.is_none();
        let usual = if is_whole { "docs/reproduction" } else { "target/reproduction" };
        let folder = self.out.clone().unwrap_or_else(|| root().join(usual));
        fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        for (extension, text) in files {
            let file = folder.join(stem).with_extension(extension);
            fs::write(&file, text).with_context(|| format!("{}: cannot be written", file.display()))?;
            eprintln!("wrote {}", file.display());
        }
        Ok(())
    }
}

/// The figures of a document, from their file in `data/papers`.
fn figures<T: DeserializeOwned>(name: &str) -> Result<T> {
    let file = root().join("data/papers").join(name);
    let text = fs::read_to_string(&file).with_context(|| format!("{}: cannot be read", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{}: is not as expected", file.display()))
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match arguments.paper {
        Paper::Exanest => exanest::run(arguments),
        Paper::Fault => fault::run(arguments),
        Paper::Hgsa => hgsa::run(arguments),
        Paper::Hypercube => hypercube::run(arguments),
        Paper::Min => min::run(arguments),
    }
}
