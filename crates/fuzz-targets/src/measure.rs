//! Targets: outputs of benchmarks.

use lockstep_measure::format::{ReadOptions, detect, read};
use lockstep_measure::{Figure, Tool, Workload};

use crate::error_check::is_one_line;

/// Checks an output of nccl-tests.
pub fn nccl_tests(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::NcclTests)
}

/// Checks an output of the OSU micro-benchmarks.
pub fn osu(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::Osu)
}

/// Checks an output of nvbandwidth.
pub fn nvbandwidth(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::Nvbandwidth)
}

/// Checks an output of p2pBandwidthLatencyTest.
pub fn p2p_bandwidth_latency(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::P2pBandwidthLatencyTest)
}

/// Checks an output of `TransferBench`.
pub fn transfer_bench(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::TransferBench)
}

/// Checks an output of perftest.
pub fn perftest(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::Perftest)
}

/// Checks an output of mpiGraph.
pub fn mpi_graph(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::MpiGraph)
}

/// Checks a table of own measurements.
pub fn measured_csv(bytes: &[u8]) -> bool {
    is_read(bytes, Tool::Csv)
}

/// Checks a text, and returns true if it is read as the output of the benchmark.
fn is_read(bytes: &[u8], tool: Tool) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let options = ReadOptions { ranks: Some(4), rate_unit: None };
    let reading = match read(text, &options) {
        Ok(reading) => reading,
        Err(error) => {
            is_one_line(&error);
            return false;
        }
    };
    assert!(detect(text).is_some());
    let lines = text.lines().count();
    for run in &reading.runs {
        for sample in &run.samples {
            assert!((1..=lines).contains(&(sample.line as usize)), "{sample:?}");
            assert!(!matches!(sample.figure, Figure::BytesPerSecond(0) | Figure::Picoseconds(0)));
            if let Workload::Flows(flows) = &sample.workload {
                let is_device = |device: u32| (device as usize) < run.devices.len();
                assert!(flows.iter().all(|flow| flow.from != flow.to && is_device(flow.from) && is_device(flow.to)));
            }
        }
    }
    assert!(reading.notes.iter().all(|note| !note.contains(char::is_control)));
    reading.runs.iter().any(|run| run.tool == tool)
}
