//! The figures of a collective after faults.

use lockstep_certificate::Rule;
use lockstep_faults::{Faults, Survivability};
use lockstep_schedule::{Collective, CommunicationModel, ProblemError, Transport};
use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::plan::{Changes, Plan, Verdict};

/// The effect of a fault set on a collective: a row of a degradation table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Degradation {
    /// The faults, all at once; empty in the row of the network without faults.
    pub faults: Faults,
    /// The effect on the collective.
    pub outcome: FaultOutcome,
}

/// Whether a collective survives a fault set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultOutcome {
    /// The collective has a plan on the faulty network.
    Planned(PlanFigures),
    /// The collective is impossible on the faulty network.
    Lost(Loss),
}

/// The figures of a plan after faults.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanFigures {
    /// Number of steps of the schedule, which is verified on the faulty network.
    pub steps: u32,
    /// The lower bound in steps on the faulty network.
    pub bound: u32,
    /// The rule of the bound.
    pub rule: Rule,
    /// The distance of the steps from the bound.
    pub verdict: Verdict,
    /// Name of the engine that found the schedule, with its method in parentheses.
    pub engine: String,
    /// The difference from the schedule before the faults; `None` for a fresh schedule.
    pub changes: Option<Changes>,
}

impl PlanFigures {
    /// Returns the figures of a plan with these changes.
    pub fn new(plan: &Plan, changes: Option<Changes>) -> Self {
        let bound = plan.lower_bound();
        Self {
            steps: plan.step_count(),
            bound: bound.steps,
            rule: bound.rule,
            verdict: plan.verdict(),
            engine: plan.engine().to_owned(),
            changes,
        }
    }
}

/// Why a collective is impossible after faults. This is a result, not an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The root has failed.
    Root(NodeId),
    /// Terminals of the collective are disconnected, or fewer than two are left.
    Terminals(Survivability),
    /// No message of a custom collective has both a sender and a receiver left.
    Messages,
}

impl Loss {
    /// Returns the loss that makes a problem impossible on a network with failures. `None` if the error has another reason.
    pub fn of(
        error: &ProblemError,
        collective: &Collective,
        model: CommunicationModel,
        topology: &Topology,
    ) -> Option<Self> {
        match (error, collective.root()) {
            (ProblemError::HasFailed { .. }, Some(root)) => Some(Self::Root(root)),
            (ProblemError::TooFewTerminals { .. } | ProblemError::Unreachable { .. }, _) => {
                let transport = Transport::of(collective.pattern(), model.on(topology));
                Some(Self::Terminals(Survivability::of(topology, transport)))
            }
            (ProblemError::NoMessage, _) => Some(Self::Messages),
            _ => None,
        }
    }

    /// Describes the loss with the names of nodes: `the root 00 has failed`.
    pub fn describe(&self, topology: &Topology) -> String {
        match self {
            Self::Root(root) => format!("the root {} has failed", topology.node_name(*root)),
            Self::Terminals(survivability) => survivability.describe(topology),
            Self::Messages => "no sender is left with a receiver".to_owned(),
        }
    }
}
