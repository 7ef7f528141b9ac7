//! Schedules and networks in words and tables.

use std::collections::BTreeMap;

use lockstep::schedule::{CostModel, MessageSizes, Receivers, Schedule, Verification};
use lockstep::{LowerBound, NodeId, Problem, Topology};
use lockstep_report::Table;

use crate::args::CostArgs;

/// The most transfers that are listed for people.
const MAX_LISTED: usize = 1024;
/// The widest table for people, in characters.
const MAX_WIDTH: usize = 160;
/// The most destinations in one cell.
const MAX_IN_CELL: usize = 4;

/// Names beside their values, in two columns.
#[derive(Default)]
pub(crate) struct Sheet {
    rows: Vec<(&'static str, String)>,
}

impl Sheet {
    /// Adds a line.
    pub(crate) fn line(&mut self, name: &'static str, value: impl Into<String>) {
        self.rows.push((name, value.into()));
    }

    /// The lines as text.
    pub(crate) fn to_text(&self) -> String {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        self.rows.iter().map(|(name, value)| format!("{name:width$}  {}\n", printable(value))).collect()
    }
}

/// A text without the characters that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A number and its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The network and the question, three lines of a sheet.
pub(crate) fn describe(sheet: &mut Sheet, problem: &Problem<'_>) {
    let (topology, collective) = (problem.topology(), problem.collective());
    sheet.line("network", format!("{}: {}", topology.name(), size(topology)));
    let mut words = collective.abbreviation().to_owned();
    if let Some(synonym) = collective.name().and_then(|name| name.spellings().get(1)) {
        words += &format!(" ({synonym})");
    }
    if let Some(root) = collective.root() {
        words += &format!(", root {}", topology.node_name(root));
    }
    if collective.chunks.get() > 1 {
        words += &format!(", {} chunks", collective.chunks);
    }
    sheet.line("collective", format!("{words}: {}", counted(problem.messages().len(), "message")));
    sheet.line("model", problem.model().to_string());
}

/// How large a network is.
pub(crate) fn size(topology: &Topology) -> String {
    let (terminals, nodes) = (topology.terminal_count(), topology.node_count());
    let mut words = counted(terminals, "terminal");
    if nodes > terminals {
        let switches = nodes - terminals;
        words += &format!(", {switches} switch{}", if switches == 1 { "" } else { "es" });
    }
    words += &format!(", {}", counted(topology.channel_count(), "channel"));
    if topology.resource_count() < topology.channel_count() {
        words += &format!(" on {} wires", topology.resource_count());
    }
    words
}

/// The time of a schedule by equation 1, if the costs are given.
pub(crate) fn time(schedule: &Schedule, cost: CostArgs) -> anyhow::Result<Option<String>> {
    let CostArgs { t0: Some(start_up_ps), t1: Some(byte_ps), bytes: Some(bytes) } = cost else {
        return Ok(None);
    };
    let model = CostModel { start_up_ps, byte_ps };
    let time = model.time(schedule, MessageSizes::Equal(bytes))?;
    let step = model.time_of_steps(1, bytes);
    Ok(Some(format!("{time}: {} of {step}", counted(schedule.step_count(), "step"))))
}

/// The transfers of every step, and who sends to whom when, as far as they can be taken in.
pub(crate) fn steps(problem: &Problem<'_>, schedule: &Schedule) -> String {
    let transfers = schedule.transfer_count();
    if transfers > MAX_LISTED {
        return format!("\n{transfers} transfers are too many to list; draw them with lockstep render, or take --json\n");
    }
    let mut text = format!("\n{}", list(problem, schedule));
    if let Some(matrix) = matrix(problem, schedule) {
        text += &format!("\n{matrix}");
    }
    text
}

/// One transfer for people.
struct Hop {
    sender: NodeId,
    receiver: NodeId,
    /// What moves, unless sender and receiver say it.
    message: Option<String>,
}

/// The transfers of each step. A message is named where it is neither the sender's own nor, of one receiver, his.
fn hops<'a>(problem: &'a Problem<'_>, schedule: &'a Schedule) -> impl Iterator<Item = Vec<Hop>> + 'a {
    let (topology, messages) = (problem.topology(), problem.messages());
    let hop = move |transfer: lockstep::schedule::Transfer<'_>| {
        let (&first, &last) = (transfer.path.first()?, transfer.path.last()?);
        let (sender, receiver) = (topology.tail(first), topology.head(last));
        let source = messages.source(transfer.message);
        let name = |node| topology.node_name(node);
        let chunk = match messages.chunks() {
            1 => String::new(),
            chunks => format!("#{}", transfer.message.number() % chunks),
        };
        let ends = match messages.receivers(transfer.message) {
            Receivers::One(one) if messages.is_scatter() => {
                let is_told = [(source, one), (one, source)].contains(&(sender, receiver));
                if is_told { String::new() } else { format!("{}>{}", name(source), name(one)) }
            }
            _ if source == sender => String::new(),
            _ => name(source).to_owned(),
        };
        let message = Some(ends + &chunk).filter(|words| !words.is_empty());
        Some(Hop { sender, receiver, message })
    };
    schedule.steps().map(move |(_, step)| step.iter().filter_map(hop).collect())
}

