//! Tests of evolutions through the public interface.

use lockstep_pareto::{
    Elites, EqualPoints, Evolution, EvolutionError, EvolutionOptions, EvolutionState, MAX_ATTEMPTS,
    MultiObjectiveProblem, SelectionAlgorithm, Sense,
};
use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Numbers below 1000: far from 300, near 700 and with a small sum of digits. Multiples of 7 are infeasible.
struct Numbers {
    senses: Vec<Sense>,
}

const THREE: [Sense; 3] = [Sense::Maximise, Sense::Minimise, Sense::Minimise];

fn numbers(objectives: usize) -> Numbers {
    Numbers { senses: THREE.into_iter().cycle().take(objectives).collect() }
}

impl MultiObjectiveProblem for Numbers {
    type Genome = u32;
    type Scratch = ();

    fn senses(&self) -> &[Sense] {
        &self.senses
    }
    fn scratch(&self) {}
    fn random(&self, random: &mut ChaCha8Rng) -> u32 {
        random.random_range(0..1000)
    }
    fn cross(&self, child: &mut u32, mate: &u32, _: &mut ChaCha8Rng) {
        *child = u32::midpoint(*child, *mate);
    }
    fn mutate(&self, genome: &mut u32, random: &mut ChaCha8Rng) {
        *genome = (*genome + random.random_range(0..100)) % 1000;
    }
    fn evaluate(&self, genome: &u32, (): &mut (), _: &mut ChaCha8Rng, scores: &mut [f64]) -> bool {
        let all = [genome.abs_diff(300), genome.abs_diff(700), genome % 10 + genome / 10 % 10 + genome / 100];
        for (score, value) in scores.iter_mut().zip(all.into_iter().cycle()) {
            *score = f64::from(value);
        }
        !genome.is_multiple_of(7)
    }
    fn check(&self, genome: &u32) -> Result<(), String> {
        if *genome < 1000 { Ok(()) } else { Err(format!("{genome} is not below 1000")) }
    }
}

fn options(algorithm: SelectionAlgorithm, population: usize, equal_points: EqualPoints) -> EvolutionOptions {
    EvolutionOptions {
        algorithm,
        population,
        crossover: 0.5,
        mutation: 0.9,
        seed: 3,
        elites: Elites::Keep,
        equal_points,
    }
}

fn any_options() -> impl Strategy<Value = EvolutionOptions> {
    let equal = prop_oneof![Just(EqualPoints::Keep), Just(EqualPoints::Remove)];
    let elites = prop_oneof![Just(Elites::Keep), Just(Elites::ReEvaluate)];
    (prop::sample::select(&SelectionAlgorithm::ALL[..]), 1..30usize, equal, elites, any::<u64>()).prop_map(
        |(algorithm, population, equal_points, elites, seed)| EvolutionOptions {
            elites,
            seed,
            ..options(algorithm, population, equal_points)
        },
    )
}

