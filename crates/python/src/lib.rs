//! The extension module of the Python package `lockstep-collectives`.
//!
//! Python sees this module as `lockstep_collectives._native`. The classes that users see are written in Python, in
//! `python/lockstep_collectives`, and hold objects of this module. No algorithm is here: each function converts its
//! arguments, calls the library `lockstep`, and converts the result.

#![deny(unsafe_code)]

mod arrays;
mod errors;
mod figures;
mod files;
mod names;
mod network;
mod problem;
mod progress;
mod schedule;
mod tasks;
mod worker;

/// The functions and classes of the module.
#[pyo3::pymodule]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python has this name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::errors::{
        DesignError, ExportError, FaultError, InvalidSchedule, LockstepError, MeasurementError, PlanError,
        ProblemError, SimulationError, TopologyError,
    };
    #[pymodule_export]
    use crate::files::{read_file, write_file};
    #[pymodule_export]
    use crate::names::names;
    #[pymodule_export]
    use crate::network::{Network, bandwidth, message_line, size, sizes, time};
    #[pymodule_export]
    use crate::problem::Problem;
    #[pymodule_export]
    use crate::schedule::{Schedule, export_formats, from_arrays, read_plan, read_schedule};
    #[pymodule_export]
    use crate::tasks::design::{design_all_gather, design_distance};
    #[pymodule_export]
    use crate::tasks::faults::faults;
    #[pymodule_export]
    use crate::tasks::front::{Front, front};
    #[pymodule_export]
    use crate::tasks::judge::judge;
    #[pymodule_export]
    use crate::tasks::measure::{fit, observed, read_measurements};
    #[pymodule_export]
    use crate::tasks::plan::{bounds, plan, replan};
    #[pymodule_export]
    use crate::tasks::recovery_book::Book;
    #[pymodule_export]
    use crate::tasks::simulate::{simulate_schedule, simulate_workload};
}
