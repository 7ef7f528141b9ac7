//! Replays the corpora of the fuzz targets.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panics, and show their output")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lockstep_fuzz_targets::TARGETS;

/// Largest size of all corpora together, in bytes.
const MAX_BYTES: u64 = 300_000;

/// The program of a target. It is the same for all, so that no build of `fuzz/` is needed to see that each compiles.
const PROGRAM: &str = "\
//! Fuzz target `NAME`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::NAME(bytes);
});
";

fn fuzz(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    fs::read_dir(folder).unwrap().map(|entry| stem(entry.unwrap().path())).collect()
}

#[test]
fn each_target_has_a_program_and_a_corpus() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len());
    assert_eq!(names(&fuzz("fuzz_targets")), targets);
    assert_eq!(names(&fuzz("corpus")), targets);
    let manifest = fs::read_to_string(fuzz("Cargo.toml")).unwrap();
    for name in targets {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is not in fuzz/Cargo.toml");
        let program = fs::read_to_string(fuzz("fuzz_targets").join(format!("{name}.rs"))).unwrap();
        assert_eq!(program, PROGRAM.replace("NAME", &name), "fuzz_targets/{name}.rs: expected the usual program");
    }
}

/// Each input passes the checks of its target. A target whose reader accepts no input of its corpus checks nothing more
/// than errors: its format has changed, and its corpus has to follow.
#[test]
fn corpora_pass_and_each_has_an_accepted_input() {
    let (mut bytes, mut idle) = (0, Vec::new());
    for target in TARGETS {
        let mut is_accepted = false;
        for entry in fs::read_dir(fuzz("corpus").join(target.name)).unwrap() {
            let path = entry.unwrap().path();
            // Shown if a check panics.
            println!("{}", path.display());
            let input = fs::read(&path).unwrap();
            bytes += input.len() as u64;
            is_accepted |= (target.run)(&input);
        }
        if !is_accepted {
            idle.push(target.name);
        }
    }
    assert!(idle.is_empty(), "no input of these corpora is accepted: {idle:?}");
    assert!(bytes <= MAX_BYTES, "the corpora have {bytes} bytes; minimise them with -merge=1, see fuzz/README.md");
}
