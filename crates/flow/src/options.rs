//! Options of a simulation.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::error::SimulationError;
use crate::name::named;
use crate::routing::Routing;

/// Default capacity of a link, in units per time unit.
pub const DEFAULT_CAPACITY: f64 = 1000.0;

/// Supported capacities of a link, in units per time unit.
const CAPACITIES: std::ops::RangeInclusive<f64> = 1e-6..=1e15;

/// Supported start-up times, in time units.
const STARTUPS: std::ops::RangeInclusive<f64> = 0.0..=1e15;

/// The allocation of rates to flows that share links.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RateModel {
    /// Each link divides its capacity equally among its flows, and a flow gets its smallest share. Unused shares are
    /// not redistributed.
    ///
    /// # Source
    ///
    /// The dynamic engine of `INRFlow`: Navaridas, Pascual, Erickson, Stewart and Luján, *`INRFlow`: an interconnection
    /// networks research flow-level simulation framework*, JPDC 130, 2019.
    EqualShare,
    /// Max-min fairness: no flow can get more unless a flow with the same rate or less gets less. Rates grow together,
    /// and a flow stops when one of its links is full.
    ///
    /// # Source
    ///
    /// Bertsekas and Gallager, *Data Networks*, 2nd edition, Prentice Hall 1992, section 6.5.2. The fluid model of
    /// `SimGrid` is the same.
    MaxMin,
}

named!(RateModel, "rate model", EqualShare = "equal-share", MaxMin = "max-min");

/// The resolution of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Continuous time.
    Real,
    /// Whole time units. Flows and computations end at the end of a time unit, and flows occupy their links until then.
    Integer,
}

named!(Clock, "clock", Real = "real", Integer = "integer");

/// The connection of tasks to the network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Endpoints {
    /// Unlimited. Flows between tasks of one terminal take no time.
    Direct,
    /// One injection link and one ejection link per terminal, which its tasks share.
    TerminalLinks,
    /// One injection link and one ejection link per task.
    TaskLinks,
}

named!(Endpoints, "connection of tasks", Direct = "direct", TerminalLinks = "terminal-links", TaskLinks = "task-links");

/// The start of the transfers of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepMode {
    /// A transfer starts as soon as its data has arrived.
    Free,
    /// All transfers of a step start when all transfers of the step before have arrived.
    Synchronous,
}

named!(StepMode, "step mode", Free = "free", Synchronous = "synchronous");

/// The options of a simulation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationOptions {
    /// Number of tasks per terminal. The first tasks are on the first terminal.
    pub tasks_per_terminal: NonZeroU32,
    /// The paths of flows.
    pub routing: Routing,
    /// The allocation of rates to flows that share links.
    pub rates: RateModel,
    /// The resolution of time.
    pub clock: Clock,
    /// The connection of tasks to the network.
    pub endpoints: Endpoints,
    /// Capacity of a channel of capacity 1 in units per time unit, 1e-6 to 1e15. A half-duplex link shares it between its directions.
    /// See [`DEFAULT_CAPACITY`].
    pub capacity: f64,
    /// Largest number of active flows per sending task. A task waits before it exceeds it. `None` for no limit.
    pub outstanding: Option<NonZeroU32>,
    /// Start-up time of each flow, in time units, 0 to 1e15: a flow uses its links from this time after its send on. Starting
    /// flows are active, and the sender does not wait.
    ///
    /// # Source
    ///
    /// Hockney, *The communication challenge for MPP: Intel Paragon and Meiko CS-2*, Parallel Computing 20(3), 1994: a message
    /// takes a start-up time and a time per unit.
    pub startup: f64,
    /// Seed of random paths.
    pub seed: u64,
}

impl SimulationOptions {
    /// Verifies the capacity and the start-up time.
    pub(crate) fn check(&self) -> Result<(), SimulationError> {
        let Self { capacity, startup, .. } = *self;
        if !CAPACITIES.contains(&capacity) {
            return Err(SimulationError::Capacity { capacity });
        }
        if STARTUPS.contains(&startup) { Ok(()) } else { Err(SimulationError::Startup { startup }) }
    }
}
