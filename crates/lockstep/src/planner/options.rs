//! What a planner is given beside its problem and budget.

use lockstep_bounds::Cost;
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
}

impl PlanOptions<'static> {
    /// Returns the options for [`EngineChoice::Auto`] with the standard registry, without a maximum number of steps.
    pub const fn auto(seed: u64) -> Self {
        Self { engine: EngineChoice::Auto, engines: EngineRegistry::standard(), steps: None, seed, bounds: Cost::Exact }
    }
}

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
    /// The choice and all engines of a registry with engines of the user.
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
    /// Returns the options with the standard registry; `None` for engines of another one.
    pub(crate) fn options(&self) -> Option<PlanOptions<'static>> {
        let engine = self.engine.name().parse().ok()?;
        Some(PlanOptions { engine, steps: self.steps, ..PlanOptions::auto(self.seed) })
    }
}

impl From<PlanOptions<'_>> for StoredOptions {
    fn from(PlanOptions { engine, engines, steps, seed, .. }: PlanOptions<'_>) -> Self {
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
        Self { engine, steps, seed }
    }
}
