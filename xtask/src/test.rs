//! `cargo xtask test`.

use anyhow::Result;

use crate::command::{cargo, succeeds};
use crate::tidy;

/// Seed of the property tests. It is the same in every run, so that a failure comes from the change and not from the
/// seed.
///
/// `PROPTEST_RNG_SEED` replaces it. `cargo test` alone uses another seed each time.
const PROPERTY_SEED: &str = "20261121";

/// Options of all tests. The features are those of the other builds.
const OPTIONS: [&str; 2] = ["--workspace", "--all-features"];

/// Options of `cargo test`.
const QUIET: [&str; 2] = ["--quiet", "--no-fail-fast"];

/// Checks the format and the rules of the repository, and runs all tests and doc tests.
///
/// # Errors
///
/// If a check fails.
pub(crate) fn run() -> Result<()> {
    rules()?;
    tests()?;
    doc_tests()
}

/// Checks the format and the rules of the repository.
///
/// # Errors
///
/// If a check fails.
pub(crate) fn rules() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    tidy::run(false)
}

/// Runs all tests but the doc tests.
///
/// `cargo test` runs one test program after the other. With `cargo-nextest`, if it is installed, the tests of all programs share
/// the cores.
///
/// # Errors
///
/// If a test fails.
pub(crate) fn tests() -> Result<()> {
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| PROPERTY_SEED.to_owned());
    let environment = [("PROPTEST_RNG_SEED", seed.as_str())];
    if succeeds("cargo", &["nextest", "--version"]) {
        let failures = ["--cargo-quiet", "--no-fail-fast", "--status-level", "slow", "--final-status-level", "fail"];
        cargo(&[&["nextest", "run"], &OPTIONS[..], &failures[..]].concat(), &environment)
    } else {
        let targets = ["--lib", "--bins", "--tests", "--examples"];
        cargo(&[&["test"], &OPTIONS[..], &targets[..], &QUIET[..]].concat(), &environment)
    }
}

/// Runs all doc tests.
///
/// # Errors
///
/// If a test fails.
pub(crate) fn doc_tests() -> Result<()> {
    cargo(&[&["test", "--doc"], &OPTIONS[..], &QUIET[..]].concat(), &[])
}
