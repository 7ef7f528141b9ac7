//! The algorithms of the library or of the file that the arguments name.

use std::path::Path;

use anyhow::{Context, ensure};
use lockstep::files::is_same_name;
use lockstep::{CollectiveName, NodeId, Topology};
use lockstep_measure::Prediction;
use lockstep_rings::format::{Devices, Format};
use lockstep_rings::{RingFile, RingLoad, RingSet, route_orders, verify};
use lockstep_tune::{AlgorithmPrediction, LibraryTimes, LibraryTimesError, Ranks};

use super::super::rings::{OnNetwork, RingText};
use super::super::rivals::Rival;
use super::super::times;
use super::super::tune::ChoiceRecord;
use crate::args::{ExpectArgs, Verbosity};
use crate::{input, output};

/// The algorithms of a library or file.
pub(super) struct Algorithms {
    /// The library, or the file with rings.
    pub(super) source: String,
    times: LibraryTimes,
}

impl Algorithms {
    /// Returns the algorithms of the library or of the file with rings; `None` without such options.
    pub(super) fn new(
        args: &ExpectArgs,
        ranks: &Ranks<'_>,
        rival: &Rival,
        verbosity: Verbosity,
    ) -> anyhow::Result<Option<Self>> {
        let collective = args.collective;
        let (source, times) = match (args.library, &args.rings) {
            (Some(library), _) => {
                let needs_trees = args.algorithm.as_ref().is_some_and(|name| is_same_name("tree", name));
                let least = rival.bound(LibraryTimes::large()).transmission_ps;
                let least = Some(least).filter(|_| !needs_trees);
                if library.is_nccl() {
                    times::unit(ranks.topology, None)?;
                }
                let times = LibraryTimes::of_library(library, ranks, collective, least);
                (library.name().to_owned(), times.map_err(|error| explained(error, &args.spec))?)
            }
            (None, Some(path)) => (input::name(path), of_file(path, ranks, (collective, verbosity))?),
            (None, None) => return Ok(None),
        };
        let times = match &args.algorithm {
            Some(name) => times.only(name).map_err(|error| match error {
                LibraryTimesError::NoAlgorithm { name, advice } => {
                    anyhow::anyhow!("--algorithm: {source} has no algorithm '{name}' here; {advice}")
                }
                error => error.into(),
            })?,
            None => times,
        };
        Ok(Some(Self { source, times }))
    }

    /// Returns the fastest parameters of every algorithm for a size, with their prediction: the fastest algorithm first.
    pub(super) fn all(&self, bytes: u64) -> Vec<(String, Prediction)> {
        self.times.all(bytes).into_iter().map(named).collect()
    }

    /// Returns the name and the prediction of the fastest algorithm for a size.
    pub(super) fn best(&self, bytes: u64) -> Option<(String, Prediction)> {
        self.times.best(bytes).map(named)
    }

    /// Returns the names of all algorithms.
    pub(super) fn names(&self) -> String {
        self.times.names().join(", ")
    }
}

/// Returns an algorithm with its parameters in words, and its prediction.
fn named(of: AlgorithmPrediction<'_>) -> (String, Prediction) {
    let name = of.choice.map_or(of.name.to_owned(), |choice| ChoiceRecord::new(choice).to_text());
    (name, Prediction::of_schedule(of.latency_ps, of.transmission_ps))
}

/// Returns the error with the remedy.
fn explained(error: LibraryTimesError, spec: &str) -> anyhow::Error {
    let remedy = "remove the option to compare with the bound";
    match error {
        LibraryTimesError::SingleMessages { .. } => anyhow::anyhow!("--library: {error}; {remedy}"),
        LibraryTimesError::NoRings { .. } => anyhow::anyhow!("--library: {error}; {remedy}, or see lockstep rings"),
        error => anyhow::Error::new(error).context(spec.to_owned()),
    }
}

/// Returns the rings and trees of a file on the network.
fn of_file(
    path: &Path,
    ranks: &Ranks<'_>,
    (collective, verbosity): (CollectiveName, Verbosity),
) -> anyhow::Result<LibraryTimes> {
    let Ranks { topology, members, .. } = *ranks;
    times::unit(topology, None)?;
    let (rings, trees) = match RingText::detect(&input::program(path)?) {
        Some(file) => {
            let mut orders = file.read(1).with_context(|| input::name(path))?;
            let devices = Devices::new(topology, members);
            if file.format == Format::RcclEnvironment {
                orders.leave_out_other_sizes(devices.len());
            }
            for note in &orders.notes {
                output::note(verbosity, note);
            }
            let placed = OnNetwork::new(&orders, topology, &devices, (0, None));
            let placed = placed.map_err(|violation| anyhow::anyhow!("{}: {violation}", input::name(path)))?;
            (placed.rings, placed.trees)
        }
        None => (Some(own_rings(path, topology)?), None),
    };
    let times = LibraryTimes::of_rings(topology, rings.as_ref(), trees, collective)?;
    ensure!(
        !times.is_empty(),
        "{}: the file has no rings or trees for {collective}; remove --rings",
        input::name(path)
    );
    Ok(times)
}

/// Returns the rings of a file of `lockstep rings` on the network, by the names of its terminals.
fn own_rings(path: &Path, topology: &Topology) -> anyhow::Result<(RingSet, RingLoad)> {
    let text = input::text(path, "rings of lockstep rings, or a file or log of NCCL or RCCL")?;
    let file = RingFile::from_json(&text).with_context(|| {
        format!("{}: expected rings of lockstep rings, or a file or log of NCCL or RCCL", input::name(path))
    })?;
    let here = |&node: &NodeId| {
        let name = file.topology.node_name(node);
        let found = topology.node_named(name).filter(|&node| topology.is_terminal(node));
        found.with_context(|| format!("{}: {} has no terminal '{name}'", input::name(path), topology.name()))
    };
    let orders = file.set.orders().map(|order| order.iter().map(here).collect()).collect::<anyhow::Result<Vec<_>>>()?;
    let set = if file.topology == *topology {
        file.set.clone()
    } else {
        route_orders(topology, file.set.kind(), &orders, file.set.relay()).with_context(|| input::name(path))?
    };
    let load = verify(topology, &set).with_context(|| input::name(path))?;
    Ok((set, load))
}
