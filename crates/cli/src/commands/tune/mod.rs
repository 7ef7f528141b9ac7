//! `lockstep tune`: the best algorithm of a library for every size, as the table that the library reads.

mod against;

use anyhow::{Context, ensure};
use lockstep::files::to_json_rows;
use lockstep::schedule::Picoseconds;
use lockstep::topology::Quantity;
use lockstep::{CollectiveName, Topology};
use lockstep_report::Table;
use lockstep_tune::{Choice, ChoiceTable, Library, Network, Ranks, Rule, TuneOptions, Tuning, merge_into_mpich};
use serde::Serialize;

use against::{Agreement, Measurements};

use super::front::with_times;
use super::rivals::{Rival, RivalProblem};
use super::size_ranges;
use crate::args::{TuneArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::text::{self, Sheet};
use crate::{input, output};

pub(crate) fn run(args: &TuneArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let library = args.library;
    ensure!(args.base.is_none() || library == Library::Mpich, "--base: only a table for mpich has a base; remove it");
    let needs_base = library == Library::Mpich && args.output.is_some() && args.base.is_none();
    ensure!(
        !needs_base,
        "--base: give generic.json of your version of MPICH; it aborts jobs if a collective is missing"
    );
    let mut files = CommandFiles::new();
    args.network.add_files(&args.spec, &mut files)?;
    args.base.iter().try_for_each(|path| files.read("--base", path))?;
    let output = files.write_to("--output", args.output.as_deref())?;
    let base = args.base.as_deref().map(|path| input::text(path, "a table of MPICH")).transpose()?;

    let topology = args.network.apply_to(args.network.read(&args.spec, verbosity)?, verbosity)?;
    let topology = with_times(&topology, args.latency, args.network.unit(), verbosity)?.unwrap_or(topology);
    let members = args.of_ranks.members(&topology)?;
    let measured =
        args.against.as_deref().map(|folder| Measurements::read(folder, members.len() as u32)).transpose()?;
    let root = args.of_ranks.root_rank(&topology, &members)?;
    let costs = args.of_ranks.costs(&topology);
    let network = Network::new(&topology, &members, costs).with_context(|| args.spec.clone())?;
    // NCCL uses one channel for what its table does not have.
    let has_all = matches!(library, Library::Nccl | Library::Rccl);
    let options = TuneOptions {
        library,
        collectives: if has_all { Vec::new() } else { args.collective.clone() },
        sizes: args.sizes.bounds(),
        root: root as u32,
        channels: args.channels,
    };
    let tuning = lockstep_tune::tune(&network, &options).with_context(|| args.spec.clone())?;
    let written_to = output.as_ref().filter(|output| output.is_file()).map(|output| text::path_name(output.path()));
    if let Some(output) = output {
        let is_standard = output.is_standard();
        output.write(&match &base {
            Some(base) => merge_into_mpich(base, &tuning).context("--base")?,
            None => lockstep_tune::write(&tuning),
        })?;
        if is_standard {
            return Ok(ExitStatus::Success);
        }
    }
    let ranks = Ranks { topology: &topology, members: &members, root, costs };
    let problem = RivalProblem { spec: &args.spec, ranks, best_plan: &args.best_plan, sizes: args.sizes.bounds() };
    let mut rivals = Rivals { problem, verbosity, known: Vec::new() };
    let tables = tuning
        .tables
        .iter()
        .filter(|table| args.collective.is_empty() || args.collective.contains(&table.of.collective));
    let tables = tables.map(|table| TableRecord::new(table, &tuning, &mut rivals)).collect::<anyhow::Result<_>>()?;
    let record = TuneRecord {
        library: library.name(),
        ranks: tuning.ranks,
        hosts: tuning.hosts,
        start_up_ps: costs.start_up_ps,
        collectives: tables,
        against: measured.as_ref().map(|measured| Agreement::new(measured, &tuning)),
    };
    output::print(&if args.json {
        to_json_rows(&record, 4)
    } else {
        let mut sheet = record.sheet(&topology);
        if let Some(file) = written_to {
            sheet.line("written to", file.clone());
            sheet.line("use", library.usage(&file));
        }
        let against = record.against.as_ref().map_or_else(String::new, |against| format!("\n{}", against.to_text()));
        format!("{}\n{}{against}", sheet.to_text(), record.table())
    })?;
    for note in measured.iter().flat_map(|measured| &measured.notes) {
        output::note(verbosity, note);
    }
    Ok(ExitStatus::Success)
}

/// The bounds and best plans that are known.
struct Rivals<'a> {
    problem: RivalProblem<'a>,
    verbosity: Verbosity,
    known: Vec<(CollectiveName, Rival)>,
}

impl Rivals<'_> {
    /// Returns the bound and the best plans of a collective.
    fn of(&mut self, collective: CollectiveName) -> anyhow::Result<&Rival> {
        let known = self.known.iter().position(|(known, _)| *known == collective);
        let place = known.unwrap_or(self.known.len());
        if known.is_none() {
            let rival = self.problem.rival(collective)?;
            rival.note(self.verbosity);
            self.known.push((collective, rival));
        }
        Ok(&self.known[place].1)
    }
}

/// The choices for a communicator.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct TuneRecord<'a> {
    library: &'a str,
    ranks: u32,
    hosts: u32,
    /// Of a message, in addition to the latency of its path.
    start_up_ps: u64,
    collectives: Vec<TableRecord<'a>>,
    /// The choices beside measured times; only with --against.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Agreement>,
}

/// The choices for a collective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TableRecord<'a> {
    collective: &'a str,
    /// The name in the library.
    name: &'a str,
    ranges: Vec<RangeRecord<'a>>,
    unsupported: Vec<UnsupportedRecord<'a>>,
}

