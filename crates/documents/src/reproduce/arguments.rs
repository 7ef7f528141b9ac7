//! The arguments of `cargo xtask reproduce-paper`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lockstep::EngineChoice;

/// A paper whose tables can be reproduced.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Paper {
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

/// Which tables are reproduced, and how.
#[derive(Args)]
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
    /// Run each small network once: well below two minutes.
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
    /// Returns true if the result is a whole report, as the committed ones are.
    pub(super) fn is_whole(&self) -> bool {
        !self.quick && self.table.is_none() && self.runs.is_none() && self.seed == DEFAULT_SEED
    }
}
