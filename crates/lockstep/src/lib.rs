//! Certified collective communication schedules for any interconnection network.
//!
//! [`plan()`] takes a network, a collective and the rules of the network, and returns the shortest schedule it finds,
//! judged valid, with a proved lower bound on the number of steps. Not here: any algorithm. Each part is a crate of its own,
//! and each crate a module of this one.
//!
//! ```
//! use lockstep::{Budget, Collective, CommunicationModel, Topology, plan};
//!
//! let mesh: Topology = "mesh:4x4".parse()?;
//! let exchange = Collective::all_to_all();
//! let plan = plan(&mesh, &exchange, &CommunicationModel::wormhole(), &Budget::evaluations(1 << 22))?;
//! assert!(plan.is_optimal());
//! assert_eq!(plan.step_count(), 16); // the traffic between two halves crosses the cut in the middle
//! for (step, transfers) in plan.schedule().steps() {
//!     for transfer in transfers.iter() {
//!         println!("step {step}: message {} along {:?}", transfer.message, transfer.path);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binary;
mod book;
mod checkpoint;
mod degradation;
mod engine;
mod event;
mod file;
mod journey;
mod json;
mod load;
mod plan;
mod planner;
mod quest;
mod replan;
mod sweep_log;
mod symmetric;

pub use lockstep_analytic as analytic;
pub use lockstep_bounds as bounds;
pub use lockstep_construct as construct;
pub use lockstep_design as design;
pub use lockstep_envelope as envelope;
pub use lockstep_evolve as evolve;
pub use lockstep_faults as faults;
pub use lockstep_flow as flow;
pub use lockstep_metrics as metrics;
pub use lockstep_pareto as pareto;
pub use lockstep_paths as paths;
pub use lockstep_schedule as schedule;
pub use lockstep_topology as topology;

pub use book::{BookError, Recovery, RecoveryBook};
pub use checkpoint::CheckpointError;
pub use degradation::{Consequence, ConsequenceError, Degradation, Loss, Outcome, Planned, sweep};
pub use engine::{Engine, EngineError};
pub use event::{Ending, Event, Search};
pub use file::{PlanFile, PlanFileError, PlanViolation};
pub use load::{LoadError, MAX_NETWORK_BYTES, load, read_network};
pub use lockstep_bounds::{Certificate, LowerBound};
pub use lockstep_faults::FaultSet;
pub use lockstep_schedule::{
    Budget, Collective, CollectiveName, CommunicationModel, Problem, Schedule, ScheduleFile, verify,
};
pub use lockstep_topology::{CayleyGraph, ChannelId, NodeId, Topology, TopologyBuilder};
pub use plan::{CutShort, Plan, Verdict, VerdictError};
pub use planner::{DEFAULT_EVALUATIONS, MAX_CHANNEL_USES, MAX_DELIVERIES, PlanError, PlanOptions, Planner, plan};
pub use replan::{Changes, Repaired, Replan, ReplanError, replan};
pub use sweep_log::{Interrupted, SweepIdentity, SweepLog};
pub use symmetric::{SymmetricPlan, SymmetricPlanError, plan_symmetric};