fn advanced(mut evolution: Evolution<'_, Numbers>, generations: u32) -> EvolutionState<u32> {
    for _ in 0..generations {
        evolution.advance().expect("most numbers are feasible");
    }
    evolution.state()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Threads, interruptions and files do not change the result.
    #[test]
    fn an_evolution_is_the_same_on_one_thread_and_resumed(options in any_options(), objectives in 1..=4usize) {
        let problem = numbers(objectives);
        let straight = advanced(Evolution::new(&problem, options).unwrap(), 6);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = pool.install(|| advanced(Evolution::new(&problem, options).unwrap(), 6));
        prop_assert_eq!(&alone, &straight);
        let resting = advanced(Evolution::new(&problem, options).unwrap(), 2);
        let file = serde_json::to_string(&resting).unwrap();
        let read: EvolutionState<u32> = serde_json::from_str(&file).unwrap();
        prop_assert_eq!(&read, &resting);
        prop_assert_eq!(advanced(Evolution::resume(&problem, read).unwrap(), 4), straight);
    }

    /// All scores belong to their genomes, and the counters are consistent.
    #[test]
    fn individuals_are_feasible_and_have_the_scores_of_their_genomes(options in any_options()) {
        let problem = numbers(3);
        let mut evolution = Evolution::new(&problem, options).unwrap();
        for generation in 1..=5 {
            evolution.advance().unwrap();
            prop_assert_eq!(evolution.generation(), generation);
            prop_assert_eq!(evolution.population().len(), options.population);
            for individual in evolution.population() {
                let genome = *individual.genome;
                let scores = [genome.abs_diff(300), genome.abs_diff(700)].map(f64::from);
                prop_assert_eq!(&individual.scores[..2], &scores);
                prop_assert!(!genome.is_multiple_of(7));
            }
        }
        let again = if options.elites == Elites::ReEvaluate { 5 } else { 0 };
        let born = (6 + again) * options.population as u64;
        prop_assert_eq!(evolution.evaluations() - evolution.discarded(), born);
    }

    /// Any state from a file is refused or continues, and never panics.
    #[test]
    fn arbitrary_states_are_refused_or_continue(
        options in any_options(),
        counters in prop::array::uniform3(prop_oneof![Just(u64::MAX), Just(0), any::<u64>()]),
        genomes in prop::collection::vec(0..1100u32, 0..6),
        scores in prop::collection::vec(prop_oneof![-1e100..1e100, Just(1e100), Just(-1e100), any::<f64>(), Just(5e-324)], 0..12),
        memory in prop::collection::vec(prop_oneof![-1e100..1e100, any::<f64>()], 0..4),
        fitting: bool,
    ) {
        let problem = numbers(2);
        let [generation, evaluations, discarded] = counters;
        let population = if fitting { genomes.len() } else { options.population };
        let mut scores = scores;
        if fitting {
            scores.resize(2 * genomes.len(), 0.0);
        }
        let options = EvolutionOptions { population, ..options };
        let state = EvolutionState { options, generation, evaluations, discarded, genomes, scores, memory };
        if let Ok(mut evolution) = Evolution::resume(&problem, state) {
            for _ in 0..3 {
                evolution.advance().unwrap();
            }
            prop_assert!(evolution.generation() >= generation && evolution.evaluations() >= evaluations);
        }
    }
}

#[test]
fn counters_saturate() {
    for algorithm in SelectionAlgorithm::ALL {
        let problem = numbers(2);
        let evolution = Evolution::new(&problem, options(algorithm, 8, EqualPoints::Keep)).unwrap();
        let most = u64::MAX;
        let state = EvolutionState { generation: most, evaluations: most, discarded: most, ..evolution.state() };
        let mut evolution = Evolution::resume(&problem, state).unwrap();
        evolution.advance().unwrap();
        assert_eq!([evolution.generation(), evolution.evaluations(), evolution.discarded()], [most; 3]);
    }
}

#[test]
fn each_inconsistency_of_a_state_has_its_own_message() {
    let problem = numbers(2);
    let state = Evolution::new(&problem, options(SelectionAlgorithm::Nsga3, 3, EqualPoints::Keep)).unwrap().state();
    let spoiled = [
        ("genomes: 4 of a population of 3", EvolutionState { genomes: vec![1; 4], ..state.clone() }),
        ("scores: 5 of 3 individuals in 2 objectives", EvolutionState { scores: vec![1.0; 5], ..state.clone() }),
        ("scores: NaN at index 5", EvolutionState { scores: vec![1.0, 1.0, 1.0, 1.0, 1.0, f64::NAN], ..state.clone() }),
        ("discarded: 9 of 8 evaluations", EvolutionState { evaluations: 8, discarded: 9, ..state.clone() }),
        ("genome 1: 1000 is not below 1000", EvolutionState { genomes: vec![1, 1000, 2], ..state.clone() }),
        ("memory: not a memory of nsga3", EvolutionState { memory: vec![0.0; 3], ..state.clone() }),
    ];
    for (words, state) in spoiled {
        let error = Evolution::resume(&problem, state).err().expect("the state is inconsistent").to_string();
        assert!(error.contains(words), "{error}");
    }
    let mut few = state.clone();
    few.options.population = usize::MAX;
    assert!(matches!(Evolution::resume(&problem, few).err(), Some(EvolutionError::Population { .. })));
    let mut unlikely = state;
    unlikely.options.mutation = f64::NAN;
    assert!(matches!(Evolution::resume(&problem, unlikely).err(), Some(EvolutionError::Probability { .. })));
}

