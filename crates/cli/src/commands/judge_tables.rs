//! `lockstep judge` for tables of choices: which rule fires for which sizes, beside our choice.

use anyhow::Context;
use lockstep::Topology;
use lockstep::files::{message_line, to_json_rows};
use lockstep::schedule::{Picoseconds, Ports};
use lockstep::topology::{Quantity, Sizes};
use lockstep_report::Table;
use lockstep_tune::{
    Communicator, Library, LibraryCollective, Network, ReadRange, RoundCosts, TableReading, TuneOptions, Tuning,
    rule_time, tune,
};
use serde::Serialize;

use super::front::with_times;
use super::size_ranges;
use super::tune::{ChoiceRecord, middle};
use crate::args::{JudgeArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::text::{self, Sheet, counted};
use crate::{output, problem_input};

/// The channels of our choices for NCCL. Their times do not depend on them.
const CHANNELS: u32 = 16;

pub(super) fn run(
    args: &JudgeArgs,
    (library, table): (Library, &str),
    network: Option<Topology>,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let topology = network.context("a table of choices needs the network of its ranks; give it with --network")?;
    let topology = with_times(&topology, None, args.changes.unit(), verbosity)?.unwrap_or(topology);
    let members = match &args.ranks {
        Some(list) => problem_input::node_list(&topology, "--ranks", list)?,
        None => topology.terminals().to_vec(),
    };
    let start_up_ps = topology.channels().map(|channel| topology.latency_ps(channel)).min().unwrap_or(0);
    let costs = RoundCosts { start_up_ps, ports: Ports::All };
    let network = Network::new(&topology, &members, costs).with_context(|| topology.name().to_owned())?;
    let communicator = Communicator { ranks: network.ranks(), hosts: network.hosts() };
    let reading = match TableReading::read(table, library, communicator) {
        Ok(reading) => reading,
        Err(fault) => return wrong(args, library, communicator, &fault.to_string()),
    };
    let options = TuneOptions {
        library,
        collectives: reading.collectives.iter().map(|read| read.of.collective).collect(),
        sizes: args.size.as_ref().map_or_else(|| Sizes::default().bounds(), Sizes::bounds),
        root: 0,
        channels: CHANNELS,
    };
    let has_rules = !reading.collectives.is_empty();
    let ours = has_rules.then(|| tune(&network, &options).with_context(|| topology.name().to_owned())).transpose()?;
    let judged = Judged { network: &network, options: &options, ours: ours.as_ref() };
    let mut judgement = TableJudgement::new(library, communicator);
    judgement.collectives = judged.collectives(&reading);
    judgement.notes.clone_from(&reading.notes);
    if args.json {
        output::print(&to_json_rows(&judgement, 4))?;
        return Ok(ExitStatus::Success);
    }
    let mut sheet = Sheet::default();
    sheet.line("file", format!("{library}: {}", counted(reading.collectives.len(), "collective")));
    sheet.line("network", format!("{}: {}", topology.name(), text::size(&topology)));
    let hosts = if communicator.hosts > 1 { format!(" on {} hosts", communicator.hosts) } else { String::new() };
    sheet.line("ranks", format!("{}{hosts}", communicator.ranks));
    if !library.is_nccl() {
        sheet.line("start-up", format!("{} per message", Quantity::Time.format(start_up_ps)));
    }
    let table = if judgement.collectives.is_empty() { String::new() } else { format!("\n{}", judgement.table()) };
    output::print(&format!("{}{table}", sheet.to_text()))?;
    for note in &reading.notes {
        output::note(verbosity, note);
    }
    Ok(ExitStatus::Success)
}

/// Reports a table that the library refuses or drops.
fn wrong(
    args: &JudgeArgs,
    library: Library,
    communicator: Communicator,
    violation: &str,
) -> anyhow::Result<ExitStatus> {
    let text = if args.json {
        let judgement = TableJudgement::new(library, communicator);
        to_json_rows(&TableJudgement { right: false, violation: Some(violation.to_owned()), ..judgement }, 4)
    } else {
        format!("wrong: table for {library}: {}\n", message_line(violation))
    };
    output::print(&text)?;
    Ok(ExitStatus::Negative)
}

/// What the rules of a table are compared with.
struct Judged<'a> {
    network: &'a Network<'a>,
    options: &'a TuneOptions,
    ours: Option<&'a Tuning>,
}

