//! Fronts of designs and their JSON files: `"format": "lockstep-front"`, version 1.

use lockstep_files::{FileError, FileKind, message_line, to_json_rows};
use lockstep_pareto::{EqualPoints, Evolution, EvolutionOptions, Points, PointsError, Sense};
use serde::{Deserialize, Serialize};

use crate::cabling_code::CodeError;
use crate::design::Design;
use crate::design_problem::DesignProblem;
use crate::design_rules::DesignRules;
use crate::enumeration::Enumeration;
use crate::machine::Machine;

const KIND: FileKind =
    FileKind { format: "lockstep-front", noun: "front", magic: *b"lsfront\0", version: 1, remedies: &[] };

/// The name and direction of an objective, as files store it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObjectiveName {
    /// The name.
    pub name: String,
    /// The direction.
    pub sense: Sense,
}

/// The search that found the designs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Origin {
    /// Evolution.
    Evolution {
        /// The parameters of the evolution.
        options: EvolutionOptions,
        /// The rules of the codes.
        rules: DesignRules,
        /// Number of generations after the first population.
        generations: u64,
        /// Number of evaluated networks, including infeasible ones.
        evaluations: u64,
    },
    /// Enumeration of all networks.
    #[serde(rename = "survey")]
    Enumeration {
        /// Number of used slots per chassis.
        links: u32,
        /// The rules of the codes.
        rules: DesignRules,
    },
}

/// The non-dominated designs of a machine, best in the last objective first.
///
/// ```
/// use lockstep_design::{DesignProblem, DesignRules, Front, Machine, enumerate, objective};
///
/// let objectives = vec![objective("exact-bisection")?, objective("worst-degree")?];
/// let problem = DesignProblem::new(Machine::new(2, 6, 1)?, objectives, DesignRules::PUBLISHED)?;
/// let front = Front::of_enumeration(&problem, &enumerate(&problem, 4)?)?;
/// assert_eq!(Front::from_json(&front.to_json())?, front);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Front {
    machine: Machine,
    objectives: Vec<ObjectiveName>,
    origin: Origin,
    designs: Vec<Design>,
}

/// The contents of a front file. Conversion to [`Front`] verifies it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DesignFront"))]
#[serde(deny_unknown_fields)]
struct FrontRecord {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = KIND.format)))]
    format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = KIND.version)))]
    version: u32,
    /// The machine.
    machine: Machine,
    /// The objectives, in the order of the scores.
    objectives: Vec<ObjectiveName>,
    /// The search that found the designs.
    origin: Origin,
    /// The designs, best in the last objective first.
    designs: Vec<Design>,
}

/// Why a file is not a front, or a design does not exist.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// The file is of another kind or version, or damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// Some scores are invalid.
    #[error("field 'designs': {}", message_line(&.0.to_string()))]
    Points(#[from] PointsError),
    /// A code does not fit the machine.
    #[error("field 'designs[{place}].code': {error}")]
    CablingCode {
        /// Index of the design, from 0.
        place: usize,
        /// The error of the code.
        error: CodeError,
    },
    /// The design does not exist.
    #[error("there is no design {number}; {}", match .designs { 0 => "the front is empty".to_owned(), designs => format!("give 1 to {designs}") })]
    NoDesign {
        /// The requested number, from 1.
        number: usize,
        /// Number of designs.
        designs: usize,
    },
}

impl Front {
    /// Returns the current front of an evolution, with one design per score.
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

    /// Returns the front of all enumerated networks, with one design per score.
    ///
    /// # Errors
    ///
    /// Returns a [`PointsError`] if a score of the enumeration, which is plain data, is invalid.
    pub fn of_enumeration(problem: &DesignProblem<'_>, enumeration: &Enumeration) -> Result<Self, PointsError> {
        let senses: Vec<Sense> = problem.objectives().iter().map(|objective| objective.sense()).collect();
        let points = Points::new(&senses, enumeration.designs.iter().map(|design| &design.scores))?;
        let places = points.front(EqualPoints::Remove);
        let designs = places.into_iter().map(|place| enumeration.designs[place].clone()).collect();
        Ok(Self::sorted(problem, Origin::Enumeration { links: enumeration.links, rules: problem.rules() }, designs))
    }

