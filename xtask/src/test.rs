//! `cargo xtask test`.

use anyhow::Result;

use crate::cargo::cargo;

/// The cases that property tests draw: the same in every run, so that what fails is the change. `PROPTEST_RNG_SEED` draws
/// others, and `cargo test` other ones each time.
const CASES: &str = "20261121";

/// What a change must pass.
pub(crate) fn run() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"], &[])?;
    let cases = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| CASES.to_owned());
    // Doc tests run in the same command: no target is named.
    cargo(&["test", "--workspace", "--all-features", "--quiet", "--no-fail-fast"], &[("PROPTEST_RNG_SEED", &cases)])
}
