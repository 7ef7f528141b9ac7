//! `cargo xtask`: tasks of the repository, such as tests and continuous integration.
//!
//! No algorithm is here. A task that needs the libraries is in the package `lockstep-documents` or `lockstep-bench`, which
//! `cargo xtask` starts in release mode, so that the tests do not wait for a release build.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of a program is its purpose")]

mod ci;
mod command;
mod consumers;
mod count;
mod distribution;
mod documents;
mod judged;
mod lint;
mod mpi;
mod mutants;
mod package;
mod process;
mod python;
mod summary;
mod test;
mod text_file;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;

use command::Build;

const USAGE: &str = "\
Tasks of the repository

Usage: cargo xtask <TASK>

Tasks:
  ablate          Plan without each part of the search in turn; with --table, write docs/ablation.md
  test            Check format and rules, and run all tests and doc tests; every change must pass it
  lint            Check lints, packages without features, documentation, licences and the guide; every change must pass it
  ci              Run `test`, the reproductions, and the tests of the Python package; prints the time of each
  mpi             Build and test the program lockstep-mpi, where MPI is installed
  mutants         Mutation tests of the verifiers, the certificate checks and the readers of plans; takes hours
  tidy            Check the rules of the repository; with --write, write the generated files
  bench           Compare our schedules with those of other programs; writes docs/benchmarks.md
  clusters        Compare our schedules on clusters with published figures; with --write, write docs/clusters.md
  consumers       Run our plans in the runtimes and simulators that are installed; with --write, write the page
  count           Print the size of the planning core: lines, numeric constants, functions with many parameters, rules
  judged          Judge all schedules in a folder; with --write, write docs/judged.md
  optima          Compare plans and bounds of random problems with exact optima
  package         Build the archive of the program and the wheel of a release, in target/release-files
  python          Build the wheel of the Python package and test it in a virtual environment
  reproduce-paper Reproduce the tables of a paper and compare them with the committed report
  tables          Compare the tables of the guide with the code; with --write, write them

`ablate`, `bench`, `clusters`, `consumers`, `judged`, `mutants`, `optima` and `reproduce-paper` have options of their own: see `cargo xtask bench --help`.
";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => test::run()?,
        ["lint"] => lint::run()?,
        ["ci"] => ci::run()?,
        ["tidy"] => tidy::run(false)?,
        ["tidy", "--write"] => tidy::run(true)?,
        ["count"] => count::run()?,
        ["package"] => distribution::run()?,
        ["python"] => python::run()?,
        ["mpi"] => mpi::run()?,
        ["mutants", ..] => mutants::run(&words)?,
        ["bench" | "clusters" | "reproduce-paper" | "tables", ..] => return documents::run(Build::Release, &words),
        [name @ ("ablate" | "optima"), ref arguments @ ..] => return documents::bench_program(name, arguments),
        ["judged", ref arguments @ ..] => return judged::run(arguments),
        ["consumers", ref arguments @ ..] => return consumers::run(arguments),
        ["help" | "--help" | "-h"] => print!("{USAGE}"),
        _ => {
            eprint!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}
