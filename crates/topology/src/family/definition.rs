//! The definition of a network family, and the parameters of its specs.

use super::error::FamilyError;
use crate::quantity::Quantity;
use crate::text::excerpt;
use crate::{CayleyGraph, SpecError, Topology};

/// A family of networks: the syntax of its specs and its generator.
///
/// [`families`](crate::families) lists all of them.
///
/// ```
/// for family in lockstep_topology::families() {
///     println!("{:24} {}", family.usage(), family.about);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Family {
    /// The part of a spec before the colon.
    pub name: &'static str,
    /// Other names of the family, which specs may have instead.
    pub aliases: &'static [&'static str],
    /// The syntax of the part after the colon, with parameter names in capitals. Empty if there are no parameters.
    pub parameters: &'static str,
    /// A valid spec of the family.
    pub example: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Builds the group and generators, if the networks of the family are Cayley graphs of abelian groups.
    pub(crate) cayley: Option<Generator<CayleyGraph>>,
    /// Builds the network.
    pub(crate) generate: Generator<Topology>,
}

/// A function that builds a `T` from the parameters of a spec.
pub(crate) type Generator<T> = fn(&Parameters<'_>) -> Result<T, SpecError>;

impl Family {
    /// Returns the syntax of a spec, `name:PARAMETERS`.
    pub fn usage(&self) -> String {
        let colon = if self.parameters.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.name, self.parameters)
    }

    /// Returns the error for a parameter value that the family does not support.
    pub(super) fn unsupported(
        &self,
        parameter: &'static str,
        value: impl Into<u64>,
        needs: impl Into<String>,
        instead: impl Into<String>,
    ) -> FamilyError {
        let (value, needs, instead) = (value.into(), needs.into(), instead.into());
        FamilyError::Parameter { family: self.name, parameter, value, needs, instead }
    }
}

/// The part of a spec after the colon.
pub(crate) struct Parameters<'a> {
    pub(crate) family: &'static Family,
    pub(crate) text: &'a str,
    /// Number of specs around this one.
    pub(crate) depth: usize,
    /// Generates the network of a spec inside this one, with the number of specs around it.
    pub(crate) parse: fn(&str, usize) -> Result<Topology, SpecError>,
}

impl<'a> Parameters<'a> {
    /// Returns exactly `N` parameters separated by commas.
    pub(crate) fn fields<const N: usize>(&self) -> Result<[Parameter<'a>; N], SpecError> {
        let fields = self.split(',')?;
        let found = fields.len();
        fields
            .try_into()
            .map_err(|_| self.count_error(format!("{N} parameter{}", if N == 1 { "" } else { "s" }), found))
    }

    /// Returns the first parameter and a list of one or more others, all separated by commas.
    pub(crate) fn first_and_rest(&self) -> Result<(Parameter<'a>, Vec<Parameter<'a>>), SpecError> {
        let mut fields = self.split(',')?;
        if fields.len() < 2 {
            return Err(self.count_error("2 parameters or more".into(), fields.len()));
        }
        let rest = fields.split_off(1);
        Ok((fields[0], rest))
    }

