//! Programs that would use too much memory end with one line.

use std::process::{Command, Stdio};

use crate::{refusal_of, run};

#[test]
fn the_limit_of_memory_ends_the_program_with_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let message = refusal_of(directory.path(), "topology torus:3000x3000 --max-memory 64MiB");
    assert!(message.starts_with("error: the program uses ") && message.lines().count() == 1, "{message}");
    assert!(
        message.ends_with("more than --max-memory 64.0 MiB; give a smaller problem, or raise the limit\n"),
        "{message}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_refuses_is_an_error_and_no_abort() {
    let directory = tempfile::tempdir().unwrap();
    let limited = format!("ulimit -v 400000; exec {} topology torus:3000x3000", env!("CARGO_BIN_EXE_lockstep"));
    let mut command = Command::new("sh");
    let output = command
        .args(["-c", &limited])
        .current_dir(directory.path())
        .env_remove("RUST_BACKTRACE")
        .env("RAYON_NUM_THREADS", "2")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("memory allocation of "), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_the_system_refuses_are_an_error_and_no_panic() {
    let directory = tempfile::tempdir().unwrap();
    // The stack of a thread is larger than the memory.
    let limited = format!("ulimit -v 400000; exec {} bound torus:4x4 -c aab", env!("CARGO_BIN_EXE_lockstep"));
    let mut command = Command::new("sh");
    let command = command.args(["-c", &limited]).current_dir(directory.path()).env("RUST_MIN_STACK", "1073741824");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: the system refuses a thread: ") && message.lines().count() == 1, "{message}");
    assert!(message.ends_with("or set RAYON_NUM_THREADS=1\n"), "{message}");
}

#[cfg(unix)]
#[test]
fn devices_and_long_programs_are_not_read() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::File::create(directory.path().join("long")).unwrap().set_len((1 << 30) + 1).unwrap();
    for arguments in ["run", "judge", "judge --network ring:4 -c aab", "run -c aab --format csv"] {
        let message = refusal_of(directory.path(), &format!("{arguments} long --max-memory 64MiB"));
        assert!(message.starts_with("error: long: the file is longer than 1073741824 bytes"), "{message}");
    }
    for arguments in [
        "run",
        "judge",
        "topology",
        "verify",
        "render",
        "time",
        "export --to mpi-c",
        "design pick --number 1",
        "faults lookup --fail-link 0-1",
        "plan ring:4 --messages",
        "simulate --schedule",
        "simulate ring:4 --programs",
    ] {
        let message = refusal_of(directory.path(), &format!("{arguments} /dev/zero --max-memory 64MiB"));
        assert_eq!(
            message, "error: /dev/zero: a device, not a file; check the path and its permissions\n",
            "lockstep {arguments}"
        );
    }
}

#[test]
fn paths_that_do_not_fit_are_refused_before_they_are_stored() {
    let directory = tempfile::tempdir().unwrap();
    let message = refusal_of(directory.path(), "simulate torus:40x40 --workload all-to-all --max-memory 600MiB");
    assert!(message.contains("the paths of all flows have"), "{message}");
}

#[test]
fn binary_files_of_other_kinds_are_not_read_to_their_end() {
    let directory = tempfile::tempdir().unwrap();
    // 8 GiB of zeros, without blocks on the disk.
    let zeros = std::fs::File::create(directory.path().join("zeros")).unwrap();
    zeros.set_len(8 << 30).unwrap();
    for arguments in [
        "verify zeros",
        "render zeros -o s.svg",
        "topology zeros",
        "plan ring:4 --messages zeros",
        "plan omega:8 -c aab --engine umda --checkpoint zeros",
        "design --routers 2 --chassis 4 --checkpoint zeros",
        "design pick zeros --number 1",
        "faults lookup zeros --fail-link 0-1",
        "faults ring:4 -c aab --links --book zeros",
        "simulate ring:4 --programs zeros",
        "simulate --schedule zeros",
    ] {
        let output = run(directory.path(), &format!("{arguments} --max-memory 64MiB"), b"");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "lockstep {arguments}: {message}");
        assert!(message.contains("zeros: ") && !message.contains("--max-memory"), "lockstep {arguments}: {message}");
    }
}
