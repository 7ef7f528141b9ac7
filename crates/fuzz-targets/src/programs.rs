//! Target: task programs.

use std::num::NonZeroU32;

use lockstep::Topology;
use lockstep_flow::{Clock, DEFAULT_CAPACITY, Endpoints, Programs, RateModel, Routing, SimulationOptions, simulate};

use crate::error_check::is_one_line;

/// Checks the JSON of task programs, and their simulation on a small network.
pub fn programs_json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match Programs::from_json(text) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(programs) => {
            assert_eq!(Programs::from_json(&programs.to_json()).as_ref(), Ok(&programs));
            let torus: Topology = "torus:3x3".parse().expect("a torus");
            for &rates in RateModel::ALL {
                match simulate(&torus, &programs, &options(rates)) {
                    Err(error) => is_one_line(&error),
                    Ok(simulation) => assert!(simulation.makespan.is_finite()),
                }
            }
            true
        }
    }
}

fn options(rates: RateModel) -> SimulationOptions {
    SimulationOptions {
        tasks_per_terminal: NonZeroU32::MIN,
        routing: Routing::EcmpSplit,
        rates,
        clock: Clock::Real,
        endpoints: Endpoints::TaskLinks,
        capacity: DEFAULT_CAPACITY,
        outstanding: NonZeroU32::new(2),
        startup: 0.0,
        seed: 1,
    }
}
