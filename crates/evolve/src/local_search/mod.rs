//! Local search on a schedule under construction: ejection chains, and Metropolis's rule.

mod ejection_chains;
mod metropolis;
mod path_choices;
mod step_set;

pub use ejection_chains::{EjectionChainOptions, EjectionChainSearch};
pub(crate) use metropolis::accepts;
pub(crate) use path_choices::{PathChoices, ShortestPathChoices};
