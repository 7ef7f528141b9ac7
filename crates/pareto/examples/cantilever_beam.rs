//! Designs a cantilever beam: least weight and least deflection under a load at its free end.
//!
//! The program prints the Pareto front of beams of steel with a circular cross-section.
//!
//! # Source
//!
//! Deb, *Multi-Objective Optimization using Evolutionary Algorithms*, Wiley 2001, section 1.1.

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::f64::consts::PI;

use lockstep_pareto::{
    Elites, EqualPoints, Evolution, EvolutionError, EvolutionOptions, MultiObjectiveProblem, SelectionAlgorithm, Sense,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Diameter and length in metres.
type Beam = [f64; 2];

const RANGES: [[f64; 2]; 2] = [[0.01, 0.05], [0.2, 1.0]];
const LOAD_N: f64 = 1_000.0;
const DENSITY_KG_PER_M3: f64 = 7_800.0;
const YOUNGS_MODULUS_PA: f64 = 207e9;
const MAX_STRESS_PA: f64 = 300e6;
const MAX_DEFLECTION_M: f64 = 0.005;

struct CantileverBeam;

impl MultiObjectiveProblem for CantileverBeam {
    type Genome = Beam;
    type Scratch = ();

    fn senses(&self) -> &[Sense] {
        &[Sense::Minimise, Sense::Minimise]
    }

    fn scratch(&self) {}

    fn random(&self, random: &mut ChaCha8Rng) -> Beam {
        RANGES.map(|[least, most]| random.random_range(least..=most))
    }

    fn cross(&self, child: &mut Beam, mate: &Beam, random: &mut ChaCha8Rng) {
        let share: f64 = random.random();
        *child = [0, 1].map(|part| share * child[part] + (1.0 - share) * mate[part]);
    }

    fn mutate(&self, beam: &mut Beam, random: &mut ChaCha8Rng) {
        let part = random.random_range(0..2);
        let [least, most] = RANGES[part];
        beam[part] = (beam[part] + (most - least) * random.random_range(-0.1..0.1)).clamp(least, most);
    }

    fn evaluate(&self, &[diameter, length]: &Beam, (): &mut (), _: &mut ChaCha8Rng, scores: &mut [f64]) -> bool {
        let deflection = 64.0 * LOAD_N * length.powi(3) / (3.0 * YOUNGS_MODULUS_PA * PI * diameter.powi(4));
        let stress = 32.0 * LOAD_N * length / (PI * diameter.powi(3));
        scores.copy_from_slice(&[DENSITY_KG_PER_M3 * PI * diameter.powi(2) * length / 4.0, deflection]);
        stress <= MAX_STRESS_PA && deflection <= MAX_DEFLECTION_M
    }
}

fn main() -> Result<(), EvolutionError> {
    let options = EvolutionOptions {
        algorithm: SelectionAlgorithm::SmsEmoa,
        population: 20,
        crossover: 0.9,
        mutation: 0.9,
        seed: 1,
        elites: Elites::Keep,
        equal_points: EqualPoints::Remove,
    };
    let mut evolution = Evolution::new(&CantileverBeam, options)?;
    for _ in 0..200 {
        evolution.advance()?;
    }
    let mut front: Vec<_> = evolution.front(EqualPoints::Remove).collect();
    front.sort_by(|one, other| one.scores[0].total_cmp(&other.scores[0]));
    println!("weight [kg]  deflection [mm]  diameter [mm]  length [mm]");
    for beam in front {
        let ([weight, deflection], [diameter, length]) = ([beam.scores[0], beam.scores[1]], *beam.genome);
        println!("{weight:11.3}  {:15.3}  {:13.1}  {:11.0}", 1e3 * deflection, 1e3 * diameter, 1e3 * length);
    }
    Ok(())
}
