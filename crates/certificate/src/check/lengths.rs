//! Lengths of resources and ports.

use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use super::capacity::{receive_limit, send_limit};
use super::refusal::{Checked, expect, steps_of};

pub(super) const OVERFLOW: &str = "the sum of the lengths is too large";

/// The lengths in a certificate.
pub(super) struct Lengths<'a> {
    /// The length of each resource.
    pub(super) resources: &'a [u32],
    /// The length of a send port of each terminal, or empty.
    pub(super) sends: &'a [u32],
    /// The length of a receive port of each terminal, or empty.
    pub(super) receptions: &'a [u32],
    /// Transfers count by the whole units in their lengths; 1 or more.
    pub(super) unit: u32,
}

impl Lengths<'_> {
    /// Returns the length of the resource of a channel.
    pub(super) fn channel(&self, topology: &Topology, channel: ChannelId) -> u64 {
        self.resources[topology.resource(channel).index()].into()
    }

    /// Returns the length of a send port of a node; 0 if it has none.
    pub(super) fn send(&self, topology: &Topology, node: NodeId) -> u64 {
        port(self.sends, topology, node)
    }

    /// Returns the length of a receive port of a node; 0 if it has none.
    pub(super) fn receive(&self, topology: &Topology, node: NodeId) -> u64 {
        port(self.receptions, topology, node)
    }

    /// Returns the number of steps that the structures of all messages need. Refuses lengths of the wrong number, and sums
    /// that are not those `claimed`: the total length of the structures, and that of all resources and ports.
    pub(super) fn steps_proved(
        &self,
        problem: &Problem<'_>,
        claimed: [u64; 2],
        total_length: impl FnOnce() -> Checked<u64>,
    ) -> Checked<u64> {
        let limit = self.per_step(problem)?;
        let distance = total_length()?;
        expect("lengths of all messages", claimed[0], distance)?;
        expect("lengths in one step", claimed[1], limit)?;
        steps_of(distance, limit / u64::from(self.unit))
    }

    /// Returns the sum of all lengths, each times its capacity.
    pub(super) fn per_step(&self, problem: &Problem<'_>) -> Checked<u64> {
        let topology = problem.topology();
        if self.resources.len() != topology.resource_count() {
            return Err("every resource must have a length".into());
        }
        if self.unit == 0 {
            return Err("the unit of the lengths is 0".into());
        }
        let mut sum: u64 = 0;
        for (place, &length) in self.resources.iter().enumerate() {
            let capacity = topology.resource_capacity(ResourceId::from_index(place));
            sum = sum.checked_add(u64::from(length) * u64::from(capacity)).ok_or(OVERFLOW)?;
        }
        let limits: [fn(&Problem<'_>, NodeId) -> u64; 2] = [send_limit, receive_limit];
        for (ports, limit) in [self.sends, self.receptions].into_iter().zip(limits) {
            if !ports.is_empty() && ports.len() != topology.terminal_count() {
                return Err("either every terminal has a length or none has".into());
            }
            for (&length, &terminal) in ports.iter().zip(topology.terminals()) {
                let all = u64::from(length).checked_mul(limit(problem, terminal)).ok_or(OVERFLOW)?;
                sum = sum.checked_add(all).ok_or(OVERFLOW)?;
            }
        }
        Ok(sum)
    }
}

fn port(lengths: &[u32], topology: &Topology, node: NodeId) -> u64 {
    let length = topology.terminal_rank(node).and_then(|rank| lengths.get(rank));
    length.map_or(0, |&length| length.into())
}
