//! The ways to a schedule.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What looks for a schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Engine {
    /// All of the others but the last in this order, until one reaches the lower bound.
    Auto,
    /// The constructions for networks of known structure ([`lockstep_analytic`]): no search, and mostly optimal.
    Analytic,
    /// The methods for any network, nothing known of its structure ([`lockstep_construct`]).
    Construct,
    /// The evolutionary search of the multistage-network document ([`lockstep_evolve`]).
    Umda,
    /// The annealing search of the store-and-forward document, for broadcasts ([`lockstep_evolve`]).
    Hgsa,
}

impl Engine {
    /// Every engine, the default first.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Analytic, Self::Construct, Self::Umda, Self::Hgsa];

    /// Its name: `auto`, `analytic`, `construct`, `umda` or `hgsa`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Analytic => "analytic",
            Self::Construct => "construct",
            Self::Umda => "umda",
            Self::Hgsa => "hgsa",
        }
    }

    /// Whether the other one is part of it.
    pub(crate) fn includes(self, part: Self) -> bool {
        self == part || self == Self::Auto && part != Self::Hgsa
    }

    /// The evolutionary search that is part of it, if one is.
    pub(crate) fn search(self) -> Option<Self> {
        [Self::Umda, Self::Hgsa].into_iter().find(|&search| self.includes(search))
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no engine '{name}' in this version; choose {}", Engine::ALL.map(Engine::name).join(", "))]
pub struct EngineError {
    /// The word.
    pub name: String,
}

impl FromStr for Engine {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let engine = Self::ALL.into_iter().find(|engine| engine.name().eq_ignore_ascii_case(text));
        engine.ok_or_else(|| EngineError { name: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for engine in Engine::ALL {
            assert_eq!(engine.to_string().parse(), Ok(engine));
        }
    }

    #[test]
    fn an_engine_of_later_versions_is_refused_with_those_there_are() {
        let error = "exact".parse::<Engine>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no engine 'exact' in this version; choose auto, analytic, construct, umda, hgsa"
        );
    }
}
