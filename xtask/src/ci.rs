//! `cargo xtask ci`: tests, reproductions and the Python package.

use std::path::Path;

use anyhow::Result;

use crate::command::Build;
use crate::documents;
use crate::python::Environment;
use crate::summary::{Check, Outcome, Summary};
use crate::test;

/// Runs the tests, the reproductions and the tests of the Python package with one build, and prints the time of each.
///
/// After the tests of all packages, each core runs one check, because most of them have only one thread. The Python package is
/// skipped without Python or pip, and the summary says so.
///
/// # Errors
///
/// If a check fails.
pub(crate) fn run() -> Result<()> {
    let mut summary = Summary::default();
    summary.run("format and rules", test::rules)?;
    let program = summary.run("build", || documents::program(Build::Tests))?;
    let extension = Build::Tests.library("_native")?;
    summary.run("tests", test::tests)?;

    let [longest, others @ ..] = REPRODUCTIONS;
    let mut checks = vec![reproduction(&program, longest), Check::new("Python package", || python(&extension))];
    checks.extend(others.into_iter().map(|report| reproduction(&program, report)));
    checks.push(Check::new("doc tests", || test::doc_tests().map(|()| Outcome::Passed)));
    summary.run_together(checks)?;
    summary.print();
    Ok(())
}

/// The reports, longest first, each in full if it takes less than two minutes of processor time.
const REPRODUCTIONS: [&[&str]; 6] = [
    &["hgsa"],
    &["exanest", "--quick"],
    &["fault"],
    &["min"],
    &["min", "--engine", "umda", "--quick"],
    &["hypercube", "--quick"],
];

/// Reproduces a paper, and compares the report with the committed one.
fn reproduction<'a>(program: &'a Path, report: &'static [&'static str]) -> Check<'a> {
    let run = || documents::reproduce(program, report).map(|()| Outcome::Passed);
    Check::new(format!("reproduce-paper {}", report.join(" ")), run)
}

/// Tests the Python package with the extension module of the build of the tests.
fn python(extension: &Path) -> Result<Outcome> {
    match Environment::prepare()? {
        Ok(environment) => {
            environment.install_extension(extension)?;
            environment.test()?;
            Ok(Outcome::Passed)
        }
        Err(missing) => Ok(Outcome::Skipped(missing)),
    }
}
