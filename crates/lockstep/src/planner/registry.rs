//! The engines of a planner, and the choice among them.

use std::fmt;
use std::str::FromStr;

use lockstep_analytic::AnalyticEngine;
use lockstep_construct::ConstructEngine;
use lockstep_evolve::{HgsaEngine, UmdaEngine};
use lockstep_files::{name_advice, one_line};
use lockstep_rings::RingsEngine;
use lockstep_schedule::Engine;

/// The engines of Lockstep, in the order in which a planner runs them.
static STANDARD: EngineRegistry<'static> = EngineRegistry {
    engines: EngineList::Standard(&[
        RegisteredEngine { engine: &AnalyticEngine, stage: EngineStage::Construction, is_in_auto: true },
        // A choice of the user: other schedules have the same bandwidth in fewer steps.
        RegisteredEngine { engine: &RingsEngine, stage: EngineStage::Construction, is_in_auto: false },
        RegisteredEngine { engine: &ConstructEngine, stage: EngineStage::Portfolio, is_in_auto: true },
        RegisteredEngine { engine: &UmdaEngine, stage: EngineStage::Search, is_in_auto: true },
        // The portfolio plans the same problems in about the same time.
        RegisteredEngine { engine: &HgsaEngine, stage: EngineStage::Search, is_in_auto: false },
    ]),
};

/// The part of a planner's work in which an engine runs. Stages follow each other in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EngineStage {
    /// Once, after the cheap lower bounds, without a limit of evaluations: for engines that do not search.
    Construction,
    /// In rounds with more and more evaluations, while the engine [pauses](crate::schedule::End::Paused): for
    /// engines that make attempts.
    Portfolio,
    /// In the same rounds, after the portfolio and the expensive bounds: for engines that search until the budget ends,
    /// and that write checkpoints.
    Search,
}

/// An engine in an [`EngineRegistry`].
#[derive(Clone, Copy, Debug)]
pub struct RegisteredEngine<'a> {
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The part of the work in which the engine runs.
    pub stage: EngineStage,
    /// Whether [`EngineChoice::Auto`] includes the engine.
    pub is_in_auto: bool,
}

impl PartialEq for RegisteredEngine<'_> {
    /// Engines are equal if their names are: a registry has one engine per name.
    fn eq(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.engine.name(), one.stage, one.is_in_auto);
        key(self) == key(other)
    }
}

impl Eq for RegisteredEngine<'_> {}

/// The ordered list of engines that a planner can run.
///
/// To add an engine, implement [`Engine`], and give the planner a registry that contains the engine. The planner
/// verifies every schedule of the engine, and drops an invalid one.
///
/// ```
/// use lockstep::schedule::{Engine, EngineObserver, EngineRequest, FoundSchedule, Outcome, Schedule};
/// use lockstep::{Budget, Collective, CommunicationModel, EngineRegistry, EngineStage, PlanOptions, Planner, Problem};
///
/// /// Returns an empty schedule, which no problem accepts.
/// struct Lazy;
///
/// impl Engine for Lazy {
///     fn name(&self) -> &'static str {
///         "lazy"
///     }
///
///     fn description(&self) -> &'static str {
///         "no transfer at all"
///     }
///
///     fn find(&self, _: &EngineRequest<'_>, _: &mut EngineObserver<'_>) -> Outcome {
///         Outcome::of_attempt(Ok(FoundSchedule { schedule: Schedule::new(), method: None }))
///     }
/// }
///
/// let engines = EngineRegistry::standard().clone().with_engine(&Lazy, EngineStage::Construction);
/// let ring = "ring:5".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole())?;
/// let options = PlanOptions { engines: &engines, ..PlanOptions::auto(1) };
/// let plan = Planner::new(problem, options).run(&Budget::evaluations(1 << 16), |_| {})?;
/// assert_ne!(plan.engine(), "lazy"); // its schedule was refused
///
/// let only = PlanOptions { engine: engines.choose("lazy")?, ..options };
/// let error = Planner::new(problem, only).run(&Budget::unlimited(), |_| {}).unwrap_err();
/// assert!(error.to_string().starts_with("the lazy engine made an invalid schedule: "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineRegistry<'a> {
    /// Ascending by stage.
    engines: EngineList<'a>,
}

/// A list in static memory, or on the heap. `Cow` would make the registry invariant in its lifetime.
#[derive(Clone, Debug)]
enum EngineList<'a> {
    Standard(&'a [RegisteredEngine<'a>]),
    Extended(Vec<RegisteredEngine<'a>>),
}

impl EngineRegistry<'static> {
    /// Returns the engines of Lockstep: `analytic`, `rings`, `construct`, `umda` and `hgsa`.
    pub const fn standard() -> &'static Self {
        &STANDARD
    }
}