#[test]
fn each_algorithm_fills_its_population_with_the_true_front() {
    let problem = numbers(3);
    let scores = |genome: u32| {
        let mut scores = vec![0.0; 3];
        let mut random = rand::SeedableRng::seed_from_u64(0);
        problem.evaluate(&genome, &mut (), &mut random, &mut scores).then_some(scores)
    };
    let all: Vec<Vec<f64>> = (0..1000).filter_map(scores).collect();
    let points = lockstep_pareto::Points::new(&THREE, &all).unwrap();
    let front: Vec<&Vec<f64>> = points.front(EqualPoints::Remove).into_iter().map(|place| &all[place]).collect();
    for algorithm in SelectionAlgorithm::ALL {
        let mut evolution = Evolution::new(&problem, options(algorithm, 100, EqualPoints::Remove)).unwrap();
        (0..40).for_each(|_| evolution.advance().unwrap());
        let found: Vec<Vec<f64>> = evolution.front(EqualPoints::Remove).map(|one| one.scores.to_vec()).collect();
        let hits = found.iter().filter(|row| front.contains(row)).count();
        assert!(hits >= 95, "{algorithm}: {hits} of 100");
    }
}

#[test]
fn unsupported_objectives_and_parameters_are_refused() {
    let start = |objectives, algorithm, population| {
        Evolution::new(&numbers(objectives), options(algorithm, population, EqualPoints::Keep)).err()
    };
    assert!(matches!(start(0, SelectionAlgorithm::Nsga2, 5), Some(EvolutionError::Objectives { objectives: 0, .. })));
    assert!(matches!(start(6, SelectionAlgorithm::SmsEmoa, 5), Some(EvolutionError::Objectives { most: 5, .. })));
    assert!(matches!(start(33, SelectionAlgorithm::Nsga3, 5), Some(EvolutionError::Objectives { most: 32, .. })));
    assert!(matches!(start(2, SelectionAlgorithm::Nsga2, 0), Some(EvolutionError::Population { population: 0 })));
    assert_eq!(start(32, SelectionAlgorithm::Nsga3, 1), None);
}

/// A problem without feasible genomes, or without valid scores.
struct Unsolvable {
    feasible: bool,
}

impl MultiObjectiveProblem for Unsolvable {
    type Genome = ();
    type Scratch = ();

    fn senses(&self) -> &[Sense] {
        &THREE[..1]
    }
    fn scratch(&self) {}
    fn random(&self, _: &mut ChaCha8Rng) {}
    fn cross(&self, (): &mut (), (): &(), _: &mut ChaCha8Rng) {}
    fn mutate(&self, (): &mut (), _: &mut ChaCha8Rng) {}
    fn evaluate(&self, (): &(), (): &mut (), _: &mut ChaCha8Rng, scores: &mut [f64]) -> bool {
        scores[0] = f64::NAN;
        self.feasible
    }
}

#[test]
fn infeasible_problems_and_invalid_scores_are_errors() {
    let start = |feasible| {
        let options = options(SelectionAlgorithm::Nsga2, 2, EqualPoints::Keep);
        Evolution::new(&Unsolvable { feasible }, options).err().expect("no individual can exist")
    };
    assert_eq!(start(false), EvolutionError::NoneFeasible);
    assert!(start(false).to_string().contains(&MAX_ATTEMPTS.to_string()));
    assert!(matches!(start(true), EvolutionError::Score { objective: 0, .. }));
}
