//! Options that are chosen by name.

use lockstep_files::{name_advice, one_line};

/// A word that is not a name of an option.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown {choice} '{}'; {}", one_line(.word), name_advice(.word, names.iter().copied()))]
pub struct UnknownName {
    /// The kind of option.
    pub choice: &'static str,
    /// The word.
    pub word: String,
    /// All valid names.
    pub names: &'static [&'static str],
}

/// Implements the list of values, names, `Display` and `FromStr` for an enum without fields.
macro_rules! named {
    ($type:ident, $choice:literal, $($value:ident = $name:literal),+) => {
        impl $type {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// Returns the name in files and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().find(|value| lockstep_files::is_same_name(value.name(), word));
                found.copied().ok_or_else(|| $crate::UnknownName {
                    choice: $choice,
                    word: word.to_owned(),
                    names: &[$($name),+],
                })
            }
        }
    };
}
pub(crate) use named;
