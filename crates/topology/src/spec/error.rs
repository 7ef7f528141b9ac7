//! The error of spec strings.

use crate::{FamilyError, QuantityError, TopologyError};

/// The reason a spec string does not describe a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// An unknown family name.
    #[error("there is no network family '{family}'; {}", suggestion(nearest, families))]
    UnknownFamily {
        /// The name in the spec, shortened if long.
        family: String,
        /// The most similar family names, best first. Empty if no name is similar.
        nearest: Vec<&'static str>,
        /// All family names.
        families: Vec<&'static str>,
    },
    /// A family name without its parameters.
    #[error("'{family}' needs parameters; write {usage}, for example {example}")]
    MissingParameters {
        /// Name of the family.
        family: &'static str,
        /// Syntax of its specs.
        usage: String,
        /// A valid spec of the family.
        example: &'static str,
    },
    /// Parameters for a family that has none.
    #[error("{family} takes no parameters; write '{family}'")]
    NeedlessParameters {
        /// Name of the family.
        family: &'static str,
    },
    /// Too few or too many parameters.
    #[error("{family} takes {expected}, not {found}; write {usage}, for example {example}")]
    ParameterCount {
        /// Name of the family.
        family: &'static str,
        /// Description of the expected number.
        expected: String,
        /// Number of parameters in the spec.
        found: usize,
        /// Syntax of its specs.
        usage: String,
        /// A valid spec of the family.
        example: &'static str,
    },
    /// A parameter that is not a whole number.
    #[error("{parameter} of {family} is '{text}', not a whole number; write {usage}, for example {example}")]
    NotANumber {
        /// Name of the family.
        family: &'static str,
        /// Name of the parameter in the usage.
        parameter: String,
        /// The parameter in the spec, shortened if long.
        text: String,
        /// Syntax of its specs.
        usage: String,
        /// A valid spec of the family.
        example: &'static str,
    },
    /// A number that does not fit the parameter's integer type.
    #[error("{parameter} of {family} is {text}, but the largest number is {largest}; choose a smaller one")]
    TooLarge {
        /// Name of the family.
        family: &'static str,
        /// Name of the parameter in the usage.
        parameter: String,
        /// The number in the spec, shortened if long.
        text: String,
        /// The largest number that fits.
        largest: u64,
    },
    /// A parameter `name=value` with an unknown name, or one that is given twice.
    #[error(
        "{family} {} '{name}'; its names are {}", if *is_known { "gets twice the parameter" } else { "has no parameter" },
        names.join(", ")
    )]
    UnknownName {
        /// Name of the family.
        family: &'static str,
        /// The name in the spec, shortened if long.
        name: String,
        /// All names.
        names: &'static [&'static str],
        /// True if the name is given twice.
        is_known: bool,
    },
    /// A missing parameter `name=value`.
    #[error("{family} needs the parameter {name}=…; write {usage}, for example {example}")]
    MissingName {
        /// Name of the family.
        family: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// Syntax of its specs.
        usage: String,
        /// A valid spec of the family.
        example: &'static str,
    },
    /// Parentheses that do not match.
    #[error("the parentheses in '{text}' of {family} do not match; close each one that is opened")]
    Parentheses {
        /// Name of the family.
        family: &'static str,
        /// The parameters in the spec, shortened if long.
        text: String,
    },
    /// Specs inside specs, too many of them.
    #[error("'{text}' is inside {most} other specs, the most that are allowed; simplify the spec")]
    TooDeep {
        /// The spec inside the others, shortened if long.
        text: String,
        /// The largest number of specs around it.
        most: usize,
    },
    /// A bandwidth or time that cannot be read.
    #[error("{name} of {family}: {error}")]
    Quantity {
        /// Name of the family.
        family: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// What is wrong with its value.
        error: QuantityError,
    },
    /// A family whose networks are not Cayley graphs.
    #[error(
        "the networks of {family} are not known as Cayley graphs of an abelian group; choose one of {}",
        cayley_families.join(", ")
    )]
    NotCayley {
        /// Name of the family.
        family: &'static str,
        /// Names of the families whose networks are Cayley graphs.
        cayley_families: Vec<&'static str>,
    },
    /// Parameter values for which the family has no network.
    #[error(transparent)]
    Family(#[from] FamilyError),
}

impl From<TopologyError> for SpecError {
    fn from(error: TopologyError) -> Self {
        Self::Family(error.into())
    }
}

fn suggestion(nearest: &[&str], families: &[&str]) -> String {
    if nearest.is_empty() {
        format!("choose one of {}", families.join(", "))
    } else {
        format!("did you mean '{}'?", nearest.join("' or '"))
    }
}
