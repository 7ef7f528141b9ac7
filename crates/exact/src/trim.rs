//! Shorter proofs: clauses that nothing follows from are left out.

use crate::error::ExactError;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::propagation::ClauseId;
use crate::refutation::loaded;

/// Returns the clauses that the proof needs, in the same order. `clauses` lists those of the proof without the empty one. Calls
/// `is_stopped` for each clause, and fails if it returns true.
pub(crate) fn trimmed(
    formula: &Formula,
    clauses: &[Vec<Literal>],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<Vec<Literal>>, ExactError> {
    let mut propagation = loaded(formula)?;
    let first = formula.clauses().len() as ClauseId;
    // The clauses of the proof that each of them follows from.
    let mut sources: Vec<Vec<u32>> = Vec::new();
    for clause in clauses {
        if propagation.is_refuted() {
            break;
        }
        if is_stopped() {
            return Err(ExactError::LongCheck);
        }
        let mut of_clause = Vec::new();
        if !propagation.implies(clause, |id| of_clause.extend(id.checked_sub(first)))? {
            return Err(ExactError::NotImplied);
        }
        propagation.add(clause)?;
        sources.push(of_clause);
    }
    let mut open = Vec::new();
    if !propagation.is_refuted() || !propagation.implies(&[], |id| open.extend(id.checked_sub(first)))? {
        return Err(ExactError::NotImplied);
    }
    let mut is_needed = vec![false; sources.len()];
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut is_needed[place as usize], true) {
            open.append(&mut sources[place as usize]);
        }
    }
    let needed = clauses.iter().zip(is_needed).filter(|&(_, is_needed)| is_needed);
    Ok(needed.map(|(clause, _)| clause.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::MAX_LITERALS;
    use crate::refutation::tests::contradiction;

    #[test]
    fn clauses_without_use_are_left_out() {
        let literal = |number| Literal::of_number(number, 2).unwrap();
        let clauses = [vec![literal(1), literal(-2)], vec![literal(1)], vec![literal(2)]];
        assert_eq!(trimmed(&contradiction(), &clauses, &|| false), Ok(vec![vec![literal(1)]]));
        assert_eq!(trimmed(&contradiction(), &clauses, &|| true), Err(ExactError::LongCheck));
        assert_eq!(trimmed(&contradiction(), &[], &|| false), Err(ExactError::NotImplied));
    }

    #[test]
    fn propagation_alone_needs_no_clause() {
        let mut formula = Formula::new(MAX_LITERALS);
        let one = formula.variable();
        formula.clause([one]);
        formula.clause([!one]);
        assert_eq!(trimmed(&formula, &[], &|| false), Ok(Vec::new()));
    }
}
