//! The tables of NCCL's example plugin, of RCCL and of torchcomms.
//!
//! The first row that fits counts. The plugin reads unknown words without a message: a collective is an all-reduce, an algorithm a ring, and a
//! protocol `simple`. RCCL skips such rows, and torchcomms creates no communicator.
//!
//! # Source
//!
//! NCCL, `plugins/tuner/example/plugin.c`; RCCL, `src/plugin/tuner/csv_tuner.cc`; torchcomms,
//! `comms/ncclx/meta/tuner/MetaTuner.cc`; 2026.

use lockstep_files::one_line;
use lockstep_schedule::CollectiveName;

use super::reading::{Communicator, Rule, TableError, TableReading};
use crate::curve::MAX_BYTES;
use crate::library::{Library, LibraryCollective};

const ALGORITHMS: [&str; 7] = ["tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"];
const PROTOCOLS: [&str; 3] = ["ll", "ll128", "simple"];

/// The longest line that the plugin reads whole.
const MAX_LINE: usize = 255;

/// A row that may fire.
struct Row {
    line: usize,
    collective: &'static str,
    /// The sizes, first and last.
    sizes: [u64; 2],
    algorithm: &'static str,
    protocol: &'static str,
    channels: Option<u32>,
}

/// Returns the library of a table, by its first row.
pub(super) fn library_of(text: &str) -> Option<Library> {
    let row = rows(text).next()?.1;
    let fields = split(row);
    if !fields[0].starts_with("collective") && collective(Library::Nccl, fields[0]).is_none() {
        return None;
    }
    let has =
        |place: usize, header: &str| fields.get(place).is_some_and(|word| ALGORITHMS.contains(word) || *word == header);
    if has(2, "algorithm") {
        return Some(Library::Torchcomms).filter(|_| (7..=8).contains(&fields.len()));
    }
    match fields.len() {
        8..=10 if has(3, "algorithm") => Some(Library::Nccl),
        11..=12 if has(3, "algorithm") => Some(Library::Rccl),
        _ => None,
    }
}

pub(super) fn read(text: &str, communicator: Communicator, reading: &mut TableReading) -> Result<(), TableError> {
    let library = reading.library;
    let mut fitting = Vec::new();
    let mut others = 0;
    for (line, row) in rows(text) {
        let parsed = if library == Library::Torchcomms {
            interval_row((line, row), communicator)
                .map_err(|what| TableError::at_line(line, what + "; torchcomms creates no communicator"))?
        } else {
            match row_of((line, row), communicator, reading) {
                Ok(parsed) => parsed,
                Err(what) => {
                    reading.note(format!("line {line}: {what}; the row is ignored"));
                    continue;
                }
            }
        };
        match parsed {
            Some(row) => fitting.push(row),
            None => others += 1,
        }
    }
    if others > 0 {
        reading.note(format!("{others} row(s) are for other numbers of nodes or ranks"));
    }
    let mut without = Vec::new();
    for of in library.collectives() {
        let of_collective: Vec<&Row> = fitting.iter().filter(|row| row.collective == of.name).collect();
        let mut rows: Vec<&Row> = Vec::new();
        for row in of_collective {
            if is_allowed(of.collective, row.algorithm) {
                rows.push(row);
            } else {
                let (line, algorithm, name) = (row.line, row.algorithm, of.name);
                reading
                    .note(format!("line {line}: {name} has no algorithm {algorithm}; the next row that fits counts"));
            }
        }
        if rows.is_empty() {
            without.push(of.name);
            continue;
        }
        let starts = rows.iter().flat_map(|row| [row.sizes[0], row.sizes[1].saturating_add(1)]).collect();
        let first = |bytes: u64| rows.iter().find(|row| (row.sizes[0]..=row.sizes[1]).contains(&bytes));
        reading.add(of, starts, |bytes| first(bytes).map(|row| row.rule()));
        note_gaps(reading, &rows);
    }
    if !without.is_empty() {
        reading.note(format!("{}: no row fits these ranks; {}", without.join(", "), without_row(library)));
    }
    Ok(())
}

