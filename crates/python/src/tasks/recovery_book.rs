//! Recovery books: the plans after many fault sets, from a file.

use lockstep::{Degradation, FaultOutcome, PlanFile, RecoveryBook};
use pyo3::prelude::*;

use super::faults::{Effect, loss};
use crate::errors;
use crate::network::{FaultName, fault_set};
use crate::schedule::Schedule;

/// A recovery book.
#[pyclass(frozen)]
pub(crate) struct Book {
    book: RecoveryBook,
}

/// The figures of a fault set: its name, the steps, bound and verdict of its plan, or why there is none.
type Row = (String, Option<(u32, u32, String)>, Option<String>);

#[pymethods]
impl Book {
    #[staticmethod]
    fn read(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let book = py.detach(move || RecoveryBook::read(&bytes));
        Ok(Self { book: book.map_err(errors::book)? })
    }

    /// The plan without faults.
    #[getter]
    fn before(&self, py: Python<'_>) -> PyResult<Schedule> {
        checked(py, self.book.before().clone())
    }

    /// The fault sets in words.
    #[getter]
    fn sets(&self) -> &str {
        self.book.sets()
    }

    fn rows(&self) -> Vec<Row> {
        let row = |row: &Degradation| {
            let figures = match &row.outcome {
                FaultOutcome::Planned(plan) => Some((plan.steps, plan.bound, plan.verdict.to_string())),
                FaultOutcome::Lost(_) => None,
            };
            (row.faults.name(self.book.topology()), figures, loss(&row.outcome, self.book.topology()))
        };
        self.book.rows().map(row).collect()
    }

    /// Returns the plan after faults, which is checked, or why there is none.
    fn look_up(
        &self,
        py: Python<'_>,
        links: Vec<FaultName>,
        channels: Vec<FaultName>,
        nodes: Vec<String>,
    ) -> PyResult<Effect> {
        let topology = self.book.topology();
        let faults = fault_set(links, channels, nodes).of(topology).map_err(errors::fault)?;
        let missing = || {
            let (name, sets) = (faults.name(topology), self.book.sets());
            errors::fault(format!("no plan for {name}; the book has plans for {sets}"))
        };
        let recovery = self.book.look_up(&faults).map_err(errors::book)?.ok_or_else(missing)?;
        let plan = recovery.plan.map(|plan| checked(py, plan)).transpose()?;
        Ok((faults.name(topology), plan, loss(&recovery.degradation.outcome, topology)))
    }
}

fn checked(py: Python<'_>, plan: PlanFile) -> PyResult<Schedule> {
    py.detach(move || Ok(plan.check().map_err(errors::invalid)?.into()))
}
