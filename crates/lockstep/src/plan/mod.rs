//! Plans and plan files.

mod binary;
mod changes;
mod file;
mod json;
mod plan;
mod verdict;

pub use changes::{Changes, Repaired};
pub use file::{PlanFile, PlanFileError, PlanViolation};
pub(crate) use json::parse;
pub(crate) use plan::Origin;
pub use plan::Plan;
pub use verdict::{CutShort, Verdict, VerdictError};
