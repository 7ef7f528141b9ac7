//! Reading and writing a schedule of a million transfers, and building networks from specs.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use lockstep_bench::{ProblemInstance, constructed};
use lockstep_schedule::{CommunicationModel, ScheduleFile};
use lockstep_topology::Topology;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let instance = ProblemInstance::new("hypercube:10", "aab", CommunicationModel::store_and_forward());
    let problem = instance.problem();
    let file = ScheduleFile::new(&problem, constructed(&problem));
    let (json, bytes) = (file.to_json(), file.to_bytes());

    let mut group = criterion.benchmark_group("schedule of 1,047,552 transfers");
    group.throughput(Throughput::Elements(file.schedule().transfer_count() as u64));
    group.bench_function("write JSON", |bencher| bencher.iter(|| file.to_json()));
    group.bench_function("read JSON", |bencher| {
        bencher.iter(|| ScheduleFile::from_json(&json).expect("its own text is valid"));
    });
    group.bench_function("write binary", |bencher| bencher.iter(|| file.to_bytes()));
    group.bench_function("read binary", |bencher| {
        bencher.iter(|| ScheduleFile::from_bytes(&bytes).expect("its own bytes are valid"));
    });
    group.finish();

    let mut group = criterion.benchmark_group("spec");
    for spec in ["torus:32x32", "fat-tree:2,10"] {
        group.bench_function(spec, |bencher| {
            bencher.iter(|| black_box(spec).parse::<Topology>().expect("a valid spec"));
        });
    }
    group.finish();
    criterion.final_summary();
}
