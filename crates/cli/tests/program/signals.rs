//! Interrupted searches resume and end with the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{lockstep, names};

/// A search that finds 16 steps soon and searches for 15 then, in vain: one second or more on one thread, and longer than
/// the first half second, after which it writes a checkpoint.
const PLAN: &str = if cfg!(debug_assertions) {
    "plan omega:16 -c aas --engine umda --seed 3 --budget 400000 -o s.json --quiet"
} else {
    "plan omega:16 -c aas --engine umda --seed 3 --budget 2000000 -o s.json --quiet"
};

/// An evolution that takes about the same time.
const DESIGN: &str = if cfg!(debug_assertions) {
    "design --routers 8 --chassis 16 --preset stated --generations 300 --seed 3 -o s.json"
} else {
    "design --routers 8 --chassis 16 --preset stated --generations 800 --seed 3 -o s.json"
};

/// Time limit of each wait.
const TIME_LIMIT: Duration = Duration::from_mins(2);

/// Starts a search on a number of threads, which must not change its result.
fn start(directory: &Path, arguments: &str, threads: &str) -> Child {
    let mut command = lockstep(directory);
    command
        .args(arguments.split_whitespace())
        .env("RAYON_NUM_THREADS", threads)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for the first checkpoint, sends a signal, and returns the output of the search.
fn interrupt(directory: &Path, arguments: &str, signal: &str) -> Output {
    let mut child = start(directory, arguments, "1");
    let started = Instant::now();
    while !directory.join("s.json.checkpoint").exists() {
        assert!(started.elapsed() < TIME_LIMIT, "no checkpoint");
        assert_eq!(child.try_wait().unwrap(), None, "the search ended before its first checkpoint");
        sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

/// Returns the results of the resumed search and of an uninterrupted one.
fn resumed_and_whole(interrupted: &Path, arguments: &str) -> [Vec<u8>; 2] {
    let whole = tempfile::tempdir().unwrap();
    [interrupted, whole.path()].map(|directory| {
        let output = start(directory, arguments, "2").wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!directory.join("s.json.checkpoint").exists(), "a finished search leaves no checkpoint");
        fs::read(directory.join("s.json")).unwrap()
    })
}

/// Checks that a killed search resumes to the same result.
fn kill_and_resume(arguments: &str) {
    let directory = tempfile::tempdir().unwrap();
    let output = interrupt(directory.path(), arguments, "-KILL");
    assert_eq!(output.status.code(), None);
    assert!(!directory.path().join("s.json").exists());
    let [resumed, whole] = resumed_and_whole(directory.path(), arguments);
    assert!(resumed == whole);
}

#[test]
fn a_killed_search_is_resumed_bit_for_bit() {
    kill_and_resume(PLAN);
}

#[test]
fn a_killed_evolution_is_resumed_bit_for_bit() {
    kill_and_resume(DESIGN);
}

#[test]
fn an_interrupted_search_says_so_and_is_resumed_bit_for_bit() {
    let directory = tempfile::tempdir().unwrap();
    let output = interrupt(directory.path(), PLAN, "-INT");
    let message = String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(0) => {
            let plan = fs::read_to_string(directory.path().join("s.json")).unwrap();
            assert!(plan.contains(r#""cut_short": "interrupt""#), "{plan}");
        }
        // The search had no schedule yet.
        code => {
            assert_eq!(code, Some(1));
            assert!(message.contains("steps found: it was interrupted"), "{message}");
        }
    }
    assert!(directory.path().join("s.json.checkpoint").exists());
    let [resumed, whole] = resumed_and_whole(directory.path(), PLAN);
    assert!(resumed == whole);
}

#[test]
fn an_interrupted_evolution_leaves_its_front_and_is_resumed_bit_for_bit() {
    let directory = tempfile::tempdir().unwrap();
    let output = interrupt(directory.path(), DESIGN, "-INT");
    assert_eq!(output.status.code(), Some(0));
    let message = String::from_utf8(output.stderr).unwrap();
    for expected in ["interrupted; this is the front found", "resume from s.json.checkpoint"] {
        assert!(message.contains(expected), "{message}");
    }
    let so_far = fs::read(directory.path().join("s.json")).unwrap();
    let [resumed, whole] = resumed_and_whole(directory.path(), DESIGN);
    assert!(resumed == whole && resumed != so_far);
}

/// The first schedule of this plan takes many seconds, and a signal does not wait for it.
#[test]
fn a_plan_without_a_schedule_ends_soon_after_a_signal() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = "plan random-regular:2000,4,1 -c aas --switching store-and-forward -o s.json";
    let mut delay = Duration::from_millis(250);
    let output = loop {
        let mut child = start(directory.path(), arguments, "1");
        sleep(delay);
        assert_eq!(child.try_wait().unwrap(), None, "the search ended before the signal");
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        // A signal before the search begins ends the process by the default of the system.
        if output.status.code().is_some() {
            break output;
        }
        delay *= 2;
    };
    assert_eq!(output.status.code(), Some(130));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("stopped without a result"), "{message}");
    assert!(!directory.path().join("s.json").exists());
}

/// A signal ends the search of a symmetric schedule soon, and the message says so.
#[test]
fn a_symmetric_plan_ends_soon_after_a_signal() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = "plan torus:80x80x80 -c aas --symmetric --switching store-and-forward -o s.json";
    let mut delay = Duration::from_millis(250);
    let output = loop {
        let mut child = start(directory.path(), arguments, "1");
        sleep(delay);
        assert_eq!(child.try_wait().unwrap(), None, "the search ended before the signal");
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        // A signal before the search begins ends the process by the default of the system.
        if output.status.code().is_some() {
            break output;
        }
        delay *= 2;
    };
    let message = String::from_utf8(output.stderr).unwrap();
    let expected = match output.status.code() {
        Some(1) => "no schedule found: it was interrupted",
        Some(130) => "stopped without a result",
        other => panic!("exit code {other:?}: {message}"),
    };
    assert!(message.contains(expected), "{message}");
    assert!(!directory.path().join("s.json").exists());
}

