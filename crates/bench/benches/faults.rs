//! Faults: classes up to symmetry, replanning after a fault, and look-ups in a recovery book.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use lockstep::{Budget, Consequence, Plan, PlanOptions, Planner, RecoveryBook, SweepIdentity, SweepLog, sweep};
use lockstep_bench::ProblemInstance;
use lockstep_faults::{FaultClasses, FaultKind, FaultSpace, Faults, Survivability};
use lockstep_schedule::{CommunicationModel, Transport};
use lockstep_topology::Topology;

const EVALUATIONS: u64 = 1 << 20;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    sets(&mut criterion);
    for (spec, kind) in [("kautz:3,2", FaultKind::Channel), ("mesh:4x4", FaultKind::Link)] {
        for collective in ["oab", "aab", "oas", "aas"] {
            replan(&mut criterion, spec, kind, collective);
        }
    }
    book(&mut criterion);
    criterion.final_summary();
}

/// Survivability and symmetry classes of all pairs of failed channels.
fn sets(criterion: &mut Criterion) {
    let kautz: Topology = "kautz:3,2".parse().expect("a valid spec");
    let pairs = FaultSpace::new(&kautz, FaultKind::Channel, 2);
    let mut group = criterion.benchmark_group("pairs of channels of kautz:3,2");
    group.throughput(Throughput::Elements(pairs.iter().count() as u64));
    group.bench_function("survivability", |bencher| {
        bencher.iter(|| {
            let survives = |faults: &Faults| {
                let network = faults.apply_to(&kautz).expect("faults of the network");
                Survivability::of(&network, Transport::Direct).is_connected()
            };
            pairs.iter().filter(survives).count()
        });
    });
    group.bench_function("classes", |bencher| {
        bencher.iter(|| FaultClasses::new(&pairs, &[]).expect("the number of sets is small").len());
    });
    group.finish();
}

fn plan(instance: &ProblemInstance) -> Plan {
    let planner = Planner::new(instance.problem(), PlanOptions::auto(1));
    planner.run(&Budget::evaluations(EVALUATIONS), |_| {}).expect("the planner supports the problem")
}

/// Replanning after each single fault.
fn replan(criterion: &mut Criterion, spec: &str, kind: FaultKind, collective: &str) {
    let before = plan(&ProblemInstance::new(spec, collective, CommunicationModel::wormhole()));
    let faults: Vec<Faults> = FaultSpace::new(before.topology(), kind, 1).iter().collect();
    let mut group = criterion.benchmark_group(format!("replan {spec} {collective}"));
    group.throughput(Throughput::Elements(faults.len() as u64)).sample_size(10);
    group.bench_function(format!("every {kind}"), |bencher| {
        bencher.iter(|| {
            for faults in &faults {
                let budget = Budget::evaluations(EVALUATIONS);
                black_box(
                    Consequence::of(faults, &before, PlanOptions::auto(1), &budget)
                        .expect("the planner supports the problem"),
                );
            }
        });
    });
    group.finish();
}

/// Reading a recovery book, and one plan from it.
fn book(criterion: &mut Criterion) {
    let before = plan(&ProblemInstance::new("kautz:3,2", "aas", CommunicationModel::wormhole()));
    let space = FaultSpace::new(before.topology(), FaultKind::Channel, 1);
    let options = PlanOptions::auto(1);
    let identity = SweepIdentity { before: &before, options, evaluations: EVALUATIONS, sets: "every channel" };
    let mut bytes = Vec::new();
    let mut log = SweepLog::begin(&identity, &mut bytes).expect("writing to memory succeeds");
    let add = |consequence| log.add(&consequence).expect("writing to memory succeeds");
    sweep(&before, space.iter(), options, &Budget::evaluations(EVALUATIONS), add).expect("the sweep succeeds");
    log.end().expect("writing to memory succeeds");
    let book = RecoveryBook::read(&bytes).expect("its own bytes are valid");
    let faults = space.get(17).expect("there are 36 channels");

    let mut group = criterion.benchmark_group("recovery book of 36 plans");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("read", |bencher| {
        bencher.iter(|| RecoveryBook::read(&bytes).expect("its own bytes are valid"));
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("schedule", |bencher| {
        bencher.iter(|| book.schedule(black_box(&faults)).expect("a schedule exists"));
    });
    group.bench_function("look up", |bencher| {
        bencher.iter(|| book.look_up(black_box(&faults)).expect("the planner supports the problem"));
    });
    group.finish();
}
