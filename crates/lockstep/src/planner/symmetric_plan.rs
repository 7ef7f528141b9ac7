//! Plans of symmetric networks, stored as the part of one source.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{
    Budget, CollectiveName, CommunicationModel, StopReason, SymmetricSchedule, SymmetricViolation, Verification,
    verify_symmetric,
};
use lockstep_topology::CayleyGraph;

use crate::plan::Verdict;

/// A valid schedule of an all-gather or all-to-all on a Cayley graph, with a proved lower bound.
///
/// The schedule is stored as the part of one source, and the group translates it to all other sources. A network of a
/// million nodes takes a few megabytes.
///
/// Invariant: [`verify_symmetric`] has accepted the schedule, and [`LowerBound::check_symmetric`] the bound. Only
/// [`plan_symmetric`] returns one.
#[derive(Clone, PartialEq, Debug)]
pub struct SymmetricPlan {
    schedule: SymmetricSchedule,
    model: CommunicationModel,
    verification: Verification,
    bound: LowerBound,
    verdict: Verdict,
    construction: &'static str,
}

/// Why there is no symmetric plan.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymmetricPlanError {
    /// No construction supports the collective on this network.
    #[error(
        "no symmetric schedule of {collective} on {graph} is known for {model}; symmetric are all-gather and all-to-all, all-port"
    )]
    Unsupported {
        /// The collective.
        collective: CollectiveName,
        /// The network.
        graph: String,
        /// The rules of the network.
        model: CommunicationModel,
    },
    /// The budget ended before there was a schedule.
    #[error("no schedule found: {reason}")]
    Stopped {
        /// Why it ended.
        reason: StopReason,
    },
    /// The lower bound is false or not proved. The error keeps the schedule.
    #[error(
        "the lower bound of {bound} steps by the rule '{rule}' is withdrawn: it is not proved, or the valid schedule of \
         {steps} steps refutes it; this is a bug, please report it with the network and the collective"
    )]
    BoundWithdrawn {
        /// The rule of the bound.
        rule: Rule,
        /// The lower bound in steps.
        bound: u32,
        /// Number of steps of the schedule.
        steps: u32,
        /// The schedule, which the verifier has accepted.
        schedule: Box<SymmetricSchedule>,
    },
    /// The verifier refused the schedule of a construction.
    #[error("the {construction} construction made an invalid schedule: {violation}; this is a bug of the construction")]
    Refused {
        /// The construction.
        construction: &'static str,
        /// The rule that the schedule breaks.
        violation: SymmetricViolation,
    },
}

/// Plans an all-gather or all-to-all on a Cayley graph by the constructions for symmetric networks.
///
/// ```
/// use lockstep::schedule::CollectiveName;
/// use lockstep::{Budget, CommunicationModel, plan_symmetric};
///
/// let cube = "hypercube:16".parse()?;
/// let model = CommunicationModel::store_and_forward();
/// let plan = plan_symmetric(&cube, CollectiveName::AllGather, model, &Budget::unlimited())?;
/// assert_eq!((plan.step_count(), plan.is_optimal()), (4096, true)); // 65,535 messages through 16 links
/// assert_eq!(plan.verification().transfers, 65_535 * 65_536);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SymmetricPlanError`].
pub fn plan_symmetric(
    graph: &CayleyGraph,
    collective: CollectiveName,
    model: CommunicationModel,
    budget: &Budget,
) -> Result<SymmetricPlan, SymmetricPlanError> {
    plan_symmetric_observed(graph, collective, model, budget, || {})
}

/// Does the same as [`plan_symmetric`], and calls `on_found` when there is a schedule, before it is verified.
///
/// # Errors
///
/// [`SymmetricPlanError`].
pub fn plan_symmetric_observed(
    graph: &CayleyGraph,
    collective: CollectiveName,
    model: CommunicationModel,
    budget: &Budget,
    on_found: impl FnOnce(),
) -> Result<SymmetricPlan, SymmetricPlanError> {
    let unsupported = || SymmetricPlanError::Unsupported { collective, graph: graph.name().to_owned(), model };
    let bound = lockstep_bounds::symmetric(graph, collective, model).ok_or_else(unsupported)?;
    let found = lockstep_analytic::symmetric(graph, collective, model, budget);
    let (construction, base) = found.ok_or_else(|| match budget.interruption() {
        Some(reason) => SymmetricPlanError::Stopped { reason },
        None => unsupported(),
    })?;
    on_found();
    let schedule = SymmetricSchedule::new(graph.clone(), collective, base);
    let verification = verify_symmetric(&schedule, model)
        .map_err(|violation| SymmetricPlanError::Refused { construction, violation })?;
    let (steps, rule) = (verification.steps as u32, bound.rule);
    let is_proved = bound.check_symmetric(graph, collective, model).is_ok();
    let Some(verdict) = Verdict::of(verification.width_sum, bound.steps).filter(|_| is_proved) else {
        return Err(SymmetricPlanError::BoundWithdrawn {
            rule,
            bound: bound.steps,
            steps,
            schedule: Box::new(schedule),
        });
    };
    Ok(SymmetricPlan { schedule, model, verification, bound, verdict, construction })
}

impl SymmetricPlan {
    /// Returns the schedule: the part of one source, and the group that translates it to all other sources.
    pub fn schedule(&self) -> &SymmetricSchedule {
        &self.schedule
    }

    /// Returns the network's rules that the plan assumes.
    pub fn model(&self) -> CommunicationModel {
        self.model
    }

    /// Returns the number of steps of the schedule.
    pub fn step_count(&self) -> u32 {
        self.verification.steps as u32
    }

    /// Returns the report of the verifier, over all sources.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// Returns the best known lower bound, with its certificate.
    pub fn lower_bound(&self) -> &LowerBound {
        &self.bound
    }

    /// Returns the distance of the schedule from the bound.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns true if no schedule has fewer steps.
    pub fn is_optimal(&self) -> bool {
        self.verdict == Verdict::Optimal
    }

    /// Returns the name of the construction.
    pub fn construction(&self) -> &'static str {
        self.construction
    }
}
