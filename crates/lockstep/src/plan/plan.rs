//! The plan: a verified schedule, a proved bound, and their distance.

use std::sync::Arc;

use lockstep_certificate::LowerBound;
use lockstep_schedule::{
    Collective, CommunicationModel, Problem, Schedule, ScheduleFile, StopReason, Verification, verify,
};
use lockstep_topology::Topology;

use super::refusal::{PlanRefusal, WithdrawnBound};
use super::verdict::{CutShort, Verdict};

/// A valid schedule of a problem, with a proved lower bound.
///
/// Invariant: [`verify`] has accepted the schedule, and [`LowerBound::check`] the bound. Only
/// [`Planner::run`](crate::Planner::run), [`replan`](crate::replan()) and [`PlanFile::check`](crate::PlanFile::check)
/// return one.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, Topology, Verdict, plan};
///
/// let ring: Topology = "ring:8".parse()?;
/// let budget = Budget::evaluations(10_000);
/// let plan = plan(&ring, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
/// assert_eq!((plan.step_count(), plan.lower_bound().steps), (4, 4));
/// assert_eq!(plan.verdict(), Verdict::Optimal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    file: Arc<ScheduleFile>,
    verification: Verification,
    bound: LowerBound,
    verdict: Verdict,
    origin: Origin,
}

/// How a plan was made.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Origin {
    /// Name of the engine, with its method in parentheses.
    pub(crate) engine: String,
    pub(crate) seed: u64,
    pub(crate) cut_short: Option<CutShort>,
}

impl Origin {
    pub(crate) fn new(engine: &str, method: Option<&str>, seed: u64, cut_short: Option<CutShort>) -> Self {
        let engine = method.map_or_else(|| engine.to_owned(), |method| format!("{engine} ({method})"));
        Self { engine, seed, cut_short }
    }
}

impl Plan {
    /// Creates the plan of a schedule. `verification` is the report of the verifier, if it has accepted this schedule
    /// for this problem already. `is_proved` is true if the check of the certificate has accepted this bound already.
    ///
    /// # Errors
    ///
    /// [`PlanRefusal`] of an invalid schedule, or of a bound that is false or not proved.
    pub(crate) fn verified(
        problem: &Problem<'_>,
        schedule: Schedule,
        verification: Option<Verification>,
        (bound, is_proved): (LowerBound, bool),
        origin: Origin,
    ) -> Result<Self, PlanRefusal> {
        let verification =
            verification.map_or_else(|| verify(problem, &schedule), Ok).map_err(PlanRefusal::Schedule)?;
        let file = ScheduleFile::new(problem, schedule);
        let steps = verification.steps as u32;
        let Some(verdict) = Verdict::of(verification.width_sum, bound.steps) else {
            return Err(PlanRefusal::Bound(Box::new(WithdrawnBound::exceeded(&bound, steps, file))));
        };
        if !is_proved && let Err(error) = bound.check(problem) {
            let why = format!("its certificate is refused ({error})");
            let withdrawn = WithdrawnBound { rule: bound.rule, bound: bound.steps, why, schedule: file };
            return Err(PlanRefusal::Bound(Box::new(withdrawn)));
        }
        Ok(Self::checked(Arc::new(file), verification, bound, verdict, origin))
    }

    /// Creates a plan of parts that the verifier and the check of the certificate have accepted. The verdict follows from
    /// them.
    pub(super) fn checked(
        file: Arc<ScheduleFile>,
        verification: Verification,
        bound: LowerBound,
        verdict: Verdict,
        origin: Origin,
    ) -> Self {
        Self { file, verification, bound, verdict, origin }
    }

    /// Returns this plan with the better bound of two, and the cut of either. `other` is a plan of the same problem.
    ///
    /// # Errors
    ///
    /// [`WithdrawnBound`], if the bound of the other plan is false.
    pub(crate) fn with_bound_of(self, other: Self) -> Result<Self, Box<WithdrawnBound>> {
        let steps = self.step_count();
        let bound = if other.bound.steps > self.bound.steps { other.bound } else { self.bound };
        let Some(verdict) = Verdict::of(self.verification.width_sum, bound.steps) else {
            return Err(Box::new(WithdrawnBound::exceeded(&bound, steps, Arc::unwrap_or_clone(self.file))));
        };
        let cut_short = self.origin.cut_short.or(other.origin.cut_short);
        Ok(Self::checked(self.file, self.verification, bound, verdict, Origin { cut_short, ..self.origin }))
    }

