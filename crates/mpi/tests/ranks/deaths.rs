//! Ranks that die.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{bytes, mpirun, succeeds};

/// The sweep of the test.
const SWEEP: [&str; 10] =
    ["faults", "torus:5x5", "-c", "all-to-all", "--links", "--budget", "30000", "--book", "book.lsb", "--quiet"];

/// Time in which something must happen.
const LIMIT: Duration = Duration::from_mins(5);

/// Returns the process of a rank that runs in a folder.
fn process_of_rank(folder: &Path, rank: usize) -> Option<u32> {
    let names = [format!("OMPI_COMM_WORLD_RANK={rank}"), format!("PMI_RANK={rank}")];
    let is_it = |process: &PathBuf| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        let has_rank =
            environment.split(|&byte| byte == 0).any(|entry| names.iter().any(|name| entry == name.as_bytes()));
        has_rank && fs::read_link(process.join("cwd")).is_ok_and(|found| found == folder)
    };
    let processes = fs::read_dir("/proc").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    processes.filter(is_it).find_map(|process| process.file_name()?.to_str()?.parse().ok())
}

/// A rank that dies ends the run, and the same command continues behind the finished sets of faults.
#[cfg(target_os = "linux")]
#[test]
fn a_dead_rank_ends_the_run_and_loses_nothing_that_was_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("the folder exists");
    succeeds(1, &folder, SWEEP);
    let expected = bytes(&folder, "book.lsb");
    fs::remove_file(folder.join("book.lsb")).expect("the book is written");

    for killed in [2, 0] {
        let mut command = mpirun(4);
        command.current_dir(&folder).args(SWEEP).stdout(Stdio::null()).stderr(Stdio::piped());
        let running = command.spawn().expect("mpirun is installed");
        let begin = Instant::now();
        let length = || fs::metadata(folder.join("book.lsb")).map_or(0, |found| found.len());
        let resumed = length();
        while length() < resumed + 2000 {
            assert!(begin.elapsed() < LIMIT, "no page of the book is written");
            sleep(Duration::from_millis(5));
        }
        let process = process_of_rank(&folder, killed).expect("the rank runs");
        let status = Command::new("kill").args(["-9", &process.to_string()]).status();
        assert!(status.is_ok_and(|status| status.success()));
        let output = running.wait_with_output().expect("mpirun ends");
        assert!(!output.status.success() && begin.elapsed() < LIMIT);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains("signal 9") || errors.contains("KILLED BY SIGNAL: 9"), "{errors}");
        assert!(length() >= resumed + 2000 && length() < expected.len() as u64, "the book is kept, and unfinished");
    }
    succeeds(4, &folder, SWEEP);
    assert!(bytes(&folder, "book.lsb") == expected, "the resumed book differs");
}
