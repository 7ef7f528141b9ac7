//! Text output: schedules, networks and numbers for people.

use std::path::Path;

use lockstep::files::{self, escaped};
use lockstep::schedule::{BaseSchedule, CostModel, MessageSizes, Picoseconds, Schedule, Verification};
use lockstep::topology::Quantity;
use lockstep::{CayleyGraph, Collective, LowerBound, Plan, Problem, Topology, Verdict};

use crate::args::CostArgs;

/// Two columns: names and values.
#[derive(Clone, Default)]
pub struct Sheet {
    rows: Vec<(&'static str, String)>,
}

impl Sheet {
    /// Adds a line.
    pub fn line(&mut self, name: &'static str, value: impl Into<String>) {
        self.rows.push((name, value.into()));
    }

    /// Adds the lines of another sheet.
    pub(crate) fn append(&mut self, other: Self) {
        self.rows.extend(other.rows);
    }

    /// Returns the names and values.
    pub(crate) fn into_rows(self) -> Vec<[String; 2]> {
        self.rows.into_iter().map(|(name, value)| [name.to_owned(), value]).collect()
    }

    /// Returns the lines as text.
    pub fn to_text(&self) -> String {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let lines = self.rows.iter().map(|(name, value)| format!("{name:width$}  {}\n", escaped_line(value)));
        lines.collect::<Vec<_>>().concat()
    }
}

/// Escapes the characters of a text that break the line, hide text or control a terminal.
pub(crate) fn escaped_line(text: &str) -> String {
    text.chars().flat_map(escaped).collect()
}

/// Returns a path for a message.
pub(crate) fn path_name(path: &Path) -> String {
    files::one_line(&path.display().to_string())
}

/// Returns a number with its noun in singular or plural.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns a score, rounded for people.
pub(crate) fn score(score: f64) -> String {
    scores(&[score]).concat()
}

/// Returns the scores of one objective with equal numbers of decimals: none for whole numbers, three otherwise, and
/// more for small scores.
pub(crate) fn scores(scores: &[f64]) -> Vec<String> {
    let least = scores.iter().map(|score| score.abs()).filter(|&size| size > 0.0).fold(1.0, f64::min);
    let places = if scores.iter().all(|score| score.fract() == 0.0) {
        0
    } else if least >= 0.1 {
        3
    } else if least >= 0.001 {
        5
    } else {
        8
    };
    let text = |&score: &f64| if score.abs() < 1e9 { format!("{score:.places$}") } else { format!("{score:.3e}") };
    scores.iter().map(text).collect()
}

/// Adds three lines: network, collective and model.
pub(crate) fn describe(sheet: &mut Sheet, problem: &Problem<'_>) {
    let (topology, collective) = (problem.topology(), problem.collective());
    sheet.line("network", format!("{}: {}", topology.name(), size(topology)));
    let words = [
        Some(collective.word().to_owned()),
        collective.root().map(|root| format!("root {}", topology.node_name(root))),
        collective.parts(),
    ];
    let messages = counted(problem.messages().len(), "message");
    sheet.line("collective", format!("{}: {messages}", joined(words)));
    sheet.line("model", problem.model().to_string());
}

/// Adds one line about a Cayley graph that is not built.
pub(crate) fn describe_graph(sheet: &mut Sheet, graph: &CayleyGraph) {
    let (nodes, degree) = (graph.node_count(), graph.degree() as u128);
    let channels = u128::from(nodes) * degree;
    sheet.line("network", format!("{graph}: {nodes} terminals, {channels} channels"));
}

/// Returns the size of a network: terminals, switches and channels.
pub(crate) fn size(topology: &Topology) -> String {
    let (terminals, channels, wires) = (topology.terminal_count(), topology.channel_count(), topology.resource_count());
    let switches = match topology.switch_count() {
        0 => None,
        1 => Some("1 switch".to_owned()),
        switches => Some(format!("{switches} switches")),
    };
    let channels = match counted(channels, "channel") {
        words if wires < channels => format!("{words} on {wires} wires"),
        words => words,
    };
    joined([Some(counted(terminals, "terminal")), switches, Some(channels)])
}

/// Joins the present parts by commas.
fn joined(words: impl IntoIterator<Item = Option<String>>) -> String {
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Adds the time of a schedule by equation 1 of the multistage-network document, if the costs are given: one line per size of
/// the messages. The chunks of a message share its bytes.
pub(crate) fn add_times(
    sheet: &mut Sheet,
    collective: &Collective,
    schedule: &Schedule,
    cost: &CostArgs,
) -> anyhow::Result<()> {
    add_time_per_size(sheet, cost, |model, bytes| {
        let time = model.time(collective, schedule, MessageSizes::Equal(bytes))?;
        Ok(steps_of(time, schedule.step_count(), model.time_of_steps(1, collective.chunk_size(bytes))))
    })
}

/// Adds the time of a symmetric schedule by the same equation, if the costs are given.
pub(crate) fn add_times_of_base(sheet: &mut Sheet, base: &BaseSchedule, cost: &CostArgs) -> anyhow::Result<()> {
    add_time_per_size(sheet, cost, |model, bytes| {
        Ok(steps_of(model.time_of_base(base, bytes), base.step_count(), model.time_of_steps(1, bytes)))
    })
}

fn add_time_per_size(
    sheet: &mut Sheet,
    cost: &CostArgs,
    time: impl Fn(&CostModel, u64) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let Some((model, sizes)) = cost.model() else { return Ok(()) };
    for (place, &bytes) in sizes.iter().enumerate() {
        let time = time(&model, bytes)?;
        let name = if place == 0 { "time" } else { "" };
        sheet.line(name, if sizes.len() == 1 { time } else { format!("{}: {time}", Quantity::Size.format(bytes)) });
    }
    Ok(())
}

fn steps_of(time: Picoseconds, steps: usize, step: Picoseconds) -> String {
    format!("{time}: {} of {step}", counted(steps, "step"))
}

/// Returns a lower bound with its rule and explanation.
pub(crate) fn bound(bound: &LowerBound, topology: &Topology) -> String {
    format!("{} ({}): {}", counted(bound.steps as usize, "step"), bound.rule, bound.certificate.explain(topology))
}

/// Returns the steps of a schedule, with the sum of their widths if it is another number.
pub(crate) fn steps(count: usize, width_sum: u64) -> String {
    let steps = counted(count, "step");
    if width_sum == count as u64 { steps } else { format!("{steps} of width {width_sum} together") }
}

/// Returns the steps of a plan.
pub(crate) fn steps_of_plan(plan: &Plan) -> String {
    steps(plan.schedule().step_count(), plan.schedule().width_sum())
}

/// Returns a verdict in words.
pub(crate) fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Optimal => "optimal: no schedule has fewer".to_owned(),
        Verdict::Gap(gap) => format!("gap {gap}: at most {gap} above the least number"),
    }
}

