//! Designs at rest: stop after any generation, go on as if nothing had happened.

use lockstep_files::{FileError, FileKind};
use lockstep_pareto::{Evolution, EvolutionError, EvolutionOptions, EvolutionState};
use serde::{Deserialize, Serialize};

use crate::{CablingCode, DesignProblem, DesignRules, Machine};

/// The kind of checkpoint files.
pub const CHECKPOINT_KIND: FileKind = FileKind {
    format: "lockstep-design-checkpoint",
    noun: "checkpoint of a design",
    magic: *b"lsdesign",
    version: 1,
    remedies: &[],
};

/// Why a checkpoint cannot be gone on from.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Truncated, altered, or no checkpoint at all.
    #[error("the checkpoint cannot be read: {0}")]
    File(#[from] FileError),
    /// It belongs to another machine, other objectives, rules or parameters.
    #[error("the checkpoint belongs to {what}; delete it, or ask for what it was made for")]
    Mismatch {
        /// What differs.
        what: &'static str,
    },
    /// Its contents cannot come from an evolution.
    #[error("the checkpoint is none: {0}; delete it")]
    State(EvolutionError),
}

#[derive(Serialize, Deserialize)]
struct Record {
    machine: Machine,
    objectives: Vec<String>,
    rules: DesignRules,
    state: EvolutionState<CablingCode>,
}

/// An evolution at rest as bytes, to be given to [`resume`]: 3 bytes a slot and 8 a score, about, of each individual.
pub fn checkpoint(problem: &DesignProblem<'_>, evolution: &Evolution<'_, DesignProblem<'_>>) -> Vec<u8> {
    CHECKPOINT_KIND.seal(&Record {
        machine: problem.machine(),
        objectives: names(problem).map(str::to_owned).collect(),
        rules: problem.rules(),
        state: evolution.state(),
    })
}

/// The evolution that [`checkpoint`] wrote; it goes on bit for bit as the first one would have.
///
/// # Errors
///
/// [`CheckpointError`], if the bytes are no checkpoint of this problem with these options.
pub fn resume<'a>(
    problem: &'a DesignProblem<'a>,
    options: EvolutionOptions,
    bytes: &[u8],
) -> Result<Evolution<'a, DesignProblem<'a>>, CheckpointError> {
    let Record { machine, objectives, rules, state } = CHECKPOINT_KIND.open(bytes)?;
    let differences = [
        (machine != problem.machine(), "another machine"),
        (!objectives.iter().map(String::as_str).eq(names(problem)), "other objectives"),
        (rules != problem.rules(), "other rules"),
        (state.options != options, "another seed or other parameters"),
    ];
    if let Some(&(_, what)) = differences.iter().find(|(differs, _)| *differs) {
        return Err(CheckpointError::Mismatch { what });
    }
    Evolution::resume(problem, state).map_err(CheckpointError::State)
}

fn names<'a>(problem: &'a DesignProblem<'_>) -> impl Iterator<Item = &'a str> {
    problem.objectives().iter().map(|objective| objective.name())
}

#[cfg(test)]
mod tests {
    use lockstep_pareto::{Elites, EqualPoints, SelectionAlgorithm};

    use super::*;
    use crate::objective;

    const OPTIONS: EvolutionOptions = EvolutionOptions {
        algorithm: SelectionAlgorithm::Nsga2,
        population: 12,
        crossover: 0.8,
        mutation: 0.8,
        seed: 7,
        elites: Elites::Keep,
        equal_points: EqualPoints::Keep,
    };

    fn problem(objectives: &[&str], external: f64) -> DesignProblem<'static> {
        let objectives = objectives.iter().map(|name| objective(name).unwrap()).collect();
        let rules = DesignRules { external, ..DesignRules::PUBLISHED };
        DesignProblem::new(Machine::new(3, 4, 2).unwrap(), objectives, rules).unwrap()
    }

    #[test]
    fn an_interrupted_design_goes_on_bit_for_bit() {
        let problem = problem(&["kernighan-lin", "paths", "links"], 0.5);
        for algorithm in SelectionAlgorithm::ALL {
            let options = EvolutionOptions { algorithm, ..OPTIONS };
            let mut whole = Evolution::new(&problem, options).unwrap();
            let mut pieces = Evolution::new(&problem, options).unwrap();
            for _ in 0..6 {
                whole.advance().unwrap();
                pieces = resume(&problem, options, &checkpoint(&problem, &pieces)).unwrap();
                pieces.advance().unwrap();
            }
            assert_eq!(checkpoint(&problem, &whole), checkpoint(&problem, &pieces), "{algorithm}");
        }
    }

    #[test]
    fn other_checkpoints_are_refused() {
        let first = problem(&["kernighan-lin", "links"], 0.5);
        let evolution = Evolution::new(&first, OPTIONS).unwrap();
        let bytes = checkpoint(&first, &evolution);
        let refusal =
            |problem: &DesignProblem<'_>, options, bytes: &[u8]| resume(problem, options, bytes).err().unwrap();
        let mismatch = |what| CheckpointError::Mismatch { what };
        assert_eq!(refusal(&problem(&["links", "kernighan-lin"], 0.5), OPTIONS, &bytes), mismatch("other objectives"));
        assert_eq!(refusal(&problem(&["kernighan-lin", "links"], 0.4), OPTIONS, &bytes), mismatch("other rules"));
        let options = EvolutionOptions { seed: 8, ..OPTIONS };
        assert_eq!(refusal(&first, options, &bytes), mismatch("another seed or other parameters"));
        for byte in (0..bytes.len()).step_by(17) {
            let mut damaged = bytes.clone();
            damaged[byte] ^= 4;
            assert!(matches!(refusal(&first, OPTIONS, &damaged), CheckpointError::File(_)), "byte {byte}");
            assert!(matches!(refusal(&first, OPTIONS, &bytes[..byte]), CheckpointError::File(_)), "{byte} bytes");
        }
    }

    #[test]
    fn forged_codes_are_refused() {
        let problem = problem(&["kernighan-lin", "links"], 0.5);
        let mut state = Evolution::new(&problem, OPTIONS).unwrap().state();
        state.genomes[3].0[0] = 1;
        let objectives = names(&problem).map(str::to_owned).collect();
        let forged =
            CHECKPOINT_KIND.seal(&Record { machine: problem.machine(), objectives, rules: problem.rules(), state });
        let error = resume(&problem, OPTIONS, &forged).err().unwrap().to_string();
        assert!(error.contains("genome 3: slot 1: offset 1 is out of range"), "{error}");
    }
}
