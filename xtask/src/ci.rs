//! `cargo xtask ci`.

use anyhow::Result;

use crate::cargo::cargo;
use crate::test;

/// Everything that must hold before a release.
pub(crate) fn run() -> Result<()> {
    test::run()?;
    cargo(&["doc", "--workspace", "--no-deps", "--all-features", "--quiet"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    cargo(&["test", "--workspace", "--all-features", "--quiet", "--release"], &[])?;
    for paper in ["min", "fault", "hgsa"] {
        cargo(&["xtask", "reproduce-paper", paper, "--quick"], &[])?;
    }
    Ok(())
}
