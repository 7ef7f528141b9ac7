//! The distance of a schedule from its lower bound, and whether the clock decided the result.

use std::fmt;
use std::str::FromStr;

use lockstep_schedule::StopReason;
use serde::{Deserialize, Serialize};

/// The distance of a schedule from its lower bound, written `optimal` or `gap 3`.
///
/// A bound counts steps of width 1, and a step of width `w` takes the transmissions of `w` such steps. So the sum of the widths
/// of a schedule is compared with the bound. If all steps have width 1, the sum is the number of steps.
///
/// ```
/// use lockstep::Verdict;
///
/// assert_eq!(Verdict::of(7, 7), Some(Verdict::Optimal));
/// assert_eq!(Verdict::of(15, 3), Some(Verdict::Gap(12))); // three steps of width 5
/// assert_eq!("gap 2".parse(), Ok(Verdict::Gap(2)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^(optimal|gap [1-9][0-9]*)$")))]
#[serde(into = "String", try_from = "String")]
pub enum Verdict {
    /// No schedule has fewer steps.
    Optimal,
    /// The sum of the widths of the schedule exceeds the bound by this number. A shorter schedule may exist.
    Gap(u64),
}

impl Verdict {
    /// Returns the verdict on a schedule whose steps have this sum of widths; `None` if the bound exceeds it. For a valid schedule
    /// and a proved bound, that is impossible if all steps have width 1. Wide steps can be below a bound that counts steps.
    ///
    /// This function is the only source of verdicts.
    pub fn of(width_sum: u64, bound: u32) -> Option<Self> {
        match width_sum.checked_sub(bound.into())? {
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

/// A text that is not a [`Verdict`].
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

/// Why a search was stopped before its evaluations were spent. Another run may find another plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CutShort {
    /// The deadline passed.
    Deadline,
    /// The budget was cancelled.
    Interrupt,
}

impl CutShort {
    /// Returns the reason as a [`CutShort`]; `None` for spent evaluations, which are the same in every run.
    pub(crate) fn by(reason: StopReason) -> Option<Self> {
        match reason {
            StopReason::Cancelled => Some(Self::Interrupt),
            StopReason::Deadline => Some(Self::Deadline),
            StopReason::Evaluations => None,
        }
    }

    /// The reason why the search stopped.
    pub(crate) fn reason(self) -> StopReason {
        match self {
            Self::Interrupt => StopReason::Cancelled,
            Self::Deadline => StopReason::Deadline,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_parsed_to_themselves() {
        for verdict in [Verdict::Optimal, Verdict::Gap(1), Verdict::Gap(u64::MAX)] {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
        }
        for text in ["", "gap", "gap 0", "gap -1", "gap 18446744073709551616", "Optimal"] {
            assert!(text.parse::<Verdict>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_the_clock_and_an_interruption_cut_a_plan_short() {
        for cut in [CutShort::Deadline, CutShort::Interrupt] {
            assert_eq!(CutShort::by(cut.reason()), Some(cut));
        }
        assert_eq!(CutShort::by(StopReason::Evaluations), None);
    }

    #[test]
    fn no_schedule_is_below_its_bound() {
        assert_eq!(Verdict::of(7, 7), Some(Verdict::Optimal));
        assert_eq!(Verdict::of(9, 7), Some(Verdict::Gap(2)));
        assert_eq!(Verdict::of(6, 7), None);
    }
}
