//! Messages in steps.

use std::collections::BTreeMap;

use super::super::steps::{Send, Step, StepSchedule};
use super::super::text::number;
use super::table::Table;
use crate::collective::Collective;
use crate::error::LoadError;
use crate::program::{Contribution, Contributors, FileStep, ParallelProgram};

/// Returns the program of a table of messages.
pub(super) fn program(
    table: &Table<'_>,
    title: String,
    collective: Collective,
    ranks: u32,
    chunks: u32,
) -> Result<ParallelProgram, LoadError> {
    // A buffer of the collective per rank gives the inputs and the outputs.
    let mut layout = ParallelProgram::new(String::new(), super::super::steps::NAMES, ranks);
    for rank in 0..ranks {
        collective.add_rank(&mut layout, rank, chunks, 0, false);
    }
    let is_sum = layout.outputs.iter().any(|output| matches!(output.contributors, Contributors::AllRanks { .. }));
    // The number of chunks of the largest input, so that an address is a contribution.
    let most = layout.memory.iter().flatten().map(|input| input.chunk + 1).max().unwrap_or(0);
    let address = |contribution: Contribution| {
        let first = if is_sum { 0 } else { contribution.rank * most };
        first + contribution.chunk
    };
    let mut schedule = StepSchedule { title, rank_count: ranks, ..StepSchedule::default() };
    let of_memory = layout.ranks_of_memory();
    for contribution in layout.memory.iter().flatten() {
        schedule.inputs.insert((contribution.rank, address(*contribution)), *contribution);
    }
    for output in &layout.outputs {
        let rank = of_memory[output.address as usize];
        let address = match output.contributors {
            Contributors::One(contribution) => address(contribution),
            Contributors::AllRanks { chunk } => chunk,
        };
        schedule.outputs.insert((rank, address), output.contributors);
    }
    let [step, from, to, chunk] =
        [table.column("step")?, table.column("from")?, table.column("to")?, table.column("chunk")?];
    let origin = if is_sum { None } else { Some(table.column("origin")?) };
    let width = table.column("width").ok();
    let mut steps: BTreeMap<u64, Step> = BTreeMap::new();
    for (line, cells) in &table.lines {
        let line = *line;
        let rank = |field, column: usize| number(line, "message", field, cells[column], u64::from(ranks) - 1);
        let [from, to] = [rank("from", from)? as u32, rank("to", to)? as u32];
        if from == to {
            return Err(LoadError::field(line, "message", "to", to, "another rank than `from`"));
        }
        let origin = origin.map_or(Ok(0), |origin| rank("origin", origin))? as u32;
        let chunk = number(line, "message", "chunk", cells[chunk], u64::from(most.max(1)) - 1)? as u32;
        let width = width.map_or(Ok(1), |width| number(line, "message", "width", cells[width], 1 << 20))?.max(1) as u32;
        let step = number(line, "message", "step", cells[step], u64::MAX)?;
        let first = Step { step: FileStep { number: step, width }, sends: Vec::new() };
        let of_step = steps.entry(step).or_insert(first);
        of_step.step.width = of_step.step.width.max(width);
        of_step.sends.push(Send { address: address(Contribution { rank: origin, chunk }), from, to });
    }
    schedule.steps = steps.into_values().collect();
    schedule.program(1)
}
