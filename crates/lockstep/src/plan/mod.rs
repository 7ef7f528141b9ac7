//! Plans and plan files.

mod binary;
mod file;
mod json;
mod plan;

pub use file::{PlanFile, PlanFileError, PlanViolation};
pub(crate) use json::parse;
pub use plan::{CutShort, Plan, Verdict, VerdictError};
