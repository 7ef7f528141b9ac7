//! Why a problem is not decided, or a proof is refused.

use crate::formula_size::FormulaSize;

/// More steps need too large formulas.
pub(crate) const MAX_STEPS: u32 = 64;

/// The reason why a problem is not decided, or a proof is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExactError {
    /// The problem collects.
    #[error("the formula requires a distribution or an all-reduce")]
    Collects,
    /// The number of steps is 0, or too large.
    #[error("the number of steps must be 1 to {MAX_STEPS}")]
    Steps,
    /// The network has too many terminals, resources or paths.
    #[error("the problem is too large for a formula")]
    TooLarge,
    /// The formula has too many literals.
    #[error("the formula of the problem has too many literals")]
    LongFormula,
    /// The formula has another size than the proof requires.
    #[error("the formula has {} variables and {} clauses: another version of Lockstep made the proof", .0.variables, .0.clauses)]
    OtherFormula(FormulaSize),
    /// The proof has too many numbers.
    #[error("the proof has too many numbers")]
    LongProof,
    /// A number of the proof is no literal of the formula.
    #[error("the proof has a number that is no literal of the formula")]
    UnknownLiteral,
    /// The last clause of the proof is not the empty one, or another one is empty.
    #[error("the proof must end with its only empty clause")]
    End,
    /// A clause does not follow from those before it by unit propagation.
    #[error("a clause of the proof does not follow by unit propagation")]
    NotImplied,
    /// The check takes too long.
    #[error("the check of the proof takes too long")]
    LongCheck,
}
