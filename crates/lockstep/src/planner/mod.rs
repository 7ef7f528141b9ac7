//! From a problem to a plan.

mod checkpoint;
mod engine;
mod event;
mod phase_planner;
mod plan_state;
mod planner;
mod symmetric_plan;

pub use checkpoint::CheckpointError;
pub use engine::{Engine, EngineError};
pub use event::{Ending, Event, Search};
pub(crate) use phase_planner::part_of_time;
pub(crate) use plan_state::Found;
pub use planner::{DEFAULT_EVALUATIONS, MAX_CHANNEL_USES, MAX_DELIVERIES, PlanError, PlanOptions, Planner, plan};
pub(crate) use planner::{check_size, share};
pub use symmetric_plan::{SymmetricPlan, SymmetricPlanError, plan_symmetric};
