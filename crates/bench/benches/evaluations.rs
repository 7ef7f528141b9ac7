//! The price of an evaluation: every engine and method must do about the same work for one.
//!
//! Prints the time per evaluation of each method of the portfolio and each search, on several networks.

#![allow(clippy::print_stdout, reason = "its result is the text that it prints")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lockstep_bench::ProblemInstance;
use lockstep_construct::ConstructEngine;
use lockstep_evolve::{HgsaEngine, UmdaEngine};
use lockstep_schedule::{Budget, CommunicationModel, Engine, EngineEvent, EngineRequest};

/// Time per problem and engine.
const LIMIT: Duration = Duration::from_secs(2);

/// Methods that took less time in total are not printed.
const ENOUGH: Duration = Duration::from_millis(100);

fn main() {
    let (packets, wormhole) = (CommunicationModel::store_and_forward(), CommunicationModel::wormhole());
    let cases = [
        ("omega:16", "aas", wormhole),
        ("torus:8x8", "aas", packets),
        ("random-regular:64,4,1", "aab", packets),
        ("kautz:3,2", "aas", wormhole),
        ("random-regular:256,4,1", "aas", packets),
        ("random-regular:256,4,1", "aas", wormhole),
        ("random-regular:256,4,1", "aab", wormhole),
        ("random-regular:1000,4,1", "oab", wormhole),
        ("random-regular:1000,4,1", "oab", packets),
    ];
    // One thread, so that the time is the work.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    alone.install(|| {
        for (spec, collective, model) in cases {
            for engine in [&ConstructEngine as &dyn Engine, &UmdaEngine, &HgsaEngine] {
                measure(spec, collective, model, engine);
            }
        }
    });
}

/// Prints the nanoseconds per evaluation of each method of an engine on one problem.
fn measure(spec: &str, collective: &str, model: CommunicationModel, engine: &dyn Engine) {
    let instance = ProblemInstance::new(spec, collective, model);
    let budget = Budget::time(LIMIT);
    let request = EngineRequest::new(instance.problem(), 1, 1, &budget);
    let (mut spent, mut last) = (BTreeMap::new(), Instant::now());
    let _ = engine.find(&request, &mut |event| {
        if let EngineEvent::Tried { method, effort, .. } = event {
            let (time, evaluations): &mut (Duration, u64) = spent.entry(method.map(str::to_owned)).or_default();
            *time += last.elapsed();
            *evaluations += effort.evaluations;
            last = Instant::now();
        }
    });
    for (method, (time, evaluations)) in spent {
        if time >= ENOUGH {
            let price = time.as_nanos() / u128::from(evaluations.max(1));
            let method = method.unwrap_or_default();
            println!("{price:>8} ns  {} {method}, {spec} {collective} {model}", engine.name());
        }
    }
}
