//! The origin of a plan file.

use serde::{Deserialize, Serialize};

/// The program and the command that made a plan file. [`PlanFile::check`](crate::PlanFile::check) ignores them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MadeBy {
    /// The version of the program, such as `0.2.0`.
    pub version: String,
    /// The command that gives this plan again, without options that do not change the plan.
    pub command: String,
}
