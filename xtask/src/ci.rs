//! `cargo xtask ci`: all checks of continuous integration.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::command::{self, cargo, succeeds};
use crate::consumers;
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
    summary.run("documentation", || {
        cargo(&["doc", "--workspace", "--no-deps", "--all-features", "--quiet"], &[("RUSTDOCFLAGS", "-D warnings")])
    })?;
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
    summary.run("packages without features", packages_without_features)?;
    fuzz_targets(&mut summary)?;
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
        Ok(environment) => summary.run("Python package", || environment.test("dev"))?,
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

/// Checks that all packages compile without the features that only tests switch on. `lockstep-documents` is left out, because it
/// switches them on. The lints have compiled all packages with all features.
fn packages_without_features() -> Result<()> {
    cargo(&["check", "--quiet", "--workspace", "--exclude", "lockstep-documents", "--no-default-features"], &[])
}

/// Checks that the fuzz targets compile. Their corpora run as tests of the package `lockstep-fuzz-targets`.
fn fuzz_targets(summary: &mut Summary) -> Result<()> {
    let name = "fuzz targets, only checked";
    if !succeeds("c++", &["--version"]) {
        summary.skip(name, "libfuzzer needs a C++ compiler");
        return Ok(());
    }
    summary.run(name, || cargo(&["check", "--manifest-path", "fuzz/Cargo.toml", "--quiet", "--bins"], &[]))
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
