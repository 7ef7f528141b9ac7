//! Proofs that a formula is unsatisfiable, and their check.

use lockstep_schedule::Problem;

use crate::encoding::encode;
use crate::error::ExactError;
use crate::formula::{Formula, MAX_LITERALS};
use crate::formula_size::FormulaSize;
use crate::literal::Literal;
use crate::propagation::Propagation;

/// Maximum number of numbers in a proof.
pub(crate) const MAX_NUMBERS: usize = 1 << 20;

/// Watches and literals that one check may visit: about ten seconds.
const MAX_WORK: u64 = 1 << 29;

/// Checks a proof that a distribution or an all-reduce has no schedule of `steps` steps of width 1. `size` is that of the
/// formula which states that there is one.
///
/// A proof lists clauses. Each clause is a list of literals, and the number 0. A literal is the number of its variable, negative
/// for the negation. Each clause must follow from the formula and the clauses before it by unit propagation: if all its
/// literals are false, then some clause becomes false. The last clause is the empty one. Takes ten seconds or less.
///
/// # Errors
///
/// [`ExactError`] if the problem has no formula, or one of another size, or the proof is none.
///
/// # Source
///
/// Goldberg and Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE (2003).
pub fn check_refutation(problem: &Problem<'_>, steps: u32, size: FormulaSize, proof: &[i32]) -> Result<(), ExactError> {
    if proof.len() > MAX_NUMBERS {
        return Err(ExactError::LongProof);
    }
    let (formula, _, _) = encode(problem, steps, MAX_LITERALS)?;
    if formula.size() != size {
        return Err(ExactError::OtherFormula(formula.size()));
    }
    check(&formula, proof, &|| false)
}

/// Checks a proof for a formula. Calls `is_stopped` for each clause, and fails if it returns true.
pub(crate) fn check(formula: &Formula, proof: &[i32], is_stopped: &dyn Fn() -> bool) -> Result<(), ExactError> {
    let Some((&[0], numbers)) = proof.split_last_chunk().map(|(rest, last)| (last, rest)) else {
        return Err(ExactError::End);
    };
    let mut propagation = loaded(formula)?;
    let mut clause = Vec::new();
    for &number in numbers {
        if number != 0 {
            clause.push(Literal::of_number(number, formula.variables()).ok_or(ExactError::UnknownLiteral)?);
            continue;
        }
        if clause.is_empty() {
            return Err(ExactError::End);
        }
        clause.sort_unstable();
        clause.dedup();
        if is_stopped() {
            return Err(ExactError::LongCheck);
        }
        if !propagation.implies(&clause, |_| {})? {
            return Err(ExactError::NotImplied);
        }
        propagation.add(&clause)?;
        clause.clear();
    }
    match (clause.is_empty(), propagation.is_refuted()) {
        (false, _) => Err(ExactError::End),
        (true, false) => Err(ExactError::NotImplied),
        (true, true) => Ok(()),
    }
}

/// Returns the clauses of a formula, propagated.
pub(crate) fn loaded(formula: &Formula) -> Result<Propagation, ExactError> {
    let mut propagation = Propagation::new(formula.variables(), MAX_WORK);
    formula.clauses().try_for_each(|clause| propagation.add(clause))?;
    Ok(propagation)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two variables in all four combinations.
    pub(crate) fn contradiction() -> Formula {
        let mut formula = Formula::new(MAX_LITERALS);
        let (one, other) = (formula.variable(), formula.variable());
        for clause in [[one, other], [one, !other], [!one, other], [!one, !other]] {
            formula.clause(clause);
        }
        formula
    }

    #[test]
    fn a_proof_is_accepted() {
        assert_eq!(check(&contradiction(), &[1, 0, 0], &|| false), Ok(()));
        assert_eq!(check(&contradiction(), &[-2, -2, 0, 0], &|| false), Ok(()));
        assert_eq!(check(&contradiction(), &[1, -1, 0, 1, 2, 0, 1, 0, 0], &|| false), Ok(()));
    }

    #[test]
    fn other_lists_are_refused() {
        for (proof, error) in [
            (&[][..], ExactError::End),
            (&[1], ExactError::End),
            (&[1, 0], ExactError::End),
            (&[0], ExactError::NotImplied),
            (&[1, 2, 0, 0], ExactError::NotImplied),
            (&[1, 0, 2, 0], ExactError::End),
            (&[0, 1, 0, 0], ExactError::End),
            (&[3, 0, 0], ExactError::UnknownLiteral),
            (&[i32::MIN, 0, 0], ExactError::UnknownLiteral),
        ] {
            let proof: Vec<i32> = proof.to_vec();
            assert_eq!(check(&contradiction(), &proof, &|| false), Err(error), "{proof:?}");
        }
    }

    #[test]
    fn a_check_stops() {
        assert_eq!(check(&contradiction(), &[1, 0, 0], &|| true), Err(ExactError::LongCheck));
    }

    #[test]
    fn a_formula_that_propagation_refutes_needs_no_clause() {
        let mut formula = Formula::new(MAX_LITERALS);
        let one = formula.variable();
        formula.clause([one]);
        formula.clause([!one]);
        assert_eq!(check(&formula, &[0], &|| false), Ok(()));
    }
}
