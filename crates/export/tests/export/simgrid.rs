//! Replays in `SimGrid`, where it is installed.

use std::fs;
use std::process::Command;

use lockstep_export::{Connections, Export, ExportOptions, Placement, Runtime, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{CollectiveName, CommunicationModel, Schedule};
use lockstep_topology::Topology;

/// Bytes of a collective.
const BYTES: u64 = 1 << 28;

/// Returns the simulated time of a schedule in seconds.
fn simulated(instance: &Instance, schedule: &Schedule) -> f64 {
    let options = ExportOptions {
        placement: Placement::InPlace,
        connections: Connections::Routed,
        runtime: Runtime::Rccl,
        bytes: BYTES,
        sizes: [0, 0],
    };
    let export = Export { problem: instance.problem(), schedule, options };
    let folder = tempfile::tempdir().expect("a folder");
    for file in format_named("simgrid").expect("a format").write(&export).expect("an export") {
        fs::write(folder.path().join(file.name), file.contents).expect("the folder can be written");
    }
    let output = Command::new("sh").arg(folder.path().join("run.sh")).output().expect("a shell");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{text}");
    let time = text.split("Simulation time ").nth(1).and_then(|rest| rest.split_whitespace().next());
    time.and_then(|time| time.parse().ok()).unwrap_or_else(|| panic!("no time: {text}"))
}

/// A conflict-free schedule takes its steps times latency and transmission; two conflicting steps in one take longer.
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn replays_take_the_time_of_the_steps() {
    if !Command::new("smpirun").arg("-version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: smpirun is missing; install SimGrid");
        return;
    }
    for name in [CollectiveName::AllGather, CollectiveName::AllToAll, CollectiveName::AllReduce] {
        let topology: Topology = "torus:4x4".parse().expect("a network");
        let collective = name.with_root(None).expect("a collective without root");
        let instance = Instance { topology, collective, model: CommunicationModel::store_and_forward() };
        let schedule = random_schedule(&instance.problem(), 3);
        // A chunk at 1 GB/s, and 1 us per step: what the platform of a network without bandwidths has.
        let step = (BYTES / 16) as f64 / 1e9 + 1e-6;
        let expected = schedule.step_count() as f64 * step;
        let found = simulated(&instance, &schedule);
        assert!((found / expected - 1.0).abs() < 0.02, "{name}: {found} s, expected {expected} s");
    }
}
