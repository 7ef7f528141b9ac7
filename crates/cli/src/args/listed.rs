//! Arguments that are one of several names, read by the type of the value.

use std::ffi::OsStr;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};

/// A parser of values that have names. The type refuses other words; completion lists the names.
#[derive(Clone)]
pub(super) struct Listed<T> {
    names: Vec<&'static str>,
    value: PhantomData<fn() -> T>,
}

impl<T> Listed<T> {
    /// Lists these names.
    pub(super) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { names: names.into_iter().collect(), value: PhantomData }
    }
}

impl<T> TypedValueParser for Listed<T>
where
    T: FromStr<Err: Display> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let parse = |word: &str| word.parse::<T>().map_err(|error| error.to_string());
        parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(|name| PossibleValue::new(*name))))
    }
}
