//! Plans and plan files.

mod binary;
mod changes;
mod claims;
mod file;
mod json;
mod plan;
mod verdict;

pub use changes::{Changes, Repaired};
pub(crate) use claims::Claims;
pub use file::{PlanFile, PlanFileError, PlanViolation};
pub(crate) use plan::Origin;
pub use plan::Plan;
pub use verdict::{CutShort, Verdict, VerdictError};
