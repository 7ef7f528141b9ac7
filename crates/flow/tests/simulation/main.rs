//! Tests of simulations through the public interface.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod clusters;
mod laws;
mod oracle;
mod refusals;
mod replay;

use std::num::NonZeroU32;

use lockstep_flow::{Clock, DEFAULT_CAPACITY, Endpoints, Event, RateModel, Routing, SimulationOptions, TaskId};

/// One task per terminal, tree routing, equal shares.
const EQUAL_SHARE: SimulationOptions = SimulationOptions {
    tasks_per_terminal: NonZeroU32::MIN,
    routing: Routing::SpTree,
    rates: RateModel::EqualShare,
    clock: Clock::Real,
    endpoints: Endpoints::Direct,
    capacity: DEFAULT_CAPACITY,
    outstanding: None,
    startup: 0.0,
    seed: 1,
};

/// The same with max-min rates.
const MAX_MIN: SimulationOptions = SimulationOptions { rates: RateModel::MaxMin, ..EQUAL_SHARE };

fn send(to: u32, size: u64) -> Event {
    Event::Send { to: TaskId::new(to), size, tag: 0, path: [].into() }
}

fn receive(from: u32) -> Event {
    Event::Receive { from: TaskId::new(from), tag: 0 }
}
