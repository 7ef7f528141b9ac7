//! `lockstep plan --local`: the sends of one node.

use std::fmt::Write;

use anyhow::Context;
use lockstep::CayleyGraph;
use lockstep::analytic::{self, LocalProgram};
use lockstep::files::to_json_line;
use lockstep::schedule::{CollectiveName, LocalSend};
use lockstep_report::{ColumnAlignment, padded};
use serde::Serialize;

use crate::args::{PlanArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::output;
use crate::problem_input::SymmetricProblemInput;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet};

pub(crate) fn run(args: &PlanArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let input = SymmetricProblemInput::new(&args.problem)?;
    let node = input.node("--node", args.large.node.as_deref().unwrap_or_default())?;
    let SymmetricProblemInput { graph, collective, root, model } = &input;
    let budget = args.budget.begin();
    let progress = Progress::new(verbosity, &budget);
    let unfinished = cancel_on_signal(&budget, "the search", &progress)?;
    progress.set_work("one node".to_owned());
    let (construction, program) =
        analytic::program(graph, *collective, *model, *root, node, &budget).with_context(|| {
            format!("--local does not support {collective} on {graph} ({model}); see lockstep plan --help")
        })?;
    drop(unfinished);
    drop(progress);
    if args.json {
        output::print(&to_json_line(&ProgramRecord::new(graph, &program)))?;
        return Ok(ExitStatus::Success);
    }
    let mut sheet = Sheet::default();
    text::describe_graph(&mut sheet, graph);
    let name = |node| graph.node_name(node);
    let root = root.map(|root| format!(", root {}", name(root))).unwrap_or_default();
    sheet.line("collective", format!("{collective}{root}"));
    sheet.line("model", model.to_string());
    sheet.line("node", name(node));
    let (rounds, sends) = (program.round_count(), program.send_count());
    sheet.line("program", format!("{} of {}", text::counted(sends, "transfer"), text::counted(rounds, "round")));
    sheet.line("found by", format!("analytic ({construction})"));
    output::print(&(sheet.to_text() + "\n" + &table(graph, *collective, &program)))?;
    Ok(ExitStatus::Success)
}

/// Returns a table of one row per round and one column per link. A cell names the message, and the last node of longer
/// paths.
fn table(graph: &CayleyGraph, collective: CollectiveName, program: &LocalProgram) -> String {
    let neighbour = |link: usize| graph.node_name(graph.add(program.node(), graph.generators()[link]));
    let header: Vec<String> = (0..graph.degree()).map(|link| format!("to {}", neighbour(link))).collect();
    let rows = || (0..program.round_count()).map(|round| row(graph, collective, program, round));
    let mut widths: Vec<usize> = header.iter().map(String::len).collect();
    for row in rows() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    let number = program.round_count().to_string().len().max("round".len());
    let mut text = String::new();
    let mut line = |first: &str, cells: &[String]| {
        let cells = cells
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| "  ".to_owned() + &padded(cell, width, ColumnAlignment::Left));
        let cells: String = cells.collect();
        let _ = writeln!(text, "{}{}", padded(first, number, ColumnAlignment::Right), cells.trim_end());
    };
    line("round", &header);
    for (round, row) in rows().enumerate() {
        line(&(round + 1).to_string(), &row);
    }
    text
}

fn row(graph: &CayleyGraph, collective: CollectiveName, program: &LocalProgram, round: usize) -> Vec<String> {
    let mut cells = vec![String::new(); graph.degree()];
    for send in program.round(round) {
        if let Some(cell) = send.path.first().and_then(|&link| cells.get_mut(usize::from(link))) {
            *cell = words(graph, collective, program.node(), send);
        }
    }
    cells
}

/// Returns the message of a transfer, and the last node of a longer path.
fn words(graph: &CayleyGraph, collective: CollectiveName, node: u64, send: LocalSend<'_>) -> String {
    let name = |node| graph.node_name(node);
    let end = send.path.iter().fold(node, |at, &link| graph.add(at, graph.generators()[usize::from(link)]));
    match send.receiver {
        Some(receiver) if receiver == end && send.source == node => name(receiver),
        Some(receiver) => format!("{} > {}", name(send.source), name(receiver)),
        None if collective.has_root() => name(end),
        None if send.path.len() == 1 => name(send.source),
        None => format!("{} > {}", name(send.source), name(end)),
    }
}

/// The program as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct ProgramRecord {
    node: u64,
    rounds: Vec<Vec<SendRecord>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SendRecord {
    source: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<u64>,
    /// Indexes of generators.
    path: Vec<u16>,
    /// Last node of the path.
    to: u64,
}

impl ProgramRecord {
    fn new(graph: &CayleyGraph, program: &LocalProgram) -> Self {
        let node = program.node();
        let written = |send: LocalSend<'_>| SendRecord {
            source: send.source,
            receiver: send.receiver,
            path: send.path.to_vec(),
            to: send.path.iter().fold(node, |at, &link| graph.add(at, graph.generators()[usize::from(link)])),
        };
        let rounds = (0..program.round_count()).map(|round| program.round(round).map(written).collect());
        Self { node, rounds: rounds.collect() }
    }
}
