//! Checkpoints of an evolution of designs.

use std::ops::Range;

use lockstep_files::{FileError, FileKind};
use lockstep_pareto::{Child, Evolution, EvolutionError, EvolutionOptions, EvolutionState};
use serde::{Deserialize, Serialize};

use crate::cabling_code::CablingCode;
use crate::design_problem::DesignProblem;
use crate::design_rules::DesignRules;
use crate::machine::Machine;
use crate::objectives::objective;

/// The file kind of checkpoints.
pub const CHECKPOINT_KIND: FileKind = FileKind {
    format: "lockstep-design-checkpoint",
    noun: "checkpoint of a design",
    magic: *b"lsdesign",
    version: 1,
    remedies: &[],
};

/// Why an evolution cannot be resumed from a checkpoint.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file is truncated, altered, or not a checkpoint.
    #[error("the checkpoint cannot be read: {0}")]
    File(#[from] FileError),
    /// The checkpoint belongs to another machine, other objectives, rules or parameters.
    #[error("the checkpoint belongs to {what}")]
    Mismatch {
        /// The difference.
        what: &'static str,
    },
    /// The state in the checkpoint is inconsistent.
    #[error("the checkpoint is invalid: {0}")]
    State(EvolutionError),
}

impl CheckpointError {
    /// Returns true if the file is the beginning of a checkpoint: its writer was interrupted.
    pub fn is_torn(&self) -> bool {
        matches!(self, Self::File(error) if error.is_torn())
    }
}

/// The contents of a checkpoint.
#[derive(Serialize, Deserialize)]
struct CheckpointRecord {
    machine: Machine,
    objectives: Vec<String>,
    rules: DesignRules,
    state: EvolutionState<CablingCode>,
}

/// Returns the state of an evolution as the bytes of a checkpoint file, which [`resume`] reads.
///
/// Takes about 3 bytes per slot and 8 bytes per score of each individual.
pub fn checkpoint(problem: &DesignProblem<'_>, evolution: &Evolution<'_, DesignProblem<'_>>) -> Vec<u8> {
    CHECKPOINT_KIND.seal(&CheckpointRecord {
        machine: problem.machine(),
        objectives: names(problem).map(str::to_owned).collect(),
        rules: problem.rules(),
        state: evolution.state(),
    })
}

/// Resumes an evolution from the bytes that [`checkpoint`] returned.
///
/// The next generations are bit for bit those of the uninterrupted evolution.
///
/// ```
/// use lockstep_design::{DesignProblem, DesignRules, Machine, checkpoint, objective, resume};
/// use lockstep_pareto::{Elites, EqualPoints, Evolution, EvolutionOptions, SelectionAlgorithm};
///
/// let objectives = vec![objective("bisection")?, objective("links")?];
/// let problem = DesignProblem::new(Machine::new(2, 6, 1)?, objectives, DesignRules::PUBLISHED)?;
/// let options = EvolutionOptions {
///     algorithm: SelectionAlgorithm::Nsga2,
///     population: 10,
///     crossover: 0.8,
///     mutation: 0.8,
///     seed: 1,
///     elites: Elites::Keep,
///     equal_points: EqualPoints::Keep,
/// };
/// let evolution = Evolution::new(&problem, options)?;
/// let resumed = resume(&problem, options, &checkpoint(&problem, &evolution))?;
/// assert_eq!(resumed.state(), evolution.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns a [`CheckpointError`] if the bytes are not a checkpoint of this problem with these options.
pub fn resume<'a>(
    problem: &'a DesignProblem<'a>,
    options: EvolutionOptions,
    bytes: &[u8],
) -> Result<Evolution<'a, DesignProblem<'a>>, CheckpointError> {
    let CheckpointRecord { machine, objectives, rules, state } = CHECKPOINT_KIND.open(bytes)?;
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

/// Computes children of the generation in a checkpoint, for a process that advances the evolution with
/// [`Evolution::advance_with`].
///
/// # Errors
///
/// Returns the reason in words, if the bytes are not a checkpoint or a child has none.
pub fn children(bytes: &[u8], numbers: Range<usize>) -> Result<Vec<Child<CablingCode>>, String> {
    let record: CheckpointRecord = CHECKPOINT_KIND.open(bytes).map_err(|error| error.to_string())?;
    let CheckpointRecord { machine, objectives, rules, state } = record;
    let objectives = objectives.iter().map(|name| objective(name)).collect::<Result<_, _>>();
    let objectives = objectives.map_err(|error| error.to_string())?;
    let problem = DesignProblem::new(machine, objectives, rules).map_err(|error| error.to_string())?;
    let evolution = Evolution::resume_within(&problem, state).map_err(|error| error.to_string())?;
    evolution.children(numbers).map_err(|error| error.to_string())
}

/// Returns the names of the objectives.
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
    fn an_interrupted_evolution_continues_bit_for_bit() {
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
    fn checkpoints_of_other_problems_are_refused() {
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
    fn invalid_codes_in_a_checkpoint_are_refused() {
        let problem = problem(&["kernighan-lin", "links"], 0.5);
        let mut state = Evolution::new(&problem, OPTIONS).unwrap().state();
        state.genomes[3].0[0] = 1;
        let objectives = names(&problem).map(str::to_owned).collect();
        let forged = CHECKPOINT_KIND.seal(&CheckpointRecord {
            machine: problem.machine(),
            objectives,
            rules: problem.rules(),
            state,
        });
        let error = resume(&problem, OPTIONS, &forged).err().unwrap().to_string();
        assert!(error.contains("genome 3: slot 1: offset 1 is out of range"), "{error}");
    }
}
