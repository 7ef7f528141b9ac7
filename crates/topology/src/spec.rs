//! Spec strings, `family:parameters`.

use std::str::FromStr;

use crate::family::{Family, FamilyError, families};
use crate::text::excerpt;
use crate::{Topology, TopologyError};

/// Why a spec string names no network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// A family that does not exist.
    #[error("there is no network family '{family}'; {}", remedy(nearest))]
    UnknownFamily {
        /// What the spec says, shortened if long.
        family: String,
        /// The families whose names are nearest, best first; empty if none is near.
        nearest: Vec<&'static str>,
    },
    /// A family without its parameters.
    #[error("'{family}' needs parameters; write {usage}, for example {example}")]
    MissingParameters {
        /// The family.
        family: &'static str,
        /// How its specs are written.
        usage: String,
        /// A spec of the family.
        example: &'static str,
    },
    /// Parameters of a family that has none.
    #[error("{family} takes no parameters; write '{family}'")]
    NeedlessParameters {
        /// The family.
        family: &'static str,
    },
    /// Too few or too many parameters.
    #[error("{family} takes {expected}, not {found}; write {usage}, for example {example}")]
    ParameterCount {
        /// The family.
        family: &'static str,
        /// How many parameters it takes, in words.
        expected: String,
        /// How many the spec has.
        found: usize,
        /// How its specs are written.
        usage: String,
        /// A spec of the family.
        example: &'static str,
    },
    /// A parameter that is no whole number.
    #[error("{parameter} of {family} is '{text}', not a whole number; write {usage}, for example {example}")]
    NotANumber {
        /// The family.
        family: &'static str,
        /// The parameter, as the usage names it.
        parameter: String,
        /// What the spec says, shortened if long.
        text: String,
        /// How its specs are written.
        usage: String,
        /// A spec of the family.
        example: &'static str,
    },
    /// A number too large to be read.
    #[error("{parameter} of {family} is {text}, but numbers end at {largest}; choose a smaller one")]
    TooLarge {
        /// The family.
        family: &'static str,
        /// The parameter, as the usage names it.
        parameter: String,
        /// What the spec says, shortened if long.
        text: String,
        /// The largest number that can be read.
        largest: u64,
    },
    /// A family whose networks are no Cayley graphs.
    #[error(
        "the networks of {family} are not known as Cayley graphs of an abelian group; choose one of {}",
        cayley_families()
    )]
    NotCayley {
        /// The family.
        family: &'static str,
    },
    /// Numbers for which the family has no network.
    #[error(transparent)]
    Family(#[from] FamilyError),
}

impl From<TopologyError> for SpecError {
    fn from(error: TopologyError) -> Self {
        Self::Family(error.into())
    }
}

/// Reads a spec `family:parameters`, as [`families`] lists them; case and outer white space do not count.
///
/// The name of the topology is the spec in its normal form.
///
/// ```
/// use lockstep_topology::Topology;
///
/// let fat_tree: Topology = "Fat-Tree:2,05".parse()?;
/// assert_eq!(fat_tree.name(), "fat-tree:2,5");
///
/// let error = "omega:12".parse::<Topology>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the number of terminals is 12, but omega needs a power of two from 2; try omega:8 or omega:16",
/// );
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
impl FromStr for Topology {
    type Err = SpecError;

    fn from_str(spec: &str) -> Result<Self, SpecError> {
        let (family, parameters) = parameters(spec)?;
        (family.generate)(&parameters)
    }
}

/// The family that a spec names, and what it says behind the colon.
pub(crate) fn parameters(spec: &str) -> Result<(&'static Family, Parameters<'_>), SpecError> {
    let (name, text) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    let family = families()
        .iter()
        .find(|family| family.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| SpecError::UnknownFamily { family: excerpt(name), nearest: nearest(name) })?;
    Ok((family, Parameters { family, text: text.trim() }))
}

/// The part of a spec behind the colon.
pub(crate) struct Parameters<'a> {
    family: &'static Family,
    text: &'a str,
}

impl<'a> Parameters<'a> {
    /// Exactly `N` parameters between commas.
    pub(crate) fn fields<const N: usize>(&self) -> Result<[Field<'a>; N], SpecError> {
        let fields = self.split(',')?;
        let found = fields.len();
        fields
            .try_into()
            .map_err(|_| self.count_error(format!("{N} parameter{}", if N == 1 { "" } else { "s" }), found))
    }

