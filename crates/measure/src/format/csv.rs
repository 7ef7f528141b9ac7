//! Tables of own measurements, such as a script writes.
//!
//! # Grammar
//!
//! The first line names the columns, in any order. Commas, semicolons or tabs separate them. Lines that begin with `#` are comments.
//!
//! | column | contents |
//! |---|---|
//! | `from`, `to` | the sender and the receiver: numbers from 0 on, or names |
//! | `collective` | the name of a collective, in the place of `from` and `to` |
//! | `bytes` | the bytes of the transfer, or of the whole buffer of a collective as nccl-tests counts them |
//! | `time_ps`, `time_ns`, `time_us`, `time_ms`, `time_s` | the time |
//! | `bytes_per_second`, or a unit such as `GB/s`, `MiB/s`, `Gbit/s` | the rate of the transfer; the time counts if both are there |
//! | `group` | transfers with the same word in this column run at the same time |
//! | `ranks` | the number of ranks of a collective |
//! | `kind` | `copy`, `kernel` or `message`; without it, `message` |
//! | `algorithm` | the algorithm of a collective, if it was forced |
//! | `in_place` | `true` if input and output have the same buffer |
//!
//! The columns `file`, `benchmark`, `test` and `line` may say where a value is from. Other columns are ignored, with a note.

use std::collections::BTreeMap;

use lockstep_files::{name_advice, one_line};
use lockstep_schedule::CollectiveName;
use lockstep_topology::Quantity;

use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::{FlowCount, check_devices, number, unnamed_devices};
use crate::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// Picoseconds in the units of times.
const TIMES: [(&str, u64); 5] = [
    ("time_ps", 1),
    ("time_ns", 1_000),
    ("time_us", 1_000_000),
    ("time_ms", 1_000_000_000),
    ("time_s", 1_000_000_000_000),
];

/// What a column has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    From,
    To,
    Collective,
    Bytes,
    Group,
    Ranks,
    Kind,
    Algorithm,
    InPlace,
    /// Times, with the picoseconds of their unit.
    Time(u64),
    /// Rates, with the bytes per second of their unit.
    Rate(u64),
    /// The place of a value in the file that it is from; it means nothing here.
    Origin,
    Ignored,
}

impl Column {
    fn new(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        match &*lower {
            "from" => Self::From,
            "to" => Self::To,
            "collective" => Self::Collective,
            "bytes" => Self::Bytes,
            "group" => Self::Group,
            "ranks" => Self::Ranks,
            "kind" => Self::Kind,
            "algorithm" => Self::Algorithm,
            "in_place" => Self::InPlace,
            "file" | "benchmark" | "test" | "line" => Self::Origin,
            "bytes_per_second" => Self::Rate(1),
            "gbps" => Self::Rate(125_000_000),
            "mbps" => Self::Rate(125_000),
            _ => match TIMES.iter().find(|(time, _)| *time == lower) {
                Some(&(_, unit)) => Self::Time(unit),
                None => match Quantity::Bandwidth.parse(&format!("1{name}")) {
                    Ok(unit) if !name.is_empty() => Self::Rate(unit),
                    _ => Self::Ignored,
                },
            },
        }
    }
}

/// The head of a table.
struct Head<'a> {
    separator: char,
    columns: Vec<(&'a str, Column)>,
}

impl<'a> Head<'a> {
    fn new(line: &'a str) -> Option<Self> {
        let separator = [',', ';', '\t'].into_iter().find(|&separator| line.contains(separator))?;
        let columns: Vec<(&str, Column)> = fields(line, separator).map(|name| (name, Column::new(name))).collect();
        let head = Self { separator, columns };
        let has = |column: Column| head.place(column).is_some();
        let has_workload = (has(Column::From) && has(Column::To)) || has(Column::Collective);
        let has_figure = head.columns.iter().any(|(_, column)| matches!(column, Column::Time(_) | Column::Rate(_)));
        (has_workload && has_figure).then_some(head)
    }

    fn place(&self, column: Column) -> Option<usize> {
        self.columns.iter().position(|&(_, found)| found == column)
    }
}

/// Returns the fields of a line without quotes.
fn fields(line: &str, separator: char) -> impl Iterator<Item = &str> {
    line.split(separator).map(|field| field.trim().trim_matches('"'))
}

