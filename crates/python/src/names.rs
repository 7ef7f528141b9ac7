//! The names that options can have.

use lockstep::flow::{RateModel, Routing, StepMode};
use lockstep::topology::GraphFormat;
use lockstep::{CollectiveName, EngineChoice, EngineRegistry};
use lockstep_execute::Format;
use lockstep_export::FORMATS;
use lockstep_tune::Library;
use pyo3::prelude::*;

/// Returns the names of all values of options, by the name of their type in Python.
#[pyfunction]
pub(crate) fn names() -> Vec<(&'static str, Vec<String>)> {
    fn texts(names: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
        names.into_iter().map(|name| name.to_string()).collect()
    }
    vec![
        ("CollectiveName", texts(CollectiveName::ALL.map(CollectiveName::word))),
        ("Engine", texts(EngineRegistry::standard().choices().map(EngineChoice::name))),
        ("NetworkFormat", texts(GraphFormat::ALL.map(GraphFormat::name))),
        ("WrittenFormat", texts(GraphFormat::WRITTEN.map(GraphFormat::name))),
        ("ExportName", texts(FORMATS.iter().map(|format| format.name))),
        ("ProgramFormat", texts(Format::ALL.map(Format::name))),
        ("FlowRouting", texts(Routing::ALL)),
        ("Rates", texts(RateModel::ALL)),
        ("StepMode", texts(StepMode::ALL)),
        ("Library", texts(Library::ALL)),
    ]
}
