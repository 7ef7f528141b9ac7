//! A full disk or a signal at every write: old files stay intact, results are offered, and the next run ends with the same
//! bytes.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::{lockstep, names};

/// Contents of the old output file.
const OLD: &[u8] = b"old contents\n";

/// Commands that write `s.json`, and checkpoints or a log before.
const COMMANDS: [&str; 6] = [
    "plan mesh:2x3 -c aas --engine umda --seed 3 -o s.json",
    "plan ring:6 -c aab -o s.json --format binary",
    "design --routers 2 --chassis 6 --population 8 --generations 6 -o s.json",
    "faults ring:6 -c aab --links -o s.json --format csv",
    "faults ring:6 -c aab --links --book b.lsb -o s.json --format csv",
    "topology torus:4x4 --format json -o s.json",
];

/// Numbers of writes at which a fault is injected: all small ones, then fewer and fewer.
fn writes() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1), |&number| Some(number + 1 + number / 4))
}

/// Runs a command with a fault `KIND:N`, or without one.
fn start(directory: &Path, arguments: &str, fault: Option<&str>) -> Output {
    let mut command = lockstep(directory);
    command.args(arguments.split_whitespace()).env("XDG_CACHE_HOME", directory.join("cache"));
    command.env("RAYON_NUM_THREADS", "1").envs(fault.map(|fault| ("LOCKSTEP_FAULT", fault)));
    command.output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the contents that a command writes without a fault.
fn whole(arguments: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), arguments, None);
    assert!(output.status.success(), "{}", message(&output));
    fs::read(directory.path().join("s.json")).unwrap()
}

/// Returns a directory with an old output file.
fn directory_with_old_file() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("s.json"), OLD).unwrap();
    directory
}

/// Checks that the next run writes the same bytes, and leaves nothing else.
fn run_again(directory: &Path, arguments: &str, whole: &[u8], fault: &str) {
    let again = start(directory, arguments, None);
    assert!(again.status.success(), "{fault}: {}", message(&again));
    assert!(fs::read(directory.join("s.json")).unwrap() == whole, "{fault}: lockstep {arguments}");
    let mut expected = vec!["cache", "s.json"];
    expected.extend(arguments.contains("b.lsb").then_some("b.lsb"));
    expected.sort_unstable();
    let mut found = names(directory);
    found.retain(|name| {
        name != "cache" || fs::read_dir(directory.join("cache/lockstep")).is_ok_and(|mut logs| logs.next().is_some())
    });
    expected.retain(|&name| name != "cache");
    assert_eq!(found, expected, "{fault}: lockstep {arguments}");
}

#[test]
fn a_full_disk_at_any_write_leaves_the_old_file_and_offers_the_result() {
    for arguments in COMMANDS {
        let whole = whole(arguments);
        let mut is_offered = false;
        for number in writes() {
            let fault = format!("full:{number}");
            let directory = directory_with_old_file();
            let output = start(directory.path(), arguments, Some(&fault));
            let found = fs::read(directory.path().join("s.json")).unwrap();
            if output.status.success() {
                // No write of the output file met the full disk: it is the new one.
                assert!(found == whole, "{fault}: lockstep {arguments}");
                break;
            }
            assert_eq!(output.status.code(), Some(2), "{fault}: {}", message(&output));
            assert!(found == OLD, "{fault}: lockstep {arguments}");
            let is_book = message(&output).contains("b.lsb: ");
            assert!(is_book || output.stdout == whole, "{fault}: lockstep {arguments}: {}", message(&output));
            is_offered |= output.stdout == whole;
            run_again(directory.path(), arguments, &whole, &fault);
        }
        assert!(is_offered, "lockstep {arguments}");
    }
}

#[test]
fn a_signal_at_any_write_leaves_whole_files_and_the_next_run_ends_with_the_same_bytes() {
    for arguments in COMMANDS {
        let whole = whole(arguments);
        for kind in ["KILL", "INT", "TERM"] {
            for number in writes() {
                let fault = format!("{kind}:{number}");
                let directory = directory_with_old_file();
                let output = start(directory.path(), arguments, Some(&fault));
                let found = fs::read(directory.path().join("s.json")).unwrap();
                let is_interrupted = message(&output).contains("interrupted") || !output.status.success();
                assert!(found == whole || found == OLD || is_interrupted, "{fault}: lockstep {arguments}");
                run_again(directory.path(), arguments, &whole, &fault);
                if output.status.success() && !is_interrupted && found == whole {
                    break;
                }
            }
        }
    }
}