fn list(problem: &Problem<'_>, schedule: &Schedule) -> String {
    let name = |node| problem.topology().node_name(node);
    let mut table = Table::new(["step", "transfers"]);
    for (step, hops) in hops(problem, schedule).enumerate() {
        let words = hops.iter().map(|hop| {
            let message = hop.message.as_ref().map(|words| format!(" ({words})")).unwrap_or_default();
            format!("{} -> {}{message}", name(hop.sender), name(hop.receiver))
        });
        table.push([(step + 1).to_string(), words.collect::<Vec<_>>().join(", ")]);
    }
    table.to_text()
}

/// The document's table of destinations: a row for each sender, a column for each step.
fn matrix(problem: &Problem<'_>, schedule: &Schedule) -> Option<String> {
    let name = |node| problem.topology().node_name(node);
    let mut rows: BTreeMap<NodeId, Vec<Vec<&str>>> = BTreeMap::new();
    for (step, hops) in hops(problem, schedule).enumerate() {
        for hop in hops {
            let row = rows.entry(hop.sender).or_insert_with(|| vec![Vec::new(); schedule.step_count()]);
            row[step].push(name(hop.receiver));
        }
    }
    let steps = (1..=schedule.step_count()).map(|step| step.to_string());
    let mut table = Table::new(std::iter::once("sender".to_owned()).chain(steps));
    for (sender, row) in rows {
        if row.iter().any(|cell| cell.len() > MAX_IN_CELL) {
            return None;
        }
        let cells = row.into_iter().map(|cell| cell.join(" "));
        table.push(std::iter::once(name(sender).to_owned()).chain(cells));
    }
    let text = table.to_text();
    text.lines().all(|line| line.chars().count() <= MAX_WIDTH).then_some(text)
}

/// A lower bound with its reason.
pub(crate) fn bound(bound: &LowerBound, topology: &Topology) -> String {
    format!("{} ({}): {}", counted(bound.steps as usize, "step"), bound.rule, bound.certificate.explain(topology))
}

/// What the judge counted.
pub(crate) fn transfers(verification: &Verification) -> String {
    let Verification { transfers, deliveries, relays, redundant, .. } = verification;
    let others = [(*relays, "passed on"), (*redundant, "needed by nobody")];
    let mut words = format!("{transfers}: {deliveries} deliveries");
    for (count, what) in others.into_iter().filter(|&(count, _)| count > 0) {
        words += &format!(", {count} {what}");
    }
    let (percent, mean) = (100.0 * verification.utilisation(), verification.mean_path());
    words + &format!("; {mean:.2} channels each, {percent:.1} % of the channels busy")
}
