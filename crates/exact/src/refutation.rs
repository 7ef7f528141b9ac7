//! Proofs that a formula is unsatisfiable, and their check.

use lockstep_schedule::Problem;

use crate::clausal_core::clausal_core;
use crate::encoding::encode;
use crate::error::ExactError;
use crate::formula::Formula;
use crate::formula_size::FormulaSize;
use crate::literal::Literal;

/// Maximum number of numbers in a proof.
pub(crate) const MAX_NUMBERS: usize = 1 << 20;

/// Watches and literals that one check may visit: about ten seconds.
pub(crate) const MAX_WORK: u64 = 1 << 29;

/// Checks a proof that a distribution or an all-reduce has no schedule of `steps` steps of width 1. `size` is that of the
/// formula which states that there is one.
///
/// A proof lists clauses. Each clause is a list of literals, and the number 0. A literal is the number of its variable, negative
/// for the negation. The last clause is the empty one. A clause follows from the formula and the clauses before it by unit
/// propagation if some clause becomes false when all its literals are false. The check derives in this way the empty clause, the
/// clauses that it follows from, and so on. Takes ten seconds or less.
///
/// # Errors
///
/// [`ExactError`] if the problem has no formula, or one of another size, or the proof is none.
///
/// # Source
///
/// Goldberg and Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE (2003); for the order of the check,
/// Heule et al., *Trimming while checking clausal proofs*, FMCAD (2013).
pub fn check_refutation(problem: &Problem<'_>, steps: u32, size: FormulaSize, proof: &[i32]) -> Result<(), ExactError> {
    let (formula, _, _) = encode(problem, steps, Formula::MAX_LITERALS)?;
    if formula.size() != size {
        return Err(ExactError::OtherFormula(formula.size()));
    }
    check_proof(&formula, proof)
}

/// Checks a proof that a formula has no model, as [`check_refutation`] does.
///
/// # Errors
///
/// [`ExactError`] if the proof is none, is too long, or its check takes too long.
pub fn check_proof(formula: &Formula, proof: &[i32]) -> Result<(), ExactError> {
    if proof.len() > MAX_NUMBERS {
        return Err(ExactError::LongProof);
    }
    let clauses = clauses(proof, formula.variables())?;
    clausal_core(formula, &clauses, MAX_WORK, &|| false).map(|_| ())
}

/// Returns the clauses of a proof without the empty one. Each is sorted, and has no literal twice.
fn clauses(proof: &[i32], variables: u32) -> Result<Vec<Vec<Literal>>, ExactError> {
    let Some((0, numbers)) = proof.split_last() else { return Err(ExactError::End) };
    let of_clause = |numbers: &[i32]| {
        let Some((0, numbers @ [_, ..])) = numbers.split_last() else { return Err(ExactError::End) };
        let literal = |&number: &i32| Literal::of_number(number, variables).ok_or(ExactError::UnknownLiteral);
        let mut clause = numbers.iter().map(literal).collect::<Result<Vec<Literal>, ExactError>>()?;
        clause.sort_unstable();
        clause.dedup();
        Ok(clause)
    };
    numbers.split_inclusive(|&number| number == 0).map(of_clause).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Two variables in all four combinations.
    pub(crate) fn contradiction() -> Formula {
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        let (one, other) = (formula.variable(), formula.variable());
        for clause in [[one, other], [one, !other], [!one, other], [!one, !other]] {
            formula.clause(clause);
        }
        formula
    }

    #[test]
    fn a_proof_is_accepted() {
        assert_eq!(check_proof(&contradiction(), &[1, 0, 0]), Ok(()));
        assert_eq!(check_proof(&contradiction(), &[-2, -2, 0, 0]), Ok(()));
        assert_eq!(check_proof(&contradiction(), &[1, -1, 0, 1, 2, 0, 1, 0, 0]), Ok(()));
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
            assert_eq!(check_proof(&contradiction(), &proof), Err(error), "{proof:?}");
        }
    }

    #[test]
    fn a_formula_that_propagation_refutes_needs_no_clause() {
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        let one = formula.variable();
        formula.clause([one]);
        formula.clause([!one]);
        assert_eq!(check_proof(&formula, &[0]), Ok(()));
    }

    /// The number of variables of random formulas.
    const VARIABLES: u32 = 4;

    /// Some clauses, as numbers of a proof.
    fn some_clauses() -> impl Strategy<Value = Vec<Vec<i32>>> {
        let literal =
            (1..=VARIABLES.cast_signed(), any::<bool>()).prop_map(|(one, is_true)| if is_true { one } else { -one });
        vec(vec(literal, 1..=3), 0..24)
    }

    fn formula_of(clauses: &[Vec<i32>]) -> Formula {
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        for _ in 0..VARIABLES {
            formula.variable();
        }
        for clause in clauses {
            let set: BTreeSet<i32> = clause.iter().copied().collect();
            formula.clause(set.into_iter().map(|number| Literal::of_number(number, VARIABLES).unwrap()));
        }
        formula
    }

    fn has_model(clauses: &[Vec<i32>]) -> bool {
        (0u32..1 << VARIABLES).any(|model| {
            let is_true = |&number: &i32| (model >> (number.unsigned_abs() - 1) & 1 == 1) == (number > 0);
            clauses.iter().all(|clause| clause.iter().any(is_true))
        })
    }

    fn proof_of(clauses: &[Vec<i32>]) -> Vec<i32> {
        clauses.iter().flat_map(|clause| clause.iter().copied().chain([0])).chain([0]).collect()
    }

    /// All clauses over the first variables, the longest first. They prove that a formula has no model, if it has none.
    fn case_distinction() -> Vec<Vec<i32>> {
        let over = |count: u32| {
            let number =
                move |signs: u32, place: u32| (place + 1).cast_signed() * (1 - 2 * (signs >> place & 1).cast_signed());
            (0..1 << count).map(move |signs| (0..count).map(|place| number(signs, place)).collect())
        };
        (1..=VARIABLES).rev().flat_map(over).collect()
    }

    proptest! {
        #[test]
        fn every_formula_without_a_model_has_a_proof(clauses in some_clauses()) {
            let checked = check_proof(&formula_of(&clauses), &proof_of(&case_distinction()));
            prop_assert_eq!(checked, if has_model(&clauses) { Err(ExactError::NotImplied) } else { Ok(()) });
        }

        #[test]
        fn a_formula_with_a_proof_has_no_model(clauses in some_clauses(), proof in some_clauses()) {
            if check_proof(&formula_of(&clauses), &proof_of(&proof)) == Ok(()) {
                prop_assert!(!has_model(&clauses));
            }
        }

        /// The clauses of the core alone are a proof.
        #[test]
        fn a_core_is_a_proof(clauses in some_clauses(), more in some_clauses()) {
            let formula = formula_of(&clauses);
            let proof = [more, case_distinction()].concat();
            let proof = super::clauses(&proof_of(&proof), VARIABLES).unwrap();
            if let Ok(core) = clausal_core(&formula, &proof, MAX_WORK, &|| false) {
                let core: Vec<Vec<Literal>> = core.into_iter().map(<[Literal]>::to_vec).collect();
                prop_assert!(clausal_core(&formula, &core, MAX_WORK, &|| false).is_ok());
            }
        }
    }
}
