//! `cargo xtask consumers`: real runtimes and simulators execute our plans, and must refuse spoiled ones.

mod astra_sim;
mod cases;
mod consumer;
mod loggopsim;
mod loggopsim_network;
mod mpi;
mod operations;
mod protobuf;
mod simgrid;
mod steps;
mod table;
mod torch;
mod xml_verifier;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::command::{Build, root};
use crate::process;
use cases::{Case, Role};
use consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use table::{Cell, Results};

const USAGE: &str = "\
Run our plans in real runtimes and simulators

Usage: cargo xtask consumers [--quick] [--only NAME] [--write]

Options:
  --quick      Few plans, and only the consumers that a package manager installs
  --only NAME  Only the consumers whose name contains NAME, such as simgrid
  --write      Write the tables into docs/consumers.md

Each consumer that is installed executes a set of plans: it must accept them, and must refuse spoiled ones or compute
a wrong result. For others, the task prints what to install.

Exit codes: 0 as expected; 1 a plan is refused, or a spoiled one accepted; 2 wrong usage.
";

/// The page with the tables.
const PAGE: &str = "docs/consumers.md";

/// The collectives whose plans are spoiled in the quick run: one that moves data, and one that reduces.
const QUICK_SPOILED: [&str; 2] = ["all-to-all", "all-reduce"];

/// Runs the task with the arguments after its name.
///
/// # Errors
///
/// If the program `lockstep` or a consumer cannot be started, or if a file cannot be read or written.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode> {
    let (mut is_quick, mut is_write, mut only) = (false, false, None);
    let mut arguments = arguments.iter();
    while let Some(&argument) = arguments.next() {
        match argument {
            "--only" if arguments.len() > 0 => only = arguments.next().map(|name| name.to_lowercase()),
            "--quick" => is_quick = true,
            "--write" => is_write = true,
            "--help" | "-h" => {
                print!("{USAGE}");
                return Ok(ExitCode::SUCCESS);
            }
            _ => {
                eprint!("{USAGE}");
                return Ok(ExitCode::from(2));
            }
        }
    }
    let is_part = is_quick || only.is_some();
    ensure!(!(is_part && is_write), "the page has the tables of all plans: leave out --quick and --only");
    let results = measure(is_quick, only.as_deref().unwrap_or_default())?;
    print!("{results}");
    if is_write {
        table::write(&root().join(PAGE), &results)?;
    }
    Ok(if results.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Looks for all consumers, or for those of the quick run.
fn find(is_quick: bool) -> Vec<Found> {
    let mut found = vec![mpi::find(mpi::Library::OpenMpi), mpi::find(mpi::Library::Mpich), simgrid::find()];
    if !is_quick {
        found.extend([torch::find(), astra_sim::find()]);
        found.extend([loggopsim::find("goal"), loggopsim::find("goal-binary"), loggopsim_network::find()]);
        found.extend([xml_verifier::find("all-gather"), xml_verifier::find("all-to-all")]);
    }
    found
}

fn measure(is_quick: bool, only: &str) -> Result<Results> {
    let program = if is_quick { Build::Tests } else { Build::Release }.program("lockstep")?;
    let folder = Folder::create()?;
    let cases = cases::cases(is_quick, &program, &folder.path)?;
    let mut results = Results::default();
    for found in find(is_quick) {
        let name = found.as_ref().map_or_else(|missing| missing.name, |consumer| consumer.name());
        if !name.to_lowercase().contains(only) {
            continue;
        }
        match found {
            Ok(consumer) => {
                let consumer = consumer.as_ref();
                let session = Session { program: &program, folder: &folder.path, consumer, is_quick };
                let begin = Instant::now();
                for case in &cases {
                    session.run(case, &mut results)?;
                }
                eprintln!("{:6.0} s  {}", begin.elapsed().as_secs_f64(), consumer.name());
            }
            Err(Missing { name, install }) => {
                eprintln!(" SKIPPED  {name}: not installed; {install}");
                results.missing(name, install);
            }
        }
    }
    if results.is_right() {
        fs::remove_dir_all(&folder.path).with_context(|| folder.path.display().to_string())?;
    } else {
        eprintln!("the files are in {}", folder.path.display());
    }
    Ok(results)
}

/// A new folder for plans, exports and outputs.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn create() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("lockstep-consumers-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self { path })
    }
}

/// The trials of one consumer.
struct Session<'a> {
    program: &'a Path,
    folder: &'a Path,
    consumer: &'a dyn Consumer,
    is_quick: bool,
}

impl Session<'_> {
    /// Runs a plan and, if it is accepted, its spoiled versions.
    fn run(&self, case: &Case, results: &mut Results) -> Result<()> {
        let consumer = self.consumer;
        if !consumer.supports(case) {
            return Ok(());
        }
        let begin = Instant::now();
        let verdict = self.trial(case, None, process::TIME_LIMIT)?.context("a plan without a fault always runs")?;
        let time = begin.elapsed();
        let is_accepted = verdict == Verdict::Accepted;
        results.add(consumer, case, Cell { fault: None, verdict });
        let is_spoiled = match case.role {
            Role::Small => !self.is_quick || QUICK_SPOILED.contains(&case.collective),
            Role::Large => consumer.effort() == Effort::Small,
            Role::Random => false,
        };
        if !is_accepted || !is_spoiled {
            return Ok(());
        }
        for fault in Fault::ALL {
            let limit = Duration::from_secs(5).max(3 * time);
            if let Some(verdict) = self.trial(case, Some(fault), limit)? {
                results.add(consumer, case, Cell { fault: Some(fault), verdict });
            }
        }
        Ok(())
    }

    /// Exports a plan, spoils it, and runs it. Returns nothing if the format cannot express the fault.
    fn trial(&self, case: &Case, fault: Option<Fault>, limit: Duration) -> Result<Option<Verdict>> {
        let consumer = self.consumer;
        let fault_name = fault.map_or("as-it-is", Fault::name).replace(' ', "-");
        let folder =
            self.folder.join(format!("{}-{}-{fault_name}", consumer.name(), case.name()).replace([' ', '/'], "-"));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let file = folder.join("plan");
        let mut export = Command::new(self.program);
        export.args(["export", "--quiet", "--to", consumer.format(), "-o"]).arg(&file).arg(&case.plan);
        let exported = process::run(export.args(consumer.options(case)), process::TIME_LIMIT, &folder)?;
        if !exported.is_success {
            return Ok(Some(Verdict::Refused(exported.last_line())));
        }
        let trial = Trial { case, file: &file, folder: &folder, program: self.program, fault, limit };
        if let Some(fault) = fault
            && !consumer.spoil(&trial, fault)?
        {
            return Ok(None);
        }
        consumer.run(&trial).map(Some)
    }
}