    /// Returns this plan, marked as cut short for this reason, unless it is optimal or marked already.
    pub(crate) fn stopped_by(self, reason: Option<StopReason>) -> Self {
        let stopped = reason.and_then(CutShort::by).filter(|_| !self.is_optimal());
        let cut_short = self.origin.cut_short.or(stopped);
        Self { origin: Origin { cut_short, ..self.origin }, ..self }
    }

    /// Returns the schedule.
    pub fn schedule(&self) -> &Schedule {
        self.file.schedule()
    }

    /// Returns the schedule with its problem, as in a file.
    pub(crate) fn schedule_file(&self) -> &Arc<ScheduleFile> {
        &self.file
    }

    /// Returns the number of steps of the schedule.
    pub fn step_count(&self) -> u32 {
        self.verification.steps as u32
    }

    /// Returns the problem that the schedule solves.
    pub fn problem(&self) -> Problem<'_> {
        self.file.problem()
    }

    /// Returns the network.
    pub fn topology(&self) -> &Topology {
        self.file.topology()
    }

    /// Returns the collective.
    pub fn collective(&self) -> &Collective {
        self.file.collective()
    }

    /// Returns the network's rules that the plan assumes. Under other rules the verdict may differ.
    pub fn model(&self) -> CommunicationModel {
        self.file.model()
    }

    /// Returns the best known lower bound, with its certificate.
    pub fn lower_bound(&self) -> &LowerBound {
        &self.bound
    }

    /// Returns the distance of the schedule from the bound, by [`Verdict::of`].
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns true if no schedule has fewer steps.
    pub fn is_optimal(&self) -> bool {
        self.verdict == Verdict::Optimal
    }

    /// Returns the report of the verifier.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// Returns the name of the engine that found the schedule, with its method in parentheses if it has several. If
    /// phases were planned by several engines, the last one in the order of the [registry](crate::EngineRegistry).
    pub fn engine(&self) -> &str {
        &self.origin.engine
    }

    /// Returns the seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.origin.seed
    }

    /// Why a search was stopped before the schedule met the bound, if one was. Without it, the same seed gives the same
    /// plan, or another [optimal](Self::is_optimal) one if a deadline or a cancellation came.
    pub fn cut_short(&self) -> Option<CutShort> {
        self.origin.cut_short
    }
}

#[cfg(test)]
mod tests {
    use lockstep_bounds::all;

    use super::*;
    use crate::{Budget, NodeId};

    #[test]
    fn two_plans_together_have_the_better_bound_and_the_cut_of_either() {
        let ring: Topology = "ring:4".parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(0));
        let plan = crate::plan(&ring, &broadcast, &CommunicationModel::wormhole(), &Budget::evaluations(100)).unwrap();
        let problem = plan.problem();
        let all = all(&problem);
        let [best, weak, other] = [2, 1, 1]
            .map(|steps| all.iter().filter(move |bound| bound.steps == steps))
            .map(|found| found.cloned().collect::<Vec<_>>());
        let [best, weak, other] = [&best[0], &weak[0], other.last().unwrap()];
        assert_ne!(weak.rule, other.rule);
        let with = |bound: &LowerBound, seed, cut_short| {
            let origin = Origin::new("engine", None, seed, cut_short);
            Plan::verified(&problem, plan.schedule().clone(), None, (bound.clone(), false), origin).unwrap()
        };
        let (gap, optimal) = (with(weak, 7, Some(CutShort::Deadline)), with(best, 5, None));
        assert_eq!((gap.verdict(), gap.is_optimal(), optimal.is_optimal()), (Verdict::Gap(1), false, true));
        assert_eq!([gap.seed(), optimal.seed()], [7, 5]);
        for (one, two) in [(&gap, &optimal), (&optimal, &gap)] {
            let both = one.clone().with_bound_of(two.clone()).unwrap();
            assert_eq!((both.lower_bound(), both.is_optimal(), both.seed()), (best, true, one.seed()));
            assert_eq!(both.cut_short(), Some(CutShort::Deadline));
        }
        // Of two equal bounds, the plan keeps its own.
        let tie = gap.with_bound_of(with(other, 1, Some(CutShort::Interrupt))).unwrap();
        assert_eq!((tie.lower_bound(), tie.cut_short()), (weak, Some(CutShort::Deadline)));
    }
}
