//! What a planner is given beside its problem and budget.

use lockstep_bounds::Cost;
use lockstep_schedule::{Budget, Part};
use serde::{Deserialize, Serialize};

use super::registry::{EngineChoice, EngineRegistry};

/// The options of a planner.
///
/// ```
/// use lockstep::{EngineChoice, PlanOptions};
///
/// let options = PlanOptions { engine: EngineChoice::Named("construct"), steps: Some(7), ..PlanOptions::auto(1) };
/// assert_eq!(options.seed, 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanOptions<'a> {
    /// The engines that run.
    pub engine: EngineChoice,
    /// The engines that exist.
    pub engines: &'a EngineRegistry<'a>,
    /// The maximum number of steps; `None` for the smallest number that is found.
    pub steps: Option<u32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// The cost of the most expensive lower bounds that are computed.
    pub bounds: Cost,
    /// The [parts](EngineRegistry::parts) that are left out, in addition to those that the
    /// [budget](lockstep_schedule::Budget::without) leaves out.
    pub without: &'a [Part],
}

impl<'a> PlanOptions<'a> {
    /// Returns the same options without these parts.
    ///
    /// ```
    /// use lockstep::{EngineRegistry, PlanOptions};
    ///
    /// let parts = ["rarest-first", "bounds/cut"].map(|name| EngineRegistry::standard().part(name).unwrap());
    /// let options = PlanOptions::auto(1).without(&parts);
    /// assert_eq!(options.without.len(), 2);
    /// ```
    #[must_use]
    pub const fn without(self, parts: &'a [Part]) -> Self {
        Self { without: parts, ..self }
    }
}

impl PlanOptions<'static> {
    /// Returns the options for [`EngineChoice::Auto`] with the standard registry, without a maximum number of steps.
    pub const fn auto(seed: u64) -> Self {
        Self {
            engine: EngineChoice::Auto,
            engines: EngineRegistry::standard(),
            steps: None,
            seed,
            bounds: Cost::Exact,
            without: &[],
        }
    }
}

/// Stands between the engines and the parts that are left out, in [`StoredEngine::Custom`].
const WITHOUT: &str = " without ";

/// [`PlanOptions`] in a file.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredOptions {
    pub(super) engine: StoredEngine,
    pub(super) steps: Option<u32>,
    pub(super) seed: u64,
}

/// A choice of engines in a file. The order of the variants is part of the format.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum StoredEngine {
    Auto,
    Analytic,
    Construct,
    Umda,
    Hgsa,
    /// The choice and all engines of a registry with engines of the user, and the parts that are left out.
    Custom(String),
}

impl StoredEngine {
    /// Returns the name of the choice.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::Analytic => "analytic",
            Self::Construct => "construct",
            Self::Umda => "umda",
            Self::Hgsa => "hgsa",
            Self::Custom(names) => names,
        }
    }
}

impl StoredOptions {
    /// Returns the options with the standard registry, and the budget without the parts that they leave out. `None` for engines of
    /// another registry.
    pub(crate) fn options(&self, budget: Budget) -> Option<(PlanOptions<'static>, Budget)> {
        let engine = self.engine.name();
        let (engine, parts) = engine.split_once(WITHOUT).unwrap_or((engine, ""));
        let parts = parts.split(", ").filter(|name| !name.is_empty());
        let parts: Option<Vec<Part>> = parts.map(|name| EngineRegistry::standard().part(name).ok()).collect();
        let options = PlanOptions { engine: engine.parse().ok()?, steps: self.steps, ..PlanOptions::auto(self.seed) };
        Some((options, budget.without(&parts?)))
    }
}

impl From<PlanOptions<'_>> for StoredOptions {
    fn from(PlanOptions { engine, engines, steps, seed, without, .. }: PlanOptions<'_>) -> Self {
        let numbered = [
            StoredEngine::Auto,
            StoredEngine::Analytic,
            StoredEngine::Construct,
            StoredEngine::Umda,
            StoredEngine::Hgsa,
        ];
        let is_standard = engines == EngineRegistry::standard();
        let stored = numbered.into_iter().find(|stored| is_standard && stored.name() == engine.name());
        let engine = stored.unwrap_or_else(|| {
            let names: Vec<&str> = engines.choices().map(EngineChoice::name).collect();
            StoredEngine::Custom(format!("{engine} of {}", names.join(", ")))
        });
        let mut parts: Vec<String> = without.iter().map(Part::to_string).collect();
        parts.sort_unstable();
        let engine = match &parts[..] {
            [] => engine,
            parts => StoredEngine::Custom(format!("{}{WITHOUT}{}", engine.name(), parts.join(", "))),
        };
        Self { engine, steps, seed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::EngineStage;

    #[test]
    fn stored_options_keep_the_parts_that_are_left_out() {
        let parts = ["rarest-first", "bounds/cut"].map(|name| EngineRegistry::standard().part(name).unwrap());
        for parts in [&[][..], &parts[..1], &parts] {
            let options = PlanOptions { steps: Some(7), ..PlanOptions::auto(3) }.without(parts);
            let (stored, budget) = StoredOptions::from(options).options(Budget::unlimited()).unwrap();
            assert_eq!(stored.without(parts), options);
            assert!(
                budget.left_out().len() == parts.len() && parts.iter().all(|part| budget.left_out().contains(part))
            );
        }
    }

    #[test]
    fn stored_options_with_engines_of_the_user_are_refused() {
        let engines =
            EngineRegistry::standard().clone().with_engine(&lockstep_construct::ConstructEngine, EngineStage::Search);
        let stored = StoredOptions::from(PlanOptions { engines: &engines, ..PlanOptions::auto(1) });
        assert!(stored.options(Budget::unlimited()).is_none());
    }
}
