//! Readers of benchmark outputs: the stored samples, and spoiled ones.

mod csv;
mod faults;
mod mpi_graph;
mod nccl_tests;
mod nvbandwidth;
mod osu;
mod other_kinds;
mod p2p_bandwidth_latency;
mod perftest;
mod properties;
mod transfer_bench;
mod variations;

use std::fmt::Write;

use lockstep_measure::format::{ReadOptions, Reading, read};
use lockstep_measure::{Figure, Run, Workload};

/// Reads a text without options.
fn read_text(text: &str) -> Reading {
    read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the error of a text.
fn error_of(text: &str) -> String {
    read(text, &ReadOptions::default()).map(|reading| describe(&reading)).unwrap_err().to_string()
}

/// Returns runs, samples and notes as text: one line per sample.
fn describe(reading: &Reading) -> String {
    let mut text = String::new();
    for run in &reading.runs {
        text += &describe_run(run);
    }
    for note in &reading.notes {
        writeln!(text, "note: {note}").unwrap();
    }
    text
}

fn describe_run(run: &Run) -> String {
    let Run { tool, test, kind, algorithm, devices, ranks, samples } = run;
    let mut text = format!("{tool}: {test}, {kind:?}, {} devices, ranks {ranks:?}", devices.len());
    if let Some(algorithm) = algorithm {
        write!(text, ", algorithm {algorithm}").unwrap();
    }
    text.push('\n');
    for sample in samples {
        let what = match &sample.workload {
            Workload::Flows(flows) => {
                let flows: Vec<String> = flows.iter().map(|flow| format!("{}->{}", flow.from, flow.to)).collect();
                flows.join(" ")
            }
            Workload::Collective(name) => name.to_string(),
        };
        let bytes = sample.bytes.map(|bytes| format!(" {bytes} B")).unwrap_or_default();
        let figure = match sample.figure {
            Figure::BytesPerSecond(rate) => format!("{rate} B/s"),
            Figure::Picoseconds(time) => format!("{time} ps"),
        };
        write!(text, "  {}: {what}{bytes}: {figure}", sample.line).unwrap();
        if let Some([least, greatest]) = sample.spread {
            write!(text, " ({least} to {greatest})").unwrap();
        }
        text += if sample.in_place { ", in place" } else { "" };
        text += if sample.is_wrong { ", wrong" } else { "" };
        text.push('\n');
    }
    text
}