impl<'a> Judged<'a> {
    fn collectives(&self, reading: &'a TableReading) -> Vec<JudgedCollective<'a>> {
        let read = reading.collectives.iter().map(|read| {
            let [least, largest] = self.options.sizes;
            let ranges = read.ranges.iter().filter(|range| range.from <= largest && range.to >= least);
            JudgedCollective {
                collective: read.of.collective.word(),
                name: read.of.name,
                ranges: ranges.map(|range| self.range(read.of, range)).collect(),
            }
        });
        read.collect()
    }

    fn range(&self, of: &LibraryCollective, range: &'a ReadRange) -> JudgedRange<'a> {
        let [least, largest] = self.options.sizes;
        let [from_bytes, to_bytes] = [range.from.max(least), range.to.min(largest)];
        let bytes = middle(from_bytes, to_bytes);
        let time = range.rule.as_ref().and_then(|rule| rule_time(self.network, self.options, of, rule));
        let table = self.ours.and_then(|ours| ours.tables.iter().find(|table| table.of.name == of.name));
        let best = table.map(|table| table.best(bytes));
        JudgedRange {
            from_bytes,
            to_bytes,
            place: range.rule.as_ref().map(|rule| rule.place.as_str()),
            choice: range.rule.as_ref().and_then(ChoiceRecord::of_rule),
            bytes,
            time_ps: time.map(|time| time.picoseconds(bytes)),
            best: best.map(ChoiceRecord::new),
            best_ps: best.map(|best| best.time.picoseconds(bytes)),
        }
    }
}

/// The result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct TableJudgement<'a> {
    /// False if the library refuses the table or drops it.
    right: bool,
    /// The library.
    format: &'static str,
    /// Why the library refuses the table or drops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    ranks: u32,
    hosts: u32,
    collectives: Vec<JudgedCollective<'a>>,
    /// What the library does with the file without a message.
    notes: Vec<String>,
}

/// The rules for a collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct JudgedCollective<'a> {
    collective: &'a str,
    /// The name in the library.
    name: &'a str,
    ranges: Vec<JudgedRange<'a>>,
}

/// The sizes for which a rule fires, and its time for one of them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct JudgedRange<'a> {
    from_bytes: u64,
    to_bytes: u64,
    /// Where the rule is in the file; none if no rule fires.
    place: Option<&'a str>,
    /// The algorithm; none for the decision of the library itself.
    choice: Option<ChoiceRecord<'a>>,
    /// The size of the times.
    bytes: u64,
    /// None if the model does not know the algorithm, or the library decides.
    time_ps: Option<u128>,
    /// Our choice.
    best: Option<ChoiceRecord<'a>>,
    best_ps: Option<u128>,
}

impl TableJudgement<'_> {
    fn new(library: Library, Communicator { ranks, hosts }: Communicator) -> Self {
        let format = library.name();
        Self { right: true, format, violation: None, ranks, hosts, collectives: Vec::new(), notes: Vec::new() }
    }

    fn table(&self) -> String {
        let mut rows =
            Table::new(["collective", "from", "choice", "place", "for example", "time", "our choice", "time"]);
        for of in &self.collectives {
            for (place, range) in of.ranges.iter().enumerate() {
                let time = |picoseconds: Option<u128>| {
                    picoseconds.map_or("-".to_owned(), |time| format!("{:.3}", Picoseconds::new(time)))
                };
                let without = if range.place.is_some() { "built-in" } else { "no rule" };
                rows.push([
                    if place == 0 { of.name.to_owned() } else { String::new() },
                    size_ranges::size(range.from_bytes),
                    range.choice.as_ref().map_or(without.to_owned(), ChoiceRecord::to_text),
                    range.place.unwrap_or("-").to_owned(),
                    size_ranges::size(range.bytes),
                    time(range.time_ps),
                    range.best.as_ref().map_or("-".to_owned(), ChoiceRecord::to_text),
                    time(range.best_ps),
                ]);
            }
        }
        rows.to_text()
    }
}
