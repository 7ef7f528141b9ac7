//! How busy a schedule keeps the network.

use lockstep_topology::Topology;

use crate::schedule::Schedule;

/// Uses of the network by step and by resource.
///
/// ```
/// use lockstep_schedule::{MessageId, Schedule, UsageProfile};
/// use lockstep_topology::TopologyBuilder;
///
/// let mut pair = TopologyBuilder::new("pair");
/// let (a, b) = (pair.terminal("a"), pair.terminal("b"));
/// let [forth, _back] = pair.link(a, b);
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// schedule.push(MessageId::new(0), &[forth]);
/// let usage = UsageProfile::new(&pair.build()?, &schedule);
/// assert_eq!((usage.step_transfers, usage.resource_uses), (vec![1], vec![1, 0]));
/// # Ok::<(), lockstep_topology::TopologyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsageProfile {
    /// Number of transfers of each step.
    pub step_transfers: Vec<u32>,
    /// Number of channels in use in each step.
    pub step_channels: Vec<u32>,
    /// In how many steps each resource is used.
    pub resource_uses: Vec<u32>,
}

impl UsageProfile {
    /// The uses by a schedule, valid or not; channels that the network does not have, or no longer, are left out by resource.
    pub fn new(topology: &Topology, schedule: &Schedule) -> Self {
        let mut resource_uses = vec![0; topology.resource_count()];
        let paths = schedule.steps().flat_map(|(_, step)| step.iter()).flat_map(|transfer| transfer.path);
        for &channel in paths.filter(|&&channel| topology.is_working(channel)) {
            resource_uses[topology.resource(channel).index()] += 1;
        }
        Self {
            step_transfers: schedule.steps().map(|(_, step)| step.len() as u32).collect(),
            step_channels: schedule.steps().map(|(_, step)| step.channel_use_count() as u32).collect(),
            resource_uses,
        }
    }

    /// The most uses of one resource; no valid schedule with these paths has fewer steps.
    pub fn busiest_resource_uses(&self) -> u32 {
        self.resource_uses.iter().copied().max().unwrap_or(0)
    }

    /// Number of resources that are never used.
    pub fn idle_resource_count(&self) -> usize {
        self.resource_uses.iter().filter(|&&uses| uses == 0).count()
    }
}
