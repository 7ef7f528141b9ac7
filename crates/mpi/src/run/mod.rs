//! `lockstep-mpi run`: a plan on real data.

mod data;
mod execute;
mod library;
mod operations;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

use anyhow::{Context, anyhow, bail, ensure};
use lockstep::ScheduleFile;
use lockstep::files::to_json_line;
use lockstep::schedule::CollectiveSize;
use lockstep_cli::{ExitStatus, Sheet, counted, print, print_error, read_schedule};
use lockstep_export::{
    Connections, LowerError, LowerOptions, Placement, Receives, contents, lower, standard_collective,
};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use serde::Serialize;

use self::data::Data;
use self::library::LibraryCollective;
use self::operations::Operations;
use crate::args::RunArgs;

/// Bytes of an element.
const ELEMENT: u64 = 8;

/// The result of a run.
#[derive(Serialize)]
struct RunResult<'a> {
    right: bool,
    collective: &'a str,
    network: &'a str,
    ranks: usize,
    steps: usize,
    /// Bytes per chunk.
    chunk_bytes: u64,
    /// Bytes that were compared, at all receivers together, in each repetition.
    compared_bytes: u64,
    /// Wrong bytes, in all repetitions together.
    wrong_bytes: u64,
    repetitions: usize,
    /// The median of the repetitions.
    microseconds: f64,
    /// The function of the MPI library for the same collective.
    #[serde(skip_serializing_if = "Option::is_none")]
    library_function: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    library_microseconds: Option<f64>,
    library: String,
}

/// Executes a plan on all ranks, checks the data, and prints the result at rank 0.
///
/// # Errors
///
/// All ranks return an error if one of them does.
pub(crate) fn run(args: &RunArgs, world: &SimpleCommunicator) -> anyhow::Result<ExitStatus> {
    let file = shared_schedule(args, world)?;
    let (problem, schedule) = (file.problem(), file.schedule());
    let (ranks, found) = (problem.topology().terminal_count(), world.size() as usize);
    let name = args.plan.display();
    ensure!(
        ranks == found,
        "{name}: the plan has {}, but MPI started {found}; use mpirun -n {ranks}",
        counted(ranks, "rank")
    );
    let size = CollectiveSize::new(&problem, args.size);
    let chunk_bytes = problem.collective().chunk_size(size.message_bytes).max(1).next_multiple_of(ELEMENT);
    let chunk = i32::try_from(chunk_bytes / ELEMENT).ok();
    let chunk = chunk.with_context(|| {
        format!("--size: a chunk has {chunk_bytes} bytes, but an MPI message has at most 2^31 - 1 numbers of {ELEMENT} bytes; use a smaller size")
    })?;
    let options = LowerOptions {
        placement: if args.in_place { Placement::InPlace } else { Placement::OutOfPlace },
        receives: Receives::Staged,
        connections: Connections::Routed,
        max_count: NonZeroU32::new((i32::MAX / chunk) as u32).unwrap_or(NonZeroU32::MIN),
    };
    let program = match lower(&problem, schedule, options) {
        Err(LowerError::Invalid(violation)) => {
            if world.rank() == 0 {
                print(&format!("invalid: {violation}\n"))?;
            }
            return Ok(ExitStatus::Negative);
        }
        program => program.with_context(|| name.to_string())?,
    };
    let chunk = chunk as usize;
    let rank = world.rank() as usize;
    let operations = Operations::of(&program, rank, chunk);
    drop(program);
    let data = Data::of(&contents(&problem, options.placement)?, rank as u32, chunk);
    let mut memory = vec![0; operations.memory_len()];

    let repetitions = args.repetitions.get() as usize;
    let (mut wrong_bytes, mut first_wrong) = (0, None);
    let microseconds = median_time(repetitions, world, || {
        data.fill(&operations, &mut memory);
        let time = timed(world, || execute::execute(&operations, &mut memory, world));
        let (wrong, first) = data.check(&operations, &memory);
        wrong_bytes += wrong;
        first_wrong = first_wrong.take().or(first);
        time
    });
    if let Some(wrong) = first_wrong {
        print_error(&anyhow!("{wrong}"));
    }
    let mut library = standard_collective(&problem).map(|name| LibraryCollective::new(name, &problem, chunk));
    let library_microseconds =
        library.as_mut().map(|library| median_time(repetitions, world, || timed(world, || library.execute(world))));
    let [compared_bytes, wrong_bytes] = [data.compared_bytes(), wrong_bytes].map(|bytes| sum(bytes, world));
    let result = RunResult {
        right: wrong_bytes == 0,
        collective: problem.collective().word(),
        network: problem.topology().name(),
        ranks,
        steps: schedule.step_count(),
        chunk_bytes,
        compared_bytes,
        wrong_bytes,
        repetitions,
        microseconds,
        library_function: library.map(|library| library.function()),
        library_microseconds,
        library: mpi::environment::library_version().map(|version| short_version(&version)).unwrap_or_default(),
    };
    if world.rank() == 0 {
        print(&if args.json { to_json_line(&result) } else { sheet(&result, args.size).to_text() })?;
    }
    Ok(if result.right { ExitStatus::Success } else { ExitStatus::Negative })
}

