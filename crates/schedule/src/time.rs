//! The time of a schedule on a network with bandwidths and latencies.

use std::num::NonZeroU64;

use lockstep_topology::Topology;

use crate::collective::Collective;
use crate::cost::Picoseconds;
use crate::name::CollectiveName;
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::schedule::{Schedule, Transfer};
use crate::transfer_times::TransferTimes;

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// The sizes of a collective: its bytes as nccl-tests counts them, and those of one message.
///
/// The size is that of the larger buffer of a rank: all received messages of an all-gather, all sent ones of an all-to-all,
/// the whole vector of an all-reduce.
///
/// ```
/// use lockstep_schedule::{Collective, CollectiveSize, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole())?;
/// let size = CollectiveSize::new(&problem, 4096);
/// assert_eq!((size.bytes, size.message_bytes), (4096, 1024));
/// assert_eq!(size.bus_factor, [3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// nccl-tests, `doc/PERFORMANCE.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CollectiveSize {
    /// Bytes as nccl-tests counts them.
    pub bytes: u64,
    /// Number of messages whose bytes add up to these.
    pub messages: u64,
    /// Bytes of one message, before it is split into chunks, rounded up.
    pub message_bytes: u64,
    /// Bus bandwidth over algorithm bandwidth, as a fraction. It is 1 for a collective that nccl-tests does not know.
    pub bus_factor: [u64; 2],
}

impl CollectiveSize {
    /// Returns the sizes of a collective of `bytes` bytes.
    pub fn new(problem: &Problem<'_>, bytes: u64) -> Self {
        let collective = problem.collective();
        let ranks = problem.topology().terminal_count() as u64;
        let name = match (collective.name(), collective.pattern()) {
            (None, Pattern::ReduceBroadcast) => CollectiveName::AllReduce,
            // Other lists of messages have the size of one message.
            (None, _) => CollectiveName::Broadcast,
            (Some(name), _) => name,
        };
        Self::of_ranks(name, ranks, problem, bytes)
    }

    /// Returns the sizes of a collective of `bytes` bytes of some terminals only, of which the problem lists the messages.
    ///
    /// ```
    /// use lockstep_schedule::{CollectiveName, CollectiveSize, CommunicationModel, Problem};
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let ring: Topology = "ring:6".parse()?;
    /// let group = CollectiveName::AllGather.in_groups(&ring, &[[0, 1, 2, 3].map(NodeId::new).to_vec()], &[])?;
    /// let problem = Problem::new(&ring, &group, CommunicationModel::wormhole())?;
    /// let size = CollectiveSize::of_ranks(CollectiveName::AllGather, 4, &problem, 4096);
    /// assert_eq!((size.message_bytes, size.bus_factor), (1024, [3, 4]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_ranks(name: CollectiveName, ranks: u64, problem: &Problem<'_>, bytes: u64) -> Self {
        let messages = problem.messages().len() as u64 / u64::from(problem.collective().chunks().get());
        let parts = match name {
            CollectiveName::AllReduce => messages,
            CollectiveName::Broadcast | CollectiveName::Reduce => 1,
            _ => ranks,
        };
        let parts = parts.max(1);
        Self { bytes, messages: parts, message_bytes: bytes.div_ceil(parts), bus_factor: name.bus_factor(ranks) }
    }

    /// Returns the algorithm bandwidth in bytes per second, rounded down: the bytes over the time.
    pub fn algorithm_bandwidth(&self, time: Picoseconds) -> u64 {
        self.bandwidth(time, [1, 1])
    }

    /// Returns the bus bandwidth in bytes per second, rounded down: what each rank would need to send and receive all the
    /// time, whatever the number of ranks.
    pub fn bus_bandwidth(&self, time: Picoseconds) -> u64 {
        self.bandwidth(time, self.bus_factor)
    }

    fn bandwidth(&self, time: Picoseconds, [numerator, denominator]: [u64; 2]) -> u64 {
        let bytes = u128::from(self.bytes) * u128::from(numerator);
        let time = time.number().max(1).saturating_mul(u128::from(denominator));
        u64::try_from(bytes.saturating_mul(PICOSECONDS_PER_SECOND) / time).unwrap_or(u64::MAX)
    }
}