    /// Returns exactly `N` parameters without a name, then parameters `name=value` with these names, all separated by
    /// commas.
    pub(crate) fn fields_and_named<const N: usize>(
        &self,
        names: &'static [&'static str],
    ) -> Result<([Parameter<'a>; N], NamedParameters<'a>), SpecError> {
        let mut fields = self.split(',')?;
        let first_named = fields.iter().position(|field| field.text.contains('=')).unwrap_or(fields.len());
        let values = fields.split_off(first_named);
        let found = fields.len();
        let fields = fields
            .try_into()
            .map_err(|_| self.count_error(format!("{N} parameter{}", if N == 1 { "" } else { "s" }), found))?;
        let mut parameters = NamedParameters { family: self.family, values: Vec::new() };
        for field in values {
            let (name, value) = field.text.split_once('=').unwrap_or((field.text, ""));
            let known = names.iter().find(|known| known.eq_ignore_ascii_case(name.trim()));
            let is_new = known.is_some_and(|known| parameters.values.iter().all(|(other, _)| other != known));
            let (Some(known), true) = (known, is_new) else {
                let (family, name) = (self.family.name, excerpt(name));
                return Err(SpecError::UnknownName { family, name, names, is_known: known.is_some() });
            };
            parameters.values.push((known, value.trim()));
        }
        Ok((fields, parameters))
    }

    /// Returns parameters `name=value` with these names, separated by commas.
    pub(crate) fn named(&self, names: &'static [&'static str]) -> Result<NamedParameters<'a>, SpecError> {
        let ([], parameters) = self.fields_and_named(names)?;
        Ok(parameters)
    }

    /// Returns a number and the network of a spec, separated by a comma.
    pub(crate) fn number_and_operand(&self) -> Result<(u32, Topology), SpecError> {
        let number = self.split(',')?[0];
        let (_, spec) = self.text.split_once(',').ok_or_else(|| self.count_error("2 parameters".into(), 1))?;
        Ok((number.number()?, self.operand(spec)?))
    }

    /// Generates the network of a spec inside this one.
    pub(crate) fn operand(&self, spec: &str) -> Result<Topology, SpecError> {
        (self.parse)(spec, self.depth + 1)
    }

    /// Returns two or more specs separated by `*`. Specs in parentheses may contain `*`.
    pub(crate) fn factors(&self) -> Result<Vec<&'a str>, SpecError> {
        if self.text.is_empty() {
            return Err(self.missing());
        }
        let (mut factors, mut start, mut open) = (Vec::new(), 0, 0usize);
        for (place, byte) in self.text.bytes().enumerate() {
            match byte {
                b'(' => open += 1,
                b')' => open = open.checked_sub(1).ok_or_else(|| self.unbalanced())?,
                b'*' if open == 0 => {
                    factors.push(&self.text[start..place]);
                    start = place + 1;
                }
                _ => {}
            }
        }
        if open > 0 {
            return Err(self.unbalanced());
        }
        factors.push(&self.text[start..]);
        if factors.len() < 2 {
            return Err(self.count_error("2 factors or more".into(), 1));
        }
        let inner = |factor: &'a str| {
            let factor = factor.trim();
            factor.strip_prefix('(').and_then(|factor| factor.strip_suffix(')')).unwrap_or(factor)
        };
        Ok(factors.into_iter().map(inner).collect())
    }

    fn unbalanced(&self) -> SpecError {
        SpecError::Parentheses { family: self.family.name, text: excerpt(self.text) }
    }

    fn missing(&self) -> SpecError {
        let (family, usage, example) = (self.family.name, self.family.usage(), self.family.example);
        SpecError::MissingParameters { family, usage, example }
    }

    /// Returns one or more numbers separated by `x`.
    pub(crate) fn sides(&self) -> Result<Vec<u32>, SpecError> {
        self.split('x')?.into_iter().map(Parameter::number).collect()
    }

    /// Checks that there are no parameters.
    pub(crate) fn none(&self) -> Result<(), SpecError> {
        if self.text.is_empty() { Ok(()) } else { Err(SpecError::NeedlessParameters { family: self.family.name }) }
    }

    /// Removes the suffix `word`, in any case, and returns true if it was present.
    pub(crate) fn without_option(&self, word: &str) -> (Self, bool) {
        let start = self.text.len().saturating_sub(word.len());
        match self.text.split_at_checked(start) {
            Some((text, end)) if end.eq_ignore_ascii_case(word) => (Self { text, ..*self }, true),
            _ => (Self { ..*self }, false),
        }
    }

    /// Splits the parameters. Names come from the usage; its last name is used for all further parameters.
    fn split(&self, separator: char) -> Result<Vec<Parameter<'a>>, SpecError> {
        let family = self.family;
        if self.text.is_empty() {
            return Err(self.missing());
        }
        let is_name = |c: char| c.is_ascii_uppercase();
        let mut names = family.parameters.split(|c| !is_name(c)).filter(|name| !name.is_empty());
        let mut name = "the parameter";
        let fields = self.text.split(|c: char| c.eq_ignore_ascii_case(&separator)).map(|text| {
            name = names.next().unwrap_or(name);
            Parameter { family, name, text: text.trim() }
        });
        Ok(fields.collect())
    }

    /// Returns the error for a wrong number of parameters.
    pub(crate) fn count_error(&self, expected: String, found: usize) -> SpecError {
        let (family, usage, example) = (self.family.name, self.family.usage(), self.family.example);
        SpecError::ParameterCount { family, expected, found, usage, example }
    }
}

/// The parameters `name=value` of a spec.
pub(crate) struct NamedParameters<'a> {
    family: &'static Family,
    values: Vec<(&'static str, &'a str)>,
}

impl<'a> NamedParameters<'a> {
    /// Returns true if none is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn get(&self, name: &'static str) -> Option<&'a str> {
        self.values.iter().find(|&&(known, _)| known == name).map(|&(_, value)| value)
    }

    fn require(&self, name: &'static str) -> Result<&'a str, SpecError> {
        let (family, usage, example) = (self.family.name, self.family.usage(), self.family.example);
        self.get(name).ok_or(SpecError::MissingName { family, name, usage, example })
    }

    /// Parses the value of a name as a whole number.
    pub(crate) fn number<T: TryFrom<u64>>(&self, name: &'static str) -> Result<T, SpecError> {
        Parameter { family: self.family, name, text: self.require(name)? }.number()
    }

    /// Parses the value of a name as a quantity.
    pub(crate) fn quantity(&self, name: &'static str, quantity: Quantity) -> Result<u64, SpecError> {
        self.parse(name, quantity, self.require(name)?)
    }

    /// Parses the value of a name as a quantity, if it is given.
    pub(crate) fn optional_quantity(&self, name: &'static str, quantity: Quantity) -> Result<Option<u64>, SpecError> {
        self.get(name).map(|text| self.parse(name, quantity, text)).transpose()
    }

    fn parse(&self, name: &'static str, quantity: Quantity, text: &str) -> Result<u64, SpecError> {
        quantity.parse(text).map_err(|error| SpecError::Quantity { family: self.family.name, name, error })
    }
}

/// One parameter of a spec.
#[derive(Clone, Copy)]
pub(crate) struct Parameter<'a> {
    family: &'static Family,
    name: &'static str,
    text: &'a str,
}

impl Parameter<'_> {
    /// Parses the parameter as a whole number.
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
