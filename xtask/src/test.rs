//! `cargo xtask test`.

use anyhow::Result;

use crate::run::cargo;

/// What a change must pass.
pub(crate) fn run() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"], &[])?;
    // Doc tests run in the same command: no target is named.
    cargo(&["test", "--workspace", "--all-features", "--quiet", "--no-fail-fast"], &[])
}
