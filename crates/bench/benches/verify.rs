//! The judge, in transfers a second.

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use lockstep_bench::{exclusive_or_exchange, gray_code_all_gather};
use lockstep_schedule::{Collective, CommunicationModel, Problem, Schedule, verify};
use lockstep_topology::Topology;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let mut group = criterion.benchmark_group("verify");

    let cube: Topology = "hypercube:10".parse().expect("a spec");
    let all_gather = Collective::all_to_all_broadcast();
    let problem = Problem::new(&cube, &all_gather, CommunicationModel::store_and_forward()).expect("a problem");
    judge(&mut group, &problem, &gray_code_all_gather(&cube));

    for spec in ["omega:64", "omega:512"] {
        let omega: Topology = spec.parse().expect("a spec");
        let exchange = Collective::all_to_all_scatter();
        let problem = Problem::new(&omega, &exchange, CommunicationModel::wormhole()).expect("a problem");
        judge(&mut group, &problem, &exclusive_or_exchange(&problem).expect("few terminals"));
    }
    group.finish();
    criterion.final_summary();
}

fn judge(group: &mut BenchmarkGroup<WallTime>, problem: &Problem<'_>, schedule: &Schedule) {
    let name = format!("{} {}", problem.topology().name(), problem.collective().abbreviation());
    group.throughput(Throughput::Elements(schedule.transfer_count() as u64));
    group.bench_function(name, |bencher| bencher.iter(|| verify(problem, schedule).expect("a valid schedule")));
}