    /// Sorts designs by the last objective, best first, then by the previous ones.
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

    /// Returns the machine.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Returns the objectives, in the order of the scores.
    pub fn objectives(&self) -> &[ObjectiveName] {
        &self.objectives
    }

    /// Returns the search that found the designs.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the designs, best in the last objective first.
    pub fn designs(&self) -> &[Design] {
        &self.designs
    }

    /// Returns the design with this number, from 1.
    ///
    /// # Errors
    ///
    /// Returns [`FrontError::NoDesign`] if the number is out of range.
    pub fn design(&self, number: usize) -> Result<&Design, FrontError> {
        let place = number.checked_sub(1);
        let missing = FrontError::NoDesign { number, designs: self.designs.len() };
        place.and_then(|place| self.designs.get(place)).ok_or(missing)
    }

    /// Returns the text of a front file, one design per line.
    pub fn to_json(&self) -> String {
        let record = FrontRecord {
            format: KIND.format.to_owned(),
            version: KIND.version,
            machine: self.machine,
            objectives: self.objectives.clone(),
            origin: self.origin,
            designs: self.designs.clone(),
        };
        to_json_rows(&record, 2)
    }

    /// Reads a front from the text of its file.
    ///
    /// # Errors
    ///
    /// Returns the first [`FrontError`]. Format and version are verified first.
    pub fn from_json(text: &str) -> Result<Self, FrontError> {
        let FrontRecord { format, version, machine, objectives, origin, designs } = KIND.parse(text)?;
        KIND.check(&format, version.into())?;
        let senses: Vec<Sense> = objectives.iter().map(|objective| objective.sense).collect();
        Points::new(&senses, designs.iter().map(|design| &design.scores))?;
        for (place, design) in designs.iter().enumerate() {
            design.code.check(&machine).map_err(|error| FrontError::CablingCode { place, error })?;
        }
        Ok(Self { machine, objectives, origin, designs })
    }
}

#[cfg(feature = "schema")]
lockstep_files::schema_of!(Front, FrontRecord);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{enumerate, objective};

    fn front() -> Front {
        let objectives = ["exact-bisection", "paths", "worst-degree"].map(|name| objective(name).unwrap()).to_vec();
        let problem = DesignProblem::new(Machine::new(2, 6, 1).unwrap(), objectives, DesignRules::PUBLISHED).unwrap();
        Front::of_enumeration(&problem, &enumerate(&problem, 4).unwrap()).unwrap()
    }

    #[test]
    fn a_front_survives_its_file() {
        let front = front();
        assert!(front.designs().len() > 2);
        assert!(front.designs().is_sorted_by(|a, b| a.scores[2] <= b.scores[2]));
        assert_eq!(Front::from_json(&front.to_json()), Ok(front));
    }

    #[test]
    fn design_numbers_start_at_one() {
        let front = front();
        let designs = front.designs().len();
        assert_eq!(front.design(1), Ok(&front.designs()[0]));
        assert_eq!(front.design(0), Err(FrontError::NoDesign { number: 0, designs }));
        let error = front.design(designs + 1).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no design {}; give 1 to {designs}", designs + 1));
    }

    #[test]
    fn each_invalid_file_has_its_own_message() {
        let text = front().to_json();
        let refusal = |from: &str, to: &str| {
            let spoiled = text.replacen(from, to, 1);
            assert_ne!(spoiled, text, "{from}");
            Front::from_json(&spoiled).unwrap_err().to_string()
        };
        for (from, to, message) in [
            ("lockstep-front", "lockstep-plan", "field 'format' is 'lockstep-plan', expected 'lockstep-front'"),
            ("\"version\": 1", "\"version\": 2", "field 'version' is 2, but only version 1 is known"),
            ("\"slots\": 2", "\"slots\": 0", "a machine needs at least 1 of its slots"),
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
