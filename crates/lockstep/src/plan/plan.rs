//! A plan: a schedule, a bound, and how far they are apart.

use std::fmt;
use std::str::FromStr;

use lockstep_certificate::LowerBound;
use lockstep_schedule::{
    Collective, CommunicationModel, Problem, Schedule, ScheduleFile, StopReason, Verification, verify,
};
use lockstep_topology::Topology;
use serde::{Deserialize, Serialize};

use super::file::PlanFile;
use crate::planner::Found;
use crate::planner::PlanError;

/// How good a schedule is known to be; written `optimal` or `gap 3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Verdict {
    /// No schedule has fewer steps.
    Optimal,
    /// This many steps more than the best lower bound; whether they are needed is open.
    Gap(u32),
}

impl Verdict {
    /// The verdict on a schedule of so many steps; `None` if the bound is above them, which cannot be.
    pub fn of(steps: u32, bound: u32) -> Option<Self> {
        match steps.checked_sub(bound)? {
            0 => Some(Self::Optimal),
            gap => Some(Self::Gap(gap)),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Optimal => f.pad("optimal"),
            Self::Gap(gap) => f.pad(&format!("gap {gap}")),
        }
    }
}

impl From<Verdict> for String {
    fn from(verdict: Verdict) -> Self {
        verdict.to_string()
    }
}

impl TryFrom<String> for Verdict {
    type Error = VerdictError;

    fn try_from(text: String) -> Result<Self, VerdictError> {
        text.parse()
    }
}

/// A text that is no [`Verdict`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the verdict is '{text}', expected 'optimal' or 'gap' and a number from 1")]
pub struct VerdictError {
    /// The text.
    pub text: String,
}

impl FromStr for Verdict {
    type Err = VerdictError;

    fn from_str(text: &str) -> Result<Self, VerdictError> {
        let gap = || text.strip_prefix("gap ")?.parse().ok().filter(|&gap| gap > 0).map(Self::Gap);
        let verdict = if text == "optimal" { Some(Self::Optimal) } else { gap() };
        verdict.ok_or_else(|| VerdictError { text: text.to_owned() })
    }
}

/// What ended a search before its evaluations were spent. Another run may end elsewhere: the plan cannot be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutShort {
    /// The time was over.
    Deadline,
    /// Somebody interrupted it.
    Interrupt,
}

impl CutShort {
    /// What has cut a search short, if it was not its evaluations.
    pub(crate) fn by(reason: StopReason) -> Option<Self> {
        match reason {
            StopReason::Cancelled => Some(Self::Interrupt),
            StopReason::Deadline => Some(Self::Deadline),
            StopReason::Evaluations => None,
        }
    }
}

/// A valid schedule of a problem with a proved lower bound.
///
/// Invariant: [`verify`] has accepted the schedule, and
/// [`check`](lockstep_certificate::LowerBound::check) the bound. Only [`Planner::run`](crate::Planner::run),
/// [`replan`](crate::replan()) and [`PlanFile::check`] make one.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    pub(crate) file: ScheduleFile,
    pub(crate) verification: Verification,
    pub(crate) bound: LowerBound,
    pub(crate) verdict: Verdict,
    pub(crate) engine: String,
    pub(crate) seed: u64,
    pub(crate) cut_short: Option<CutShort>,
}

impl Plan {
    /// The plan of a schedule, if the judge accepts it or has done so.
    ///
    /// # Errors
    ///
    /// [`PlanError::Refused`], if he does not.
    pub(crate) fn judged(
        problem: &Problem<'_>,
        found: Found,
        bound: LowerBound,
        seed: u64,
        cut_short: Option<CutShort>,
    ) -> Result<Self, PlanError> {
        bound.check(problem).expect("a bound comes with a proof");
        let (engine, finder) = (found.engine, found.finder());
        let verification = match found.verification {
            Some(verification) => verification,
            None => verify(problem, &found.schedule)
                .map_err(|violation| PlanError::Refused { engine, violation: Box::new(violation) })?,
        };
        let verdict = verdict(&verification, &bound);
        let file = ScheduleFile::new(problem, found.schedule);
        Ok(Self { file, verification, bound, verdict, engine: finder, seed, cut_short })
    }

    /// The same plan, with what another plan of the same problem that is no shorter says of it: perhaps a better bound, and
    /// that some search was cut short.
    pub(crate) fn beside(self, other: Self) -> Self {
        let bound = if other.bound.steps > self.bound.steps { other.bound } else { self.bound };
        let verdict = verdict(&self.verification, &bound);
        Self { bound, verdict, cut_short: self.cut_short.or(other.cut_short), ..self }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        self.file.schedule()
    }

    /// Its number of steps.
    pub fn step_count(&self) -> u32 {
        self.verification.steps as u32
    }

    /// What the schedule is for.
    pub fn problem(&self) -> Problem<'_> {
        self.file.problem()
    }

    /// The network.
    pub fn topology(&self) -> &Topology {
        self.file.topology()
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        self.file.collective()
    }

    /// The rules of the network that were assumed; under others the verdict may be another.
    pub fn model(&self) -> CommunicationModel {
        self.file.model()
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

    /// What the judge counted.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// Name of the engine that found the schedule, and of its construction in brackets where it has several; if phases
    /// were planned by several engines, the most laborious of them.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// The seed of its random choices.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What cut the search short, if anything did; without it, the same seed gives the same plan.
    pub fn cut_short(&self) -> Option<CutShort> {
        self.cut_short
    }

    /// The plan as the contents of a file. `seconds` is the time it took to make, if that is to be written.
    ///
    /// A file with a time is never the same twice, so by default there is none: the same seed gives the same bytes.
    pub fn to_file(&self, seconds: Option<f64>) -> PlanFile {
        PlanFile {
            schedule: self.file.clone(),
            steps: self.step_count(),
            lower_bound: self.bound.clone(),
            verdict: self.verdict,
            engine: self.engine.clone(),
            seed: self.seed,
            cut_short: self.cut_short,
            seconds,
        }
    }
}

fn verdict(verification: &Verification, bound: &LowerBound) -> Verdict {
    Verdict::of(verification.steps as u32, bound.steps).expect("no valid schedule is below a proved bound")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_back() {
        for verdict in [Verdict::Optimal, Verdict::Gap(1), Verdict::Gap(u32::MAX)] {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
        }
        for text in ["", "gap", "gap 0", "gap -1", "gap 4294967296", "Optimal"] {
            assert!(text.parse::<Verdict>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_schedule_is_below_its_bound() {
        assert_eq!(Verdict::of(7, 7), Some(Verdict::Optimal));
        assert_eq!(Verdict::of(9, 7), Some(Verdict::Gap(2)));
        assert_eq!(Verdict::of(6, 7), None);
    }
}
