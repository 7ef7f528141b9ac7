//! Time reversal.

use lockstep_topology::ChannelId;

use crate::Schedule;

impl Schedule {
    /// The same transfers backwards: steps, transfers and paths in reverse order, for the network with every channel
    /// turned round ([`Topology::reversed`](lockstep_topology::Topology::reversed)), where channels keep their numbers.
    ///
    /// Twice is the identity. A valid schedule of a collective without redundant deliveries and relays to nowhere becomes
    /// one of the [reversed collective](crate::Collective::reversed) on the reversed network: a broadcast a reduction, a
    /// scatter a gather.
    ///
    /// **Source**: Bertsekas and Tsitsiklis, *Parallel and Distributed Computation* (1989), section 1.3.4 (duality).
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut reversed = Self::with_capacity(self.transfer_count(), self.channel_use_count());
        let mut path: Vec<ChannelId> = Vec::new();
        for (_, step) in self.steps().rev() {
            reversed.begin_step();
            for transfer in step.iter().rev() {
                path.clear();
                path.extend(transfer.path.iter().rev());
                reversed.push(transfer.message, &path);
            }
        }
        reversed
    }
}
