//! Pareto ranks and hypervolumes of points, and generations of a cheap problem with a population of 100.

use criterion::{BatchSize, BenchmarkId, Criterion};
use lockstep_pareto::{
    Elites, EqualPoints, Evolution, EvolutionOptions, MultiObjectiveProblem, Points, SelectionAlgorithm, Sense,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POPULATION: usize = 100;
const OBJECTIVES: usize = 3;

/// Three conflicting objectives, each of them a sum of genes.
struct Sums;

impl MultiObjectiveProblem for Sums {
    type Genome = [u8; 12];
    type Scratch = ();

    fn senses(&self) -> &[Sense] {
        &[Sense::Maximise, Sense::Maximise, Sense::Minimise]
    }
    fn scratch(&self) {}
    fn random(&self, random: &mut ChaCha8Rng) -> Self::Genome {
        random.random()
    }
    fn cross(&self, child: &mut Self::Genome, mate: &Self::Genome, random: &mut ChaCha8Rng) {
        let cut = random.random_range(0..child.len());
        child[cut..].copy_from_slice(&mate[cut..]);
    }
    fn mutate(&self, genome: &mut Self::Genome, random: &mut ChaCha8Rng) {
        genome[random.random_range(0..genome.len())] = random.random();
    }
    fn evaluate(&self, genome: &Self::Genome, (): &mut (), _: &mut ChaCha8Rng, scores: &mut [f64]) -> bool {
        let sums = [0, 4, 8].map(|first| genome[first..first + 4].iter().map(|&gene| f64::from(gene)).sum::<f64>());
        scores.copy_from_slice(&[
            sums[0] - 0.5 * sums[1],
            sums[1] - 0.5 * sums[0],
            sums[2] + 0.1 * (sums[0] + sums[1]),
        ]);
        true
    }
}

/// Returns random points close to a sphere, so that many are Pareto-optimal.
fn points(count: usize, objectives: usize) -> Points {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut row = || {
        let row: Vec<f64> = (0..objectives).map(|_| random.random_range(0.01..1.0)).collect();
        let length = row.iter().map(|score| score * score).sum::<f64>().sqrt() * random.random_range(1.0..1.2);
        row.into_iter().map(|score| 1.0 - score / length).collect()
    };
    let rows: Vec<Vec<f64>> = (0..count).map(|_| row()).collect();
    Points::new(&vec![Sense::Minimise; objectives], &rows).expect("the scores are finite")
}

fn evolution(algorithm: SelectionAlgorithm) -> Evolution<'static, Sums> {
    let options = EvolutionOptions {
        algorithm,
        population: POPULATION,
        crossover: 0.8,
        mutation: 0.8,
        seed: 1,
        elites: Elites::Keep,
        equal_points: EqualPoints::Keep,
    };
    let mut evolution = Evolution::new(&Sums, options).expect("every genome is feasible");
    for _ in 0..20 {
        evolution.advance().expect("every genome is feasible");
    }
    evolution
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let mut group = criterion.benchmark_group("points");
    for (count, objectives) in [(200, 2), (200, 3), (2000, 3), (200, 4)] {
        let points = points(count, objectives);
        let size = format!("{count}x{objectives}");
        group.bench_function(BenchmarkId::new("ranks", &size), |bencher| bencher.iter(|| points.ranks()));
        let reference = vec![1.1; objectives];
        group.bench_function(BenchmarkId::new("hypervolume", &size), |bencher| {
            bencher.iter(|| points.hypervolume(&reference).expect("a point of the same objectives"));
        });
        group.bench_function(BenchmarkId::new("contributions", &size), |bencher| {
            bencher.iter(|| points.contributions(&reference).expect("a point of the same objectives"));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group(format!("a generation of {POPULATION}, {OBJECTIVES} objectives"));
    for algorithm in SelectionAlgorithm::ALL {
        let state = evolution(algorithm).state();
        group.bench_function(algorithm.name(), |bencher| {
            bencher.iter_batched_ref(
                || Evolution::resume(&Sums, state.clone()).expect("a state of this problem"),
                |evolution| evolution.advance().expect("every genome is feasible"),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
    criterion.final_summary();
}
