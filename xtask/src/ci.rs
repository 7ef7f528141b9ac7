//! `cargo xtask ci`: tests, reproductions and the Python package.

use anyhow::Result;

use crate::command::Build;
use crate::documents;
use crate::python::Environment;
use crate::summary::Summary;
use crate::test;

/// Runs the tests, the reproductions and the tests of the Python package with one build, and prints the time of each.
///
/// The Python package is skipped without Python or pip, and the summary says so.
///
/// # Errors
///
/// At the first check that fails.
pub(crate) fn run() -> Result<()> {
    let mut summary = Summary::default();
    summary.run("format, rules, tests", test::run)?;
    summary.run("reproductions", reproductions)?;
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

/// The reports, longest first, each in full if it takes less than two minutes of processor time.
const REPRODUCTIONS: [&[&str]; 6] = [
    &["exanest", "--quick"],
    &["fault"],
    &["hgsa"],
    &["min"],
    &["min", "--engine", "umda", "--quick"],
    &["hypercube", "--quick"],
];

/// Reproduces the papers with the build of the tests, and compares the reports with the committed ones.
fn reproductions() -> Result<()> {
    documents::reproduce(Build::Tests, &REPRODUCTIONS)
}
