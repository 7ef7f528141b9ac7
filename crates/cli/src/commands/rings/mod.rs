//! `lockstep rings`: sets of rings and chains for NCCL and RCCL, with bounds of their bandwidth.

mod figures;
pub(super) mod library;
mod optimum;
mod ring_text;

use anyhow::{Context, bail, ensure};
use lockstep::files::to_json_line;
use lockstep::{Budget, NodeId, Topology};
use lockstep_rings::format::Devices;
use lockstep_rings::{RingAnswer, RingCount, RingKind, RingRequest, check_bound, search};

pub(super) use self::figures::Figures;
pub(crate) use self::figures::RingRecord;
pub(super) use self::library::Libraries;
pub(super) use self::ring_text::{OnNetwork, Orders, RingText};
use crate::args::{RingFormat, RingsArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output::{self, Output, extension};
use crate::problem_input;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet};

pub(crate) fn run(args: &RingsArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let format = format_of(args)?;
    let mut files = CommandFiles::new();
    args.changes.add_files(&args.network, &mut files)?;
    let output = match (format, &args.output) {
        (Some(_), None) => Some(files.write("--to", "-".as_ref())?),
        (_, path) => files.write_to("--output", path.as_deref())?,
    };
    let topology = args.changes.read(&args.network, verbosity)?;
    let topology = args.changes.apply_to(topology, verbosity)?;
    let terminals = match &args.group {
        Some(list) => problem_input::node_list(&topology, "--group", list)?,
        None => topology.terminals().to_vec(),
    };
    let unit = args.changes.unit().or(topology.unit_bytes_per_second());
    if format == Some(RingFormat::NcclGraph) {
        library::speed_unit(unit)?;
    }
    let budget = args.budget.begin();
    let found = find(args, &topology, &terminals, &budget, verbosity)?;
    let figures = Figures::of_search(&topology, &found, unit, &budget);
    let is_data = output.as_ref().is_some_and(Output::is_standard);
    let mut notes = Vec::new();
    let mut environment = Vec::new();
    if let (Some(format), Some(output)) = (format, output) {
        let Some(rings) = &found.answer.set else { bail!("--output: {}", figures.verdict_text()) };
        let chains = match format {
            RingFormat::NcclGraph => {
                let request = (RingKind::Chain, RingCount::Exactly(rings.0.len() as u32));
                search_within(&topology, &terminals, request, (args.relay, args.seed), &budget)?.answer.set
            }
            _ => None,
        };
        let devices = Devices::new(&topology, &terminals);
        let libraries = Libraries { topology: &topology, devices, unit, chains };
        let text = libraries.write(rings, format, args.library.path_type)?;
        environment = library::environment(format, &text, Some(output.path()));
        notes = library::notes(format, rings.0.len(), terminals.len());
        output.write(&text)?;
    }
    let report = if args.json { to_json_line(&RingRecord::new(&figures)) } else { sheet(&figures, &environment) };
    if is_data {
        output::print_beside(&report);
    } else {
        output::print(&report)?;
    }
    for note in &notes {
        output::note(verbosity, note);
    }
    Ok(if found.answer.set.is_some() { ExitStatus::Success } else { ExitStatus::Negative })
}

fn kind(args: &RingsArgs) -> RingKind {
    if args.chains { RingKind::Chain } else { RingKind::Ring }
}

/// Returns the format of the output: that of `--to`, or that of the extension of `--output`.
fn format_of(args: &RingsArgs) -> anyhow::Result<Option<RingFormat>> {
    let Some(path) = args.output.as_deref().filter(|_| args.to.is_none()) else { return Ok(args.to) };
    Ok(Some(match extension(path).as_str() {
        "json" | "" => RingFormat::Json,
        "xml" => RingFormat::NcclGraph,
        "txt" => RingFormat::Text,
        _ => {
            bail!("{}: unknown extension; use .json, .xml or .txt, or choose a format with --to", text::path_name(path))
        }
    }))
}

/// Searches for rings.
fn find(
    args: &RingsArgs,
    topology: &Topology,
    terminals: &[NodeId],
    budget: &Budget,
    verbosity: Verbosity,
) -> anyhow::Result<Found> {
    let channels = args.channels.map_or(RingCount::AtMost(args.max_channels), RingCount::Exactly);
    let progress = Progress::new(verbosity, budget);
    progress.set_work(format!("{}s", kind(args).name()));
    let unfinished = cancel_on_signal(budget, "the search", &progress)?;
    let found = search_within(topology, terminals, (kind(args), channels), (args.relay, args.seed), budget);
    drop(unfinished);
    drop(progress);
    found
}

/// The result of a search.
pub(super) struct Found {
    pub(super) answer: RingAnswer,
    pub(super) kind: RingKind,
    /// The rule that decides the bound.
    rule: &'static str,
}

/// Searches for rings or chains with a relay and a seed, and checks the certificate of the bound.
pub(super) fn search_within(
    topology: &Topology,
    terminals: &[NodeId],
    (kind, channels): (RingKind, RingCount),
    (relay, seed): (u32, u64),
    budget: &Budget,
) -> anyhow::Result<Found> {
    let is_stopped = || budget.interruption().is_some();
    let work = budget.evaluation_limit();
    let terminals = Some(terminals);
    let request = RingRequest { terminals, kind, channels, relay, gateway: None, seed, work, is_stopped: &is_stopped };
    let answer = search(topology, &request).with_context(|| topology.name().to_owned())?;
    let problem = request.problem(topology)?;
    check_bound(&problem, &answer.bound)
        .context("the certificate of the bound is refused; this is a bug, please report it with the network")?;
    ensure!(
        answer.set.as_ref().is_none_or(|(_, load)| load.bandwidth() <= answer.limit),
        "the rings exceed their bound; this is a bug, please report it with the network"
    );
    // The smallest number of rings that the bound allows to be best.
    let bandwidth = |&rings: &u32| {
        let rho = answer.bound.least_rho(&problem, rings);
        rho.and_then(|rho| rho.reciprocal()?.checked_scale(rings.into(), 1)) == Some(answer.limit)
    };
    let best = channels.range().find(bandwidth).unwrap_or(*channels.range().end());
    let rule = answer.bound.rule(&problem, best);
    Ok(Found { answer, kind, rule })
}

/// Returns the report for people.
fn sheet(figures: &Figures<'_>, environment: &[String]) -> String {
    let mut sheet = Sheet::default();
    sheet.line("network", format!("{}: {}", figures.topology.name(), text::size(figures.topology)));
    figures.describe(&mut sheet);
    for (place, line) in environment.iter().enumerate() {
        sheet.line(if place == 0 { "environment" } else { "" }, line);
    }
    let mut report = sheet.to_text();
    if let Some(table) = figures.times() {
        report.push('\n');
        report.push_str(&table);
    }
    report
}
