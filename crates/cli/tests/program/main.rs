//! Tests of the program: transcripts, pipes, files and signals.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

mod checkpoints;
mod designs;
mod files;
mod forgeries;
mod front_directory;
mod guide;
mod hostile;
#[cfg(all(unix, feature = "fault-injection"))]
mod injected_faults;
mod json_fields;
mod json_schema;
mod manual;
mod memory;
mod pipes;
#[cfg(target_os = "linux")]
mod progress;
mod published;
mod same_files;
mod schemas;
#[cfg(unix)]
mod signals;
mod time_limits;
mod transcripts;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns a command that runs the program in a directory.
fn lockstep(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.current_dir(directory).env_remove("LOCKSTEP_LOG").stdin(Stdio::null());
    command
}

/// Runs the program with arguments and standard input.
fn run(directory: &Path, arguments: &str, input: &[u8]) -> Output {
    let mut command = lockstep(directory);
    command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that does not read its input closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Runs the program, which must fail with exit code 2, and returns its standard error.
fn refusal_of(directory: &Path, arguments: &str) -> String {
    let output = run(directory, arguments, b"");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "lockstep {arguments}: {message}");
    message
}

/// Returns the names of the files in a directory, in order.
fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the program, which must succeed, and returns its standard output.
fn stdout_of(directory: &Path, arguments: &str, input: &[u8]) -> Vec<u8> {
    let output = run(directory, arguments, input);
    assert!(output.status.success(), "lockstep {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
