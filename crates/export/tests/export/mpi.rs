//! The C programs, compiled and run where MPI is installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use lockstep_export::{Connections, Export, ExportOptions, Placement, Runtime, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{CollectiveName, CommunicationModel};
use lockstep_topology::Topology;

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs a program and returns its standard output.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {out}{error}");
    out
}

fn run_program(folder: &Path, source: &[u8], ranks: usize) -> String {
    let file = folder.join("plan.c");
    fs::write(&file, source).expect("the folder can be written");
    run(Command::new("mpicc").args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(folder.join("plan")).arg(&file));
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "-n", &ranks.to_string()]).arg(folder.join("plan")).args(["3", "2"]);
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    run(&mut command)
}

/// Every collective, in and out of place, with two chunks and relays, on a network with a switch.
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn programs_with_mpi_bring_every_byte() {
    if !is_installed("mpicc") || !is_installed("mpirun") {
        eprintln!("skipped: mpicc or mpirun is missing; install an MPI with its compiler");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let topology: Topology = "mesh:2x3".parse().expect("a network");
    for name in CollectiveName::ALL {
        let root = name.has_root().then(|| topology.terminals()[2]);
        let collective = name.with_root(root).expect("a root where it is needed");
        let collective = collective.with_chunks(2.try_into().expect("more than 0"));
        let model = CommunicationModel::store_and_forward();
        let instance = Instance { topology: topology.clone(), collective, model };
        let schedule = random_schedule(&instance.problem(), 7);
        for placement in [Placement::InPlace, Placement::OutOfPlace] {
            let options = ExportOptions {
                placement,
                connections: Connections::Direct,
                runtime: Runtime::Rccl,
                bytes: 1,
                sizes: [0, 0],
            };
            let export = Export { problem: instance.problem(), schedule: &schedule, options };
            let files = format_named("mpi-c").expect("a format").write(&export).expect("an export");
            let output = run_program(folder.path(), &files[0].contents, topology.terminal_count());
            assert!(output.contains(": right, 0 wrong elements"), "{name}: {output}");
        }
    }
}

/// The program finds a wrong offset.
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn a_spoiled_program_is_found() {
    if !is_installed("mpicc") || !is_installed("mpirun") {
        eprintln!("skipped: mpicc or mpirun is missing; install an MPI with its compiler");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let topology: Topology = "ring:4".parse().expect("a network");
    let collective = lockstep_schedule::Collective::all_gather();
    let instance = Instance { topology, collective, model: CommunicationModel::store_and_forward() };
    let schedule = random_schedule(&instance.problem(), 7);
    let options = ExportOptions {
        placement: Placement::InPlace,
        connections: Connections::Direct,
        runtime: Runtime::Rccl,
        bytes: 1,
        sizes: [0, 0],
    };
    let export = Export { problem: instance.problem(), schedule: &schedule, options };
    let files = format_named("mpi-c").expect("a format").write(&export).expect("an export");
    let source = String::from_utf8_lossy(&files[0].contents).into_owned();
    let spoiled = source.replacen("SEND, 1, 0, OUTPUT, 0", "SEND, 1, 0, OUTPUT, 3", 1);
    assert_ne!(source, spoiled);
    fs::write(folder.path().join("plan.c"), &spoiled).expect("the folder can be written");
    run(Command::new("mpicc").arg("-o").arg(folder.path().join("plan")).arg(folder.path().join("plan.c")));
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "-n", "4"]).arg(folder.path().join("plan"));
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    let output = command.output().expect("the program starts");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected "));
}
