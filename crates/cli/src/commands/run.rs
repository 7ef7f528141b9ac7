//! `lockstep run`: execution of programs for runtimes and simulators.

use lockstep::files::{message_line, to_json_line};
use lockstep_execute::{ExecuteOptions, Execution, Format, ParallelProgram, RaceCheck, execute};
use serde::Serialize;

use super::program_file;
use crate::args::RunArgs;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::text::{Sheet, counted};

pub(crate) fn run(args: &RunArgs) -> anyhow::Result<ExitStatus> {
    CommandFiles::new().read("the program", &args.program.file)?;
    let (format, programs) = program_file::read(&args.program)?;
    let options = ExecuteOptions { orders: args.program.orders, seed: args.program.seed };
    let results: Vec<_> = programs.iter().map(|program| execute(program, options)).collect();
    let texts = programs.iter().zip(&results).map(|(program, result)| match result {
        _ if args.json => to_json_line(&json(format, program, result.as_ref().map_err(ToString::to_string))),
        Ok(execution) => sheet(format, program, execution),
        Err(violation) => format!("wrong: {format}, {}: {}\n", program.title, message_line(&violation.to_string())),
    });
    output::print(&texts.collect::<String>())?;
    Ok(if results.iter().all(Result::is_ok) { ExitStatus::Success } else { ExitStatus::Negative })
}

/// Returns the result of a right execution for people.
fn sheet(format: Format, program: &ParallelProgram, execution: &Execution) -> String {
    let mut sheet = Sheet::default();
    let [ranks, threads] = [program.rank_count as usize, program.threads.len()];
    sheet.line("program", format!("{format}, {}", program.title));
    sheet.line(
        "size",
        [(ranks, "rank"), (threads, "thread"), (execution.instructions, "instruction")]
            .map(|(count, noun)| counted(count, noun))
            .join(", "),
    );
    sheet.line("orders", counted(execution.orders as usize, "order") + " of the threads, no deadlock");
    let (data, races) = match execution.races {
        RaceCheck::NoMemory => ("messages match; the format has no data".to_owned(), None),
        RaceCheck::NoRace => (outputs(execution), Some("none")),
        RaceCheck::TooManyThreads => (outputs(execution), Some("not searched: too many threads")),
    };
    sheet.line("data", data);
    if let Some(races) = races {
        sheet.line("races", races);
    }
    sheet.line("verdict", "right");
    sheet.to_text()
}

fn outputs(execution: &Execution) -> String {
    format!("{} of the outputs are right", counted(execution.outputs, "chunk"))
}

/// A result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RunResult<'a> {
    right: bool,
    format: &'static str,
    program: &'a str,
    ranks: u32,
    threads: usize,
    instructions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<u32>,
    /// Number of compared chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<usize>,
    /// Whether the program has no data race; absent if this was not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    race_free: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
}

fn json<'a>(format: Format, program: &'a ParallelProgram, result: Result<&Execution, String>) -> RunResult<'a> {
    let execution = result.as_ref().ok();
    RunResult {
        right: result.is_ok(),
        format: format.name(),
        program: &program.title,
        ranks: program.rank_count,
        threads: program.threads.len(),
        instructions: program.instruction_count(),
        orders: execution.map(|execution| execution.orders),
        outputs: execution.map(|execution| execution.outputs),
        race_free: execution.and_then(|execution| (execution.races == RaceCheck::NoRace).then_some(true)),
        violation: result.err(),
    }
}
