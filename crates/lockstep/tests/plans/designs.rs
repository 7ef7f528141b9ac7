//! Designs whose generations are divided among workers.

use lockstep::design::{DesignProblem, DesignRules, Machine, checkpoint, objective};
use lockstep::pareto::{Elites, EqualPoints, Evolution, EvolutionOptions, SelectionAlgorithm};
use lockstep::{GenerationError, Workers, advance_generation};

use crate::workers::OwnWorkers;

fn problem() -> DesignProblem<'static> {
    let objectives = ["kernighan-lin", "paths", "links"].map(|name| objective(name).unwrap());
    let rules = DesignRules { external: 0.5, ..DesignRules::PUBLISHED };
    DesignProblem::new(Machine::new(3, 4, 2).unwrap(), objectives.to_vec(), rules).unwrap()
}

fn options(algorithm: SelectionAlgorithm, elites: Elites) -> EvolutionOptions {
    let (population, equal_points) = (12, EqualPoints::Keep);
    EvolutionOptions { algorithm, population, crossover: 0.8, mutation: 0.8, seed: 7, elites, equal_points }
}

#[test]
fn generations_are_the_same_for_any_number_of_workers() {
    let problem = problem();
    for (algorithm, elites) in SelectionAlgorithm::ALL.into_iter().zip([Elites::Keep, Elites::ReEvaluate].repeat(2)) {
        let evolved = |workers: &dyn Workers| {
            let mut evolution = Evolution::new(&problem, options(algorithm, elites)).unwrap();
            for _ in 0..4 {
                advance_generation(workers, &problem, &mut evolution).unwrap();
            }
            checkpoint(&problem, &evolution)
        };
        let mut alone = Evolution::new(&problem, options(algorithm, elites)).unwrap();
        for _ in 0..4 {
            alone.advance().unwrap();
        }
        let alone = checkpoint(&problem, &alone);
        for workers in [0, 1, 4, 20] {
            assert!(evolved(&OwnWorkers::new(workers)) == alone, "{algorithm}, {workers} workers");
        }
    }
}

#[test]
fn children_of_another_part_are_refused() {
    /// Gives every worker the task of the first one.
    struct Confused(OwnWorkers);
    impl Workers for Confused {
        fn count(&self) -> usize {
            self.0.count()
        }

        fn send(&self, _worker: usize, task: Vec<u8>) {
            self.0.send(0, task);
        }

        fn receive(&self, worker: usize, is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
            self.0.receive(worker, is_stopped)
        }
    }
    let problem = problem();
    let mut evolution = Evolution::new(&problem, options(SelectionAlgorithm::Nsga2, Elites::Keep)).unwrap();
    let error = advance_generation(&Confused(OwnWorkers::new(2)), &problem, &mut evolution).unwrap_err();
    assert!(matches!(error, GenerationError::Worker(_)), "{error}");
}
