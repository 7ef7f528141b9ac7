//! `cargo xtask mutants`: mutation tests of the code that accepts or refuses claims.

use anyhow::{Result, ensure};

use crate::command::{cargo, succeeds};

/// Runs `cargo mutants` with these words, the first of which is `mutants`. Its settings are in `.cargo/mutants.toml`.
///
/// # Errors
///
/// If cargo-mutants is not installed, or if a mutant survives all tests of its package.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let is_installed = succeeds("cargo", &["mutants", "--version"]);
    ensure!(is_installed, "cargo-mutants is not installed; run `cargo install cargo-mutants --locked`");
    // A property that fails needs no smaller example.
    cargo(words, &[("PROPTEST_MAX_SHRINK_ITERS", "0")])
}
