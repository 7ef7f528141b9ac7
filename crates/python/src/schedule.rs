//! Schedules, alone or as a plan with a lower bound.

use std::sync::Arc;

use lockstep::schedule::{MessageId, Verification};
use lockstep::{ChannelId, Plan, PlanFile, Schedule as Steps, ScheduleFile, verify};
use lockstep_export::{Connections, Export, ExportOptions, FORMATS, Placement, Runtime, format_named};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{Column, column, read_u32};
use crate::network::{Network, no_format};
use crate::problem::Problem;
use crate::{errors, figures};

/// A schedule with its problem; as a plan also with its lower bound.
#[pyclass(frozen)]
pub(crate) struct Schedule {
    file: Arc<ScheduleFile>,
    plan: Option<Plan>,
}

impl From<Plan> for Schedule {
    fn from(plan: Plan) -> Self {
        Self { file: plan.to_file(None).schedule, plan: Some(plan) }
    }
}

impl From<ScheduleFile> for Schedule {
    fn from(file: ScheduleFile) -> Self {
        Self { file: Arc::new(file), plan: None }
    }
}

impl Schedule {
    /// Returns the schedule with its problem.
    pub(crate) fn file(&self) -> &Arc<ScheduleFile> {
        &self.file
    }

    /// Returns the plan.
    ///
    /// # Errors
    ///
    /// If the schedule has no lower bound.
    pub(crate) fn plan(&self) -> PyResult<&Plan> {
        let missing = || errors::PlanError::new_err("the schedule has no lower bound; use lockstep_collectives.plan");
        self.plan.as_ref().ok_or_else(missing)
    }
}

#[pymethods]
impl Schedule {
    #[getter]
    fn network(&self) -> Network {
        self.file.topology().clone().into()
    }

    #[getter]
    fn steps(&self) -> usize {
        self.file.schedule().step_count()
    }

    #[getter]
    fn transfer_count(&self) -> usize {
        self.file.schedule().transfer_count()
    }

    /// The number of messages, the chunks of each, and the sum of the widths of all steps.
    #[getter]
    fn counts(&self) -> (usize, u32, u64) {
        let problem = self.file.problem();
        (problem.messages().len(), self.file.collective().chunks().get(), self.file.schedule().width_sum())
    }

