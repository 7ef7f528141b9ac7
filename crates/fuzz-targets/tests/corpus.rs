//! Replays the corpora of the fuzz targets.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panics, and show their output")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lockstep_fuzz_targets::TARGETS;

/// Largest size of all corpora together, in bytes.
const MAX_BYTES: u64 = 300_000;

/// Sizes of large inputs in bytes: 64 kB, with both sides of the limit of 16 bits, and 1 MB.
const LARGE: [usize; 3] = [65_535, 65_536, 1 << 20];

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

/// Returns the longest run of bytes of a kind: its place and its end.
fn longest_run(input: &[u8], is_inside: impl Fn(u8) -> bool) -> [usize; 2] {
    let (mut longest, mut start) = ([0, 0], 0);
    for (place, &byte) in input.iter().enumerate() {
        if !is_inside(byte) {
            start = place + 1;
        } else if place + 1 - start > longest[1] - longest[0] {
            longest = [start, place + 1];
        }
    }
    longest
}

/// Returns an input with its longest run of a kind repeated to a length in bytes.
fn with_long_run(input: &[u8], length: usize, is_inside: impl Fn(u8) -> bool) -> Vec<u8> {
    let [start, end] = longest_run(input, is_inside);
    let run = input[start..end].iter().copied().cycle().take(if start < end { length } else { 0 });
    input[..start].iter().copied().chain(run).chain(input[end..].iter().copied()).collect()
}

/// An accepted input of each corpus, made large in three ways: a long word, a long number, and the input again and again.
#[test]
fn large_inputs_pass() {
    for target in TARGETS {
        let folder = fuzz("corpus").join(target.name);
        let mut inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        inputs.sort();
        let accepted = inputs.iter().map(|path| fs::read(path).unwrap()).find(|input| (target.run)(input)).unwrap();
        for length in LARGE {
            // Shown if a check panics.
            println!("{}, {length} bytes", target.name);
            (target.run)(&with_long_run(&accepted, length, |byte| byte.is_ascii_alphanumeric()));
            (target.run)(&with_long_run(&accepted, length, |byte| byte.is_ascii_digit()));
            (target.run)(&accepted.iter().copied().cycle().take(length).collect::<Vec<u8>>());
        }
    }
}
