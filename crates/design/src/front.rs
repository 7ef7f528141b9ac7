//! Fronts of designs, and their files: `"format": "lockstep-front"`, version 1.

use lockstep_files::{FileError, FileKind, one_line, to_json_rows};
use lockstep_pareto::{EqualPoints, Evolution, EvolutionOptions, Points, PointsError, Sense};
use serde::{Deserialize, Serialize};

use crate::exhaustive::Enumeration;
use crate::{CablingCode, CodeError, DesignProblem, DesignRules, Machine};

const KIND: FileKind =
    FileKind { format: "lockstep-front", noun: "front", magic: *b"lsfront\0", version: 1, remedies: &[] };

/// A code and what its network scored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// One number an objective.
    pub scores: Vec<f64>,
    /// What was scored.
    pub code: CablingCode,
}

/// An objective as a file has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveName {
    /// Its name.
    pub name: String,
    /// Whether more or less is better.
    pub sense: Sense,
}

/// How designs were found.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Origin {
    /// By evolution.
    Evolution {
        /// Its parameters.
        options: EvolutionOptions,
        /// Which codes it tried.
        rules: DesignRules,
        /// Generations after the first population.
        generations: u64,
        /// Networks that were scored, infeasible ones included.
        evaluations: u64,
    },
    /// Among all networks.
    #[serde(rename = "survey")]
    Enumeration {
        /// Slots of a chassis in use.
        links: u32,
        /// Which codes were allowed.
        rules: DesignRules,
    },
}

/// The designs of a machine that no other one found beats in all objectives.
#[derive(Clone, PartialEq, Debug)]
pub struct Front {
    machine: Machine,
    objectives: Vec<ObjectiveName>,
    origin: Origin,
    designs: Vec<Design>,
}

/// A front as its file writes it; converting it checks it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    format: String,
    version: u32,
    machine: Machine,
    objectives: Vec<ObjectiveName>,
    origin: Origin,
    designs: Vec<Design>,
}