    #[getter]
    fn collective(&self) -> &'static str {
        self.file.collective().name().map_or("custom", lockstep::CollectiveName::word)
    }

    #[getter]
    fn model(&self) -> String {
        self.file.model().to_string()
    }

    /// The lower bound in steps, its rule, its explanation and the verdict.
    #[getter]
    fn bound(&self) -> PyResult<(u32, String, String, String)> {
        let plan = self.plan()?;
        let bound = plan.lower_bound();
        Ok((bound.steps, bound.rule.to_string(), figures::explanation(plan), plan.verdict().to_string()))
    }

    /// The engine that found the plan, its seed, and why the search was cut short.
    #[getter]
    fn origin(&self) -> PyResult<(String, u64, Option<&'static str>)> {
        let plan = self.plan()?;
        let cut_short = plan.cut_short().map(|reason| match reason {
            lockstep::CutShort::Deadline => "deadline",
            lockstep::CutShort::Interrupt => "interrupt",
        });
        Ok((plan.engine().to_owned(), plan.seed(), cut_short))
    }

    /// The columns of the transfers: step, message, source, target, the ends of the paths, and the channels of all paths.
    fn transfers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (schedule, topology) = (self.file.schedule(), self.file.topology());
        let count = schedule.transfer_count();
        let transfers = || schedule.steps().flat_map(|(step, transfers)| transfers.iter().map(move |one| (step, one)));
        let end = |channel: Option<&ChannelId>, node: fn(&lockstep::Topology, ChannelId) -> lockstep::NodeId| {
            channel.map_or(u32::MAX, |&channel| node(topology, channel).number())
        };
        let tail = |channel| end(channel, lockstep::Topology::tail);
        let head = |channel| end(channel, lockstep::Topology::head);
        let offsets = transfers().scan(0, |end, (_, transfer)| {
            *end += transfer.path.len() as u32;
            Some(*end)
        });
        let channels = transfers().flat_map(|(_, transfer)| transfer.path.iter().map(|channel| channel.number()));
        let columns = PyDict::new(py);
        columns.set_item("step", column(py, count, transfers().map(|(step, _)| step as u32))?)?;
        columns.set_item("message", column(py, count, transfers().map(|(_, one)| one.message.number()))?)?;
        columns.set_item("source", column(py, count, transfers().map(|(_, one)| tail(one.path.first())))?)?;
        columns.set_item("target", column(py, count, transfers().map(|(_, one)| head(one.path.last())))?)?;
        columns.set_item("offsets", column(py, count + 1, [0].into_iter().chain(offsets))?)?;
        columns.set_item("channels", column(py, schedule.channel_use_count(), channels)?)?;
        Ok(columns)
    }

    /// The width of every step.
    fn widths(&self) -> Vec<u32> {
        self.file.schedule().steps().map(|(_, step)| step.width().get()).collect()
    }

    /// The source of every message.
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Column<'py>> {
        let problem = self.file.problem();
        let messages = problem.messages();
        column(py, messages.len(), messages.ids().map(|message| messages.source(message).number()))
    }

    /// Verifies the schedule, and all claims of a plan. Returns the counts of the verifier.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (file, plan) = (Arc::clone(&self.file), self.plan.clone());
        let verification = py.detach(move || match plan {
            Some(plan) => {
                let plan = plan.to_file(None).check().map_err(errors::invalid)?;
                Ok(plan.verification().clone())
            }
            None => verify(&file.problem(), file.schedule()).map_err(errors::invalid),
        })?;
        counts(py, &verification)
    }

    /// Returns true if network, collective, model and transfers are equal, and the claims of plans too.
    fn equals(&self, other: &Self) -> bool {
        self.file == other.file && self.plan == other.plan
    }

    /// The begin and the end of every transfer in picoseconds, for a size in bytes.
    fn transfer_times<'py>(
        &self,
        py: Python<'py>,
        bytes: u64,
        unit: Option<u64>,
        asynchronous: bool,
    ) -> PyResult<(Column<'py>, Column<'py>)> {
        figures::transfer_times(py, &self.file, (bytes, unit), asynchronous)
    }

    fn times<'py>(&self, py: Python<'py>, bytes: u64, unit: Option<u64>) -> PyResult<Bound<'py, PyDict>> {
        figures::times(py, &self.file, bytes, unit)
    }

    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| figures::page(&self.file, self.plan.as_ref()))
    }

    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| figures::picture(&self.file))
    }

    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.plan.as_ref().map_or_else(|| self.file.to_json(), |plan| plan.to_file(None).to_json()))
    }

    fn binary<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes =
            py.detach(|| self.plan.as_ref().map_or_else(|| self.file.to_bytes(), |plan| plan.to_file(None).to_bytes()));
        PyBytes::new(py, &bytes)
    }

    /// Writes the schedule for a runtime or simulator: the files with their names; one file has an empty name.
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        in_place: bool,
        routed: bool,
        runtime: &str,
        bytes: u64,
        sizes: [u64; 2],
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let names = FORMATS.iter().map(|format| format.name);
        let format = format_named(format).ok_or_else(|| errors::export(no_format(format, names)))?;
        let runtime = match runtime {
            "rccl" => Runtime::Rccl,
            "msccl" => Runtime::Msccl,
            other => return Err(errors::export(format!("runtime: found '{other}', expected 'msccl' or 'rccl'"))),
        };
        let options = ExportOptions {
            placement: if in_place { Placement::InPlace } else { Placement::OutOfPlace },
            connections: if routed { Connections::Routed } else { Connections::Direct },
            runtime,
            bytes,
            sizes,
        };
        let export = Export { problem: self.file.problem(), schedule: self.file.schedule(), options };
        let files = py.detach(|| format.write(&export)).map_err(errors::export)?;
        Ok(files.into_iter().map(|file| (file.name, PyBytes::new(py, &file.contents))).collect())
    }
}

