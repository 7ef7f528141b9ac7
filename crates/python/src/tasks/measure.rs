//! Outputs of benchmarks, and the fit of a network to them.

use std::sync::Arc;

use lockstep::CollectiveName;
use lockstep::files::decode_text;
use lockstep::topology::Quantity;
use lockstep_measure::format::ReadOptions;
use lockstep_measure::{
    ClassFit, Evidence, Figure, Fit, FitOptions, KindFit, MeasuredFile, Observed, ObservedRequest, Run, Sample,
    TransferKind, Workload, fit as library_fit,
};
use pyo3::prelude::*;

use crate::errors;
use crate::network::Network;
use crate::problem::node;

/// A file: its name in messages, and its contents.
pub(crate) type File = (String, Vec<u8>);

/// A row of a table of measurements: file, benchmark, test, kind, algorithm, sender and receiver, collective, bytes, time in
/// picoseconds or rate in bytes per second, the group of transfers at the same time, the number of ranks, in place, and line.
type Row = (
    (String, String, String, String, Option<String>),
    (Option<String>, Option<String>, Option<&'static str>),
    (Option<u64>, Option<u64>, Option<u64>),
    (Option<String>, Option<u32>, bool, u32),
);

/// The measured times of a collective in picoseconds by size, and the notes of the readers.
type ObservedTimes = (Vec<(u64, u128)>, Vec<String>);

/// A class of channels: kind, name, channels, bandwidth, evidence, its limits, the sum of both directions, and number of tests.
type Class = (String, String, Vec<u32>, u64, &'static str, (u64, Option<u64>), Option<u64>, u64);

/// A slow link: kind, name, channels, class, bandwidth, part of the class, number of tests, number of slow links, other names.
type Slow = (String, String, Vec<u32>, String, u64, f64, u32, u32, Vec<String>);

/// A fit: the network, the classes and the slow links of all kinds of transfers, and the notes.
type Fitted = (Network, Vec<Class>, Vec<Slow>, Vec<String>);

/// Reads files.
pub(crate) fn read_files(files: Vec<File>, options: &ReadOptions) -> PyResult<Vec<MeasuredFile>> {
    let read = |(name, bytes): File| {
        let text = decode_text(bytes).map_err(|byte| {
            errors::measurement(format!(
                "{name}: byte {byte} is no text in UTF-8 or UTF-16; give the output of a benchmark"
            ))
        })?;
        MeasuredFile::read(&*name, &text, options).map_err(|error| errors::measurement(format!("{name}: {error}")))
    };
    files.into_iter().map(read).collect()
}

/// Returns the bytes per second of a unit such as `1MiB/s`.
pub(crate) fn rate_unit(unit: Option<&str>) -> PyResult<Option<u64>> {
    unit.map(|unit| Quantity::Bandwidth.parse(unit).map_err(errors::measurement)).transpose()
}

/// Returns the notes of all files, with the names of the files.
pub(crate) fn notes_of(files: &[MeasuredFile]) -> Vec<String> {
    let notes = |file: &MeasuredFile| {
        let name = file.name.clone();
        file.reading.notes.clone().into_iter().map(move |note| format!("{name}: {note}"))
    };
    files.iter().flat_map(notes).collect()
}

/// Reads outputs of benchmarks, and returns their values without wrong ones, and the notes of the readers.
#[pyfunction]
pub(crate) fn read_measurements(
    py: Python<'_>,
    files: Vec<File>,
    ranks: Option<u32>,
    unit: Option<&str>,
) -> PyResult<(Vec<Row>, Vec<String>)> {
    let options = ReadOptions { ranks, rate_unit: rate_unit(unit)? };
    py.detach(move || {
        let files = read_files(files, &options)?;
        let mut rows = Vec::new();
        for file in &files {
            for run in &file.reading.runs {
                add_rows(&mut rows, &file.name, run);
            }
        }
        Ok((rows, notes_of(&files)))
    })
}

/// Adds the values of a run.
fn add_rows(rows: &mut Vec<Row>, file: &str, run: &Run) {
    let mut hosts: Vec<&str> = run.devices.iter().filter_map(|device| device.host.as_deref()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    // Hosts name the devices only if each device has its own.
    let has_names = hosts.len() == run.devices.len();
    let device = |place: u32| match run.devices.get(place as usize).and_then(|device| device.host.clone()) {
        Some(host) if has_names => host,
        _ => place.to_string(),
    };
    for sample in run.samples.iter().filter(|sample| !sample.is_wrong) {
        match &sample.workload {
            Workload::Collective(name) => rows.push(row(file, run, sample, (None, None, Some(name.word())), None)),
            Workload::Flows(flows) => {
                let group = (flows.len() > 1).then(|| format!("{file}:{}", rows.len()));
                for flow in flows {
                    let ends = (Some(device(flow.from)), Some(device(flow.to)), None);
                    rows.push(row(file, run, sample, ends, group.clone()));
                }
            }
        }
    }
}

fn row(
    file: &str,
    run: &Run,
    sample: &Sample,
    ends: (Option<String>, Option<String>, Option<&'static str>),
    group: Option<String>,
) -> Row {
    let (time, rate) = match sample.figure {
        Figure::Picoseconds(time) => (Some(time), None),
        Figure::BytesPerSecond(rate) => (None, Some(rate)),
    };
    let test = (file.to_owned(), run.tool.to_string(), run.test.clone(), run.kind.to_string(), run.algorithm.clone());
    (test, ends, (sample.bytes, time, rate), (group, run.ranks, sample.in_place, sample.line))
}

/// Returns the measured times of a collective in picoseconds, by size, and the notes of the readers.
#[pyfunction]
pub(crate) fn observed(
    py: Python<'_>,
    files: Vec<File>,
    collective: &str,
    ranks: u32,
    run: Option<usize>,
    unit: Option<&str>,
) -> PyResult<ObservedTimes> {
    let collective: CollectiveName = collective.parse().map_err(errors::problem)?;
    let options = ReadOptions { ranks: Some(ranks), rate_unit: rate_unit(unit)? };
    py.detach(move || {
        let files = read_files(files, &options)?;
        let runs: Vec<Run> = files.iter().flat_map(|file| file.reading.runs.iter().cloned()).collect();
        let request = ObservedRequest { collective, ranks, number: run };
        let observed = Observed::of_runs(&runs, &request).map_err(errors::measurement)?;
        Ok((observed.times, notes_of(&files)))
    })
}

/// Fits a network to the outputs of benchmarks.
#[pyfunction]
pub(crate) fn fit(
    py: Python<'_>,
    network: &Network,
    files: Vec<File>,
    kind: Option<&str>,
    ranks: Vec<String>,
    unit: Option<&str>,
) -> PyResult<Fitted> {
    let topology = Arc::clone(&network.topology);
    let kind = kind.map(transfer_kind).transpose()?;
    let ranks = ranks.iter().map(|name| node(&topology, "ranks", name)).collect::<PyResult<Vec<_>>>()?;
    let count = if ranks.is_empty() { topology.terminal_count() } else { ranks.len() };
    let read = ReadOptions { ranks: u32::try_from(count).ok(), rate_unit: rate_unit(unit)? };
    py.detach(move || {
        let files = read_files(files, &read)?;
        let fitted = library_fit(&topology, &files, &FitOptions { kind, ranks }).map_err(errors::measurement)?;
        let (classes, slow) = (classes(&fitted), slow(&fitted));
        Ok((fitted.network.into(), classes, slow, fitted.notes))
    })
}

fn transfer_kind(name: &str) -> PyResult<TransferKind> {
    let kinds = [TransferKind::Kernel, TransferKind::Message, TransferKind::Copy];
    kinds
        .into_iter()
        .find(|kind| kind.to_string() == name)
        .ok_or_else(|| errors::measurement(format!("kind: found '{name}', expected 'kernel', 'message' or 'copy'")))
}

fn classes(fit: &Fit) -> Vec<Class> {
    let row = |kind: &KindFit, class: &ClassFit| {
        let channels = class.channels.iter().map(|channel| channel.number()).collect();
        let evidence = match class.evidence {
            Evidence::Identified => "identified",
            Evidence::Nominal => "nominal",
            Evidence::NotLimiting => "not-limiting",
            Evidence::LowerLimit => "lower-limit",
            Evidence::Assumed => "assumed",
        };
        let limits = (class.lower_limit, class.upper_limit);
        (
            kind.kind.to_string(),
            class.name.clone(),
            channels,
            class.bandwidth,
            evidence,
            limits,
            class.half_duplex,
            class.tests,
        )
    };
    fit.kinds.iter().flat_map(|kind| kind.classes.iter().map(move |class| row(kind, class))).collect()
}

fn slow(fit: &Fit) -> Vec<Slow> {
    let mut rows = Vec::new();
    for kind in &fit.kinds {
        for link in &kind.slow {
            let channels = link.channels.iter().map(|channel| channel.number()).collect();
            let class = kind.classes[link.class].name.clone();
            rows.push((
                kind.kind.to_string(),
                link.name.clone(),
                channels,
                class,
                link.bandwidth,
                link.part,
                link.tests,
                link.count,
                link.or.iter().map(|(name, _)| name.clone()).collect(),
            ));
        }
    }
    rows
}