/// The speed at which the transfers of a schedule move: the length of a chunk, and the bandwidth of one unit of capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferSpeed {
    /// Bytes of one chunk.
    pub chunk_bytes: u64,
    /// Bytes per second of one unit of capacity.
    pub unit_bytes_per_second: NonZeroU64,
}

impl TransferSpeed {
    /// Returns the speed for messages of `message_bytes` bytes, if the network says what one unit of capacity is.
    pub fn of(topology: &Topology, collective: &Collective, message_bytes: u64) -> Option<Self> {
        let unit_bytes_per_second = NonZeroU64::new(topology.unit_bytes_per_second()?)?;
        Some(Self { chunk_bytes: collective.chunk_size(message_bytes), unit_bytes_per_second })
    }

    /// Returns the picoseconds of a chunk at `units` units of capacity, rounded up.
    pub(crate) fn transmission(self, units: u32) -> u128 {
        let per_second = u128::from(self.unit_bytes_per_second.get()) * u128::from(units);
        (u128::from(self.chunk_bytes) * PICOSECONDS_PER_SECOND).div_ceil(per_second)
    }

    /// Returns the time if every step begins when the one before has ended. A step takes the greatest latency of a path in
    /// it, and its width times the transmission of a chunk at one unit. Takes `O(channel uses)` time.
    ///
    /// The paths must be legal.
    pub fn synchronous_time(self, topology: &Topology, schedule: &Schedule) -> Picoseconds {
        SynchronousCost::of(topology, schedule).time(self)
    }

    /// Returns the times of all transfers in the order of the schedule, if every step begins when the one before has ended.
    ///
    /// All transfers of a step begin together and share its width: each is sent for the width of the step times the
    /// transmission of a chunk at one unit. The last arrival is the [time](Self::synchronous_time) of the schedule.
    ///
    /// The paths must be legal. Takes `O(channel uses)` time.
    pub fn synchronous_times(self, topology: &Topology, schedule: &Schedule) -> Vec<TransferTimes> {
        let mut times = Vec::with_capacity(schedule.transfer_count());
        let mut begin = 0;
        for (_, step) in schedule.steps().filter(|(_, step)| !step.is_empty()) {
            let sent = begin + u128::from(step.width().get()) * self.transmission(1);
            let mut end = sent;
            for transfer in step.iter() {
                let arrival = sent + u128::from(latency(topology, transfer));
                times.push(TransferTimes::new(begin, sent, arrival));
                end = end.max(arrival);
            }
            begin = end;
        }
        times
    }
}

/// What the synchronous time of a schedule depends on, besides the speed of its transfers.
///
/// ```
/// use std::num::NonZeroU64;
///
/// use lockstep_schedule::{SynchronousCost, TransferSpeed};
///
/// let cost = SynchronousCost { latency_ps: 2_000, width_sum: 3 };
/// let speed = TransferSpeed { chunk_bytes: 500, unit_bytes_per_second: NonZeroU64::new(1_000_000_000_000).unwrap() };
/// assert_eq!(cost.time(speed).number(), 2_000 + 3 * 500);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SynchronousCost {
    /// The sum over all steps of the greatest latency of a path in the step, in picoseconds.
    pub latency_ps: u128,
    /// The sum of the widths of all steps with transfers.
    pub width_sum: u64,
}

impl SynchronousCost {
    /// Computes the cost of a schedule with legal paths. Takes `O(channel uses)` time.
    pub fn of(topology: &Topology, schedule: &Schedule) -> Self {
        let mut cost = Self { latency_ps: 0, width_sum: 0 };
        for (_, step) in schedule.steps().filter(|(_, step)| !step.is_empty()) {
            let latency = step.iter().map(|transfer| latency(topology, transfer)).max().unwrap_or(0);
            cost.latency_ps += u128::from(latency);
            cost.width_sum += u64::from(step.width().get());
        }
        cost
    }

    /// Returns the time at a speed.
    pub fn time(self, speed: TransferSpeed) -> Picoseconds {
        Picoseconds::new(self.latency_ps + u128::from(self.width_sum) * speed.transmission(1))
    }
}

/// Returns the sum of the latencies of a path in picoseconds.
pub(crate) fn latency(topology: &Topology, transfer: Transfer<'_>) -> u64 {
    transfer.path.iter().map(|&channel| topology.latency_ps(channel)).sum()
}
