//! The error of the network generators.

use crate::TopologyError;

/// The reason a family has no network of the requested size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// A parameter value for which the family is not defined.
    #[error("the {parameter} is {value}, but {family} needs {needs}; try {instead}")]
    Parameter {
        /// Name of the family.
        family: &'static str,
        /// Description of the parameter, such as `number of nodes`.
        parameter: &'static str,
        /// Its value.
        value: u64,
        /// Description of the supported values.
        needs: String,
        /// One or two valid specs close to the requested one.
        instead: String,
    },
    /// A network with too many nodes or channels.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}
