//! Events of the library as dictionaries of Python.

use lockstep::{Event, FrontEvent};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An event, owned by the thread that reports it.
#[derive(Debug)]
pub(crate) struct Progress(Vec<(&'static str, Field)>);

/// A value of an event.
#[derive(Debug)]
enum Field {
    Number(u64),
    Text(String),
}

impl Progress {
    fn of(kind: &str) -> Self {
        Self(Vec::new()).text("event", kind)
    }

    fn text(mut self, name: &'static str, text: impl ToString) -> Self {
        self.0.push((name, Field::Text(text.to_string())));
        self
    }

    fn number(mut self, name: &'static str, number: Option<u64>) -> Self {
        self.0.extend(number.map(|number| (name, Field::Number(number))));
        self
    }

    /// Returns the event of a planner; `None` for events that have no form in Python.
    pub(crate) fn of_planner(event: &Event<'_>) -> Option<Self> {
        let count = |steps: &Option<u32>| steps.map(u64::from);
        Some(match event {
            Event::Bound { rule, steps } => Self::of("bound").text("rule", rule).number("steps", count(steps)),
            Event::Tried { engine, method, steps, .. } => {
                let tried = Self::of("tried").text("engine", engine).number("steps", count(steps));
                method.iter().fold(tried, |tried, method| tried.text("method", method))
            }
            Event::Found { engine, steps } => {
                Self::of("found").text("engine", engine).number("steps", Some((*steps).into()))
            }
            Event::Search(search) => Self::of("search")
                .number("steps", Some(search.steps.into()))
                .number("evaluations", Some(search.evaluations))
                .number("limit", search.evaluation_limit),
            Event::Ended(ending) => Self::of("ended").text("reason", ending),
            _ => return None,
        })
    }

    /// Returns the event of a front.
    pub(crate) fn of_front(event: FrontEvent) -> Self {
        Self::of("found")
            .number("chunks", Some(event.chunks.into()))
            .number("steps", Some(event.steps.into()))
            .number("width", Some(event.width_sum))
    }

    /// Returns the event of a sweep or a search in rounds: `done` of `total`.
    pub(crate) fn of_count(kind: &str, done: usize, total: Option<usize>) -> Self {
        Self::of(kind).number("done", Some(done as u64)).number("total", total.map(|total| total as u64))
    }

    /// Returns the event as a dictionary.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, field) in &self.0 {
            match field {
                Field::Number(number) => dict.set_item(name, number)?,
                Field::Text(text) => dict.set_item(name, text)?,
            }
        }
        Ok(dict)
    }
}
