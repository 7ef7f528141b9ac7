//! Known files that have no measurements: what they are, and what to do.

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
const NCCL_TOPOLOGY: Kind = (
    "a topology of NCCL",
    "give it as the network, and the output of nccl-tests or of another benchmark as the measurement",
);
const DEVICE_MATRIX: Kind = (
    "a matrix of links of nvidia-smi, rocm-smi or amd-smi",
    "give it as the network, and the output of nvbandwidth or of another benchmark as the measurement",
);
const LOCKSTEP: Kind = ("a file of Lockstep", "give the output of a benchmark");
const ROCM_BANDWIDTH: Kind =
    ("the output of rocm_bandwidth_test", "run TransferBench p2p, whose tables name the executor of each transfer");
const IPERF: Kind = (
    "the output of iperf, which measures TCP and not the library of the collective",
    "run ib_write_bw or osu_bw between the same hosts",
);

/// Returns the error of a text that is a file of another kind.
pub(super) fn error(lines: &[Line<'_>], text: &str) -> Option<ReadError> {
    let (kind, remedy) = kind(lines, text)?;
    Some(ReadError::OtherKind { kind, remedy })
}

fn kind(lines: &[Line<'_>], text: &str) -> Option<Kind> {
    let text = text.trim_start();
    let has = |mark: &str| lines.iter().any(|line| line.text.contains(mark));
    let begins = |mark: &str| lines.iter().any(|line| line.text.starts_with(mark));
    let kinds = [
        (text.starts_with('<') && has("<graphs"), NCCL_GRAPH),
        (text.starts_with('<') && has("<system"), NCCL_TOPOLOGY),
        (text.starts_with('{') && has_key(text, "format") && has("\"lockstep"), LOCKSTEP),
        (has("RocmBandwidthTest") || has("peak bandwidth GB/s"), ROCM_BANDWIDTH),
        (has("NCCL INFO") || has("NCCL WARN"), NCCL_LOG),
        (begins("GPU0") || has("Link Type between two GPUs") || has("LINK TYPE TABLE"), DEVICE_MATRIX),
        (has("iperf") || has("\"sum_sent\""), IPERF),
    ];
    kinds.into_iter().find(|(is_it, _)| *is_it).map(|(_, kind)| kind)
}
