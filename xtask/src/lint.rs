//! `cargo xtask lint`.

use anyhow::Result;

use crate::command::{self, cargo, succeeds};
use crate::summary::Summary;

/// Runs the checks of the source code that need a build of their own, and prints the time of each.
///
/// A check whose tool is not installed is skipped, and the summary says so.
///
/// # Errors
///
/// At the first check that fails.
pub(crate) fn run() -> Result<()> {
    let mut summary = Summary::default();
    summary.run("clippy", clippy)?;
    summary.run("packages without features, and their documentation", packages_without_features)?;
    if succeeds("cargo", &["deny", "--version"]) {
        summary.run("licences and advisories", || cargo(&["deny", "check"], &[]))?;
    } else {
        summary.skip("licences and advisories", "cargo-deny is not installed");
    }
    if succeeds("mdbook", &["--version"]) {
        summary.run("guide", || command::run("mdbook", &["build", "docs/guide"]))?;
    } else {
        summary.skip("guide", "mdbook is not installed; `cargo xtask test` tests its commands, pictures and links");
    }
    summary.print();
    Ok(())
}

/// Checks the lints of all packages with all features.
fn clippy() -> Result<()> {
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"], &[])
}

/// Checks that all packages compile, and that their documentation has no warnings, without the features that only tests switch on.
/// The documentation needs the results of the check. The verifier also compiles alone, with the fewest packages.
fn packages_without_features() -> Result<()> {
    let verifier =
        ["clippy", "--quiet", "--package", "lockstep-schedule", "--no-default-features", "--", "-D", "warnings"];
    cargo(&verifier, &[])?;
    cargo(&["check", "--quiet", "--workspace", "--exclude", "lockstep-bench"], &[])?;
    cargo(
        &["doc", "--quiet", "--workspace", "--exclude", "lockstep-bench", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )
}
