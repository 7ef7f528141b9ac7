//! Network design on the machines of the `ExaNeSt` paper: a generation of 100 children, a score, and the enumeration of
//! all networks with four cable slots.
//!
//! For comparison, pymoo's NSGA-II with networkx's Kernighan-Lin and hand-written path counting takes 0.68 s per
//! generation on the smaller machine.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, SamplingMode, Throughput};
use lockstep_design::{DesignProblem, DesignRules, Machine, Network, enumerate, objective, objectives};
use lockstep_pareto::{Elites, EqualPoints, Evolution, EvolutionOptions, MultiObjectiveProblem, SelectionAlgorithm};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    generations(&mut criterion);
    scores(&mut criterion);
    enumerations(&mut criterion);
    criterion.final_summary();
}

fn problem(machine: [u32; 3], objectives: &[&str], external: f64) -> DesignProblem<'static> {
    let [slots, chassis, cabinets] = machine;
    let machine = Machine::new(slots, chassis, cabinets).expect("a valid machine");
    let objectives = objectives.iter().map(|name| objective(name).expect("a known objective")).collect();
    DesignProblem::new(machine, objectives, DesignRules { external, ..DesignRules::PUBLISHED })
        .expect("a valid problem")
}

/// The twentieth generation, in which designs have many cables.
fn generations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("generation of 100");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(100));
    for (machine, external) in [([8, 16, 1], 0.0), ([8, 16, 4], 0.5)] {
        let problem = problem(machine, &["kernighan-lin", "paths", "links"], external);
        for algorithm in [SelectionAlgorithm::Nsga2, SelectionAlgorithm::SmsEmoa] {
            let options = EvolutionOptions {
                algorithm,
                population: 100,
                crossover: 0.8,
                mutation: 0.8,
                seed: 1,
                elites: Elites::Keep,
                equal_points: EqualPoints::Keep,
            };
            let mut evolution = Evolution::new(&problem, options).expect("the first population is feasible");
            (0..20).for_each(|_| evolution.advance().expect("a generation is feasible"));
            let state = evolution.state();
            group.bench_function(format!("{machine:?} {algorithm}"), |bencher| {
                bencher.iter_batched_ref(
                    || Evolution::resume(&problem, state.clone()).expect("its own state is valid"),
                    |evolution| evolution.advance().expect("a generation is feasible"),
                    BatchSize::SmallInput,
                );
            });
        }
    }
    group.finish();
}

/// Each objective on one network with twelve cables per router.
fn scores(criterion: &mut Criterion) {
    let machine = Machine::new(8, 16, 1).expect("a valid machine");
    let code = "222,254,142,237,0,76,0,151,17,145,82,69,165,42,0,0".parse().expect("a valid code");
    let mut group = criterion.benchmark_group("score of 72-16-12");
    let mut network = Network::default();
    for objective in objectives() {
        let problem = DesignProblem::new(machine, vec![*objective], DesignRules::PUBLISHED).expect("a valid problem");
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut score = [0.0];
        group.bench_function(objective.name(), |bencher| {
            bencher.iter(|| assert!(problem.evaluate(black_box(&code), &mut network, &mut random, &mut score)));
        });
    }
    group.finish();
}

fn enumerations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("all networks");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for links in [2, 4] {
        let problem = problem([8, 16, 1], &["exact-bisection", "paths"], 0.0);
        group.bench_function(format!("of {links} slots"), |bencher| bencher.iter(|| enumerate(&problem, links)));
    }
    group.finish();
}
