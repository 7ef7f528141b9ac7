//! The arguments of `cargo xtask reproduce-paper`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use lockstep::EngineChoice;

/// A paper whose tables can be reproduced.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Paper {
    /// All reports: each paper, and `min` with both engines.
    All,
    /// Interconnects designed by multi-objective evolution and simulated.
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

/// The engine that computes our schedules.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// The planner: bounds, constructions and search.
    Auto,
    /// The algorithm of the paper, with the number of steps of the paper.
    Umda,
}

impl Method {
    pub(super) fn engine(self) -> EngineChoice {
        match self {
            Self::Auto => EngineChoice::Auto,
            Self::Umda => EngineChoice::Named("umda"),
        }
    }
}

/// The reports of `all`, cheap ones first.
const REPORTS: [(Paper, Method); 6] = [
    (Paper::Min, Method::Auto),
    (Paper::Fault, Method::Auto),
    (Paper::Hypercube, Method::Auto),
    (Paper::Hgsa, Method::Auto),
    (Paper::Min, Method::Umda),
    (Paper::Exanest, Method::Auto),
];

/// Which tables are reproduced, and how.
#[derive(Clone, Args)]
pub(crate) struct Arguments {
    /// Paper to reproduce.
    pub(super) paper: Paper,
    /// Reproduce only this table.
    #[arg(long)]
    pub(super) table: Option<u8>,
    /// Number of runs per cell, with seeds from --seed [default: 10, with --quick 1].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) runs: Option<u32>,
    /// Seed of the first run.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
    /// Engine that computes our schedules.
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    pub(super) engine: Method,
    /// Run each small network once.
    #[arg(long)]
    pub(super) quick: bool,
    /// Write the report to docs/reproduction instead of comparing it with the committed one.
    #[arg(long, conflicts_with = "out")]
    pub(super) write: bool,
    /// Write the report to the folder OUT and compare nothing.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}

/// The seed of the committed reports.
const DEFAULT_SEED: u64 = 1;

impl Arguments {
    /// Returns the arguments of each report: these, or those of all papers.
    ///
    /// # Errors
    ///
    /// If an option concerns one paper, and all are wanted.
    pub(super) fn reports(&self) -> Result<Vec<Self>> {
        if self.paper != Paper::All {
            return Ok(vec![self.clone()]);
        }
        ensure!(
            self.table.is_none() && self.runs.is_none() && self.engine == Method::Auto,
            "--table, --runs and --engine concern one paper: name it in place of `all`"
        );
        Ok(REPORTS.iter().map(|&(paper, engine)| Self { paper, engine, ..self.clone() }).collect())
    }

    /// Returns true if the result is a whole report, as the committed ones are.
    pub(super) fn is_whole(&self) -> bool {
        !self.quick && self.table.is_none() && self.runs.is_none() && self.has_committed_seed()
    }

    /// Returns true if the seed is that of the committed reports.
    pub(super) fn has_committed_seed(&self) -> bool {
        self.seed == DEFAULT_SEED
    }
}
