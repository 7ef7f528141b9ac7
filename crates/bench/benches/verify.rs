//! The verifier, in transfers per second.

use criterion::{Criterion, Throughput};
use lockstep_bench::{ProblemInstance, constructed};
use lockstep_schedule::{CommunicationModel, verify};

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let mut group = criterion.benchmark_group("verify");
    let (wormhole, store) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    let cases = [
        ("hypercube:10", "aab", store),
        ("hypercube:10", "aas", store),
        ("hypercube:10", "aas", wormhole),
        ("omega:64", "aas", wormhole),
        ("omega:512", "aas", wormhole),
    ];
    for (spec, collective, model) in cases {
        let instance = ProblemInstance::new(spec, collective, model);
        let problem = instance.problem();
        let schedule = constructed(&problem);
        group.throughput(Throughput::Elements(schedule.transfer_count() as u64));
        group.bench_function(format!("{spec} {collective} {}", model.switching), |bencher| {
            bencher.iter(|| verify(&problem, &schedule).expect("a valid schedule"));
        });
    }
    group.finish();
    criterion.final_summary();
}
