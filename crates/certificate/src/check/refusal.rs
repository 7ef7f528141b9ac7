//! Comparison of claimed facts with facts computed again.

use crate::error::CertificateError;
use crate::rule::Rule;

/// A refusal whose rule is not named yet.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The argument does not apply, with the reason.
    NotApplicable(&'static str),
    /// A fact is wrong.
    Fact(CertificateError),
}

pub(super) type Checked<T = ()> = Result<T, Refusal>;

impl Refusal {
    /// Returns the refusal as an error of a rule.
    pub(super) fn by(self, rule: Rule) -> CertificateError {
        match self {
            Self::NotApplicable(why) => CertificateError::NotApplicable { rule, why },
            Self::Fact(error) => error,
        }
    }
}

impl From<&'static str> for Refusal {
    fn from(why: &'static str) -> Self {
        Self::NotApplicable(why)
    }
}

impl From<CertificateError> for Refusal {
    fn from(error: CertificateError) -> Self {
        Self::Fact(error)
    }
}

/// Refuses a claimed number that is not the actual one.
pub(super) fn expect(quantity: &'static str, claimed: u64, actual: u64) -> Checked {
    if claimed == actual { Ok(()) } else { Err(CertificateError::Wrong { quantity, claimed, actual }.into()) }
}

/// Returns `ceil(work / per_step)`.
pub(super) fn steps_of(work: u64, per_step: u64) -> Checked<u64> {
    match work {
        0 => Err("no message has to move".into()),
        _ if per_step == 0 => Err("no message can move".into()),
        _ => Ok(work.div_ceil(per_step)),
    }
}

#[cfg(test)]
mod tests {
    use super::steps_of;

    #[test]
    fn work_takes_steps_if_there_is_any_and_if_some_is_possible() {
        assert_eq!(steps_of(4, 2).unwrap(), 2);
        assert_eq!(steps_of(5, 2).unwrap(), 3);
        for [work, per_step] in [[0, 0], [0, 1], [1, 0]] {
            assert!(steps_of(work, per_step).is_err());
        }
    }
}
