//! Measurements: the outputs of benchmarks, and the network that they fit.

use std::path::PathBuf;

use anyhow::Context;
use lockstep::{NodeId, Topology};
use lockstep_measure::format::ReadOptions;
use lockstep_measure::{Fit, FitOptions, MeasuredFile, TransferKind};

use crate::input;

/// Advice for a file that is no text.
const EXPECTED: &str = "the output of a benchmark, such as nccl-tests or nvbandwidth";

/// How measurements are read and fitted.
#[derive(Clone, Debug, Default)]
pub(crate) struct FitRequest {
    /// The kind of transfers that gives the bandwidths of the network.
    pub(crate) kind: Option<TransferKind>,
    /// The terminals of the devices, in the order of the files. Empty for all terminals.
    pub(crate) ranks: Vec<NodeId>,
    /// Bytes per second in a unit of the rates. `None` for the unit of the benchmark.
    pub(crate) rate_unit: Option<u64>,
}

/// Reads outputs of benchmarks, and fits a network to them.
pub(crate) fn fit(topology: &Topology, paths: &[PathBuf], request: FitRequest) -> anyhow::Result<Fit> {
    let count = if request.ranks.is_empty() { topology.terminal_count() } else { request.ranks.len() };
    let options = ReadOptions { ranks: Some(count as u32), rate_unit: request.rate_unit };
    let read = |path: &PathBuf| {
        let name = input::name(path);
        MeasuredFile::read(&name, &input::text(path, EXPECTED)?, &options).context(name)
    };
    let files = paths.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let options = FitOptions { kind: request.kind, ranks: request.ranks };
    lockstep_measure::fit(topology, &files, &options).with_context(|| topology.name().to_owned())
}
