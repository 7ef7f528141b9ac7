//! The univariate marginal distribution algorithm.

mod algorithm;
mod feasibility_repair;
mod individual_maker;
mod initial;
mod options;
mod port_balance;
mod shuffle;

pub use algorithm::Umda;
#[cfg(test)]
pub(crate) use feasibility_repair::FeasibilityRepair;
pub use options::{Mutation, UmdaOptions};
