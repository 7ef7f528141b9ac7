//! The inner loops of the evolutionary search, on the largest cell of the multistage-network document: all-to-all
//! scatter on the full binary tree of 63 nodes, 3,906 transfers in 992 steps.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use lockstep_bench::random_genes;
use lockstep_evolve::{
    EjectionChainOptions, EjectionChainSearch, Evaluator, Gene, SearchSpace, SearchState, candidate_paths,
};
use lockstep_schedule::{Collective, CommunicationModel, Problem};
use lockstep_topology::Topology;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The options of the directed mutation.
const OPTIONS: EjectionChainOptions = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    changes(&mut criterion);
    chains(&mut criterion, "full-b-tree:63", &Collective::all_to_all(), 992);
    chains(&mut criterion, "omega:16", &Collective::all_gather(), 15);
    criterion.final_summary();
}

/// Counts the conflicts of a whole individual, and after the change of one gene.
fn changes(criterion: &mut Criterion) {
    let tree: Topology = "full-b-tree:63".parse().expect("a valid spec");
    let exchange = Collective::all_to_all();
    let problem = Problem::new(&tree, &exchange, CommunicationModel::wormhole()).expect("a valid problem");
    let paths = candidate_paths(&problem).expect("a small table");
    let space = SearchSpace::new(problem, &paths, 992).expect("a valid search space");
    let [first, second] = [1, 2].map(|seed| random_genes(&problem, &paths, 992, seed));

    let mut group = criterion.benchmark_group("full-b-tree:63 aas 992");
    let mut evaluator = Evaluator::new(&space);
    group.throughput(Throughput::Elements(first.len() as u64));
    group.bench_function("full evaluation", |bencher| bencher.iter(|| evaluator.conflicts(black_box(&first))));

    let mut state = SearchState::new(&space);
    state.load(&first);
    let mut changes = (0..first.len()).zip(&second).chain((0..first.len()).zip(&first)).cycle();
    let mut change = || -> (usize, Gene) {
        let (delivery, gene) = changes.next().expect("the iterator is a cycle");
        (delivery, *gene)
    };
    group.throughput(Throughput::Elements(1));
    group.bench_function("change of a gene", |bencher| {
        bencher.iter(|| {
            let (delivery, gene) = change();
            state.set(delivery, gene);
            state.conflicts()
        });
    });
    group.finish();
}

/// An ejection chain in a converged search. The number of steps is one below the bound, so conflicts remain.
fn chains(criterion: &mut Criterion, network: &str, collective: &Collective, bound: u32) {
    let steps = bound - 1;
    let topology: Topology = network.parse().expect("a valid spec");
    let problem = Problem::new(&topology, collective, CommunicationModel::wormhole()).expect("a valid problem");
    let paths = candidate_paths(&problem).expect("a small table");
    let space = SearchSpace::new(problem, &paths, steps).expect("a valid search space");
    let mut state = SearchState::new(&space);
    state.load(&random_genes(&problem, &paths, steps, 1));
    let mut search = EjectionChainSearch::new(steps, OPTIONS);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    search.run(&mut state, 1 << 16, 12, &mut rng);
    let name = format!("{network} {} {steps}", collective.abbreviation());
    criterion.benchmark_group(name).bench_function("ejection chain", |bencher| {
        bencher.iter(|| search.run(&mut state, 1, 12, &mut rng));
    });
}
