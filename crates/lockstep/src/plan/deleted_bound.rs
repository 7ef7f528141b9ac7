//! Lower bounds in plan files by rules that exist no more.

use lockstep_bounds::all_within;
use lockstep_certificate::LowerBound;
use lockstep_schedule::{Budget, Problem};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A rule of release 0.1.0 that exists no more.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DeletedRule {
    /// The growth of the set of holders, by a linear program over node sets.
    BroadcastLp,
    /// The sum of the bounds of both phases of an all-reduce.
    Phases,
    /// A cut over the channels that transfers from one source may use.
    SourceCut,
}

/// A lower bound by a deleted rule. Its certificate cannot be checked any more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeletedBound {
    #[serde(rename = "steps")]
    _steps: u32,
    #[serde(rename = "rule")]
    _rule: DeletedRule,
    #[serde(rename = "certificate")]
    _certificate: IgnoredAny,
}

/// Returns the bound that replaces a deleted one: the best by the cheap rules.
pub(super) fn replacement(problem: &Problem<'_>) -> LowerBound {
    let mut bounds = all_within(problem, &Budget::seconds(0), |_| {});
    bounds.swap_remove(0)
}