/// An algorithm that does not work for these ranks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct UnsupportedRecord<'a> {
    algorithm: &'a str,
    why: &'a str,
}

/// The sizes of a choice, and its time for one of them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RangeRecord<'a> {
    from_bytes: u64,
    to_bytes: u64,
    choice: ChoiceRecord<'a>,
    /// The size of the times.
    bytes: u64,
    time_ps: u128,
    /// Another algorithm or protocol.
    next_best: Option<ChoiceRecord<'a>>,
    next_best_ps: Option<u128>,
    /// No schedule takes less time; without start-up times.
    at_least_ps: Option<u128>,
    /// The best schedule that was found, without start-up times. Missing with --no-plan, and if the search for one is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_plan_ps: Option<u128>,
}

/// An algorithm with its parameters.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ChoiceRecord<'a> {
    algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fan_out: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<u32>,
}

impl<'a> ChoiceRecord<'a> {
    /// Returns the algorithm of a rule; `None` for the decision of the library.
    pub(super) fn of_rule(rule: &'a Rule) -> Option<Self> {
        Some(Self {
            algorithm: rule.algorithm.as_deref()?,
            fan_out: rule.fan_out,
            segment_bytes: rule.segment_bytes,
            protocol: rule.protocol.as_deref(),
            channels: rule.channels,
        })
    }

    pub(super) fn new(choice: &'a Choice) -> Self {
        Self {
            algorithm: choice.algorithm,
            fan_out: choice.fan_out,
            segment_bytes: choice.segment_bytes,
            protocol: choice.protocol.map(|(protocol, _)| protocol),
            channels: choice.protocol.map(|(_, channels)| channels),
        }
    }

    /// Returns the algorithm with its parameters, in words.
    pub(super) fn to_text(&self) -> String {
        let parameters = [
            self.fan_out.map(|fan| format!("fan-out {fan}")),
            self.segment_bytes.map(|bytes| format!("segments of {}", size_ranges::size(bytes))),
            self.protocol.map(str::to_owned),
        ];
        let parameters: Vec<String> = parameters.into_iter().flatten().collect();
        match &parameters[..] {
            [] => self.algorithm.to_owned(),
            _ => format!("{}, {}", self.algorithm, parameters.join(", ")),
        }
    }
}

impl<'a> TableRecord<'a> {
    fn new(table: &'a ChoiceTable, tuning: &Tuning, rivals: &mut Rivals<'_>) -> anyhow::Result<Self> {
        let mut ranges = Vec::new();
        for ([from, to], choice) in table.whole_ranges(tuning.sizes[1]) {
            let from = from.max(tuning.sizes[0]);
            let bytes = middle(from, to);
            let next_best = table.next_best(bytes);
            let rival = rivals.of(table.of.collective)?;
            ranges.push(RangeRecord {
                from_bytes: from,
                to_bytes: to,
                choice: ChoiceRecord::new(choice),
                bytes,
                time_ps: choice.time.picoseconds(bytes),
                next_best: next_best.map(ChoiceRecord::new),
                next_best_ps: next_best.map(|next| next.time.picoseconds(bytes)),
                at_least_ps: Some(rival.bound(bytes).time_ps),
                best_plan_ps: rival.best_plan(bytes).map(Picoseconds::number),
            });
        }
        let unsupported = table.unsupported.iter();
        let unsupported = unsupported.map(|one| UnsupportedRecord { algorithm: one.algorithm, why: &one.why });
        let (collective, name) = (table.of.collective.word(), table.of.name);
        Ok(Self { collective, name, ranges, unsupported: unsupported.collect() })
    }
}

/// Returns a size between two others: a power of two near their geometric mean, if there is one between them.
pub(super) fn middle(from: u64, to: u64) -> u64 {
    let exponent = from.max(1).ilog2().midpoint(to.max(1).ilog2() + 1);
    (1 << exponent.min(63)).clamp(from, to)
}

impl TuneRecord<'_> {
    fn sheet(&self, topology: &Topology) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
        sheet.line("library", self.library);
        let hosts = if self.hosts > 1 { format!(" on {} hosts", self.hosts) } else { String::new() };
        sheet.line("ranks", format!("{}{hosts}", self.ranks));
        if self.library.parse().is_ok_and(Library::is_nccl) {
            sheet.line("times", "model of NCCL 2.30");
        } else {
            sheet.line("start-up", format!("{} per message", Quantity::Time.format(self.start_up_ps)));
        }
        for table in &self.collectives {
            for one in &table.unsupported {
                sheet.line("without", format!("{} {}: {}", table.name, one.algorithm, one.why));
            }
        }
        sheet
    }

    fn table(&self) -> String {
        let has_plan =
            self.collectives.iter().flat_map(|table| &table.ranges).any(|range| range.best_plan_ps.is_some());
        let columns = ["collective", "from", "algorithm", "for example", "time", "next best", "time", "at least"];
        let mut rows = Table::new(columns.into_iter().chain(has_plan.then_some("best plan")));
        for table in &self.collectives {
            for (place, range) in table.ranges.iter().enumerate() {
                let time = |picoseconds: Option<u128>| {
                    picoseconds.map_or("-".to_owned(), |time| format!("{:.3}", Picoseconds::new(time)))
                };
                let row = [
                    if place == 0 { table.name.to_owned() } else { String::new() },
                    size_ranges::size(range.from_bytes),
                    range.choice.to_text(),
                    size_ranges::size(range.bytes),
                    time(Some(range.time_ps)),
                    range.next_best.as_ref().map_or("-".to_owned(), ChoiceRecord::to_text),
                    time(range.next_best_ps),
                    time(range.at_least_ps),
                ];
                rows.push(row.into_iter().chain(has_plan.then(|| time(range.best_plan_ps))));
            }
        }
        rows.to_text()
    }
}
