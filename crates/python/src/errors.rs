//! The exceptions of the package.

use std::fmt::Display;

use lockstep::files::message_line;
use lockstep::{BookError, PlanError as Unplanned, PlanFileError};
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(lockstep_collectives, LockstepError, PyException, "Base class of all errors of Lockstep.");
create_exception!(lockstep_collectives, TopologyError, LockstepError, "A network cannot be read or built.");
create_exception!(
    lockstep_collectives,
    ProblemError,
    LockstepError,
    "Network, collective and model do not fit together, or an option has an unknown value."
);
create_exception!(
    lockstep_collectives,
    PlanError,
    LockstepError,
    "There is no plan, or a plan file or recovery book cannot be read."
);
create_exception!(
    lockstep_collectives,
    InvalidSchedule,
    LockstepError,
    "The verifier refuses a schedule, or a plan claims what it does not prove."
);
create_exception!(lockstep_collectives, FaultError, LockstepError, "A fault is not in the network.");
create_exception!(lockstep_collectives, DesignError, LockstepError, "There is no network with these properties.");
create_exception!(lockstep_collectives, SimulationError, LockstepError, "A simulation is impossible.");
create_exception!(
    lockstep_collectives,
    MeasurementError,
    LockstepError,
    "A measurement cannot be read, or does not fit the network."
);
create_exception!(lockstep_collectives, ExportError, LockstepError, "A format does not support a schedule.");

/// Returns the lines of a message, with long words shortened: any library can quote a value of the user.
fn message(error: impl Display) -> String {
    error.to_string().split('\n').map(message_line).collect::<Vec<_>>().join("\n")
}

/// Returns the exception of a network that cannot be read or built.
pub(crate) fn network(error: impl Display) -> PyErr {
    TopologyError::new_err(message(error))
}

/// Returns the exception of a wrong problem or option.
pub(crate) fn problem(error: impl Display) -> PyErr {
    ProblemError::new_err(message(error))
}

/// Returns the exception of a schedule that the verifier refuses.
pub(crate) fn invalid(error: impl Display) -> PyErr {
    InvalidSchedule::new_err(message(error))
}

/// Returns the exception of a fault that is not in the network.
pub(crate) fn fault(error: impl Display) -> PyErr {
    FaultError::new_err(message(error))
}

/// Returns the exception of a plan file that cannot be read.
pub(crate) fn plan_file(error: PlanFileError) -> PyErr {
    PlanError::new_err(message(error))
}

/// Returns the exception of a recovery book that cannot be read, or of a plan in it that is refused.
pub(crate) fn book(error: BookError) -> PyErr {
    match error {
        BookError::Page { .. } => invalid(error),
        error => PlanError::new_err(message(error)),
    }
}

/// Returns the exception of planning.
pub(crate) fn plan(error: Unplanned) -> PyErr {
    match error {
        Unplanned::Problem(error) => problem(error),
        error => PlanError::new_err(message(error)),
    }
}

/// Returns the exception of a design that is impossible.
pub(crate) fn design(error: impl Display) -> PyErr {
    DesignError::new_err(message(error))
}

/// Returns the exception of a simulation that is impossible.
pub(crate) fn simulation(error: impl Display) -> PyErr {
    SimulationError::new_err(message(error))
}

/// Returns the exception of a measurement that cannot be read, or does not fit the network.
pub(crate) fn measurement(error: impl Display) -> PyErr {
    MeasurementError::new_err(message(error))
}

/// Returns the exception of a format that does not support a schedule.
pub(crate) fn export(error: impl Display) -> PyErr {
    ExportError::new_err(message(error))
}

/// Returns the exception of a program that cannot be read or executed.
pub(crate) fn program(error: impl Display) -> PyErr {
    LockstepError::new_err(message(error))
}
