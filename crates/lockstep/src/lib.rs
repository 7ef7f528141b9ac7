//! Certified collective communication schedules for any interconnection network.
//!
//! [`plan()`] takes a network, a collective and the network's rules. It returns a verified schedule, and a lower bound
//! on the number of steps with a certificate. This crate has no algorithm of its own: it runs the engines and bounds of
//! Lockstep, and verifies what they return.
//!
//! ```
//! use lockstep::{Budget, Collective, CommunicationModel, Topology, plan};
//!
//! let mesh: Topology = "mesh:4x4".parse()?;
//! let all_to_all = Collective::all_to_all();
//! let plan = plan(&mesh, &all_to_all, &CommunicationModel::wormhole(), &Budget::evaluations(1 << 22))?;
//! assert!(plan.is_optimal());
//! assert_eq!(plan.step_count(), 16); // the messages between two halves cross the cut in the middle
//! for (step, transfers) in plan.schedule().steps() {
//!     for transfer in transfers.iter() {
//!         println!("step {step}: message {} along {:?}", transfer.message, transfer.path);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A **network** is a [`Topology`]: terminals, switches and directed channels. [`load`] reads one from a file or a
//!   spec.
//! - A **collective** is a [`Collective`]: the messages with their sources and receivers. A [`CommunicationModel`] has
//!   the network's rules: switching, ports and routing. The three together are a [`Problem`].
//! - A **schedule** is a list of synchronized steps. No two transfers of a step share a channel.
//! - A **lower bound** is a number of steps that no schedule can beat. Its [`Certificate`] is checked without any
//!   search.
//! - A **plan** is a [`Plan`]: a schedule that the verifier has accepted, with a bound, and their distance as a
//!   [`Verdict`].
//! - A **budget** is a [`Budget`]: a number of evaluations, or a time. Within evaluations, the same seed gives the same
//!   plan on any number of threads.
//! - An **engine** finds schedules. Each one implements the trait [`Engine`](schedule::Engine).
//!
//! # Entry points
//!
//! | Task | Start with |
//! |---|---|
//! | plan a collective | [`plan()`], [`Planner`] |
//! | plan a huge symmetric network | [`plan_symmetric`] |
//! | read, write and check plan files | [`PlanFile`] |
//! | plan again after faults | [`replan()`] |
//! | plan for many fault sets in advance | [`sweep()`], [`SweepLog`], [`RecoveryBook`] |
//! | start the threads before any work | [`start_threads`] |
//! | divide the work among processes | [`Workers`], [`Worker`], [`sweep_with`], [`IslandPlanner`], [`advance_generation`] |
//! | check a plan from elsewhere | [`PlanFile::check`], [`verify`], [`LowerBound::check`] |
//!
//! # Add an engine
//!
//! 1. Implement [`Engine`](schedule::Engine): a name, a description, and one function from a request to a schedule.
//! 2. Add it to a registry: `EngineRegistry::standard().clone().with_engine(&mine, EngineStage::Construction)`.
//! 3. Give the registry to [`PlanOptions`]. Planning, replanning and sweeps then run the engine as part of `auto`.
//!
//! The planner verifies each schedule of the engine, and drops an invalid one. [`EngineRegistry`] has a complete
//! example.
//!
//! # Modules
//!
//! Every library of Lockstep is a module of this crate, except `lockstep-report` with its pictures, pages and tables,
//! `lockstep-export` with the formats of runtimes and simulators, `lockstep-execute`, which runs programs of such formats,
//! `lockstep-steps`, which converts them to schedules, `lockstep-rings` with rings for NCCL and RCCL, `lockstep-tune`, which
//! chooses among the algorithms of libraries, and `lockstep-measure`, which fits networks to the outputs of benchmarks.
//!
//! | Module | Contents |
//! |---|---|
//! | [`topology`] | networks, families, graph files |
//! | [`paths`] | shortest and disjoint paths, maximum flow |
//! | [`model`] | the tables of searches: slots, and the timetable of their uses |
//! | [`schedule`] | collectives, models, schedules, the verifier |
//! | [`certificate`] | lower bounds as certificates, and their check |
//! | [`bounds`] | rules that compute lower bounds |
//! | [`analytic`] | constructions for networks of known structure |
//! | [`construct`] | heuristic methods for any network; repair |
//! | [`evolve`] | evolutionary search |
//! | [`exact`] | schedules of a given number of steps, or proofs that there is none |
//! | [`faults`] | fault sets, their enumeration and symmetry classes |
//! | [`metrics`] | bisection, throughput, distances, spectrum |
//! | [`pareto`] | multi-objective evolution |
//! | [`design`] | network design |
//! | [`flow`] | simulation of programs as flows |
//! | [`files`] | file kinds and sealed binary files |

mod front;
mod load;
mod plan;
mod planner;
mod recovery;
mod threads;
mod workers;

pub use lockstep_analytic as analytic;
pub use lockstep_bounds as bounds;
pub use lockstep_certificate as certificate;
pub use lockstep_construct as construct;
pub use lockstep_design as design;
pub use lockstep_evolve as evolve;
pub use lockstep_exact as exact;
pub use lockstep_faults as faults;
pub use lockstep_files as files;
pub use lockstep_flow as flow;
pub use lockstep_metrics as metrics;
pub use lockstep_model as model;
pub use lockstep_pareto as pareto;
pub use lockstep_paths as paths;
pub use lockstep_schedule as schedule;
pub use lockstep_topology as topology;

pub use front::{
    AlgorithmTimes, Front, FrontBound, FrontCurve, FrontCurves, FrontError, FrontEvent, FrontOptions, FrontPlan,
    Timing, algorithm_times, coarse_networks, curve_sizes, front, sizes_between, time_bound,
};
pub use load::{
    LoadError, LoadOptions, MAX_NETWORK_BYTES, is_network_file, load, load_with, read_network, read_network_with,
};
pub use lockstep_certificate::{Certificate, LowerBound};
pub use lockstep_faults::FaultSet;
pub use lockstep_schedule::{
    Budget, Collective, CollectiveName, CommunicationModel, Problem, Schedule, ScheduleFile, verify,
};
pub use lockstep_topology::{CayleyGraph, ChannelId, NodeId, Topology, TopologyBuilder};
pub use plan::{
    Changes, CutShort, MadeBy, Plan, PlanFile, PlanFileError, PlanViolation, Repaired, Verdict, VerdictError,
    WithdrawnBound,
};
pub use planner::{
    CHECKPOINT_KIND, CheckpointError, DEFAULT_EVALUATIONS, Ending, EngineChoice, EngineError, EngineRegistry,
    EngineStage, Event, ISLANDS_KIND, IslandError, IslandEvent, IslandPlanner, MAX_CHANNEL_USES, MAX_DELIVERIES,
    PartError, PlanError, PlanOptions, Planner, RegisteredEngine, SymmetricPlan, SymmetricPlanError, plan,
    plan_symmetric, plan_symmetric_observed,
};
pub use recovery::{
    BOOK_KIND, BookError, Consequence, ConsequenceError, Degradation, FaultOutcome, InterruptedSweep, Loss,
    PlanFigures, RecoveryBook, Replan, ReplanError, SharedSweepError, SweepIdentity, SweepLog, SweepPage, replan,
    sweep, sweep_with,
};
pub use threads::{refused_thread, start_threads, thread_count};
pub use workers::{GenerationError, NoWorkers, Worker, WorkerError, Workers, advance_generation};

/// The examples of the guide and of the README of the repository.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../docs/guide/src/library.md")]
    struct Library;

    #[doc = include_str!("../../../README.md")]
    struct Readme;
}
