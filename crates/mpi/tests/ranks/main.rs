//! Tests of `lockstep-mpi` with real ranks. They need `mpirun` of Open MPI or MPICH.

mod deaths;
mod plans;
mod shared_work;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns the command that starts a number of ranks.
fn mpirun(ranks: usize) -> Command {
    let version = Command::new("mpirun").arg("--version").output().expect("mpirun is installed").stdout;
    let mut command = Command::new("mpirun");
    if String::from_utf8_lossy(&version).contains("Open MPI") {
        // More ranks than cores, and a container in which the user is root.
        command.args(["--oversubscribe", "--bind-to", "none"]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command.args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_lockstep-mpi")]);
    command.env("RAYON_NUM_THREADS", "1").stdin(Stdio::null());
    command
}

/// Runs a command to its end.
fn run<A: AsRef<OsStr>>(ranks: usize, folder: &Path, arguments: impl IntoIterator<Item = A>) -> Output {
    mpirun(ranks).current_dir(folder).args(arguments).output().expect("mpirun is installed")
}

/// Runs a command that must succeed, and returns its standard output.
fn succeeds<A: AsRef<OsStr>>(ranks: usize, folder: &Path, arguments: impl IntoIterator<Item = A>) -> String {
    let output = run(ranks, folder, arguments);
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{out}{err}");
    out
}

/// Returns the bytes of a file of a test.
fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).expect("the command has written the file")
}
