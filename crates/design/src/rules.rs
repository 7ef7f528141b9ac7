//! Which codes are drawn, and which are kept.

use lockstep_pareto::SelectionAlgorithm;
use serde::{Deserialize, Serialize};

/// How codes come about, and which may stay, beside those of connected networks.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignRules {
    /// Probability that a new cable may leave the cabinet, 0 to 1. In a machine of one cabinet none does, and all do where a
    /// cabinet is one chassis.
    pub external: f64,
    /// Probability that a mutation brings cables and does not take them away, 0 to 1.
    pub growth: f64,
    /// Cables of the first codes.
    pub start: Start,
    /// What becomes of codes with an odd number of slots in use.
    pub odd_links: OddLinks,
    /// How many ports routers may have.
    pub ports: Ports,
}

/// How many slots of each router the first codes use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// One.
    One,
    /// Any number, each as likely, the same for both routers.
    Uniform,
}

/// What becomes of codes with an odd number of slots in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OddLinks {
    /// They are codes like others.
    Keep,
    /// They are discarded.
    Reject,
}

/// How many ports the two routers of a chassis may have: ends of cables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ports {
    /// As many as come together.
    Any,
    /// Both as many.
    Equal,
    /// So many at most.
    AtMost(u32),
}

impl DesignRules {
    /// The rules that reproduce the ExaNeSt document's tables best: it says how codes are changed, and measurements on its figures
    /// that the first ones use one slot a router and that odd ones are discarded.
    pub const PUBLISHED: Self =
        Self { external: 0.0, growth: 0.5, start: Start::One, odd_links: OddLinks::Reject, ports: Ports::Any };
}

/// The generations of a hundred after which fronts by [`DesignRules::PUBLISHED`] have the means of the ExaNeSt document's Table II;
/// it states 100, which search better.
pub const fn published_generations(algorithm: SelectionAlgorithm) -> u32 {
    match algorithm {
        SelectionAlgorithm::SmsEmoa => 11,
        SelectionAlgorithm::Nsga2 | SelectionAlgorithm::Nsga3 => 18,
    }
}

impl Ports {
    /// Whether routers may have these ports.
    pub(crate) fn allow(self, [first, second]: [u32; 2]) -> bool {
        match self {
            Self::Any => true,
            Self::Equal => first == second,
            Self::AtMost(most) => first.max(second) <= most,
        }
    }
}