fn counts<'py>(py: Python<'py>, verification: &Verification) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("steps", verification.steps)?;
    dict.set_item("transfers", verification.transfers)?;
    dict.set_item("channel_uses", verification.channel_uses)?;
    dict.set_item("longest_path", verification.longest_path)?;
    dict.set_item("deliveries", verification.deliveries)?;
    dict.set_item("relays", verification.relays)?;
    dict.set_item("redundant", verification.redundant)?;
    dict.set_item("utilisation", verification.utilisation())?;
    Ok(dict)
}

/// Reads a plan file, and checks its claims.
#[pyfunction]
pub(crate) fn read_plan(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Schedule> {
    py.detach(move || {
        let plan = PlanFile::read(&bytes).map_err(errors::plan_file)?;
        Ok(plan.check().map_err(errors::invalid)?.into())
    })
}

/// Reads a schedule file, and verifies its schedule. A plan file counts as the file of its schedule.
#[pyfunction]
pub(crate) fn read_schedule(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Schedule> {
    py.detach(move || {
        let file = ScheduleFile::read(&bytes).map_err(|error| errors::PlanError::new_err(error.to_string()))?;
        verify(&file.problem(), file.schedule()).map_err(errors::invalid)?;
        Ok(file.into())
    })
}

/// Makes a schedule from the columns of its transfers, and verifies it.
#[pyfunction]
pub(crate) fn from_arrays(
    py: Python<'_>,
    problem: &Problem,
    step: &[u8],
    message: &[u8],
    offsets: &[u8],
    channels: &[u8],
) -> PyResult<Schedule> {
    let [step, message] = [read_u32(step, "step")?, read_u32(message, "message")?];
    let [offsets, channels] = [read_u32(offsets, "offsets")?, read_u32(channels, "channels")?];
    let expected = |what: &str| errors::problem(format!("transfers: {what}"));
    if step.len() != message.len() || offsets.len() != step.len() + 1 {
        return Err(expected("'step' and 'message' need one entry per transfer, and 'offsets' one more"));
    }
    let channels: Vec<ChannelId> = channels.into_iter().map(ChannelId::new).collect();
    let mut steps = Steps::with_capacity(step.len(), channels.len());
    for (place, (&step, &message)) in step.iter().zip(&message).enumerate() {
        let path = channels.get(offsets[place] as usize..offsets[place + 1] as usize);
        let path = path.ok_or_else(|| expected("'offsets' must ascend from 0 to the number of 'channels'"))?;
        if step as usize >= step_limit(&steps, place) || (step as usize + 1) < steps.step_count() {
            return Err(expected("the steps must ascend from 0 without a gap larger than the number of transfers"));
        }
        while steps.step_count() <= step as usize {
            steps.begin_step();
        }
        steps.push(MessageId::new(message), path);
    }
    let problem = problem.resolve()?;
    py.detach(|| verify(&problem, &steps)).map_err(errors::invalid)?;
    Ok(ScheduleFile::new(&problem, steps).into())
}

/// The first step that is too late for a transfer: empty steps take memory, so they are limited by the transfers before.
fn step_limit(steps: &Steps, place: usize) -> usize {
    steps.step_count() + place + 1
}

/// Returns the formats: name, consumer, extension (empty for a folder) and limits.
#[pyfunction]
pub(crate) fn export_formats() -> Vec<[&'static str; 4]> {
    FORMATS.iter().map(|format| [format.name, format.about, format.extension, format.limits]).collect()
}
