//! The contents of a plan file, and their check.

use std::sync::Arc;

use lockstep_certificate::{CertificateError, DecodeError, LowerBound};
use lockstep_files::FileError;
use lockstep_schedule::{PLAN_KIND, ScheduleFile, ScheduleFileError, Violation, verify};

use super::made_by::MadeBy;
use super::plan::{Origin, Plan};
use super::verdict::{CutShort, Verdict};

/// The contents of a plan file: plain data that may be wrong. [`check`](Self::check) makes a [`Plan`] of it.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, PlanFile, plan};
///
/// let mesh = "mesh:2x2".parse()?;
/// let all_gather = Collective::all_gather();
/// let plan = plan(&mesh, &all_gather, &CommunicationModel::wormhole(), &Budget::evaluations(1_000_000))?;
/// let text = plan.to_file(None).to_json();
/// let claims = PlanFile::read(text.as_bytes())?;
/// assert_eq!(claims.check()?, plan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct PlanFile {
    /// The schedule and its problem.
    pub schedule: Arc<ScheduleFile>,
    /// The number of steps claimed.
    pub steps: u32,
    /// The lower bound claimed.
    pub lower_bound: LowerBound,
    /// The verdict claimed.
    pub verdict: Verdict,
    /// Name of the engine that found the schedule, with its method in parentheses.
    pub engine: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// Why a search was stopped early, if one was.
    pub cut_short: Option<CutShort>,
    /// Duration of the planning in seconds, if it was requested.
    pub seconds: Option<f64>,
    /// The program and the command that made the plan, if the file says it.
    pub made_by: Option<MadeBy>,
}

impl PlanFile {
    /// Reads a file. Its first byte tells binary from JSON.
    ///
    /// # Errors
    ///
    /// Those of [`from_bytes`](Self::from_bytes) and [`from_json`](Self::from_json).
    pub fn read(bytes: &[u8]) -> Result<Self, PlanFileError> {
        PLAN_KIND.read(bytes, Self::from_json, Self::from_bytes)
    }

    /// Verifies the schedule, checks the certificate, and compares the other claims with them.
    ///
    /// # Errors
    ///
    /// The first [`PlanViolation`] in that order.
    pub fn check(self) -> Result<Plan, PlanViolation> {
        let Self { schedule: file, steps, lower_bound: bound, verdict, engine, seed, cut_short, .. } = self;
        let problem = file.problem();
        let verification = verify(&problem, file.schedule())?;
        if steps as usize != verification.steps {
            return Err(PlanViolation::Steps { claimed: steps, actual: verification.steps });
        }
        bound.check(&problem)?;
        let width_sum = verification.width_sum;
        if Verdict::of(width_sum, bound.steps) != Some(verdict) {
            return Err(PlanViolation::Verdict { claimed: verdict, steps, width_sum, bound: bound.steps });
        }
        Ok(Plan::checked(file, verification, bound, verdict, Origin { engine, seed, cut_short }))
    }
}

impl Plan {
    /// Returns the plan as the contents of a file. `seconds` is the duration of the planning.
    ///
    /// With `None`, the same plan gives the same bytes in every run.
    pub fn to_file(&self, seconds: Option<f64>) -> PlanFile {
        PlanFile {
            schedule: Arc::clone(self.schedule_file()),
            steps: self.step_count(),
            lower_bound: self.lower_bound().clone(),
            verdict: self.verdict(),
            engine: self.engine().to_owned(),
            seed: self.seed(),
            cut_short: self.cut_short(),
            seconds,
            made_by: None,
        }
    }
}

/// A claim of a plan file that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanViolation {
    /// The schedule breaks a rule.
    #[error(transparent)]
    Schedule(#[from] Violation),
    /// The number of steps differs from that of the schedule.
    #[error("the plan claims {claimed} steps, but its schedule has {actual}")]
    Steps {
        /// The number in the file.
        claimed: u32,
        /// The number of the schedule.
        actual: usize,
    },
    /// The certificate does not prove the bound.
    #[error("the lower bound is not proved: {0}")]
    Bound(#[from] CertificateError),
    /// The verdict does not follow from the widths of the steps and the bound.
    #[error(
        "the plan claims '{claimed}', but it has {steps} steps{} and a lower bound of {bound}",
        if *.width_sum == u64::from(*.steps) { String::new() } else { format!(" of width {width_sum} together") }
    )]
    Verdict {
        /// The verdict in the file.
        claimed: Verdict,
        /// Number of steps of the schedule.
        steps: u32,
        /// The sum of their widths.
        width_sum: u64,
        /// The lower bound in steps.
        bound: u32,
    },
}

/// Why a file is not a plan file. Every message is one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// The file is of another kind, damaged, or has a wrong field.
    #[error(transparent)]
    File(#[from] FileError),
    /// The schedule of a binary file cannot be read.
    #[error("field 'schedule': {0}")]
    Schedule(ScheduleFileError),
    /// A binary file has a lower bound that cannot be read.
    #[error("field 'lower_bound': {0}")]
    LowerBound(DecodeError),
}
