//! The parts of a planner that can be left out, by name.

use lockstep_files::{did_you_mean, one_line};
use lockstep_schedule::{Engine, Part};

use super::all_reduce::{EXACT_AGAIN, FIRST_LOOK, WHOLE};
use super::mirror::MIRROR;
use super::passes::PASSES;
use super::registry::EngineRegistry;

/// Returns the part that an engine is.
pub(super) fn engine_part(engine: &dyn Engine) -> Part {
    Part { owner: "engine", name: engine.name(), about: engine.description() }
}

/// A name that stands for no part, or for several.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// No part has the name.
    #[error("there is no part '{}'; {}", one_line(.name), advice(.name, .names))]
    Unknown {
        /// The name.
        name: String,
        /// The full names of all parts.
        names: Vec<String>,
    },
    /// Parts of several owners have the name.
    #[error("'{}' names several parts; choose {}", one_line(.name), .names.join(" or "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The full names of these parts.
        names: Vec<String>,
    },
}

/// Returns the nearest names, or all names by owner.
fn advice(name: &str, names: &[String]) -> String {
    let short = names.iter().map(|full| full.split_once('/').map_or(full.as_str(), |(_, name)| name));
    did_you_mean(name, names.iter().map(String::as_str))
        .or_else(|| did_you_mean(name, short))
        .unwrap_or_else(|| format!("choose one of {}", names.join(", ")))
}

impl EngineRegistry<'_> {
    /// Returns every part that a planner with these engines can leave out: the engines, the parts of a planner, the constructions
    /// and combining algorithms, the methods and their parts, the parts of an all-reduce, and the rules of lower bounds.
    ///
    /// ```
    /// for part in lockstep::EngineRegistry::standard().parts() {
    ///     println!("{part}: {}", part.about);
    /// }
    /// ```
    pub fn parts(&self) -> Vec<Part> {
        let engines = self.engines().iter().map(|known| engine_part(known.engine));
        let own = [PASSES, FIRST_LOOK, WHOLE, MIRROR, EXACT_AGAIN];
        engines
            .chain(own)
            .chain(lockstep_analytic::parts())
            .chain(lockstep_construct::parts())
            .chain(lockstep_bounds::parts())
            .collect()
    }

    /// Returns the part with a name: `OWNER/NAME`, or `NAME` alone if no other owner has a part of this name. Upper and lower case
    /// are the same.
    ///
    /// ```
    /// let engines = lockstep::EngineRegistry::standard();
    /// assert_eq!(engines.part("rarest-first")?, engines.part("construct/rarest-first")?);
    /// assert!(engines.part("satisfiability").is_err(), "a method and a rule");
    /// # Ok::<(), lockstep::PartError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PartError`] with the names to choose from.
    pub fn part(&self, name: &str) -> Result<Part, PartError> {
        let parts = self.parts();
        let is_named = |part: &&Part| part.to_string().eq_ignore_ascii_case(name);
        if let Some(&part) = parts.iter().find(is_named) {
            return Ok(part);
        }
        let named: Vec<&Part> = parts.iter().filter(|part| part.name.eq_ignore_ascii_case(name)).collect();
        let full = |part: &&Part| part.to_string();
        match named[..] {
            [&part] => Ok(part),
            [] => {
                Err(PartError::Unknown { name: name.to_owned(), names: parts.iter().map(|part| full(&part)).collect() })
            }
            _ => Err(PartError::Ambiguous { name: name.to_owned(), names: named.iter().map(full).collect() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_name_of_its_own() {
        let registry = EngineRegistry::standard();
        for part in registry.parts() {
            assert_eq!(registry.part(&part.to_string()), Ok(part));
            assert!(!part.about.is_empty(), "{part}");
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_or_all_names() {
        let error = |name: &str| EngineRegistry::standard().part(name).unwrap_err().to_string();
        assert_eq!(error("rarest-frist"), "there is no part 'rarest-frist'; did you mean 'rarest-first'?");
        assert_eq!(
            error("construct/flodding"),
            "there is no part 'construct/flodding'; did you mean 'construct/flooding'?"
        );
        let all = error("zzzzzz");
        assert!(all.starts_with("there is no part 'zzzzzz'; choose one of engine/analytic, "), "{all}");
        assert!(EngineRegistry::standard().parts().iter().all(|part| all.contains(&part.to_string())));
        let several = "'satisfiability' names several parts; choose construct/satisfiability or bounds/satisfiability";
        assert_eq!(error("satisfiability"), several);
    }
}
