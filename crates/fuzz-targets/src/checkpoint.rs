//! Targets: checkpoints of searches for schedules, of plans, of islands and of designs.

use std::num::NonZeroU32;

use lockstep::{
    Budget, Collective, CommunicationModel, EngineChoice, ISLANDS_KIND, IslandPlanner, NoWorkers, PlanError,
    PlanOptions, Planner, Problem, Topology,
};
use lockstep_design::{CHECKPOINT_KIND, DesignProblem, DesignRules, Machine, objective, resume};
use lockstep_evolve::{Algorithm, Evolution, HgsaOptions, SearchSpace, UmdaOptions, candidate_paths};
use lockstep_files::seal;
use lockstep_pareto::{Elites, EqualPoints, EvolutionOptions, SelectionAlgorithm};

use crate::error_check::has_message;

/// Checks a checkpoint of both searches: an accepted state can be written again.
pub fn checkpoint(bytes: &[u8]) -> bool {
    let network = "ring:4".parse().expect("a ring");
    let collective = Collective::all_gather();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).expect("a problem");
    let table = candidate_paths(&problem).expect("a small table");
    let space = SearchSpace::new(problem, &table, 2).expect("a small space");
    let is_umda = resumes(&space, UmdaOptions::directed(1), bytes);
    let is_hgsa = resumes(&space, HgsaOptions::directed(1), bytes);
    is_umda || is_hgsa
}

fn resumes<A: Algorithm>(space: &SearchSpace<'_>, algorithm: A, bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for bytes in [bytes, &seal(A::CHECKPOINT_KIND.magic, A::CHECKPOINT_KIND.version, bytes)] {
        match Evolution::resume(space, algorithm, bytes) {
            Err(error) => has_message(&error),
            Ok(search) => {
                let again = Evolution::resume(space, algorithm, &search.checkpoint()).expect("its own checkpoint");
                assert_eq!(again.checkpoint(), search.checkpoint());
                is_accepted = true;
            }
        }
    }
    is_accepted
}

/// Number of evaluations of a resumed plan.
const EVALUATIONS: u64 = 20;

/// Checks a checkpoint of a plan: an accepted state can be resumed.
pub fn plan_checkpoint(bytes: &[u8]) -> bool {
    let network: Topology = "ring:4".parse().expect("a ring");
    let collective = Collective::all_gather();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).expect("a problem");
    let options = PlanOptions { engine: EngineChoice::Named("umda"), steps: Some(2), ..PlanOptions::auto(1) };
    let mut is_accepted = false;
    for bytes in [bytes, &seal(*b"lockckpt", 3, bytes), &seal(*b"lockckpt", 4, bytes)] {
        let planner = Planner::new(problem, options).from_checkpoint(bytes.to_vec());
        match planner.run(&Budget::evaluations(EVALUATIONS), |_| {}) {
            Err(error @ PlanError::Checkpoint(_)) => has_message(&error),
            _ => is_accepted = true,
        }
    }
    is_accepted
}

/// Checks a checkpoint of islands: an accepted state has a plan.
pub fn island_checkpoint(bytes: &[u8]) -> bool {
    let network: Topology = "ring:4".parse().expect("a ring");
    let collective = Collective::all_gather();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).expect("a problem");
    let islands = NonZeroU32::new(3).expect("not 0");
    let mut is_accepted = false;
    for bytes in [bytes, &seal(ISLANDS_KIND.magic, ISLANDS_KIND.version, bytes)] {
        let planner = IslandPlanner::new(problem, PlanOptions::auto(1), islands);
        match planner.from_checkpoint(EVALUATIONS, bytes) {
            Err(error) => has_message(&error),
            Ok(planner) => {
                planner.run(&NoWorkers, &Budget::evaluations(EVALUATIONS), |_| {}).expect("a plan");
                is_accepted = true;
            }
        }
    }
    is_accepted
}

/// Checks a checkpoint of a design: an accepted state can be resumed and written again.
pub fn design_checkpoint(bytes: &[u8]) -> bool {
    let machine = Machine::new(1, 3, 1).expect("a machine");
    let objectives = ["distance", "links"].map(|name| objective(name).expect("an objective")).to_vec();
    let problem = DesignProblem::new(machine, objectives, DesignRules::PUBLISHED).expect("a problem");
    let mut is_accepted = false;
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
                Err(error) => has_message(&error),
                Ok(mut evolution) => {
                    let written = lockstep_design::checkpoint(&problem, &evolution);
                    let again = resume(&problem, options, &written).expect("its own checkpoint");
                    assert_eq!(lockstep_design::checkpoint(&problem, &again), written);
                    let _ = evolution.advance();
                    is_accepted = true;
                }
            }
        }
    }
    is_accepted
}
