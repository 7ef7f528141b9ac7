//! Plans too large to write down.

use lockstep_certificate::LowerBound;
use lockstep_schedule::{
    Budget, CollectiveName, CommunicationModel, SymmetricSchedule, SymmetricViolation, Verification, verify_symmetric,
};
use lockstep_topology::CayleyGraph;

use crate::plan::Verdict;

/// A valid schedule of an all-gather or all-to-all on a network that looks the same from every node, with a proved lower
/// bound. Only the part of one source is there, so that a network of a million nodes takes some megabytes.
///
/// Invariant: the judge has accepted the schedule by the translation principle, and the bound its check. Only
/// [`plan_symmetric`] makes one.
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
    /// No construction does this.
    #[error(
        "no symmetric schedule of {collective} on {graph} is known for {model}; symmetric are aab and aas, all-port"
    )]
    Unsupported {
        /// The collective.
        collective: CollectiveName,
        /// The network.
        graph: String,
        /// The rules of the network.
        model: CommunicationModel,
    },
    /// A construction made a schedule that the judge refuses.
    #[error("the {construction} construction made an invalid schedule, which is a mistake in lockstep: {violation}")]
    Refused {
        /// The construction.
        construction: &'static str,
        /// What is wrong.
        violation: SymmetricViolation,
    },
}

/// The symmetric schedule of an all-gather or all-to-all, judged, with a proved lower bound.
///
/// # Errors
///
/// [`SymmetricPlanError`].
#[expect(clippy::missing_panics_doc, reason = "bounds come with proofs, and no valid schedule is below one")]
pub fn plan_symmetric(
    graph: &CayleyGraph,
    collective: CollectiveName,
    model: CommunicationModel,
    budget: &Budget,
) -> Result<SymmetricPlan, SymmetricPlanError> {
    let unsupported = || SymmetricPlanError::Unsupported { collective, graph: graph.name().to_owned(), model };
    let bound = lockstep_bounds::symmetric(graph, collective, model).ok_or_else(unsupported)?;
    let (construction, base) =
        lockstep_analytic::symmetric(graph, collective, model, budget).ok_or_else(unsupported)?;
    bound.check_symmetric(graph, collective, model).expect("a bound comes with a proof");
    let schedule = SymmetricSchedule::new(graph.clone(), collective, base);
    let verification = verify_symmetric(&schedule, model)
        .map_err(|violation| SymmetricPlanError::Refused { construction, violation })?;
    let steps = verification.steps as u32;
    let verdict = Verdict::of(steps, bound.steps).expect("no valid schedule is below a proved bound");
    Ok(SymmetricPlan { schedule, model, verification, bound, verdict, construction })
}

impl SymmetricPlan {
    /// The schedule: the part of one source, and the group that moves it to all others.
    pub fn schedule(&self) -> &SymmetricSchedule {
        &self.schedule
    }

    /// The rules of the network that were assumed.
    pub fn model(&self) -> CommunicationModel {
        self.model
    }

    /// Its number of steps.
    pub fn step_count(&self) -> u32 {
        self.verification.steps as u32
    }

    /// What the judge counted, of all sources together.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// The best lower bound known, with its certificate.
    pub fn lower_bound(&self) -> &LowerBound {
        &self.bound
    }

    /// How far the schedule is from the bound.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether no schedule has fewer steps.
    pub fn is_optimal(&self) -> bool {
        self.verdict == Verdict::Optimal
    }

    /// Name of the construction.
    pub fn construction(&self) -> &'static str {
        self.construction
    }
}
