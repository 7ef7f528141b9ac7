//! A scored design.

use serde::{Deserialize, Serialize};

use crate::cabling_code::CablingCode;

/// A cabling code and the scores of its network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// One score per objective.
    pub scores: Vec<f64>,
    /// The code of the network.
    pub code: CablingCode,
}
