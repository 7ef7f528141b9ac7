//! What a benchmark measured.

use std::fmt;

use lockstep_schedule::CollectiveName;

/// One test of a benchmark, such as a matrix of bandwidths or a sweep over sizes.
///
/// Plain data. Readers of all formats convert to the units and directions of these types, so that nothing else depends on a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The benchmark.
    pub tool: Tool,
    /// The name of the test in the tool, such as `device_to_device_memcpy_read_ce` or `AllReduce`.
    pub test: String,
    /// What moves the data.
    pub kind: TransferKind,
    /// The algorithm that the library was forced to use, if the output names it.
    pub algorithm: Option<String>,
    /// The devices or ranks, by their numbers in the output. Empty if the output has none: see [`ranks`](Self::ranks).
    pub devices: Vec<Device>,
    /// The number of ranks, if the output says it.
    pub ranks: Option<u32>,
    /// The measured values, in the order of the output.
    pub samples: Vec<Sample>,
}

/// A benchmark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tool {
    /// nccl-tests or rccl-tests.
    NcclTests,
    /// OSU micro-benchmarks.
    Osu,
    /// nvbandwidth.
    Nvbandwidth,
    /// p2pBandwidthLatencyTest of the CUDA samples.
    P2pBandwidthLatencyTest,
    /// `TransferBench`.
    TransferBench,
    /// perftest, such as `ib_write_bw`.
    Perftest,
    /// mpiGraph.
    MpiGraph,
    /// PICO.
    Pico,
    /// A table with the columns of our own.
    Csv,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NcclTests => "nccl-tests",
            Self::Osu => "the OSU micro-benchmarks",
            Self::Nvbandwidth => "nvbandwidth",
            Self::P2pBandwidthLatencyTest => "p2pBandwidthLatencyTest",
            Self::TransferBench => "TransferBench",
            Self::Perftest => "perftest",
            Self::MpiGraph => "mpiGraph",
            Self::Pico => "PICO",
            Self::Csv => "a table",
        })
    }
}

/// What moves the data. Different kinds reach different parts of the bandwidth of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TransferKind {
    /// A copy engine.
    Copy,
    /// A kernel on a GPU.
    Kernel,
    /// Messages of a communication library or of a network card.
    Message,
}

impl fmt::Display for TransferKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Copy => "copy",
            Self::Kernel => "kernel",
            Self::Message => "message",
        })
    }
}

/// A device or rank of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Device {
    /// The host, if the output names it.
    pub host: Option<String>,
    /// The bus id of a GPU in lower case, such as `0000:07:00`, if the output has it.
    pub bus_id: Option<String>,
}

/// One measured value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// What was transferred.
    pub workload: Workload,
    /// The bytes per flow, or the bytes of a collective as nccl-tests counts them: the whole buffer. `None` if unknown, for
    /// transfers so large that the size does not matter.
    pub bytes: Option<u64>,
    /// The value: the median or mean of the tool.
    pub figure: Figure,
    /// The least and the greatest value of repetitions, in the unit of the figure.
    pub spread: Option<[u64; 2]>,
    /// True if input and output have the same buffer.
    pub in_place: bool,
    /// True if the tool found wrong data. Such values count for nothing.
    pub is_wrong: bool,
    /// The line of the file, from 1.
    pub line: u32,
}

impl Sample {
    /// Returns the rate of one flow in bytes per second: the figure, or the bytes divided by the time. `None` for collectives, and if
    /// the size is unknown or the time 0.
    pub fn rate(&self) -> Option<u64> {
        match (&self.workload, self.figure) {
            (Workload::Flows(_), Figure::BytesPerSecond(rate)) => Some(rate),
            (Workload::Flows(_), Figure::Picoseconds(time)) => {
                let rate = (u128::from(self.bytes?) * 1_000_000_000_000).checked_div(u128::from(time))?;
                u64::try_from(rate).ok()
            }
            (Workload::Collective(_), _) => None,
        }
    }
}

/// What was transferred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Workload {
    /// Transfers at the same time. Their rates are equal, and the figure is that of one of them.
    Flows(Vec<Flow>),
    /// A collective among all ranks of the run.
    Collective(CollectiveName),
}

/// A transfer from one device to another, by their places in [`Run::devices`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flow {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
}

/// A measured value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Figure {
    /// The rate of one flow, in one direction.
    BytesPerSecond(u64),
    /// The time of a message in one direction, or of a collective.
    Picoseconds(u64),
}
