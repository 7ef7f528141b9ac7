//! Choices that have names.

/// A word that is none of the names of a choice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{}' is no {choice}; choose {}", lockstep_files::one_line(.word), listed(.names))]
pub struct UnknownName {
    /// What is chosen, in words.
    pub choice: &'static str,
    /// The word.
    pub word: String,
    /// The names there are.
    pub names: &'static [&'static str],
}

/// Names as a sentence lists them.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} or {last}", before.join(", ")),
    }
}

/// Gives an enum without fields its list of values, their names, and reading and writing by name.
macro_rules! named {
    ($type:ident, $choice:literal, $($value:ident = $name:literal),+) => {
        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// The name, as it is written in files and on the command line.
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
                let found = Self::ALL.iter().find(|value| value.name().eq_ignore_ascii_case(word));
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
