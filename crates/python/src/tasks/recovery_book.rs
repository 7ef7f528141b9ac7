//! Recovery books: the plans after many fault sets, from a file.

use lockstep::{Degradation, FaultOutcome, RecoveryBook};
use pyo3::prelude::*;

use super::faults::{Effect, loss};
use crate::errors;
use crate::network::{FaultNames, fault_set};
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
        let before = self.book.before().clone();
        py.detach(move || Ok(before.check().map_err(errors::invalid)?.into()))
    }

    /// The fault sets in words.
    #[getter]
    fn sets(&self) -> &str {
        self.book.sets()
    }

    fn __len__(&self) -> usize {
        self.book.len()
    }

    /// The figures of all fault sets, after the check of their plans.
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<Row>> {
        let row = |row: &Degradation| {
            let figures = match &row.outcome {
                FaultOutcome::Planned(plan) => Some((plan.steps, plan.bound, plan.verdict.to_string())),
                FaultOutcome::Lost(_) => None,
            };
            (row.faults.name(self.book.topology()), figures, loss(&row.outcome, self.book.topology()))
        };
        let rows = py.detach(|| self.book.rows()).map_err(errors::book)?;
        Ok(rows.iter().map(row).collect())
    }

    /// Returns the plan after faults, which is checked, or why there is none.
    fn look_up(&self, py: Python<'_>, faults: FaultNames) -> PyResult<Effect> {
        let topology = self.book.topology();
        let faults = fault_set(faults).of(topology).map_err(errors::fault)?;
        let missing = || {
            let (name, sets) = (faults.name(topology), self.book.sets());
            errors::fault(format!("no plan for {name}; the book has plans for {sets}"))
        };
        let recovery = py.detach(|| self.book.look_up(&faults)).map_err(errors::book)?.ok_or_else(missing)?;
        Ok((faults.name(topology), recovery.plan.map(Schedule::from), loss(&recovery.degradation.outcome, topology)))
    }
}
