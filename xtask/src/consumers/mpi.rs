//! Open MPI and MPICH: the C program of a plan moves real bytes and checks every one of them.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cases::Case;
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use super::operations::{Action, Operation, Place, spoil};
use crate::process;

/// Elements of 8 bytes per chunk, and repetitions.
const ARGUMENTS: [&str; 2] = ["16", "3"];

/// A library of MPI.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    OpenMpi,
    Mpich,
}

/// The programs of an installed library.
struct Mpi {
    library: Library,
    name: String,
    /// Debian has several libraries: their programs have endings.
    suffix: &'static str,
}

/// Looks for `mpicc` and `mpirun` of a library.
pub(crate) fn find(library: Library) -> Found {
    let (name, word, suffixes, install) = match library {
        Library::OpenMpi => ("Open MPI", "(Open MPI)", [".openmpi", ""], "apt install openmpi-bin libopenmpi-dev"),
        Library::Mpich => ("MPICH", "HYDRA", [".mpich", ""], "apt install mpich libmpich-dev"),
    };
    for suffix in suffixes {
        let compiler = Command::new(format!("mpicc{suffix}")).arg("-show").output();
        let Ok(starter) = Command::new(format!("mpirun{suffix}")).arg("--version").output() else { continue };
        let text = String::from_utf8_lossy(&starter.stdout).into_owned();
        if !text.contains(word) || compiler.is_err() {
            continue;
        }
        let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
        let version = text.split_whitespace().find(is_version).unwrap_or_default();
        return Ok(Box::new(Mpi { library, name: format!("{name} {version}").trim_end().to_owned(), suffix }));
    }
    Err(Missing { name, install })
}

impl Consumer for Mpi {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &'static str {
        "mpi-c"
    }

    fn options(&self, _: &Case) -> Vec<String> {
        Vec::new()
    }

    fn effort(&self) -> Effort {
        Effort::Small
    }

    fn supports(&self, _: &Case) -> bool {
        true
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        let source = trial.folder.join("plan.c");
        fs::rename(trial.file, &source).with_context(|| source.display().to_string())?;
        let mut mpicc = Command::new(format!("mpicc{}", self.suffix));
        // The headers of MPICH give false warnings of overflows.
        mpicc.args(["-O1", "-w", "-o"]).arg(trial.file).arg(&source);
        let compiled = process::run(&mut mpicc, process::TIME_LIMIT, trial.folder)?;
        if !compiled.is_success {
            return Ok(Verdict::Refused(compiled.reason("error")));
        }
        let mut starter = Command::new(format!("mpirun{}", self.suffix));
        if self.library == Library::OpenMpi {
            // Containers run as root and have few processors.
            let variables = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
            starter.arg("--oversubscribe").envs(variables.map(|variable| (variable, "1")));
        }
        starter.args(["-n", &trial.case.ranks.to_string()]).arg(trial.file).args(ARGUMENTS);
        let finished = process::run(&mut starter, trial.limit, trial.folder)?;
        let is_right = finished.is_success && finished.text.contains(": right, 0 wrong elements");
        Ok(if is_right { Verdict::Accepted } else { Verdict::Refused(finished.reason("WRONG")) })
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        let text = fs::read_to_string(trial.file)?;
        let (head, rest) = text.split_once(TABLE).context("the program has a table of operations")?;
        let (table, tail) = rest.split_once("};").context("the table ends")?;
        let ends = ends(tail)?;
        let mut operations = Vec::new();
        for (number, line) in table.lines().filter(|line| !line.trim().is_empty()).enumerate() {
            let rank = ends.partition_point(|&end| end <= number);
            operations.push(parse(rank, line).with_context(|| line.to_owned())?);
        }
        if !spoil(&mut operations, fault, trial.case.ranks) {
            return Ok(false);
        }
        let lines: Vec<String> = operations.iter().map(row).collect();
        fs::write(trial.file, format!("{head}{TABLE}\n{}\n}};{tail}", lines.join("\n")))?;
        Ok(true)
    }
}

/// The beginning of the table of operations.
const TABLE: &str = "static const struct operation operations[] = {";

/// Returns the end of the operations of each rank.
fn ends(text: &str) -> Result<Vec<usize>> {
    let (_, rest) = text.split_once("operation_end[] = {").context("the program has the ends of the ranks")?;
    let (numbers, _) = rest.split_once('}').context("the table of the ends is closed")?;
    let numbers = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers.map(|number| Ok(number.parse()?)).collect()
}

/// Reads `{step, ACTION, peer, tag, FROM, from, TO, to, count},`.
fn parse(rank: usize, line: &str) -> Result<Operation> {
    let fields = line.trim().trim_start_matches('{').trim_end_matches(',').trim_end_matches('}');
    let fields: Vec<&str> = fields.split(", ").collect();
    let [step, action, peer, tag, from_buffer, from, to_buffer, to, count] = fields[..] else {
        bail!("an operation has nine fields");
    };
    let action = match action {
        "SEND" => Action::Send,
        "RECEIVE" => Action::Receive,
        "COPY" => Action::Copy,
        "ADD" => Action::Add,
        _ => bail!("unknown action '{action}'"),
    };
    Ok(Operation {
        rank,
        step: step.parse()?,
        action,
        peer: peer.parse()?,
        tag: tag.parse()?,
        from: Place { buffer: from_buffer.to_owned(), offset: from.parse()? },
        to: Place { buffer: to_buffer.to_owned(), offset: to.parse()? },
        count: count.parse()?,
    })
}

/// Writes an operation as `parse` reads it.
fn row(operation: &Operation) -> String {
    let Operation { step, action, peer, tag, from, to, count, .. } = operation;
    let action = match action {
        Action::Send => "SEND",
        Action::Receive => "RECEIVE",
        Action::Copy => "COPY",
        Action::Add => "ADD",
    };
    let (from_buffer, to_buffer) = (&from.buffer, &to.buffer);
    format!(
        "    {{{step}, {action}, {peer}, {tag}, {from_buffer}, {}, {to_buffer}, {}, {count}}},",
        from.offset, to.offset
    )
}
