//! The effect of all faults of a kind on a plan.

use lockstep::faults::{FaultKind, FaultSpace, Faults};
use lockstep::schedule::StopReason;
use lockstep::{Consequence, ConsequenceError, FaultOutcome, PlanOptions, ReplanError, Topology, sweep};
use pyo3::prelude::*;

use super::plan::budget;
use crate::progress::Progress;
use crate::schedule::Schedule;
use crate::{errors, worker};

/// The effect of a fault set: its name, the plan after it, or why there is none.
pub(crate) type Effect = (String, Option<Schedule>, Option<String>);

/// The effects of the fault sets that are done, and why the others are not.
type Sweep = (Vec<Effect>, Option<StopReason>);

/// Plans for every fault set of a size, or for a sample.
#[pyfunction]
pub(crate) fn faults(
    py: Python<'_>,
    plan: &Schedule,
    kind: &str,
    at_once: usize,
    sample: Option<usize>,
    limit: Option<&str>,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Effect>> {
    let kind = match kind {
        "links" => FaultKind::Link,
        "channels" => FaultKind::Channel,
        "nodes" => FaultKind::Node,
        other => {
            return Err(errors::fault(format!("kind: found '{other}', expected 'links', 'channels' or 'nodes'")));
        }
    };
    let (before, budget) = (plan.plan()?.clone(), budget(limit)?);
    let work = worker::run(py, &budget, observer, move |events, budget| {
        let space = FaultSpace::new(before.topology(), kind, at_once);
        let sampled = sample.map(|count| space.sample(count, seed)).transpose().map_err(errors::fault)?;
        let total = sampled.as_ref().map(Vec::len).or_else(|| usize::try_from(space.count()?).ok());
        let sets: Box<dyn Iterator<Item = Faults>> = match sampled {
            Some(sets) => Box::new(sets.into_iter()),
            None => Box::new(space.iter()),
        };
        let mut effects = Vec::new();
        let stopped = sweep(&before, sets, PlanOptions::auto(seed), budget, |consequence| {
            effects.push(effect(before.topology(), consequence));
            events.found();
            events.see(|| Some(Progress::of_count("fault sets", effects.len(), total)));
        });
        match stopped {
            Ok(stopped) => Ok((effects, stopped)),
            Err(ConsequenceError::Replan(ReplanError::Plan(error))) => Err(errors::plan(error)),
            Err(error) => Err(errors::fault(error)),
        }
    });
    let kept = |result: PyResult<Sweep>| Some(result.ok()?.0);
    match work.map_err(|stopped| stopped.keeping(py, kept))?? {
        (effects, None) => Ok(effects),
        (effects, Some(reason)) => {
            let done = effects.len();
            Err(errors::PlanError::new_err(format!("stopped after {done} fault sets: {reason}; give more time")))
        }
    }
}

fn effect(topology: &Topology, consequence: Consequence) -> Effect {
    let Consequence { degradation, plan } = consequence;
    (degradation.faults.name(topology), plan.map(Schedule::from), loss(&degradation.outcome, topology))
}

/// Returns why the collective is impossible after the faults.
pub(crate) fn loss(outcome: &FaultOutcome, topology: &Topology) -> Option<String> {
    match outcome {
        FaultOutcome::Planned(_) => None,
        FaultOutcome::Lost(loss) => Some(loss.describe(topology)),
    }
}
