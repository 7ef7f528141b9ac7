//! Proofs that no schedule has a number of steps, clause by clause.

use lockstep_exact::{ExactError, FormulaSize, check_refutation};
use lockstep_schedule::Problem;
use sha2::{Digest, Sha256};

use super::refusal::Checked;
use crate::certificate::Certificate;

impl Certificate {
    /// Returns the certificate of a proof that the formula for `infeasible` steps, of this size, has no model.
    pub fn of_proof(infeasible: u32, size: FormulaSize, proof: Vec<i32>) -> Self {
        let FormulaSize { variables, clauses } = size;
        let digest = hexadecimal_digest(&proof);
        Self::Satisfiability { infeasible, variables, clauses, proof, digest }
    }
}

/// Returns one more than the number of steps.
pub(super) fn steps_proved(
    problem: &Problem<'_>,
    infeasible: u32,
    size: FormulaSize,
    proof: &[i32],
    digest: &str,
) -> Checked<u64> {
    check_refutation(problem, infeasible, size, proof).map_err(|error| match error {
        ExactError::Collects => "the argument requires a distribution or an all-reduce",
        ExactError::Steps => "the number of steps must be 1 to 64",
        ExactError::TooLarge => "the problem is too large for a formula",
        ExactError::LongFormula => "the formula has more than 2^21 literals",
        ExactError::OtherFormula(_) => {
            "the formula has another size; a bound by another version of Lockstep must be computed again"
        }
        ExactError::LongProof => "the proof has more than 2^20 numbers",
        ExactError::UnknownLiteral => "the proof has a number that is no literal of the formula",
        ExactError::End => "the proof must end with its only empty clause",
        ExactError::LongCheck => "the check of the proof takes too long",
        _ => "a clause of the proof does not follow by unit propagation",
    })?;
    if digest != hexadecimal_digest(proof) {
        return Err("the digest is not that of the proof".into());
    }
    Ok(u64::from(infeasible) + 1)
}

fn hexadecimal_digest(proof: &[i32]) -> String {
    let mut hash = Sha256::new();
    for number in proof {
        hash.update(number.to_le_bytes());
    }
    let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
