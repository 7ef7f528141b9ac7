//! The rules for random codes and for valid codes.

use lockstep_pareto::SelectionAlgorithm;
use serde::{Deserialize, Serialize};

/// The rules for creating codes and for discarding them. Codes of disconnected networks are always discarded.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DesignRules {
    /// Probability that a new cable may leave its cabinet, 0 to 1. Ignored if the machine has one cabinet, or one
    /// chassis per cabinet.
    pub external: f64,
    /// Probability that a mutation adds cables, 0 to 1. Otherwise it removes cables.
    pub growth: f64,
    /// Number of used slots in the first population.
    pub start: InitialSlots,
    /// The treatment of codes with an odd number of used slots.
    pub odd_links: OddLinks,
    /// The limit on the number of ports per router.
    pub ports: PortRule,
}

/// The number of used slots per router in the first population.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum InitialSlots {
    /// One slot.
    One,
    /// A uniform random number, the same for both routers.
    Uniform,
}

/// The treatment of codes with an odd number of used slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OddLinks {
    /// They are kept.
    Keep,
    /// They are discarded.
    Reject,
}

/// The limit on the number of ports (cable ends) of the two routers of a chassis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PortRule {
    /// Any numbers.
    Any,
    /// The same number on both routers.
    Equal,
    /// At most this number per router.
    AtMost(u32),
}

impl DesignRules {
    /// The rules that reproduce the tables of the ExaNeSt document best.
    ///
    /// The document states the variation of codes. The first population and the treatment of odd codes are inferred
    /// from its figures.
    pub const PUBLISHED: Self = Self {
        external: 0.0,
        growth: 0.5,
        start: InitialSlots::One,
        odd_links: OddLinks::Reject,
        ports: PortRule::Any,
    };
}

/// Returns the number of generations after which fronts by [`DesignRules::PUBLISHED`] match Table II of the ExaNeSt
/// document.
///
/// The population has 100 individuals. The document states 100 generations, which give better fronts than it reports.
pub const fn published_generations(algorithm: SelectionAlgorithm) -> u32 {
    match algorithm {
        SelectionAlgorithm::SmsEmoa => 11,
        SelectionAlgorithm::Nsga2 | SelectionAlgorithm::Nsga3 => 18,
    }
}

impl PortRule {
    /// Returns true if the rule allows these numbers of ports.
    pub(crate) fn allow(self, [first, second]: [u32; 2]) -> bool {
        match self {
            Self::Any => true,
            Self::Equal => first == second,
            Self::AtMost(most) => first.max(second) <= most,
        }
    }
}
