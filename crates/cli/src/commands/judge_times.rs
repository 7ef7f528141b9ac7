//! `lockstep judge --size`: the times of a program and of our plan.

use anyhow::{Context, ensure};
use lockstep::schedule::{AsynchronousCost, CollectiveSize, Schedule};
use lockstep::topology::Sizes;
use lockstep::{Collective, Problem};
use lockstep_report::Table;
use lockstep_steps::Conversion;
use serde::Serialize;

use super::times::{self, Time};
use crate::args::JudgeArgs;

/// The times of one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct JudgedTime {
    program: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Time>,
}

/// Returns the times for the sizes of `--size`; `None` without the option.
pub(super) fn of(
    args: &JudgeArgs,
    conversion: &Conversion,
    plan: Option<&Schedule>,
) -> anyhow::Result<Option<Vec<JudgedTime>>> {
    let Some(sizes) = &args.size else { return Ok(None) };
    let verified = conversion.verified.as_ref();
    let verified = verified
        .context("--size: the format has messages without contents, so there is no schedule; remove the option")?;
    ensure!(
        verified.name.is_some(),
        "--size: the program computes no standard collective, so it has no size; remove the option"
    );
    let unit = times::unit(&conversion.topology, args.changes.unit())?;
    let of_schedule = |collective: &Collective, schedule: &Schedule, sizes: &Sizes| -> anyhow::Result<Vec<Time>> {
        let problem = Problem::new(&conversion.topology, collective, conversion.model)?;
        let size = |bytes| match verified.name {
            Some(name) => CollectiveSize::of_ranks(name, conversion.terminals.len() as u64, &problem, bytes),
            None => CollectiveSize::new(&problem, bytes),
        };
        let cost = AsynchronousCost::unlimited(&problem, schedule);
        Ok(sizes.table().into_iter().map(|bytes| Time::new(&problem, &cost, unit, size(bytes))).collect())
    };
    let of_program = of_schedule(&verified.collective, &verified.schedule, sizes)?;
    let mut of_plan = Vec::new();
    if let Some(plan) = plan {
        of_plan = of_schedule(&verified.collective, plan, sizes)?;
    }
    let mut of_plan = of_plan.into_iter();
    Ok(Some(of_program.into_iter().map(|program| JudgedTime { program, plan: of_plan.next() }).collect()))
}

/// Returns the table of the times: two rows per size.
pub(super) fn table(times: &[JudgedTime]) -> String {
    let mut table = Table::new(["size", "schedule", "chunk", "synchronous", "asynchronous", "algbw", "busbw"]);
    for JudgedTime { program, plan } in times {
        for (name, time) in [("program", Some(program)), ("our plan", plan.as_ref())] {
            let Some([size, chunk, synchronous, asynchronous, algbw, busbw]) = time.map(Time::columns) else {
                continue;
            };
            table.push([size, name.to_owned(), chunk, synchronous, asynchronous, algbw, busbw]);
        }
    }
    table.to_text()
}
