//! Checkpoints of designs: an accepted state can be resumed and written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_design::{CHECKPOINT_KIND, DesignProblem, DesignRules, Machine, checkpoint, objective, resume};
use lockstep_files::seal;
use lockstep_pareto::{SelectionAlgorithm, Elites, EqualPoints, EvolutionOptions};

fuzz_target!(|bytes: &[u8]| {
    let machine = Machine::new(1, 3, 1).expect("a machine");
    let objectives = ["distance", "links"].map(|name| objective(name).expect("an objective")).to_vec();
    let problem = DesignProblem::new(machine, objectives, DesignRules::PUBLISHED).expect("a problem");
    for algorithm in SelectionAlgorithm::ALL {
        let options = EvolutionOptions {
            algorithm,
            population: 2,
            crossover: 0.8,
            mutation: 0.8,
            seed: 1,
            elites: Elites::Keep,
            equal_points: EqualPoints::Keep,
        };
        for bytes in [bytes, &seal(CHECKPOINT_KIND.magic, CHECKPOINT_KIND.version, bytes)] {
            match resume(&problem, options, bytes) {
                Err(error) => lockstep_fuzz::refusal(&error),
                Ok(mut evolution) => {
                    let written = checkpoint(&problem, &evolution);
                    let again = resume(&problem, options, &written).expect("its own words");
                    assert_eq!(checkpoint(&problem, &again), written);
                    let _ = evolution.advance();
                }
            }
        }
    }
});
