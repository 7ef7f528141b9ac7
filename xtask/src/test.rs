//! `cargo xtask test`.

use anyhow::Result;

use crate::command::cargo;
use crate::tidy;

/// Seed of the property tests. It is the same in every run, so that a failure comes from the change and not from the
/// seed.
///
/// `PROPTEST_RNG_SEED` replaces it. `cargo test` alone uses another seed each time.
const PROPERTY_SEED: &str = "20261121";

/// Runs the checks that every change must pass: format, rules of the repository, lints, tests and doc tests.
///
/// # Errors
///
/// If a check fails.
pub(crate) fn run() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    tidy::run(false)?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"], &[])?;
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| PROPERTY_SEED.to_owned());
    // Without a target option, the command also runs the doc tests.
    cargo(&["test", "--workspace", "--all-features", "--quiet", "--no-fail-fast"], &[("PROPTEST_RNG_SEED", &seed)])
}
