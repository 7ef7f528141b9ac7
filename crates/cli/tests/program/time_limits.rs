//! Tests of time limits that are too short for a first schedule.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{lockstep, refusal_of};

/// The error of a limit.
fn too_short(limit: &str) -> String {
    format!(
        "error: no schedule found within {limit}; try --budget 5s, or a number of evaluations, such as --budget 10000000: \
         then the first schedule is always completed\n"
    )
}

/// The schedule has half a million transfers over hundreds of channels each.
#[test]
fn a_limit_that_is_too_short_ends_with_exit_code_2_and_what_to_try() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(refusal_of(directory.path(), "plan mesh:1x1001 -c all-to-all -b 1ms"), too_short("1ms"));
    let front = refusal_of(directory.path(), "front mesh:1x1001 -c all-to-all --unit 1GB/s --latency 1us -b 1ms");
    assert_eq!(front, "error: no schedule found within 1ms; try --budget 5s\n");
}

/// The network comes from a pipe that stays open, so nothing checks the budget.
#[test]
fn a_limit_ends_also_the_reading_of_the_network() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = lockstep(directory.path());
    command.args(["plan", "-", "-c", "all-gather", "-b", "20ms"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let open = child.stdin.take();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_mins(2) {
            child.kill().unwrap();
            panic!("the program waits for its input");
        }
        sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    drop(open);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), too_short("20ms"));
    assert_eq!(output.status.code(), Some(2));
}
