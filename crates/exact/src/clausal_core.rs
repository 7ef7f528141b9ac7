//! The clausal core of a proof: the clauses that the empty clause follows from.

use crate::error::ExactError;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::propagation::{ClauseId, Propagation};

/// Returns the clauses of a proof that the empty clause follows from, in the same order. `clauses` lists those of the proof
/// without the empty one.
///
/// Goes from the end of the proof to its beginning, and derives only clauses that a later one follows from: each from the formula
/// and all clauses before it. `work` is the number of watches and literals that may be visited: 2^26 take about a second. Calls
/// `is_stopped` for each clause of the core, and fails if it returns true.
///
/// # Source
///
/// Heule et al., *Trimming while checking clausal proofs*, FMCAD (2013).
pub(crate) fn clausal_core<'a>(
    formula: &Formula,
    clauses: &'a [Vec<Literal>],
    work: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<&'a [Literal]>, ExactError> {
    let mut propagation = Propagation::new(formula.variables(), work);
    formula.clauses().try_for_each(|clause| propagation.add(clause))?;
    let first = formula.clauses().len();
    let mut count = 0;
    while !propagation.is_refuted() {
        propagation.add(clauses.get(count).ok_or(ExactError::NotImplied)?)?;
        count += 1;
    }
    propagation.implies(&[])?;
    let mut core = Vec::new();
    for place in (0..count).rev() {
        let is_core = propagation.is_core((first + place) as ClauseId);
        propagation.remove_last();
        if !is_core {
            continue;
        }
        if is_stopped() {
            return Err(ExactError::LongCheck);
        }
        if !propagation.implies(&clauses[place])? {
            return Err(ExactError::NotImplied);
        }
        core.push(&clauses[place][..]);
    }
    core.reverse();
    Ok(core)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refutation::tests::contradiction;

    fn core<'a>(
        formula: &Formula,
        clauses: &'a [Vec<Literal>],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<&'a [Literal]>, ExactError> {
        clausal_core(formula, clauses, 1 << 20, is_stopped)
    }

    #[test]
    fn clauses_without_use_are_left_out() {
        let literal = |number| Literal::of_number(number, 2).unwrap();
        let clauses = [vec![literal(1), literal(-2)], vec![literal(1)], vec![literal(2)]];
        assert_eq!(core(&contradiction(), &clauses, &|| false), Ok(vec![&clauses[1][..]]));
        assert_eq!(core(&contradiction(), &clauses, &|| true), Err(ExactError::LongCheck));
        assert_eq!(core(&contradiction(), &[], &|| false), Err(ExactError::NotImplied));
    }

    #[test]
    fn propagation_alone_needs_no_clause() {
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        let one = formula.variable();
        formula.clause([one]);
        formula.clause([!one]);
        assert_eq!(core(&formula, &[], &|| false), Ok(Vec::new()));
    }
}
