//! The test of a table of nccl-tests.

use lockstep_schedule::CollectiveName;

/// What a test of nccl-tests does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// A collective.
    Collective(CollectiveName),
    /// Each rank sends to the next one.
    SendRecv,
}

/// The columns of a row that tell its test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    /// The bytes of the whole buffer.
    pub(super) bytes: u64,
    /// The bytes of the elements that a rank passes to the library; `None` if the type is unknown.
    pub(super) rank_bytes: Option<u64>,
    /// True if the test adds values; `None` if the row does not tell.
    pub(super) is_reduction: Option<bool>,
    /// True if the test has a root.
    pub(super) has_root: bool,
}

impl Operation {
    /// Returns the test that a program runs: `all_gather` of `all_gather_perf`, or `allgather_test` of `allgather_test_perf`.
    pub(super) fn of_program(name: &str) -> Option<Self> {
        let name = name.strip_suffix("_test").unwrap_or(name);
        if name.eq_ignore_ascii_case("sendrecv") {
            Some(Self::SendRecv)
        } else {
            name.parse().ok().map(Self::Collective)
        }
    }

    /// Returns the tests that have such rows.
    pub(super) fn of_columns(row: Signature) -> &'static [Self] {
        use CollectiveName::{AllGather, AllReduce, AllToAll, Broadcast, Gather, Reduce, ReduceScatter, Scatter};
        let is_whole = row.rank_bytes.is_none_or(|bytes| bytes >= row.bytes);
        match (row.is_reduction, row.has_root, is_whole) {
            (None, _, true) => &[Self::Collective(AllReduce), Self::SendRecv],
            (Some(true), true, _) => &[Self::Collective(Reduce)],
            (Some(true), false, true) => &[Self::Collective(AllReduce)],
            (Some(true), false, false) => &[Self::Collective(ReduceScatter)],
            (Some(false), true, true) => &[Self::Collective(Broadcast)],
            (Some(false), true, false) => &[Self::Collective(Gather), Self::Collective(Scatter)],
            (Some(false), false, true) => &[Self::SendRecv],
            (None, _, false) | (Some(false), false, false) => {
                &[Self::Collective(AllGather), Self::Collective(AllToAll)]
            }
        }
    }

    /// Returns the standard word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Collective(name) => name.word(),
            Self::SendRecv => "sendrecv",
        }
    }
}

/// Returns the bytes of an element of a type of NCCL.
pub(super) fn element_bytes(name: &str) -> Option<u64> {
    match name {
        "double" | "int64" | "uint64" | "float64" => Some(8),
        "float" | "int32" | "uint32" | "float32" | "int" => Some(4),
        "half" | "bfloat16" | "float16" => Some(2),
        "int8" | "uint8" | "char" => Some(1),
        name if name.contains("8_e") || name.contains("e4m3") || name.contains("e5m2") => Some(1),
        _ => None,
    }
}
