//! The result of a simulation.

use lockstep_topology::ChannelId;
use serde::{Deserialize, Serialize};

/// The result of a simulation: times and link use.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Simulation {
    /// The end of the last task, in time units. If the simulation was cut short, the time that it reached: the last task ends
    /// later.
    pub makespan: f64,
    /// The durations of flows from send to arrival. `None` if there was no flow.
    pub flow_times: Option<FlowTimes>,
    /// The link that carried the most units. `None` if no flow crossed a link, or if the simulation was cut short.
    pub busiest: Option<LinkUse>,
    /// Number of subflows and computations that ended.
    pub events: u64,
    /// The start and end of each flow, in the order of tasks and of their sends. If the simulation was cut short, only those of
    /// the flows that had arrived.
    pub flows: Vec<FlowSpan>,
    /// True if a deadline or a cancellation ended the simulation.
    pub is_cut_short: bool,
}

/// A report about a running simulation.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct SimulationEvent {
    /// The simulated time, in time units.
    pub now: f64,
    /// The number of flows that have arrived.
    pub arrived: usize,
    /// The number of flows.
    pub flows: usize,
}

/// The start and end of a flow, in time units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowSpan {
    /// The time of the send.
    pub start: f64,
    /// The time of the complete arrival.
    pub end: f64,
}

/// The distribution of flow durations, in time units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowTimes {
    /// The shortest duration.
    pub least: f64,
    /// The mean duration.
    pub mean: f64,
    /// The median duration, the lower one of an even number.
    pub median: f64,
    /// The longest duration.
    pub greatest: f64,
}

/// A link of the simulated network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// A channel. If several channels share a resource, the first of them.
    Channel(ChannelId),
    /// The injection link of the terminal with this rank, or of this task.
    Injection(u32),
    /// The ejection link of the terminal with this rank, or of this task.
    Ejection(u32),
}

/// The use of a link.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkUse {
    /// The link. Ties go to the first.
    pub link: Link,
    /// Number of units that it carried.
    pub units: f64,
    /// Utilisation until the end of the simulation, 0 to 1.
    pub share: f64,
}

impl FlowTimes {
    /// Computes the distribution. `None` if there are no flows.
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
