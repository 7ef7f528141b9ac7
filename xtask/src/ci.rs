//! `cargo xtask ci`: all checks of continuous integration.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::command::{self, Build, cargo, succeeds};
use crate::consumers;
use crate::documents;
use crate::mpi;
use crate::python::Environment;
use crate::test;

/// Runs all checks in the order of their cost, and prints the time of each.
///
/// A check whose tool is not installed is skipped, and the summary says so.
///
/// # Errors
///
/// At the first check that fails.
pub(crate) fn run() -> Result<()> {
    let mut summary = Summary::default();
    summary.run("format, lints, tests", test::run)?;
    summary.run("reproductions", reproductions)?;
    summary.run("packages without features, and their documentation", packages_without_features)?;
    if succeeds("cargo", &["deny", "--version"]) {
        summary.run("licences and advisories", || cargo(&["deny", "check"], &[]))?;
    } else {
        summary.skip("licences and advisories", "cargo-deny is not installed");
    }
    if succeeds("mdbook", &["--version"]) {
        summary.run("guide", guide)?;
    } else {
        summary.skip("guide", "mdbook is not installed; its commands, pictures and links are tested");
    }
    if consumers::is_any_installed() {
        summary.run("plans in MPI and SimGrid", quick_consumers)?;
    } else {
        summary.skip("plans in MPI and SimGrid", "none of them is installed: see `cargo xtask consumers`");
    }
    match mpi::missing() {
        None => summary.run("lockstep-mpi", mpi::test)?,
        Some(missing) => summary.skip("lockstep-mpi", missing),
    }
    match Environment::prepare()? {
        Ok(environment) => summary.run("Python package", || {
            environment.install_extension(&Build::Tests.library("_native")?)?;
            environment.test()
        })?,
        Err(missing) => summary.skip("Python package", &missing),
    }
    summary.print();
    Ok(())
}

/// Builds the guide as a book in `target/guide`.
fn guide() -> Result<()> {
    command::run("mdbook", &["build", "docs/guide"])
}

/// Runs a few plans in the consumers that are installed.
fn quick_consumers() -> Result<()> {
    let code = consumers::run(&["--quick"])?;
    ensure!(code == ExitCode::SUCCESS, "a plan is refused, or a spoiled one accepted");
    Ok(())
}

/// The reports, each in full if it takes at most two minutes of processor time.
const REPRODUCTIONS: [&[&str]; 6] =
    [&["min"], &["fault"], &["hypercube"], &["hgsa"], &["min", "--engine", "umda", "--quick"], &["exanest", "--quick"]];

/// Reproduces the papers with the build of the tests, and compares the reports with the committed ones.
fn reproductions() -> Result<()> {
    documents::reproduce(Build::Tests, &REPRODUCTIONS)
}

/// Checks that all packages compile, and that their documentation has no warnings, without the features that only tests switch on.
/// The lints have compiled all packages with all features. The documentation needs the results of the check. The verifier also compiles
/// alone, with the fewest packages.
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

/// The checks of a run with their times.
#[derive(Default)]
struct Summary {
    lines: Vec<String>,
    total: Duration,
}

impl Summary {
    fn run(&mut self, name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        let begin = Instant::now();
        check()?;
        let time = begin.elapsed();
        self.total += time;
        self.lines.push(format!("{:6.0} s  {name}", time.as_secs_f64()));
        Ok(())
    }

    fn skip(&mut self, name: &str, reason: &str) {
        let line = format!(" SKIPPED  {name}: {reason}");
        eprintln!("{line}");
        self.lines.push(line);
    }

    fn print(&self) {
        println!("{}\n{:6.0} s  in total", self.lines.join("\n"), self.total.as_secs_f64());
    }
}
