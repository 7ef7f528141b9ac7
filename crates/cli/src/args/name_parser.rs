//! Arguments that are one of several names, or the beginning of one.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use lockstep::files::name_chosen;

/// A parser of names. Its value is the full name.
#[derive(Clone)]
pub(super) struct NameParser(Vec<&'static str>);

impl NameParser {
    /// Accepts these names, in the order of the help. Of names that share a first word, the first one is meant by it.
    pub(super) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self(names.into_iter().collect())
    }
}

/// A name, and whether it was written in full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChosenName {
    /// The full name.
    pub(crate) name: &'static str,
    /// Whether the argument was its beginning only.
    pub(crate) is_short: bool,
}

impl TypedValueParser for NameParser {
    type Value = ChosenName;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<ChosenName, Error> {
        let names = self.0.clone();
        let choose = move |word: &str| {
            name_chosen(word, names.iter().copied()).map(|name| {
                let name = names.iter().find(|known| **known == name).copied().unwrap_or_default();
                ChosenName { name, is_short: word != name }
            })
        };
        choose.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|name| PossibleValue::new(*name))))
    }
}
