//! Bisections: Kernighan-Lin, multilevel and exact.
//!
//! Other programs on graphs of 32 and of 128 routers, on one core. Their cuts are means over random regular networks
//! with the same parameters:
//!
//! * networkx 3.6 `kernighan_lin_bisection`: 3 ms and 18 to 32 ms per run;
//! * METIS by pymetis: 0.4 to 3 ms and 1 to 15 ms, and its cuts are larger than the best of 10 runs here by 4 %, on
//!   8-regular networks of 128 nodes;
//! * `KaHIP`, setting `strong`: 160 ms and 600 to 1,400 ms, for cuts as small as those of 1 start and 50 rounds;
//! * CP-SAT on a 12-regular network of 32 routers: the width, but no proof after 40 s.

use criterion::Criterion;
use lockstep_design::{Machine, Network};
use lockstep_metrics::{BisectionEffort, Bisector, Graph, exact_bisection};
use lockstep_topology::Topology;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Two evolved networks of 32 routers with 12 cables per router.
const PICKS: [(&str, &str); 2] = [
    ("74-6-12", "111,0,174,44,0,200,148,83,0,0,180,224,4,53,119,71"),
    ("72-16-12", "222,254,142,237,0,76,0,151,17,145,82,69,165,42,0,0"),
];

fn pick(code: &str) -> Graph {
    let machine = Machine::new(8, 16, 1).expect("a valid machine");
    Network::of_code(&machine, &code.parse().expect("a valid code")).expect("a code of the machine").graph().clone()
}

fn graph(spec: &str) -> Graph {
    Graph::of(&spec.parse::<Topology>().expect("a valid spec"))
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let (mut bisector, mut random) = (Bisector::default(), ChaCha8Rng::seed_from_u64(1));

    let mut group = criterion.benchmark_group("Kernighan and Lin");
    for spec in ["random-regular:32,8,1", "random-regular:32,24,1", "random-regular:128,8,1", "random-regular:128,24,1"]
    {
        let graph = graph(spec);
        group.bench_function(spec, |bencher| bencher.iter(|| bisector.kernighan_lin(&graph, &mut random)));
    }
    for spec in ["random-regular:32,8,1", "random-regular:128,8,1"] {
        let graph = graph(spec);
        let name = format!("{spec}, best of 10");
        group.bench_function(name, |bencher| bencher.iter(|| bisector.best_of(&graph, 10, &mut random)));
    }
    group.finish();

    let mut group = criterion.benchmark_group("multilevel");
    let cases = [
        ("random-regular:32,8,1", 1, 10),
        ("random-regular:128,8,1", 1, 50),
        ("random-regular:1024,8,1", 1, 10),
        ("fat-tree:2,10", 4, 0),
    ];
    for (spec, starts, rounds) in cases {
        let (graph, effort) = (graph(spec), BisectionEffort { starts, rounds });
        let name = format!("{spec}, {starts} + {rounds}");
        group.bench_function(name, |bencher| bencher.iter(|| bisector.bisect(&graph, effort, &mut random)));
    }
    group.finish();

    let mut group = criterion.benchmark_group("exact");
    let picks = PICKS.map(|(name, code)| (name, pick(code)));
    let networks = ["random-regular:40,8,1", "hypercube:6"].map(|spec| (spec, graph(spec)));
    for (name, graph) in picks.into_iter().chain(networks) {
        group.bench_function(name, |bencher| {
            bencher.iter(|| exact_bisection(&graph, u64::MAX).expect("the number of terminals is small"));
        });
    }
    group.finish();
    criterion.final_summary();
}
