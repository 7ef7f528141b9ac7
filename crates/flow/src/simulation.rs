//! What a simulation measures.

use lockstep_topology::ChannelId;
use serde::{Deserialize, Serialize};

/// When everything was done, and how busy the network was.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Simulation {
    /// When the last task ended, in time units from the start of all.
    pub makespan: f64,
    /// How long flows took from their send to their arrival, in time units; `None` if there was no flow.
    pub flow_times: Option<FlowTimes>,
    /// The link that carried most; `None` if no flow crossed a link.
    pub busiest: Option<LinkUse>,
    /// How many parts of flows and computations have ended.
    pub events: u64,
    /// When each flow began and ended, in the order of tasks and of the sends of each.
    pub flows: Vec<FlowSpan>,
}

/// When a flow began and ended, in time units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct FlowSpan {
    /// When it was sent.
    pub start: f64,
    /// When all of it had arrived.
    pub end: f64,
}

/// How long flows took, in time units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct FlowTimes {
    /// The shortest time.
    pub least: f64,
    /// The mean time.
    pub mean: f64,
    /// The time that half of the flows kept; of an even number the lower one in the middle.
    pub median: f64,
    /// The longest time.
    pub greatest: f64,
}

/// A link of the simulated network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// A channel; if it shares its wire with others, the first of them.
    Channel(ChannelId),
    /// The link into the network of the terminal of this rank, or of this task.
    Injection(u32),
    /// The link out of the network to the terminal of this rank, or to this task.
    Ejection(u32),
}

/// What a link carried.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LinkUse {
    /// The link; of several equal ones the first.
    pub link: Link,
    /// How many units.
    pub units: f64,
    /// The part of what it could have carried until the end, 0 to 1.
    pub share: f64,
}

impl FlowTimes {
    pub(crate) fn of(flows: &[FlowSpan]) -> Option<Self> {
        let mut times: Vec<f64> = flows.iter().map(|flow| flow.end - flow.start).collect();
        times.sort_unstable_by(f64::total_cmp);
        let [least, .., greatest] = times[..] else {
            return times.first().map(|&only| Self { least: only, mean: only, median: only, greatest: only });
        };
        let (mean, median) = (times.iter().sum::<f64>() / times.len() as f64, times[(times.len() - 1) / 2]);
        Some(Self { least, mean, median, greatest })
    }
}
