//! Tests of pipes.

use std::fs;
use std::process::Stdio;

use crate::{lockstep, run, stdout_of};

/// Two triangles joined by a link.
const EDGES: &str = "# two triangles\na b\nb c\nc a\nd e\ne f\nf d\nc d\n";

#[test]
fn a_planned_file_is_verified_through_a_pipe() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file.edges"), EDGES).unwrap();
    let plan = stdout_of(directory.path(), "plan file.edges -c aas --json", b"");
    let verdict = String::from_utf8(stdout_of(directory.path(), "verify -", &plan)).unwrap();
    assert!(verdict.starts_with("valid "), "{verdict}");
}

#[test]
fn networks_are_read_from_and_written_to_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let network = stdout_of(directory.path(), "topology torus:3x3 --format graphml", b"");
    let plan = stdout_of(directory.path(), "plan - -c aab -o -", &network);
    let picture = stdout_of(directory.path(), "render -", &plan);
    assert!(picture.starts_with(b"<svg "));
    let page = stdout_of(directory.path(), "render - --format html", &plan);
    assert!(page.starts_with(b"<!"));
}

#[test]
fn binary_plans_are_read_from_and_written_to_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let plan = stdout_of(directory.path(), "plan ring:5 -c oab --root 2 -o - --format binary", b"");
    assert!(plan.starts_with(b"lockplan"));
    stdout_of(directory.path(), "verify - --json", &plan);
}

#[test]
fn an_altered_plan_is_refused_with_exit_code_1() {
    let directory = tempfile::tempdir().unwrap();
    let plan = String::from_utf8(stdout_of(directory.path(), "plan ring:5 -c aab --json", b"")).unwrap();
    let altered = plan.replacen("\"verdict\": \"optimal\"", "\"verdict\": \"gap 1\"", 1);
    assert_ne!(altered, plan);
    let output = run(directory.path(), "verify -", altered.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.starts_with(b"invalid: the plan claims 'gap 1'"));
}

#[test]
fn a_closed_pipe_does_not_end_a_recovery_book() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = lockstep(directory.path());
    let arguments = ["faults", "torus:4x4", "-c", "aab", "--links", "--book", "book.lsb", "--budget", "1000"];
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
    stdout_of(directory.path(), "faults lookup book.lsb --fail-link 33-30", b"");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = lockstep(directory.path());
    // Larger than the buffer of a pipe.
    command.args(["topology", "torus:100x100", "--format", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}
