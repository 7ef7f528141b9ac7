//! What a plan file says, true or not.

use lockstep_certificate::{CertificateError, LowerBound};
use lockstep_schedule::{FileError, FileKind, ScheduleFile, ScheduleFileError, Violation, verify};

use super::plan::{CutShort, Plan, Verdict};

pub(crate) const KIND: FileKind = FileKind { format: "lockstep-plan", noun: "plan", magic: *b"lockplan", version: 1 };

/// The contents of a plan file: plain data that may be wrong. Only [`check`](Self::check) says that it is not.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, PlanFile, plan};
///
/// let mesh = "mesh:2x2".parse()?;
/// let gather = Collective::all_to_all_broadcast();
/// let plan = plan(&mesh, &gather, &CommunicationModel::wormhole(), &Budget::evaluations(1_000_000))?;
/// let text = plan.to_file(None).to_json();
/// let claims = PlanFile::read(text.as_bytes())?;
/// assert_eq!(claims.check()?, plan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct PlanFile {
    /// The schedule and its problem.
    pub schedule: ScheduleFile,
    /// The number of steps claimed.
    pub steps: u32,
    /// The lower bound claimed.
    pub lower_bound: LowerBound,
    /// The verdict claimed.
    pub verdict: Verdict,
    /// Name of the engine that found the schedule, and of its construction in brackets where it has several.
    pub engine: String,
    /// The seed of its random choices.
    pub seed: u64,
    /// What cut the search short, if anything did.
    pub cut_short: Option<CutShort>,
    /// Seconds it took, if they were asked for.
    pub seconds: Option<f64>,
}

impl PlanFile {
    /// The contents of a file, binary or JSON as its first byte says.
    ///
    /// # Errors
    ///
    /// Those of [`from_bytes`](Self::from_bytes) and [`from_json`](Self::from_json).
    pub fn read(bytes: &[u8]) -> Result<Self, PlanFileError> {
        KIND.read(bytes, Self::from_json, Self::from_bytes)
    }

    /// The plan, if the schedule is valid, the certificate proves the bound, and the rest follows from them.
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
        let actual = Verdict::of(steps, bound.steps);
        if actual != Some(verdict) {
            return Err(PlanViolation::Verdict { claimed: verdict, steps, bound: bound.steps });
        }
        Ok(Plan { file, verification, bound, verdict, engine, seed, cut_short })
    }
}

/// What is wrong with a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanViolation {
    /// The schedule breaks a rule.
    #[error(transparent)]
    Schedule(#[from] Violation),
    /// Another number of steps.
    #[error("the plan claims {claimed} steps, but its schedule has {actual}")]
    Steps {
        /// What the plan says.
        claimed: u32,
        /// What the schedule has.
        actual: usize,
    },
    /// The certificate does not prove the bound.
    #[error("the lower bound is not proved: {0}")]
    Bound(#[from] CertificateError),
    /// A verdict that does not follow.
    #[error("the plan claims '{claimed}', but it has {steps} steps and a lower bound of {bound}")]
    Verdict {
        /// What the plan says.
        claimed: Verdict,
        /// Steps of the schedule.
        steps: u32,
        /// Steps of the bound.
        bound: u32,
    },
}

/// Why a file is no plan file. Every message is one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// Another kind of file, a damaged one, or a field that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A binary file whose schedule cannot be read.
    #[error("field 'schedule': {0}")]
    Schedule(ScheduleFileError),
}
