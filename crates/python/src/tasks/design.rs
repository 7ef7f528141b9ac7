//! Networks of given order and degree.

use lockstep::Budget;
use lockstep::design::{AllGatherSearch, ChannelRule};
use lockstep::topology::OrderDegreeSearch;
use pyo3::prelude::*;

use crate::errors;
use crate::network::Network;
use crate::progress::Progress;
use crate::worker;

/// A network found: itself, the sum of its distances, a lower bound of the sum, its diameter.
type Found = (Network, u64, u64, u32);

/// Searches a graph of given order and degree with a small diameter and a small mean distance.
#[pyfunction]
pub(crate) fn design_distance(
    py: Python<'_>,
    order: u32,
    degree: u32,
    rounds: u32,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found> {
    let found = worker::run(py, &Budget::unlimited(), observer, move |events, budget| {
        let mut search = OrderDegreeSearch::new(order, degree, seed).map_err(errors::design)?;
        while !search.is_over() && search.round() < rounds && budget.stop_after(0).is_none() {
            search.advance();
            events.found();
            events.see(|| Some(Progress::of_count("rounds", search.round() as usize, Some(rounds as usize))));
        }
        let best = search.best();
        let network = best.topology(format!("order-degree:{order},{degree}")).map_err(errors::design)?;
        Ok((network.into(), best.distance_sum(), best.bound(), best.diameter()))
    });
    found.map_err(|stopped| stopped.keeping(py, |found: PyResult<Found>| found.ok()))?
}

/// A network for all-gathers: its spec, its steps per chunk for many chunks as a fraction, and its number of stages.
type AllGatherNetwork = (String, [u64; 2], u32);

/// Searches networks of given order and degree for all-gathers.
#[pyfunction]
pub(crate) fn design_all_gather(
    py: Python<'_>,
    order: u32,
    degree: u32,
    full_duplex: bool,
    seed: u64,
    observer: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<AllGatherNetwork>> {
    let rule = if full_duplex { ChannelRule::FullDuplex } else { ChannelRule::Any };
    let found = worker::run(py, &Budget::unlimited(), observer, move |events, budget| {
        let mut search = AllGatherSearch::new(order, degree, rule, seed).map_err(errors::design)?;
        while !search.is_over() && budget.stop_after(0).is_none() {
            search.advance();
            events.found();
            events.see(|| {
                let (done, all) = search.progress();
                Some(Progress::of_count("pairs of order and degree", done, Some(all)))
            });
        }
        Ok(search.front().iter().map(|design| (design.spec(), design.steps(), design.stages())).collect())
    });
    found.map_err(|stopped| stopped.keeping(py, |found: PyResult<Vec<AllGatherNetwork>>| found.ok()))?
}