impl<'a> EngineRegistry<'a> {
    /// Adds an engine behind the others of its stage, and includes it in [`EngineChoice::Auto`]. It replaces an engine
    /// of the same name.
    #[must_use]
    pub fn with_engine(self, engine: &'a dyn Engine, stage: EngineStage) -> Self {
        let mut engines = self.engines().to_vec();
        engines.retain(|known| known.engine.name() != engine.name());
        let place = engines.partition_point(|known| known.stage <= stage);
        engines.insert(place, RegisteredEngine { engine, stage, is_in_auto: true });
        Self { engines: EngineList::Extended(engines) }
    }

    /// Returns the engines in the order in which a planner runs them.
    pub fn engines(&self) -> &[RegisteredEngine<'a>] {
        match &self.engines {
            EngineList::Standard(engines) => engines,
            EngineList::Extended(engines) => engines,
        }
    }

    /// Returns the choice of a name: `auto`, or the name of an engine in this registry, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`EngineError`] with the names of this registry.
    pub fn choose(&self, name: &str) -> Result<EngineChoice, EngineError> {
        let mut choices = self.choices();
        let choice = choices.find(|choice| choice.name().eq_ignore_ascii_case(name));
        choice.ok_or_else(|| EngineError { name: name.to_owned(), choices: self.choices().collect() })
    }

    /// Returns every choice of this registry, the default first.
    pub fn choices(&self) -> impl Iterator<Item = EngineChoice> {
        let engines = self.engines().iter().map(|known| EngineChoice::Named(known.engine.name()));
        std::iter::once(EngineChoice::Auto).chain(engines)
    }

    /// Returns true if a planner with this choice can write checkpoints: it includes an engine of
    /// [`EngineStage::Search`].
    pub fn writes_checkpoints(&self, choice: EngineChoice) -> bool {
        self.chosen(choice).is_ok_and(|engines| engines.iter().any(|known| known.stage == EngineStage::Search))
    }

    /// Returns the engines of a choice, in order.
    pub(crate) fn chosen(&self, choice: EngineChoice) -> Result<Vec<RegisteredEngine<'a>>, EngineError> {
        let is_chosen = |known: &&RegisteredEngine<'a>| match choice {
            EngineChoice::Auto => known.is_in_auto,
            EngineChoice::Named(name) => known.engine.name() == name,
        };
        self.choose(choice.name())?;
        Ok(self.engines().iter().filter(is_chosen).copied().collect())
    }

    /// Returns the place of an engine in the order, from 0.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.engines().iter().position(|known| known.engine.name() == name)
    }
}

impl PartialEq for EngineRegistry<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.engines() == other.engines()
    }
}

impl Eq for EngineRegistry<'_> {}

/// Which engines of a registry a planner runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineChoice {
    /// Every engine that is [part of it](RegisteredEngine::is_in_auto), until one reaches the lower bound.
    Auto,
    /// The engine of this name only.
    Named(&'static str),
}

impl EngineChoice {
    /// Returns the name of the engine, or `auto`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(name) => name,
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EngineChoice {
    type Err = EngineError;

    /// Parses a name of the [standard registry](EngineRegistry::standard).
    fn from_str(text: &str) -> Result<Self, EngineError> {
        EngineRegistry::standard().choose(text)
    }
}

/// A name that no engine has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no engine '{}' in this version; {}", one_line(.name), name_advice(.name, choices.iter().map(|choice| choice.name())))]
pub struct EngineError {
    /// The name.
    pub name: String,
    /// The choices that exist.
    pub choices: Vec<EngineChoice>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_parsed_to_its_choice() {
        for choice in EngineRegistry::standard().choices() {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
    }

    #[test]
    fn an_unknown_engine_is_refused_with_the_known_ones() {
        let error = |name: &str| name.parse::<EngineChoice>().unwrap_err().to_string();
        let all = "there is no engine 'exact' in this version; choose auto, analytic, rings, construct, umda or hgsa";
        assert_eq!(error("exact"), all);
        assert_eq!(error("contsruct"), "there is no engine 'contsruct' in this version; did you mean 'construct'?");
    }

    #[test]
    fn an_added_engine_runs_behind_its_stage_and_replaces_its_namesake() {
        let names = |registry: &EngineRegistry<'_>| -> Vec<&'static str> {
            registry.engines().iter().map(|known| known.engine.name()).collect()
        };
        let registry = EngineRegistry::standard().clone().with_engine(&HgsaEngine, EngineStage::Construction);
        assert_eq!(names(&registry), ["analytic", "rings", "hgsa", "construct", "umda"]);
        assert_eq!(registry.chosen(EngineChoice::Auto).unwrap().len(), 4);
        assert!(!registry.writes_checkpoints(EngineChoice::Named("construct")));
    }
}
