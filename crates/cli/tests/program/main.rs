//! The program among others: pipes, files and signals.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

mod designs;
mod files;
mod pipes;
#[cfg(unix)]
mod signals;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program, in a directory.
fn lockstep(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.current_dir(directory).env_remove("LOCKSTEP_LOG").stdin(Stdio::null());
    command
}

/// What it says to arguments and an input.
fn run(directory: &Path, arguments: &str, input: &[u8]) -> Output {
    let mut command = lockstep(directory);
    command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // Who does not read its input closes it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The standard output of a call that must succeed.
fn data(directory: &Path, arguments: &str, input: &[u8]) -> Vec<u8> {
    let output = run(directory, arguments, input);
    assert!(output.status.success(), "lockstep {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
