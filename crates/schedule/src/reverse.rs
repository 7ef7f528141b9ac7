//! Time reversal.

use lockstep_topology::ChannelId;

use crate::Schedule;

impl Schedule {
    /// Returns the time-reversed schedule: steps, transfers and paths in reverse order. It is a schedule for the
    /// network with all channels [reversed](lockstep_topology::Topology::reversed), where channels keep their numbers.
    ///
    /// Reversing twice is the identity. If no transfer of a valid schedule is redundant or a needless relay, the
    /// reversed schedule is valid for the [reversed collective](crate::Collective::reversed) on the reversed network. A
    /// broadcast becomes a reduction, a scatter becomes a gather. In an all-reduce this holds if every message is reduced to
    /// one terminal along a tree and distributed from it along another, or if all sums that meet are disjoint. O(channel uses)
    /// time and memory.
    ///
    /// # Source
    ///
    /// Bertsekas and Tsitsiklis, *Parallel and Distributed Computation* (1989), section 1.3.4 (duality).
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut reversed = Self::with_capacity(self.transfer_count(), self.channel_use_count());
        let mut path: Vec<ChannelId> = Vec::new();
        for (_, step) in self.steps().rev() {
            reversed.begin_step_of_width(step.width());
            for transfer in step.iter().rev() {
                path.clear();
                path.extend(transfer.path.iter().rev());
                reversed.push(transfer.message, &path);
            }
        }
        reversed
    }
}
