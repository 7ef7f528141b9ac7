//! How programs are run.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::error::SimulationError;
use crate::name::named;
use crate::routing::Routing;

/// Units that a link carries in a time unit where nothing else is said.
pub const DEFAULT_CAPACITY: f64 = 1000.0;

/// The least and the greatest capacity of a link.
const CAPACITIES: std::ops::RangeInclusive<f64> = 1e-6..=1e15;

/// How flows share the links that they cross.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateModel {
    /// A flow gets the least of what its links have for each of their flows; what other flows leave of their shares
    /// stays unused.
    ///
    /// **Source**: the dynamic engine of `INRFlow` (JPDC 130, 2019).
    EqualShare,
    /// No flow can get more unless one gets less that has no more: shares are filled up evenly, and a flow stops where
    /// one of its links is full.
    ///
    /// **Source**: Bertsekas and Gallager, *Data networks* (1992), section 6.5.2; the fluid model of `SimGrid`.
    MaxMin,
}

named!(RateModel, "rate model", EqualShare = "equal-share", MaxMin = "max-min");

/// Which times there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// All: what ends, ends when it is done.
    Real,
    /// Whole time units: what ends, ends with the unit in which it is done, and occupies its links until then.
    Integer,
}

named!(Clock, "clock", Real = "real", Integer = "integer");

/// How tasks are connected to the network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endpoints {
    /// By nothing that limits them: flows between tasks of one terminal take no time.
    Direct,
    /// Each terminal by one link into the network and one out of it, which its tasks share.
    TerminalLinks,
    /// Each task by one link into the network and one out of it.
    TaskLinks,
}

named!(Endpoints, "connection of tasks", Direct = "direct", TerminalLinks = "terminal-links", TaskLinks = "task-links");

/// How programs are run on a network.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationOptions {
    /// Tasks on each terminal; the tasks with the lowest numbers are on the first terminal.
    pub tasks_per_terminal: NonZeroU32,
    /// Which paths flows take.
    pub routing: Routing,
    /// How flows share links.
    pub rates: RateModel,
    /// Which times there are.
    pub clock: Clock,
    /// How tasks are connected to the network.
    pub endpoints: Endpoints,
    /// Units that a link, half-duplex ones in both directions together, carries in a time unit. See
    /// [`DEFAULT_CAPACITY`].
    pub capacity: f64,
    /// The most flows of a task that are under way at a time; before the next one it waits. No limit if `None`.
    pub outstanding: Option<NonZeroU32>,
    /// Seed of random paths.
    pub seed: u64,
}

impl SimulationOptions {
    pub(crate) fn check(&self) -> Result<(), SimulationError> {
        let capacity = self.capacity;
        if CAPACITIES.contains(&capacity) { Ok(()) } else { Err(SimulationError::Capacity { capacity }) }
    }
}
