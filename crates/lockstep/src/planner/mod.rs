//! From a problem to a plan: engines, their order, and the events of their work.

mod all_reduce;
mod bounds;
mod budget_share;
mod checkpoint;
mod checkpoint_v3;
mod error;
mod event;
mod islands;
mod limits;
mod mirror;
mod options;
mod parts;
mod pass;
mod passes;
mod phase_planner;
mod plan_state;
mod planner;
mod registry;
mod rounds;
mod symmetric_plan;

pub(crate) use all_reduce::bound_of_all_reduce;
pub(crate) use budget_share::{part_of_time, share};
pub use checkpoint::{CHECKPOINT_KIND, CheckpointError};
pub use error::PlanError;
pub use event::{Ending, Event};
pub use islands::{ISLANDS_KIND, IslandError, IslandEvent, IslandPlanner};
pub(crate) use islands::{IslandTask, TASK_KIND as ISLAND_TASK_KIND};
pub use limits::{DEFAULT_EVALUATIONS, MAX_CHANNEL_USES, MAX_DELIVERIES};
pub(crate) use limits::{TRANSFERS, check_size};
pub use options::PlanOptions;
pub(crate) use options::StoredOptions;
pub use parts::PartError;
pub use planner::{Planner, plan};
pub use registry::{EngineChoice, EngineError, EngineRegistry, EngineStage, RegisteredEngine};
pub use symmetric_plan::{SymmetricPlan, SymmetricPlanError, plan_symmetric, plan_symmetric_observed};