/// Returns the lines that are neither blank nor comments.
fn contents<'a>(lines: &'a [Line<'a>]) -> impl Iterator<Item = Line<'a>> {
    lines.iter().copied().filter(|line| !line.text.is_empty() && !line.text.starts_with('#'))
}

pub(super) fn looks_like(lines: &[Line<'_>]) -> bool {
    contents(lines).next().is_some_and(|line| Head::new(line.text).is_some())
}

/// A row.
struct Row<'a> {
    line: u32,
    names: [&'a str; 2],
    collective: Option<CollectiveName>,
    group: &'a str,
    key: RunKey,
    bytes: Option<u64>,
    figure: Figure,
    in_place: bool,
}

/// What the samples of a run have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RunKey {
    kind: TransferKind,
    collective: Option<&'static str>,
    algorithm: Option<String>,
    ranks: Option<u32>,
}

/// Reads the rows.
pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut contents = contents(lines);
    let head = contents.next().and_then(|line| Head::new(line.text));
    let Some(head) = head else {
        return Err(ReadError::unexpected(1, "", "a first line with columns such as 'from,to,bytes,time_us'"));
    };
    let rows = contents.map(|line| row(line, &head, options)).collect::<Result<Vec<_>, _>>()?;
    let mut reading = Reading { notes: notes(&head), ..Reading::default() };
    let devices = Devices::new(&rows)?;
    let mut flow_count = FlowCount::default();
    let mut places: BTreeMap<RunKey, usize> = BTreeMap::new();
    // The place of the sample of each group in its run.
    let mut groups: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for row in &rows {
        flow_count.add(row.line, 1)?;
        let place = *places.entry(row.key.clone()).or_insert_with(|| {
            reading.runs.push(row.run(&devices));
            reading.runs.len() - 1
        });
        let samples = &mut reading.runs[place].samples;
        let workload = match row.collective {
            Some(name) => Workload::Collective(name),
            None => Workload::Flows(vec![devices.flow(row)?]),
        };
        let sample =
            groups.get(&(place, row.group)).filter(|_| !row.group.is_empty()).and_then(|&at| samples.get_mut(at));
        if let (Some(sample), Workload::Flows(flows)) = (sample, &workload) {
            add_flow(sample, flows, row)?;
            continue;
        }
        groups.insert((place, row.group), samples.len());
        let Row { bytes, figure, in_place, line, .. } = *row;
        samples.push(Sample { workload, bytes, figure, spread: None, in_place, is_wrong: false, line });
    }
    Ok(reading)
}

/// Adds a transfer that runs at the same time as those of a sample. The sample has the least rate.
fn add_flow(sample: &mut Sample, new: &[Flow], row: &Row<'_>) -> Result<(), ReadError> {
    let Workload::Flows(flows) = &mut sample.workload else { return Ok(()) };
    sample.figure = match (sample.figure, row.figure) {
        (Figure::Picoseconds(one), Figure::Picoseconds(other)) if sample.bytes == row.bytes => {
            Figure::Picoseconds(one.max(other))
        }
        (Figure::BytesPerSecond(one), Figure::BytesPerSecond(other)) if sample.bytes == row.bytes => {
            Figure::BytesPerSecond(one.min(other))
        }
        _ => {
            let expected = "the same bytes in all rows of a group, and either times or rates";
            return Err(ReadError::value(row.line, "group", row.group, expected));
        }
    };
    flows.extend_from_slice(new);
    Ok(())
}

/// Returns the notes on columns.
fn notes(head: &Head<'_>) -> Vec<String> {
    let named = |is_it: &dyn Fn(&str, Column) -> bool| {
        let names = head.columns.iter().filter(|(name, column)| !name.is_empty() && is_it(name, *column));
        names.map(|(name, _)| one_line(name)).collect::<Vec<String>>().join(", ")
    };
    let ignored = named(&|_, column| column == Column::Ignored);
    let bits = named(&|name, _| ["gbps", "mbps"].contains(&name));
    let mut notes = Vec::new();
    if !ignored.is_empty() {
        notes.push(format!("ignored columns: {ignored}"));
    }
    if !bits.is_empty() {
        notes.push(format!("the column {bits} is read in bits per second; name it GB/s if it has bytes"));
    }
    notes
}