/// Starts a sweep over all pairs of links of a mesh. Its log file is in the cache folder, or a book.
fn start_sweep(directory: &Path, more: &[&str]) -> Child {
    let mut command = lockstep(directory);
    command.args(["faults", "mesh:4x4", "-c", "aab", "--links", "--at-once", "2"]).args(more);
    command.env("XDG_CACHE_HOME", directory.join("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Kills a sweep after it wrote some rows, and returns the path of its log file.
fn kill_sweep(directory: &Path, more: &[&str], file: impl Fn() -> Option<PathBuf>) -> PathBuf {
    const MIN_BYTES: u64 = 10_000;
    let mut child = start_sweep(directory, more);
    let started = Instant::now();
    let written = loop {
        let length = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
        if let Some(path) = file().filter(|path| length(path) > MIN_BYTES) {
            break path;
        }
        assert!(started.elapsed() < TIME_LIMIT, "the sweep wrote no rows");
        assert_eq!(child.try_wait().unwrap(), None, "the sweep ended before it was killed");
        sleep(Duration::from_millis(1));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    written
}

#[test]
fn a_killed_sweep_resumes_and_removes_its_log_file() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache/lockstep");
    let only_file = || Some(fs::read_dir(&cache).ok()?.next()?.ok()?.path());
    let kept = kill_sweep(directory.path(), &[], only_file);
    let resumed = start_sweep(directory.path(), &[]).wait_with_output().unwrap();
    let message = String::from_utf8(resumed.stderr).unwrap();
    assert!(resumed.status.success() && message.contains("resuming from"), "{message}");
    assert!(!kept.exists(), "a finished sweep leaves no log file");
    let whole = start_sweep(directory.path(), &["--quiet"]).wait_with_output().unwrap();
    assert!(whole.status.success() && whole.stderr.is_empty());
    assert_eq!(String::from_utf8(resumed.stdout).unwrap(), String::from_utf8(whole.stdout).unwrap());
}

#[test]
fn a_killed_book_is_completed_bit_for_bit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("b.lsb");
    kill_sweep(directory.path(), &["--book", "b.lsb"], || Some(path.clone()));
    let refused =
        lockstep(directory.path()).args(["faults", "lookup", "b.lsb", "--fail-link", "00-01"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("the book has no end"));
    for book in ["b.lsb", "whole.lsb"] {
        assert!(start_sweep(directory.path(), &["--book", book]).wait_with_output().unwrap().status.success());
    }
    assert_eq!(fs::read(&path).unwrap(), fs::read(directory.path().join("whole.lsb")).unwrap());
}

/// Number of interruptions per command; `LOCKSTEP_INTERRUPTIONS` replaces it.
const INTERRUPTIONS: u32 = 2;

/// Runs a command until it ends, or sends it a signal after a time. Returns its standard error.
fn run_until(directory: &Path, arguments: &str, signal: Option<(&str, Duration)>) -> String {
    let child = start(directory, arguments, "1");
    if let Some((signal, moment)) = signal {
        sleep(moment);
        // The command may have ended.
        Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
    }
    String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
}

#[test]
fn work_interrupted_at_any_moment_ends_with_the_same_bytes() {
    let interruptions = std::env::var("LOCKSTEP_INTERRUPTIONS").map_or(INTERRUPTIONS, |text| text.parse().unwrap());
    let sweep = "faults mesh:4x4 -c aab --links --at-once 2 --sample 40 --book b.lsb -o s.json";
    for arguments in [PLAN, DESIGN, sweep] {
        let whole = tempfile::tempdir().unwrap();
        let started = Instant::now();
        run_until(whole.path(), arguments, None);
        let duration = started.elapsed();
        let files = names(whole.path());
        for number in 0..interruptions {
            let directory = tempfile::tempdir().unwrap();
            let signal = ["TERM", "KILL", "INT"][number as usize % 3];
            // Multiples of the golden ratio fill the time evenly.
            let moment = duration.mul_f64((f64::from(number) * 0.618_034 + 0.1).fract());
            let first = run_until(directory.path(), arguments, Some((signal, moment)));
            let second = run_until(directory.path(), arguments, None);
            let context = format!("{signal} after {moment:?} of lockstep {arguments}: {first} {second}");
            assert_eq!(names(directory.path()), files, "{context}");
            for name in &files {
                let [found, expected] = [&directory, &whole].map(|folder| fs::read(folder.path().join(name)).unwrap());
                assert!(found == expected, "{name}: {context}");
            }
        }
    }
}