    /// A parameter and one or more of another kind, all between commas.
    pub(crate) fn first_and_rest(&self) -> Result<(Field<'a>, Vec<Field<'a>>), SpecError> {
        let mut fields = self.split(',')?;
        if fields.len() < 2 {
            return Err(self.count_error("2 parameters or more".into(), fields.len()));
        }
        let rest = fields.split_off(1);
        Ok((fields[0], rest))
    }

    /// One or more numbers with `x` between them.
    pub(crate) fn sides(&self) -> Result<Vec<u32>, SpecError> {
        self.split('x')?.into_iter().map(Field::number).collect()
    }

    /// Checks that there is nothing behind the colon.
    pub(crate) fn none(&self) -> Result<(), SpecError> {
        if self.text.is_empty() { Ok(()) } else { Err(SpecError::NeedlessParameters { family: self.family.name }) }
    }

    /// The same without a word at its end, and whether it was there.
    pub(crate) fn without_option(&self, word: &str) -> (Self, bool) {
        let (family, start) = (self.family, self.text.len().saturating_sub(word.len()));
        match self.text.split_at_checked(start) {
            Some((text, end)) if end.eq_ignore_ascii_case(word) => (Self { family, text }, true),
            _ => (Self { family, text: self.text }, false),
        }
    }

    /// The parameters between separators, each with its name; the last name of the usage serves all that follow.
    fn split(&self, separator: char) -> Result<Vec<Field<'a>>, SpecError> {
        let family = self.family;
        if self.text.is_empty() {
            let (usage, example) = (family.usage(), family.example);
            return Err(SpecError::MissingParameters { family: family.name, usage, example });
        }
        let is_name = |c: char| c.is_ascii_uppercase();
        let mut names = family.parameters.split(|c| !is_name(c)).filter(|name| !name.is_empty());
        let mut name = "the parameter";
        let fields = self.text.split(|c: char| c.eq_ignore_ascii_case(&separator)).map(|text| {
            name = names.next().unwrap_or(name);
            Field { family, name, text: text.trim() }
        });
        Ok(fields.collect())
    }

    pub(crate) fn count_error(&self, expected: String, found: usize) -> SpecError {
        let (family, usage, example) = (self.family.name, self.family.usage(), self.family.example);
        SpecError::ParameterCount { family, expected, found, usage, example }
    }
}

/// One parameter of a spec.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    family: &'static Family,
    name: &'static str,
    text: &'a str,
}

impl Field<'_> {
    /// The whole number it writes.
    pub(crate) fn number<T: TryFrom<u64>>(self) -> Result<T, SpecError> {
        let (family, parameter, text) = (self.family.name, self.name.to_owned(), excerpt(self.text));
        if self.text.is_empty() || !self.text.bytes().all(|byte| byte.is_ascii_digit()) {
            let (usage, example) = (self.family.usage(), self.family.example);
            return Err(SpecError::NotANumber { family, parameter, text, usage, example });
        }
        let largest = u64::MAX >> (u64::BITS - 8 * size_of::<T>() as u32);
        let number = self.text.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
        number.ok_or(SpecError::TooLarge { family, parameter, text, largest })
    }
}

/// The families whose names differ least from `name`, if they differ in no more than a third of it.
fn nearest(name: &str) -> Vec<&'static str> {
    const LONGEST: usize = 40;
    let name = name.to_ascii_lowercase();
    if name.len() > LONGEST {
        return Vec::new();
    }
    let distances: Vec<usize> = families().iter().map(|family| edit_distance(&name, family.name)).collect();
    let least = distances.iter().copied().min().unwrap_or(usize::MAX);
    if 3 * least > name.len() + 1 {
        return Vec::new();
    }
    families().iter().zip(distances).filter(|&(_, distance)| distance == least).map(|(family, _)| family.name).collect()
}

/// Levenshtein's distance in bytes.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn cayley_families() -> String {
    let names: Vec<&str> =
        families().iter().filter(|family| family.cayley.is_some()).map(|family| family.name).collect();
    names.join(", ")
}

fn remedy(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        let names: Vec<&str> = families().iter().map(|family| family.name).collect();
        format!("choose one of {}", names.join(", "))
    } else {
        format!("did you mean '{}'?", nearest.join("' or '"))
    }
}
