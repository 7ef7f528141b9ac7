//! When each transfer of a schedule begins and ends.

use lockstep_topology::Topology;

use crate::cost::Picoseconds;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::time::{TransferSpeed, latency};

/// The times of a transfer, from the begin of the schedule on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferTimes {
    /// When the sender begins. The transfer occupies all channels of its path from then on.
    pub begin: Picoseconds,
    /// When the sender has finished, and the channels are free again.
    pub sent: Picoseconds,
    /// When the receiver can use the chunk.
    pub arrival: Picoseconds,
}

impl TransferTimes {
    pub(crate) fn new(begin: u128, sent: u128, arrival: u128) -> Self {
        let [begin, sent, arrival] = [begin, sent, arrival].map(Picoseconds::new);
        Self { begin, sent, arrival }
    }
}

impl TransferSpeed {
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

    /// Returns the times of all transfers in the order of the schedule, if every transfer begins as soon as its data is
    /// there and its channels and ports are free, as in [`asynchronous_time`](Self::asynchronous_time). The last arrival is
    /// that time.
    ///
    /// The schedule must be valid. Takes `O(T log T)` time for the uses `T` of slots.
    pub fn asynchronous_times(self, problem: &Problem<'_>, schedule: &Schedule) -> Vec<TransferTimes> {
        let mut times = Vec::with_capacity(schedule.transfer_count());
        let end = self.time_in_turns(problem, schedule, |transfer| times.push(transfer));
        if end <= self.synchronous_time(problem.topology(), schedule) {
            return times;
        }
        self.synchronous_times(problem.topology(), schedule)
    }
}
