//! The fit of a network to the runs of all files.

use lockstep_topology::{NodeId, Topology};

use super::error::FitError;
use super::measured_file::MeasuredFile;
use super::result::{Fit, KindFit};
use super::wires::Wires;
use super::{devices, kind_fit, network, trials};
use crate::TransferKind;
use crate::sweep::{TimeModel, all_reduce_times, size_lines};

/// The kinds of transfers in the order in which collectives need them.
const PREFERRED: [TransferKind; 3] = [TransferKind::Kernel, TransferKind::Message, TransferKind::Copy];

/// How a network is fitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FitOptions {
    /// The kind of transfers that gives the bandwidths. `None` chooses kernels, then messages, then copies.
    pub kind: Option<TransferKind>,
    /// The terminals of the devices, in the order of the devices in the files. Empty for all terminals.
    pub ranks: Vec<NodeId>,
}

/// Fits a network to measurements.
///
/// Takes `O(S M)` time for `S` terminals that send in tests and `M` channels, and `O(T log T)` for `T` measured values.
///
/// # Errors
///
/// [`FitError`], if the devices of a run are not the terminals, or nothing was measured.
///
/// # Source
///
/// The bandwidths are the principal solution of a max-linear system: Butkovic, *Max-linear Systems* (2010).
pub fn fit(topology: &Topology, files: &[MeasuredFile], options: &FitOptions) -> Result<Fit, FitError> {
    let ranks = if options.ranks.is_empty() { topology.terminals() } else { &options.ranks };
    let mut is_taken = vec![false; topology.node_count()];
    let is_wrong =
        |node: &&NodeId| !topology.is_terminal(**node) || std::mem::replace(&mut is_taken[node.index()], true);
    if let Some(&node) = ranks.iter().find(is_wrong) {
        return Err(FitError::Rank { node: topology.node_name(node).to_owned() });
    }
    let wires = Wires::new(topology);
    let runs = files.iter().flat_map(|file| &file.reading.runs);
    let gathered = trials::gather(&wires, ranks, runs)?;
    let mut notes: Vec<String> = Vec::new();
    for file in files {
        notes.extend(file.reading.notes.iter().map(|note| format!("{}: {note}", file.name)));
    }
    notes.extend(gathered.notes);
    let mut kinds = Vec::new();
    for (kind, trials) in &gathered.kinds {
        if !(trials.list.is_empty() && trials.pings.is_empty() && trials.limits.is_empty()) {
            kinds.push(kind_fit::fit(&wires, *kind, trials, &gathered.profiles));
        }
    }
    if kinds.is_empty() {
        // A collective of other ranks says nothing about these terminals.
        let mut runs = files.iter().flat_map(|file| &file.reading.runs);
        if let Some(run) = runs.find(|run| devices::device_count(run) > 0) {
            devices::terminals_of(topology, ranks, run)?;
        }
        let how = "nvbandwidth, p2pBandwidthLatencyTest, TransferBench, or sendrecv_perf of nccl-tests";
        return Err(FitError::NoTransfers { how });
    }
    let names = |kinds: &[KindFit]| kinds.iter().map(|fit| fit.kind.to_string()).collect::<Vec<_>>().join(", ");
    kinds.sort_by_key(|fit: &KindFit| {
        (fit.trials == 0, !fit.has_bandwidths(), PREFERRED.iter().position(|&kind| kind == fit.kind))
    });
    match options.kind {
        Some(wanted) => match kinds.iter().position(|fit| fit.kind == wanted) {
            Some(place) => kinds[..=place].rotate_right(1),
            None => return Err(FitError::NoKind { wanted, present: names(&kinds) }),
        },
        None if kinds.iter().filter(|fit| fit.has_bandwidths()).count() > 1 => {
            let kind = kinds[0].kind;
            notes.push(format!(
                "the network has the bandwidths of the kind {kind}, of {}; choose with --kind",
                names(&kinds)
            ));
        }
        None => {}
    }
    let (network, measured) = network::build(&wires, &kinds, files)?;
    notes.extend(network::notes(&wires, &kinds[0], &measured));
    let runs = || files.iter().flat_map(|file| &file.reading.runs);
    let collectives = runs().flat_map(size_lines).collect();
    let rows: Vec<_> = runs().flat_map(all_reduce_times).collect();
    Ok(Fit { network, measured, kinds, collectives, algorithms: TimeModel::fit(&rows), notes })
}