/// Returns the counts of a verification.
pub(crate) fn transfers(verification: &Verification) -> String {
    let &Verification { transfers, relays, redundant, .. } = verification;
    let counted = |count: u64, what| (count > 0).then(|| format!("{count} {what}"));
    let others = joined([counted(relays, "relays"), counted(redundant, "redundant")]);
    let others = if others.is_empty() { others } else { format!(" ({others})") };
    let (percent, mean) = (100.0 * verification.utilisation(), verification.mean_path());
    format!("{transfers}{others} over {mean:.2} channels on average, {percent:.1} % of the channels busy")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_on_one_harmless_line() {
        assert_eq!(escaped_line("a\nb\u{1b}[31m\u{2066}"), "a\\nb\\u{1b}[31m\\u{2066}");
        assert_eq!(escaped_line("größe 'x' -> y"), "größe 'x' -> y");
    }

    #[test]
    fn scores_have_the_digits_that_tell_them_apart() {
        assert_eq!(scores(&[18.0, 8.0]), ["18", "8"]);
        assert_eq!(scores(&[2.0, 33.032_26]), ["2.000", "33.032"]);
        assert_eq!(scores(&[0.009_63, 1.5, 0.0]), ["0.00963", "1.50000", "0.00000"]);
        assert_eq!(scores(&[7.052e15, 1.5]), ["7.052e15", "1.500"]);
        assert!(scores(&[]).is_empty());
    }
}
