//! Designs the cables of a machine: great bisection width, small mean distance, few cables.
//!
//! Usage: `cargo run --example design_machine -- SLOTS CHASSIS CABINETS` (default: 4 slots per router, 8 chassis, 1
//! cabinet). The program prints the Pareto front, and the network of its last design as an edge list.

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;

use lockstep_design::{DesignProblem, DesignRules, Front, InitialSlots, Machine, objective};
use lockstep_pareto::{Elites, EqualPoints, Evolution, EvolutionOptions, SelectionAlgorithm};
use lockstep_topology::{GraphFormat, write_graph};

const GENERATIONS: u32 = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut shape = [4, 8, 1];
    for (number, argument) in shape.iter_mut().zip(std::env::args().skip(1)) {
        *number = argument.parse()?;
    }
    let [slots, chassis, cabinets] = shape;
    let machine = Machine::new(slots, chassis, cabinets)?;
    let names = ["bisection", "distance", "links"];
    let objectives = names.into_iter().map(objective).collect::<Result<_, _>>()?;
    let rules = DesignRules { external: 0.3, start: InitialSlots::Uniform, ..DesignRules::PUBLISHED };
    let problem = DesignProblem::new(machine, objectives, rules)?;
    let options = EvolutionOptions {
        algorithm: SelectionAlgorithm::Nsga2,
        population: 40,
        crossover: 0.8,
        mutation: 0.8,
        seed: 1,
        elites: Elites::Keep,
        equal_points: EqualPoints::Remove,
    };
    let mut evolution = Evolution::new(&problem, options)?;
    for _ in 0..GENERATIONS {
        evolution.advance()?;
    }
    let front = Front::of_evolution(&problem, &evolution);
    println!("{}  code", names.map(|name| format!("{name:>9}")).join("  "));
    for design in front.designs() {
        let scores: Vec<String> = design.scores.iter().map(|score| format!("{score:9.3}")).collect();
        println!("{}  {}", scores.join("  "), design.code);
    }
    let last = front.design(front.designs().len())?;
    println!("\n{}", write_graph(&machine.topology(&last.code)?, GraphFormat::EdgeList)?);
    Ok(())
}
