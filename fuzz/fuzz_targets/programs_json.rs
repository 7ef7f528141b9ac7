//! Task programs, and their simulation on a small network.
#![no_main]

use std::num::NonZeroU32;

use libfuzzer_sys::fuzz_target;
use lockstep::Topology;
use lockstep_flow::{
    Clock, DEFAULT_CAPACITY, Endpoints, Programs, RateModel, Routing, SimulationOptions, simulate,
};

fuzz_target!(|text: &str| {
    match Programs::from_json(text) {
        Err(error) => lockstep_fuzz::one_line_refusal(&error),
        Ok(programs) => {
            assert_eq!(Programs::from_json(&programs.to_json()).as_ref(), Ok(&programs));
            let torus: Topology = "torus:3x3".parse().expect("a torus");
            for rates in [RateModel::EqualShare, RateModel::MaxMin] {
                let options = SimulationOptions {
                    tasks_per_terminal: NonZeroU32::MIN,
                    routing: Routing::EcmpSplit,
                    rates,
                    clock: Clock::Real,
                    endpoints: Endpoints::TaskLinks,
                    capacity: DEFAULT_CAPACITY,
                    outstanding: NonZeroU32::new(2),
                    seed: 1,
                };
                match simulate(&torus, &programs, &options) {
                    Err(error) => lockstep_fuzz::one_line_refusal(&error),
                    Ok(simulation) => assert!(simulation.makespan.is_finite()),
                }
            }
        }
    }
});
