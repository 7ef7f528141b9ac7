//! Known files that have no measurements: what they are, and what to do.

use lockstep_topology::GraphFormat;

use super::error::ReadError;
use super::json::has_key;
use super::lines::Line;

/// The kind of a file, and the advice.
type Kind = (&'static str, &'static str);

const NCCL_LOG: Kind = (
    "a log of NCCL, without a table of sizes and times",
    "lockstep judge reads its rings; give the output of nccl-tests, such as all_reduce_perf -b 8 -e 8G -f 2 -g 8",
);
const NCCL_GRAPH: Kind =
    ("a graph file of NCCL", "lockstep judge reads it; give the output of nccl-tests or of another benchmark");
const LOCKSTEP: Kind = ("an output of Lockstep", "give the output of a benchmark");
const ROCM_BANDWIDTH: Kind =
    ("the output of rocm_bandwidth_test", "run TransferBench p2p, whose tables name the executor of each transfer");
const IMB: Kind = ("the output of the Intel MPI Benchmarks", "run the OSU micro-benchmarks, such as osu_allreduce -f");
const UCX: Kind = ("the output of ucx_perftest", "run osu_bw and osu_latency between the same hosts");
const BANDWIDTH_TEST: Kind = (
    "the output of bandwidthTest of the CUDA samples, which measures the link to the host",
    "run nvbandwidth, which measures the links between GPUs",
);
const IPERF: Kind = ("the output of iperf, which measures TCP", "run ib_write_bw or osu_bw between the same hosts");

/// Returns the error of a text that is a file of another kind.
pub(super) fn error(lines: &[Line<'_>], text: &str) -> Option<ReadError> {
    match kind(lines, text) {
        Some((kind, remedy)) => Some(ReadError::OtherKind { kind, remedy }),
        None => network_format(text).map(|format| ReadError::Network { format }),
    }
}

/// Returns the format of a network that has unmistakable marks.
fn network_format(text: &str) -> Option<GraphFormat> {
    use GraphFormat::{Csv, EdgeList, GraphGolf, GraphMl, Json, NxEdges};
    let format = GraphFormat::recognise("", text)?;
    let has_marks = !matches!(format, Csv | EdgeList | GraphGolf | Json | NxEdges);
    (has_marks && (format != GraphMl || text.contains("<graphml"))).then_some(format)
}

fn kind(lines: &[Line<'_>], text: &str) -> Option<Kind> {
    let text = text.trim_start();
    let has = |mark: &str| lines.iter().any(|line| line.text.contains(mark));
    let kinds = [
        (text.starts_with('<') && has("<graphs"), NCCL_GRAPH),
        (text.starts_with('{') && has_key(text, "format") && has("\"lockstep"), LOCKSTEP),
        (has("RocmBandwidthTest") || has("peak bandwidth GB/s"), ROCM_BANDWIDTH),
        (has("NCCL INFO") || has("NCCL WARN"), NCCL_LOG),
        (has("Intel(R) MPI Benchmarks") || has("# Benchmarking "), IMB),
        (has("ucx_perftest") || has("overhead (usec)"), UCX),
        (has("[CUDA Bandwidth Test]"), BANDWIDTH_TEST),
        (has("iperf") || has("\"sum_sent\""), IPERF),
    ];
    kinds.into_iter().find(|(is_it, _)| *is_it).map(|(_, kind)| kind)
}