/// Says what happens to the sizes of the last collective without a row, and which of its rows never count.
fn note_gaps(reading: &mut TableReading, rows: &[&Row]) {
    let library = reading.library;
    let Some(last) = reading.collectives.last() else { return };
    let name = last.of.name;
    let gaps: Vec<String> = last
        .ranges
        .iter()
        .filter(|range| range.rule.is_none())
        .map(|range| format!("{name}: no row fits {} to {} bytes; {}", range.from, range.to, without_row(library)))
        .collect();
    let fires = |row: &&&Row| {
        let place = row.place();
        last.ranges.iter().any(|range| range.rule.as_ref().is_some_and(|rule| rule.place == place))
    };
    let dead: Vec<String> = rows
        .iter()
        .filter(|row| !fires(row))
        .map(|row| format!("line {}: the row never counts, because rows before it have its sizes", row.line))
        .collect();
    let one_channel: Vec<String> = rows
        .iter()
        .filter(|row| library == Library::Nccl && row.channels.is_none())
        .map(|row| format!("line {}: channels are -1, so NCCL uses one channel; give a number", row.line))
        .collect();
    gaps.into_iter().chain(dead).chain(one_channel).for_each(|note| reading.note(note));
}

/// Returns what the library does without a row.
fn without_row(library: Library) -> &'static str {
    match library {
        Library::Nccl => "NCCL then uses one channel: give each collective and size a row",
        _ => "the library keeps its own choice",
    }
}

impl Row {
    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn rule(&self) -> Rule {
        Rule {
            protocol: Some(self.protocol.to_owned()),
            channels: self.channels,
            ..Rule::new(self.place(), Some(self.algorithm))
        }
    }
}