/// Reads the plan at rank 0, and returns its schedule at all ranks.
fn shared_schedule(args: &RunArgs, world: &SimpleCommunicator) -> anyhow::Result<ScheduleFile> {
    let root = world.process_at_rank(0);
    let read = (world.rank() == 0).then(|| read_schedule(&args.plan));
    let mut bytes = match &read {
        Some(Ok(file)) => file.to_bytes(),
        Some(Err(_)) | None => Vec::new(),
    };
    let mut length = bytes.len() as u64;
    root.broadcast_into(&mut length);
    bytes.resize(length as usize, 0);
    for part in bytes.chunks_mut(i32::MAX as usize) {
        root.broadcast_into(part);
    }
    match read {
        Some(file) => file,
        None if length == 0 => bail!("rank 0 cannot read the plan"),
        None => Ok(ScheduleFile::from_bytes(&bytes)?),
    }
}

/// Returns the time of some work at this rank in seconds. All ranks begin together.
fn timed(world: &SimpleCommunicator, work: impl FnOnce()) -> f64 {
    world.barrier();
    let begin = mpi::time();
    work();
    mpi::time() - begin
}

/// Returns the median of repetitions in microseconds. A repetition takes the time of its slowest rank.
fn median_time(repetitions: usize, world: &SimpleCommunicator, mut repetition: impl FnMut() -> f64) -> f64 {
    let slowest = |time: f64| {
        let mut slowest = 0.0;
        world.all_reduce_into(&time, &mut slowest, SystemOperation::max());
        slowest
    };
    let mut times: Vec<f64> = (0..repetitions).map(|_| slowest(repetition())).collect();
    times.sort_by(f64::total_cmp);
    // Whole nanoseconds.
    (1e9 * times[repetitions / 2]).round() / 1e3
}

/// Returns the sum of a number over all ranks.
fn sum(number: u64, world: &SimpleCommunicator) -> u64 {
    let mut sum = 0;
    world.all_reduce_into(&number, &mut sum, SystemOperation::sum());
    sum
}

/// Returns the name and the number of the version of the MPI library.
fn short_version(version: &str) -> String {
    let first = version.split([',', '\n']).next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the result for people.
fn sheet(result: &RunResult<'_>, size: u64) -> Sheet {
    let mut sheet = Sheet::default();
    let RunResult { collective, network, ranks, steps, .. } = result;
    sheet.line("plan", format!("{collective} on {network}: {}, {}", counted(*ranks, "rank"), counted(*steps, "step")));
    sheet.line("size", format!("{size} bytes, {} bytes per chunk", result.chunk_bytes));
    let compared = format!("{} bytes at the receivers, {} times", result.compared_bytes, result.repetitions);
    sheet.line(
        "data",
        match result.wrong_bytes {
            0 => format!("right: {compared}"),
            wrong => format!("wrong: {wrong} bytes of {compared}"),
        },
    );
    sheet.line("time", format!("{:.1} us, median of {}", result.microseconds, result.repetitions));
    let of_library = result.library_function.zip(result.library_microseconds);
    sheet.line(
        "MPI library",
        match of_library {
            Some((function, time)) => format!("{time:.1} us, {function} of {}", result.library),
            None => format!("{} has no such collective of all ranks", result.library),
        },
    );
    sheet
}
