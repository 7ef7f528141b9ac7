//! Searches for a schedule of a given number of steps, with a limited budget and progress on standard error.
//!
//! The arguments are the network, the number of steps and the limit of evaluations:
//!
//! ```text
//! cargo run --release --example search_with_progress -- clos:3,3,4 11 2000000
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its result and its progress")]

use std::error::Error;
use std::time::Duration;

use lockstep_evolve::{Evolution, SearchSpace, UmdaOptions, candidate_paths};
use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::Topology;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let network: Topology = arguments.next().as_deref().unwrap_or("omega:8").parse()?;
    let steps: u32 = arguments.next().as_deref().unwrap_or("7").parse()?;
    let evaluations: u64 = arguments.next().as_deref().unwrap_or("1000000").parse()?;

    let all_gather = Collective::all_gather();
    let problem = Problem::new(&network, &all_gather, CommunicationModel::wormhole())?;
    let paths = candidate_paths(&problem)?;
    let space = SearchSpace::new(problem, &paths, steps)?;
    println!("{} deliveries, {} candidate paths, {steps} steps", space.delivery_count(), paths.path_count());

    let budget = Budget::evaluations(evaluations).within(Duration::from_mins(1));
    let mut evolution = Evolution::new(&space, UmdaOptions::directed(1));
    let mut reported = None;
    let result = evolution.run(&budget, |search| {
        // Several calls per generation: one line when a generation is complete.
        if reported.replace(search.generation()) != Some(search.generation())
            && let Some(conflicts) = search.best_conflicts()
        {
            eprintln!(
                "generation {}: {conflicts} conflicts, {} evaluations",
                search.generation(),
                search.evaluations()
            );
        }
    });
    match result {
        Ok(schedule) => println!("found: {}", verify(&problem, &schedule)?),
        Err(reason) => println!("{reason}"),
    }
    Ok(())
}
