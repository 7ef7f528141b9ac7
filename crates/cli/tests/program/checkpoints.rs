//! Checkpoints that cannot be resumed, and places that cannot hold one.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::{lockstep, names, refusal_of, run, stdout_of};

/// Commands that keep a checkpoint beside `s.json`.
const SEARCHES: [&str; 2] = [
    "plan omega:8 -c aab --engine umda -o s.json",
    "design --routers 2 --chassis 4 --population 4 --generations 2 -o s.json",
];

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_refused_engine_leaves_no_checkpoint() {
    for islands in [1, 2] {
        for place in ["-o s.json", "--checkpoint c"] {
            let directory = tempfile::tempdir().unwrap();
            let arguments = format!("plan ring:4 -c aab --engine hgsa --budget 100 --islands {islands} {place}");
            let message = refusal_of(directory.path(), &arguments);
            assert!(message.contains("the hgsa engine cannot do this"), "{message}");
            assert!(names(directory.path()).is_empty(), "{arguments}");
        }
    }
}

#[test]
fn a_foreign_file_at_the_default_place_is_set_aside() {
    for arguments in SEARCHES {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for (run_number, aside) in ["s.json.checkpoint.old", "s.json.checkpoint.old2"].into_iter().enumerate() {
            let foreign = format!("nonsense {run_number}");
            fs::write(path("s.json.checkpoint"), &foreign).unwrap();
            let output = run(directory.path(), arguments, b"");
            let message = message(&output);
            assert!(output.status.success(), "{message}");
            assert!(message.contains("s.json.checkpoint: the file begins with \"nonsense"), "{message}");
            assert!(message.contains(&format!("; renamed to {aside}, starting again")), "{message}");
            assert_eq!(fs::read_to_string(path(aside)).unwrap(), foreign);
            assert!(path("s.json").exists() && !path("s.json.checkpoint").exists());
        }
    }
}

#[test]
fn a_foreign_file_at_a_requested_place_is_refused() {
    for arguments in SEARCHES {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("c"), "nonsense").unwrap();
        let message = refusal_of(directory.path(), &format!("{arguments} --checkpoint c"));
        assert!(message.contains("c: the file begins with \"nonsense\""), "{message}");
        assert!(message.ends_with("; delete the file, or use another one with --checkpoint\n"), "{message}");
        assert_eq!(names(directory.path()), ["c"]);
    }
}

#[test]
fn a_torn_checkpoint_means_a_new_start() {
    for (arguments, magic) in SEARCHES.into_iter().zip(["lockckpt", "lsdesign"]) {
        let directory = tempfile::tempdir().unwrap();
        for torn in ["", "lo", magic] {
            let torn = if magic.starts_with(torn) { torn } else { &magic[..2] };
            fs::write(directory.path().join("c"), torn).unwrap();
            let output = run(directory.path(), &format!("{arguments} --checkpoint c"), b"");
            let message = message(&output);
            assert!(output.status.success(), "{message}");
            assert!(message.contains("note: c: the file is incomplete; starting again"), "{message}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_device_keeps_no_checkpoint_and_stays() {
    use std::os::unix::fs::FileTypeExt;
    let directory = tempfile::tempdir().unwrap();
    for arguments in SEARCHES.into_iter().chain(["faults ring:4 -c aab --links -o s.json"]) {
        stdout_of(directory.path(), &format!("{arguments} --checkpoint /dev/null"), b"");
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert_eq!(names(directory.path()), ["s.json"]);
    }
    refusal_of(directory.path(), "faults ring:4 -c aab --links --book /dev/null");
    refusal_of(directory.path(), "plan omega:8 -c aab --engine umda --checkpoint .");
}

/// Runs a sweep whose cache folder is `cache` in the directory.
fn sweep(directory: &Path, arguments: &str) -> Output {
    let mut command = lockstep(directory);
    command.args("faults ring:4 -c aab --links".split_whitespace()).args(arguments.split_whitespace());
    command.env("XDG_CACHE_HOME", directory.join("cache")).output().unwrap()
}

#[test]
fn a_sweep_without_a_usable_cache_warns_and_runs() {
    let directory = tempfile::tempdir().unwrap();
    let whole = sweep(directory.path(), "");
    assert!(whole.status.success() && whole.stderr.is_empty(), "{}", message(&whole));
    // A file where the cache folder should be: nothing can be created in it.
    fs::remove_dir_all(directory.path().join("cache")).unwrap();
    fs::write(directory.path().join("cache"), "").unwrap();
    let output = sweep(directory.path(), "");
    assert!(output.status.success() && output.stdout == whole.stdout, "{}", message(&output));
}

#[test]
fn the_first_piece_of_a_log_can_be_torn() {
    let directory = tempfile::tempdir().unwrap();
    let whole = sweep(directory.path(), "--book whole.lsb");
    let book = fs::read(directory.path().join("whole.lsb")).unwrap();
    for length in [0, 5, 30, 200] {
        fs::write(directory.path().join("torn.lsb"), &book[..length]).unwrap();
        let output = sweep(directory.path(), "--book torn.lsb");
        assert!(output.status.success() && output.stdout == whole.stdout, "{}", message(&output));
        assert!(fs::read(directory.path().join("torn.lsb")).unwrap() == book, "{length} bytes");
    }
}