fn row<'a>(line: Line<'a>, head: &Head<'_>, options: &ReadOptions) -> Result<Row<'a>, ReadError> {
    let fields: Vec<&str> = fields(line.text, head.separator).collect();
    let line = line.number;
    if fields.len() != head.columns.len() {
        let has_more = fields.len() > head.columns.len();
        let advice = if has_more && head.separator == ',' { "; write decimals with a point" } else { "" };
        let expected = format!("{} values, one per column{advice}", head.columns.len());
        return Err(ReadError::found(line, format!("{} values", fields.len()), expected));
    }
    let of = |column: Column| head.place(column).map_or("", |place| fields[place]);
    let number = |place: usize, unit: u64| number(line, head.columns[place].0, fields[place], unit);
    let mut figures = [None, None];
    for (place, &(_, column)) in head.columns.iter().enumerate().filter(|(place, _)| !fields[*place].is_empty()) {
        match column {
            Column::Time(unit) => figures[0] = Some(Figure::Picoseconds(number(place, unit)?)),
            Column::Rate(unit) => figures[1] = Some(Figure::BytesPerSecond(number(place, unit)?)),
            _ => {}
        }
    }
    let Some(figure) = figures[0].or(figures[1]) else {
        return Err(ReadError::found(line, "no time and no rate", "one of them in each row"));
    };
    let whole = |column: Column| match head.place(column).filter(|&place| !fields[place].is_empty()) {
        Some(place) => number(place, 1).map(Some),
        None => Ok(None),
    };
    let collective = match of(Column::Collective) {
        "" => None,
        name => Some(name.parse().map_err(|_| {
            let advice = name_advice(name, CollectiveName::ALL.map(CollectiveName::word));
            ReadError::unexpected(line, name, format!("the name of a collective; {advice}"))
        })?),
    };
    let ranks = whole(Column::Ranks)?.map(|ranks| {
        let expected = format!("a whole number up to {}", u32::MAX);
        u32::try_from(ranks).map_err(|_| ReadError::value(line, "ranks", of(Column::Ranks), expected))
    });
    let ranks = ranks.transpose()?.or(options.ranks);
    let kind = match &*of(Column::Kind).to_ascii_lowercase() {
        "copy" => TransferKind::Copy,
        "kernel" => TransferKind::Kernel,
        "" | "message" => TransferKind::Message,
        _ => return Err(ReadError::value(line, "kind", of(Column::Kind), "copy, kernel or message")),
    };
    let in_place = match &*of(Column::InPlace).to_ascii_lowercase() {
        "true" | "1" => true,
        "" | "false" | "0" => false,
        _ => return Err(ReadError::value(line, "in_place", of(Column::InPlace), "true or false")),
    };
    let algorithm = Some(of(Column::Algorithm).to_owned()).filter(|name| !name.is_empty());
    // All transfers of a kind are one run.
    let (algorithm, ranks) = if collective.is_some() { (algorithm, ranks) } else { (None, None) };
    let key = RunKey { kind, collective: collective.map(CollectiveName::word), algorithm, ranks };
    let names = [of(Column::From), of(Column::To)];
    Ok(Row { line, names, collective, group: of(Column::Group), key, bytes: whole(Column::Bytes)?, figure, in_place })
}

impl Row<'_> {
    /// Returns the run that the row begins.
    fn run(&self, devices: &Devices<'_>) -> Run {
        let is_collective = self.collective.is_some();
        Run {
            tool: Tool::Csv,
            test: self.key.collective.unwrap_or("transfers").to_owned(),
            kind: self.key.kind,
            algorithm: self.key.algorithm.clone(),
            devices: if is_collective { Vec::new() } else { devices.list() },
            ranks: if is_collective { self.key.ranks } else { Some(devices.count) },
            samples: Vec::new(),
        }
    }
}

/// The devices of the rows: numbers, or names in the order of their first row.
struct Devices<'a> {
    count: u32,
    /// The place of each name; empty if all are numbers.
    names: BTreeMap<&'a str, u32>,
}

impl<'a> Devices<'a> {
    fn new(rows: &[Row<'a>]) -> Result<Self, ReadError> {
        let transfers = || rows.iter().filter(|row| row.collective.is_none());
        let numbers: Option<Vec<u64>> = transfers().flat_map(|row| row.names).map(|name| name.parse().ok()).collect();
        if let Some(numbers) = numbers {
            let count = numbers.into_iter().max().map_or(0, |greatest| greatest.saturating_add(1));
            let line = transfers().next().map_or(1, |row| row.line);
            check_devices(line, count)?;
            return Ok(Self { count: count as u32, names: BTreeMap::new() });
        }
        let mut names = BTreeMap::new();
        for row in transfers() {
            for name in row.names {
                let next = names.len() as u32;
                names.entry(name).or_insert(next);
            }
            check_devices(row.line, names.len() as u64)?;
        }
        Ok(Self { count: names.len() as u32, names })
    }

    fn flow(&self, row: &Row<'_>) -> Result<Flow, ReadError> {
        let place = |name: &str| if self.names.is_empty() { name.parse().ok() } else { self.names.get(name).copied() };
        let [from, to] = row.names.map(place);
        match (from, to) {
            (Some(from), Some(to)) if from != to && !row.names.contains(&"") => Ok(Flow { from, to }),
            _ => {
                let expected = "another device in each of the columns 'from' and 'to', or a collective";
                Err(ReadError::unexpected(row.line, &row.names.join(" to "), expected))
            }
        }
    }

    fn list(&self) -> Vec<Device> {
        let mut devices = unnamed_devices(self.count as usize);
        for (&name, &place) in &self.names {
            devices[place as usize].host = Some(name.to_owned());
        }
        devices
    }
}
