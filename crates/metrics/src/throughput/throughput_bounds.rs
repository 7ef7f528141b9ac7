//! Bounds on the throughput.

use serde::{Deserialize, Serialize};

/// Bounds on the rate of uniform all-to-all traffic with optimal routing.
///
/// The rate is what each terminal sends in total, in units of the capacity of a channel. Each channel has capacity 1 in
/// its direction, even if it shares a resource. Nodes have no limit.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Throughput {
    /// Rate of a known flow.
    pub lower: f64,
    /// Upper bound on the rate of all flows.
    pub upper: f64,
}

impl Throughput {
    /// Returns the relative gap `upper / lower - 1`, or 0 if nothing can be sent.
    pub fn gap(&self) -> f64 {
        if self.upper > 0.0 { self.upper / self.lower - 1.0 } else { 0.0 }
    }
}
