//! Why a schedule and a lower bound form no plan.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{ScheduleFile, Violation};

/// A lower bound that is false or not proved, and the valid schedule that was found. The schedule has no bound now.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "the lower bound of {} steps by the rule '{rule}' is withdrawn: {why}; this is a bug, please report it with the network \
     and the collective", .bound
)]
pub struct WithdrawnBound {
    /// The rule of the bound.
    pub rule: Rule,
    /// The lower bound in steps.
    pub bound: u32,
    /// What is wrong with the bound.
    pub why: String,
    /// The schedule, which the verifier has accepted, with its problem.
    pub schedule: ScheduleFile,
}

impl WithdrawnBound {
    /// Returns the withdrawal of a bound above the steps of a valid schedule.
    pub(crate) fn exceeded(bound: &LowerBound, steps: u32, schedule: ScheduleFile) -> Self {
        let why = format!("a valid schedule has {steps} steps");
        Self { rule: bound.rule, bound: bound.steps, why, schedule }
    }
}

/// Why a schedule and a lower bound form no plan.
#[derive(Debug)]
pub(crate) enum PlanRefusal {
    /// The schedule breaks a rule.
    Schedule(Violation),
    /// The bound is false or not proved.
    Bound(Box<WithdrawnBound>),
}