/// Why a file is no front, or a design is not in it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// Another kind of file, another version, or a damaged one.
    #[error(transparent)]
    File(#[from] FileError),
    /// Scores that are no points.
    #[error("field 'designs': {}", one_line(&.0.to_string()))]
    Points(#[from] PointsError),
    /// A code that is none of the machine.
    #[error("field 'designs[{place}].code': {error}")]
    CablingCode {
        /// Place of the design, from 0.
        place: usize,
        /// What is wrong.
        error: CodeError,
    },
    /// A design that is not there.
    #[error("there is no design {number}; {}", match .designs { 0 => "the front is empty".to_owned(), designs => format!("give 1 to {designs}") })]
    NoDesign {
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        designs: usize,
    },
}

impl Front {
    /// The front of an evolution as it stands; of designs with equal scores one.
    pub fn of_evolution(problem: &DesignProblem<'_>, evolution: &Evolution<'_, DesignProblem<'_>>) -> Self {
        let designs = evolution.front(EqualPoints::Remove);
        let designs = designs.map(|one| Design { scores: one.scores.to_vec(), code: one.genome.clone() }).collect();
        let origin = Origin::Evolution {
            options: *evolution.options(),
            rules: problem.rules(),
            generations: evolution.generation(),
            evaluations: evolution.evaluations(),
        };
        Self::sorted(problem, origin, designs)
    }

    /// The front among all networks; of designs with equal scores one.
    ///
    /// # Errors
    ///
    /// [`PointsError`], if a score of the enumeration, which is plain data, cannot be compared.
    pub fn of_enumeration(problem: &DesignProblem<'_>, enumeration: &Enumeration) -> Result<Self, PointsError> {
        let senses: Vec<Sense> = problem.objectives().iter().map(|objective| objective.sense()).collect();
        let points = Points::new(&senses, enumeration.designs.iter().map(|design| &design.scores))?;
        let places = points.front(EqualPoints::Remove);
        let designs = places.into_iter().map(|place| enumeration.designs[place].clone()).collect();
        Ok(Self::sorted(problem, Origin::Enumeration { links: enumeration.links, rules: problem.rules() }, designs))
    }

    /// Orders designs by the last objective, the best first, then by the one before.
    fn sorted(problem: &DesignProblem<'_>, origin: Origin, mut designs: Vec<Design>) -> Self {
        let objectives: Vec<ObjectiveName> = problem
            .objectives()
            .iter()
            .map(|objective| ObjectiveName { name: objective.name().to_owned(), sense: objective.sense() })
            .collect();
        designs.sort_by(|a, b| {
            let scores = a.scores.iter().zip(&b.scores).zip(&objectives).rev();
            let by_score = scores.map(|((a, b), objective)| match objective.sense {
                Sense::Maximise => b.total_cmp(a),
                Sense::Minimise => a.total_cmp(b),
            });
            by_score
                .reduce(std::cmp::Ordering::then)
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| a.code.cmp(&b.code))
        });
        Self { machine: problem.machine(), objectives, origin, designs }
    }

    /// The machine whose networks they are.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// What the scores are of, in their order.
    pub fn objectives(&self) -> &[ObjectiveName] {
        &self.objectives
    }

    /// How they were found.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The designs, the best by the last objective first.
    pub fn designs(&self) -> &[Design] {
        &self.designs
    }

    /// The design of this number, from 1.
    ///
    /// # Errors
    ///
    /// [`FrontError::NoDesign`].
    pub fn design(&self, number: usize) -> Result<&Design, FrontError> {
        let place = number.checked_sub(1);
        let missing = FrontError::NoDesign { number, designs: self.designs.len() };
        place.and_then(|place| self.designs.get(place)).ok_or(missing)
    }

    /// The text of a file, a design a line.
    pub fn to_json(&self) -> String {
        let record = Record {
            format: KIND.format.to_owned(),
            version: KIND.version,
            machine: self.machine,
            objectives: self.objectives.clone(),
            origin: self.origin,
            designs: self.designs.clone(),
        };
        to_json_rows(&record, 2)
    }

    /// The front of a file.
    ///
    /// # Errors
    ///
    /// The first [`FrontError`]; format and version are looked at before everything else.
    pub fn from_json(text: &str) -> Result<Self, FrontError> {
        let Record { format, version, machine, objectives, origin, designs } = KIND.parse(text)?;
        KIND.check(&format, version.into())?;
        let senses: Vec<Sense> = objectives.iter().map(|objective| objective.sense).collect();
        Points::new(&senses, designs.iter().map(|design| &design.scores))?;
        for (place, design) in designs.iter().enumerate() {
            design.code.check(&machine).map_err(|error| FrontError::CablingCode { place, error })?;
        }
        Ok(Self { machine, objectives, origin, designs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DesignRules, enumerate, objective};

    fn front() -> Front {
        let objectives = ["exact-bisection", "paths", "worst-degree"].map(|name| objective(name).unwrap()).to_vec();
        let problem = DesignProblem::new(Machine::new(2, 6, 1).unwrap(), objectives, DesignRules::PUBLISHED).unwrap();
        Front::of_enumeration(&problem, &enumerate(&problem, 4).unwrap()).unwrap()
    }

    #[test]
    fn files_keep_everything() {
        let front = front();
        assert!(front.designs().len() > 2);
        assert!(front.designs().is_sorted_by(|a, b| a.scores[2] <= b.scores[2]));
        assert_eq!(Front::from_json(&front.to_json()), Ok(front));
    }

    #[test]
    fn designs_are_counted_from_one() {
        let front = front();
        let designs = front.designs().len();
        assert_eq!(front.design(1), Ok(&front.designs()[0]));
        assert_eq!(front.design(0), Err(FrontError::NoDesign { number: 0, designs }));
        let error = front.design(designs + 1).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no design {}; give 1 to {designs}", designs + 1));
    }

    #[test]
    fn what_is_no_front_is_named() {
        let text = front().to_json();
        let refusal = |from: &str, to: &str| {
            let spoiled = text.replacen(from, to, 1);
            assert_ne!(spoiled, text, "{from}");
            Front::from_json(&spoiled).unwrap_err().to_string()
        };
        for (from, to, message) in [
            ("lockstep-front", "lockstep-plan", "field 'format' is 'lockstep-plan', expected 'lockstep-front'"),
            ("\"version\": 1", "\"version\": 2", "field 'version' is 2, but only version 1 is known"),
            ("\"slots\": 2", "\"slots\": 0", "a machine of 0 slots is none"),
            ("\"chassis\": 6", "\"chassis\": 4000000000", "cable slots are too many"),
            ("\"chassis\": 6", "\"chassis\": 3", "field 'designs[0].code': slot "),
            ("\"sense\": \"minimise\"", "\"sense\": \"more\"", "field 'objectives[2].sense': unknown variant `more`"),
            ("\"scores\": [", "\"scores\": [1, ", "field 'designs': point 0 has 4 scores, but there are 3"),
            ("\"scores\": [", "\"scores\": [1e999, ", "field 'designs[0].scores[0]': number out of range"),
        ] {
            let error = refusal(from, to);
            assert!(error.contains(message), "{error}");
        }
    }
}
