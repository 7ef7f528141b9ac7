//! Metrics of networks: each metric on the routers of one and of four cabinets, and on large networks.

use criterion::Criterion;
use lockstep_metrics::{
    Disjointness, DistanceSearch, EdgeConnectivity, Graph, PathCounting, Sources, SpectralSearch, ThroughputGoal,
    ThroughputSearch, disjoint_shortest_paths,
};
use lockstep_topology::Topology;

/// Networks of 32 and of 128 routers with 8 cables per router, on which every metric takes seconds at most.
const SMALL: [&str; 2] = ["random-regular:32,8,1", "random-regular:128,8,1"];
const LARGE: [&str; 2] = ["torus:32x32", "dragonfly:4,8,4"];

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    for spec in SMALL.into_iter().chain(LARGE) {
        let graph = Graph::of(&spec.parse::<Topology>().expect("a valid spec"));
        measures(&mut criterion, spec, &graph);
        if SMALL.contains(&spec) {
            throughput(&mut criterion, spec, &graph, &[]);
            disjoint_paths(&mut criterion, spec, &graph, &Sources::all(&graph));
        } else {
            disjoint_paths(&mut criterion, spec, &graph, &one_source(&graph));
        }
    }
    with_symmetries(&mut criterion);
    criterion.final_summary();
}

fn measures(criterion: &mut Criterion, spec: &str, graph: &Graph) {
    let sources = Sources::all(graph);
    let mut group = criterion.benchmark_group(spec);
    let mut distances = DistanceSearch::default();
    group.bench_function("distances", |bencher| bencher.iter(|| distances.measure(graph, &sources)));
    let mut paths = PathCounting::default();
    group.bench_function("paths", |bencher| bencher.iter(|| paths.measure(graph, &sources)));
    group.sample_size(10);
    let mut spectrum = SpectralSearch::default();
    group.bench_function("spectral gap", |bencher| bencher.iter(|| spectrum.measure(graph)));
    group.bench_function("edge connectivity", |bencher| bencher.iter(|| EdgeConnectivity::of(graph)));
    group.finish();
}

fn disjoint_paths(criterion: &mut Criterion, spec: &str, graph: &Graph, sources: &Sources) {
    let mut group = criterion.benchmark_group(format!("{spec}, disjoint paths of {} sources", sources.nodes.len()));
    group.sample_size(10);
    for (name, disjointness) in [("edges", Disjointness::Edges), ("nodes", Disjointness::Nodes)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| disjoint_shortest_paths(graph, sources, disjointness));
        });
    }
    group.finish();
}

fn throughput(criterion: &mut Criterion, spec: &str, graph: &Graph, symmetries: &[Vec<u32>]) {
    let mut group = criterion.benchmark_group(format!("{spec}, throughput"));
    group.sample_size(10);
    let mut search = ThroughputSearch::default();
    for gap in [0.02, 0.01, 0.001] {
        let goal = ThroughputGoal { gap, searches: 20_000 };
        group.bench_function(format!("gap {gap}"), |bencher| {
            bencher.iter(|| search.measure(graph, symmetries, goal).expect("the number of pairs is small"));
        });
    }
    group.finish();
}

/// Returns the first terminal as the only source.
fn one_source(graph: &Graph) -> Sources {
    Sources { nodes: graph.terminals()[..1].to_vec(), orbit_sizes: vec![1] }
}

/// Throughput with given symmetries: the rotation of a circulant network, and the translations of a torus.
fn with_symmetries(criterion: &mut Criterion) {
    let turn: Vec<u32> = (0..32).map(|router| (router + 1) % 32).collect();
    let circulant: Topology = "circulant:32,1,5,9".parse().expect("a valid spec");
    throughput(criterion, "circulant:32,1,5,9 turned", &Graph::of(&circulant), &[turn]);
    let shift =
        |rows: u32, columns: u32| (0..1024).map(|n| (n / 32 + rows) % 32 * 32 + (n % 32 + columns) % 32).collect();
    let torus: Topology = "torus:32x32".parse().expect("a valid spec");
    throughput(criterion, "torus:32x32 shifted", &Graph::of(&torus), &[shift(1, 0), shift(0, 1)]);
}
