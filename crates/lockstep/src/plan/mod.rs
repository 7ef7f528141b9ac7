//! Plans and plan files.

mod binary;
mod changes;
mod claims;
mod deleted_bound;
mod file;
mod json;
mod made_by;
mod plan;
mod refusal;
mod verdict;

pub use changes::{Changes, Repaired};
pub(crate) use claims::Claims;
pub use file::{PlanFile, PlanFileError, PlanViolation};
pub use made_by::MadeBy;
pub(crate) use plan::Origin;
pub use plan::Plan;
pub(crate) use refusal::PlanRefusal;
pub use refusal::WithdrawnBound;
pub use verdict::{CutShort, Verdict, VerdictError};
