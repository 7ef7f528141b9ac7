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

mod load;
mod plan;
mod planner;
mod recovery;

pub use lockstep_analytic as analytic;
pub use lockstep_bounds as bounds;
pub use lockstep_certificate as certificate;
pub use lockstep_construct as construct;
pub use lockstep_design as design;
pub use lockstep_evolve as evolve;
pub use lockstep_faults as faults;
pub use lockstep_files as files;
pub use lockstep_flow as flow;
pub use lockstep_metrics as metrics;
pub use lockstep_pareto as pareto;
pub use lockstep_paths as paths;
pub use lockstep_schedule as schedule;
pub use lockstep_topology as topology;

pub use load::{LoadError, MAX_NETWORK_BYTES, load, read_network};
pub use lockstep_certificate::{Certificate, LowerBound};
pub use lockstep_faults::FaultSet;
pub use lockstep_schedule::{
    Budget, Collective, CollectiveName, CommunicationModel, Problem, Schedule, ScheduleFile, verify,
};
pub use lockstep_topology::{CayleyGraph, ChannelId, NodeId, Topology, TopologyBuilder};
pub use plan::{Changes, CutShort, Plan, PlanFile, PlanFileError, PlanViolation, Repaired, Verdict, VerdictError};
pub use planner::{
    CheckpointError, DEFAULT_EVALUATIONS, Ending, EngineChoice, EngineError, EngineRegistry, EngineStage, Event,
    MAX_CHANNEL_USES, MAX_DELIVERIES, PlanError, PlanOptions, Planner, RegisteredEngine, SymmetricPlan,
    SymmetricPlanError, plan, plan_symmetric,
};
pub use recovery::{
    BookError, Consequence, ConsequenceError, Degradation, FaultOutcome, InterruptedSweep, Loss, PlanFigures, Recovery,
    RecoveryBook, Replan, ReplanError, SweepIdentity, SweepLog, replan, sweep,
};