/// Returns the lines with rows, with their numbers from 1.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Splits a row at its commas, but not inside brackets.
fn split(row: &str) -> Vec<&str> {
    let (mut fields, mut start, mut is_inside) = (Vec::new(), 0, false);
    for (place, c) in row.char_indices() {
        match c {
            '[' | '(' => is_inside = true,
            ']' | ')' => is_inside = false,
            ',' if !is_inside => {
                fields.push(row[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    fields.push(row[start..].trim());
    fields
}

/// Returns the collective of a name in tables.
fn collective(library: Library, name: &str) -> Option<&'static LibraryCollective> {
    library.collectives().iter().find(|of| of.name == name)
}

/// Returns true if NCCL has the algorithm for a collective.
fn is_allowed(collective: CollectiveName, algorithm: &str) -> bool {
    use CollectiveName::{AllGather, AllReduce, ReduceScatter};
    match algorithm {
        "ring" => true,
        "tree" | "collnet_chain" | "nvls_tree" => collective == AllReduce,
        "collnet_direct" | "nvls" => matches!(collective, AllReduce | AllGather | ReduceScatter),
        _ => matches!(collective, AllGather | ReduceScatter),
    }
}

/// Returns the word of a list that a field is.
fn known(field: &str, words: &[&'static str], what: &str) -> Result<&'static str, String> {
    let found = words.iter().find(|word| **word == field);
    found.copied().ok_or_else(|| format!("unknown {what} '{}'", one_line(field)))
}

/// Returns the number of a field; `None` for -1, which fits all.
fn number(field: &str, what: &str) -> Result<Option<u64>, String> {
    match field.parse() {
        _ if field == "-1" => Ok(None),
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(format!("{what} is '{}'; expected a number, or -1", one_line(field))),
    }
}

/// Reads a row of NCCL's plugin or of RCCL. `None` if it is for other ranks.
fn row_of(
    (line, row): (usize, &str),
    communicator: Communicator,
    reading: &mut TableReading,
) -> Result<Option<Row>, String> {
    let is_rccl = reading.library == Library::Rccl;
    let fields = split(row);
    let most = if is_rccl { 12 } else { 10 };
    if !(8..=most).contains(&fields.len()) {
        return Err(format!("{} fields; expected 8 to {most}", fields.len()));
    }
    if row.len() > MAX_LINE && !is_rccl {
        return Err(format!("{} characters; the plugin reads {MAX_LINE}", row.len()));
    }
    let fits = |place: usize, own: u32, what: &str| {
        Ok::<_, String>(number(fields[place], what)?.is_none_or(|number| number == u64::from(own)))
    };
    let (of_hosts, of_ranks) = (fits(6, communicator.hosts, "nNodes")?, fits(7, communicator.ranks, "nRanks")?);
    let names: Vec<&'static str> = reading.library.collectives().iter().map(|of| of.name).collect();
    let mut word = |place: usize, words: &[&'static str], what: &str, other: &'static str| {
        known(fields[place], words, what).or_else(|why| {
            if is_rccl {
                return Err(why);
            }
            reading.note(format!("line {line}: {why}; the plugin reads {other} without a message"));
            Ok(other)
        })
    };
    let collective = word(0, &names, "collective", "allreduce")?;
    let algorithm = word(3, &ALGORITHMS, "algorithm", "ring")?;
    let protocol = word(4, &PROTOCOLS, "protocol", "simple")?;
    let sizes = [number(fields[1], "min_bytes")?.unwrap_or(0), number(fields[2], "max_bytes")?.unwrap_or(MAX_BYTES)];
    let channels = number(fields[5], "channels")?.map(|channels| u32::try_from(channels).unwrap_or(u32::MAX));
    if sizes[0] > sizes[1] {
        return Err(format!("min_bytes {} exceeds max_bytes {}", sizes[0], sizes[1]));
    }
    if !(of_hosts && of_ranks) {
        return Ok(None);
    }
    // The usual call is one operation without registered buffers.
    for (place, own, what) in [(8, 1, "numPipeOps"), (9, 0, "regBuff")] {
        let field = fields.get(place).copied().filter(|field| !field.is_empty()).unwrap_or("-1");
        if number(field, what)?.is_some_and(|number| number != own) {
            return Err(format!("{what} is {field}, and a call of one operation without registered buffers has {own}"));
        }
    }
    Ok(Some(Row { line, collective, sizes, algorithm, protocol, channels }))
}

/// Reads a row of torchcomms, whose sizes are bytes per rank. `None` if it is for other ranks.
fn interval_row((line, row): (usize, &str), communicator: Communicator) -> Result<Option<Row>, String> {
    let fields = split(row);
    if !(7..=8).contains(&fields.len()) {
        return Err(format!("{} fields; expected 7 or 8", fields.len()));
    }
    let names: Vec<&'static str> = Library::Torchcomms.collectives().iter().map(|of| of.name).collect();
    let collective = known(fields[0], &names, "collective")?;
    let algorithm = known(fields[2], &ALGORITHMS, "algorithm")?;
    let protocol = known(fields[3], &PROTOCOLS, "protocol")?;
    let channels = number(fields[4], "channels")?.map(|channels| u32::try_from(channels).unwrap_or(u32::MAX));
    let contains = |place: usize, own: u32| {
        let interval = interval(fields[place])?;
        Ok::<_, String>(interval.is_some_and(|[first, last]| (first..=last).contains(&own.into())))
    };
    let of_hosts = contains(5, communicator.hosts)?;
    let of_ranks = contains(6, communicator.ranks / communicator.hosts.max(1))?;
    let Some([first, last]) = interval(fields[1])? else { return Ok(None) };
    let ranks = u64::from(communicator.ranks);
    // A size of `bytes` per rank is one of `bytes * ranks`, and of what is rounded down to it.
    let last = last.saturating_add(1).saturating_mul(ranks) - 1;
    let sizes = [first.saturating_mul(ranks), last.min(MAX_BYTES)];
    let row = Row { line, collective, sizes, algorithm, protocol, channels };
    Ok((of_hosts && of_ranks && sizes[0] <= sizes[1]).then_some(row))
}

/// Returns the first and the last number of an interval such as `*`, `7`, `[1,8]`, `(1,8)` or `[1,)`. `None` if it is empty.
fn interval(text: &str) -> Result<Option<[u64; 2]>, String> {
    let wrong = || format!("'{}' is no interval; expected *, 7, [1,8] or (8,)", one_line(text));
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    if text == "*" {
        return Ok(Some([0, u64::MAX]));
    }
    let Some(opening) = text.chars().next().filter(|c| matches!(c, '[' | '(')) else {
        return number(text).map(|number| Some([number; 2]));
    };
    let closing = text.chars().next_back().filter(|c| matches!(c, ']' | ')')).ok_or_else(wrong)?;
    let (first, last) = text[1..text.len() - 1].split_once(',').ok_or_else(wrong)?;
    let first = match (first.trim(), opening) {
        ("", _) => Some(0),
        (text, '(') => number(text)?.checked_add(1),
        (text, _) => Some(number(text)?),
    };
    let last = match (last.trim(), closing) {
        ("", _) => Some(u64::MAX),
        (text, ')') => number(text)?.checked_sub(1),
        (text, _) => Some(number(text)?),
    };
    Ok(first.zip(last).filter(|(first, last)| first <= last).map(|(first, last)| [first, last]))
}
