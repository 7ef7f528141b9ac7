//! The text output of nccl-tests.

use std::collections::BTreeMap;

use super::operation::{Operation, Signature, element_bytes};
use super::table::{Row, Table, Time};
use crate::Device;
use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::values::{MICROSECOND, bus_id, number, parse_scaled, parse_whole, whole};

/// Programs of nccl-tests that run no collective of Lockstep.
const OTHER_TESTS: [&str; 3] = ["hypercube", "alltoallv", "bisection"];

/// Names of the column with the time.
const TIMES: [&str; 2] = ["time", "cputime"];

/// Returns true for the line that names the columns.
pub(super) fn is_head(line: &str) -> bool {
    let has = |names: &[&str]| line.trim_start_matches('#').split_whitespace().any(|word| names.contains(&word));
    line.starts_with('#') && has(&["size"]) && has(&TIMES) && has(&["algbw"]) && has(&["busbw"])
}

/// The columns of a table.
struct Columns<'a> {
    /// The columns before the first time.
    first: Vec<&'a str>,
    /// The columns of a time: time, rates, and others.
    part: Vec<&'a str>,
    /// The number of parts: out of place and in place, or one of them.
    parts: usize,
    /// Whether each part is in place.
    in_place: [bool; 2],
    /// The number of characters of a part.
    width: usize,
}

impl<'a> Columns<'a> {
    /// Reads a head, and the line above it, which names the parts.
    fn new(head: &'a str, above: &str) -> Self {
        let words: Vec<&str> = head.trim_start_matches('#').split_whitespace().collect();
        let begins: Vec<usize> = (0..words.len()).filter(|&place| TIMES.contains(&words[place])).collect();
        let begin = begins.first().copied().unwrap_or(words.len());
        let end = begins.get(1).copied().unwrap_or(words.len());
        let part = words[begin..end].iter().copied().filter(|&word| word != "timestamp").collect();
        let is_first = match (above.find("in-place"), above.find("out-of-place")) {
            (Some(in_place), Some(out_of_place)) => in_place < out_of_place,
            (in_place, _) => in_place.is_some(),
        };
        let mut times = head.match_indices("time").map(|(place, _)| place);
        let width = times.next().zip(times.next()).map_or(usize::MAX, |(first, second)| second - first);
        let parts = begins.len().clamp(1, 2);
        Self { first: words[..begin].to_vec(), part, parts, in_place: [is_first, !is_first], width }
    }

    fn of_first(&self, name: &str) -> Option<usize> {
        self.first.iter().position(|&column| column == name)
    }

    /// Returns the words of a row: it begins with a size, a number of elements, and a type if the table has types.
    fn row_words<'b>(&self, line: &'b str) -> Option<Vec<&'b str>> {
        if !line.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_type = |word: &str| word.starts_with(|first: char| first.is_ascii_alphabetic());
        let has_type = self.of_first("type").is_some();
        (words.len() > 3
            && parse_whole(words[0]).is_some()
            && parse_whole(words[1]).is_some()
            && is_type(words[2]) == has_type)
            .then_some(words)
    }

    /// Returns the part of the first time of a row. The second one, if the first one is blank: its spaces are more than half of its width.
    fn first_part(&self, line: &str, parts: usize) -> usize {
        let longest = line.split(|c: char| !c.is_whitespace()).map(str::len).max().unwrap_or(0);
        usize::from(parts < self.parts && longest >= self.width / 2)
    }

    /// Returns the number of parts of a row. Further words, such as a time of day, may follow. `None` if a part is incomplete.
    fn parts_of(&self, words: &[&str]) -> Option<usize> {
        let values = words.len().checked_sub(self.first.len())?;
        (1..=self.parts).rev().find(|parts| values >= parts * self.part.len())
    }
}

/// What the lines before a table say.
#[derive(Default)]
struct Preamble {
    program: Option<String>,
    algorithm: Option<String>,
    devices: BTreeMap<u32, Device>,
}

/// Reads all tables.
pub(super) fn tables(lines: &[Line<'_>], notes: &mut Vec<String>) -> Result<Vec<Table>, ReadError> {
    let mut tables: Vec<Table> = Vec::new();
    let mut preamble = Preamble::default();
    let mut columns = None;
    let last = lines.iter().rposition(|line| !line.text.is_empty()).unwrap_or_default();
    for (place, line) in lines.iter().enumerate() {
        if is_head(line.text) {
            end_without_footer(columns.is_some(), &tables, notes);
            let Preamble { program, algorithm, devices } = std::mem::take(&mut preamble);
            tables.push(Table { line: line.number, program, algorithm, devices, ..Table::default() });
            let above = place.checked_sub(1).map_or("", |above| lines[above].text);
            columns = Some(Columns::new(line.text, above));
        } else if line.text.starts_with("# Out of bounds values") || line.text.starts_with("# Avg bus bandwidth") {
            if line.text.contains("FAILED") {
                notes.push(format!("line {}: the benchmark reports wrong data (Out of bounds values)", line.number));
            }
            columns = None;
        } else if let Some(columns) = &columns
            && let Some(words) = columns.row_words(line.text)
            && let Some(table) = tables.last_mut()
        {
            let parts = columns
                .parts_of(&words)
                .filter(|&parts| table.rows.first().is_none_or(|first| first.times.len() == parts));
            match parts {
                Some(parts) => table.rows.push(row(*line, &words, columns, parts)?),
                None if place == last => {
                    notes.push(format!("line {}: the last row is incomplete and is left out", line.number));
                }
                None => {
                    let expected = format!(
                        "a value for each of the {} columns of the head",
                        columns.first.len() + columns.parts * columns.part.len()
                    );
                    return Err(ReadError::unexpected(line.number, line.text, expected));
                }
            }
        } else if !line.text.starts_with("# Collective test concluded") {
            preamble.see(line.text);
        }
    }
    end_without_footer(columns.is_some(), &tables, notes);
    Ok(tables)
}

/// Adds the note on a table that ends without its footer.
fn end_without_footer(is_open: bool, tables: &[Table], notes: &mut Vec<String>) {
    if let Some(table) = tables.last().filter(|_| is_open) {
        let (line, rows) = (table.line, table.rows.len());
        notes.push(format!(
            "the table of line {line} has no footer, so the run did not end or the output is cut off; rows read: {rows}"
        ));
    }
}

fn row(line: Line<'_>, words: &[&str], columns: &Columns<'_>, parts: usize) -> Result<Row, ReadError> {
    let first_part = columns.first_part(line.text, parts);
    let line = line.number;
    let whole_of = |name: &str| whole(line, name, columns.of_first(name).map_or("", |place| words[place]));
    let (bytes, count) = (whole_of("size")?, whole_of("count")?);
    // mscclpp-test has no type: its elements are int.
    let element = columns.of_first("type").map_or(Some(4), |place| element_bytes(words[place]));
    let has_types = columns.of_first("type").is_some();
    let is_reduction = has_types.then(|| columns.of_first("redop").is_some_and(|place| words[place] != "none"));
    let has_root = columns.of_first("root").is_some_and(|place| !words[place].starts_with('-'));
    let rank_bytes = element.and_then(|element| element.checked_mul(count));
    let mut times = Vec::new();
    for part in 0..parts {
        let begin = columns.first.len() + part * columns.part.len();
        let values = &words[begin..begin + columns.part.len()];
        let value_of = |name: &str| columns.part.iter().position(|&column| column == name).map(|place| values[place]);
        let picoseconds = number(line, columns.part[0], values[0], MICROSECOND)?;
        let limit = |name: &str| value_of(name).and_then(|value| parse_scaled(value, MICROSECOND));
        let wrong = value_of("#wrong").and_then(|value| value.parse::<f64>().ok());
        times.push(Time {
            in_place: columns.in_place[(first_part + part).min(1)],
            picoseconds,
            spread: limit("i_min").zip(limit("i_max")).map(|(least, greatest)| [least, greatest]),
            is_wrong: wrong.is_some_and(|wrong| wrong != 0.0),
        });
    }
    Ok(Row { line, signature: Signature { bytes, rank_bytes, is_reduction, has_root }, times })
}

impl Preamble {
    /// Looks for the program, the algorithm and the ranks.
    fn see(&mut self, line: &str) {
        if line.starts_with("# nThread") || line.starts_with("# Using devices") {
            self.devices.clear();
        }
        if let Some((rank, device)) = rank_of(line) {
            self.devices.insert(rank, device);
            return;
        }
        for word in line.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ';' | ':')) {
            if let Some(program) = word.strip_suffix("_perf") {
                let name = program.rsplit('/').next().unwrap_or_default();
                let is_test = Operation::of_program(name).is_some() || OTHER_TESTS.contains(&name);
                if is_test || line.starts_with("# Collective test starting") {
                    self.program = Some(name.to_owned());
                }
            } else if let Some(algorithm) = word.strip_prefix("NCCL_ALGO=") {
                let is_one = !algorithm.is_empty() && algorithm.chars().all(char::is_alphanumeric);
                self.algorithm = is_one.then(|| algorithm.to_ascii_lowercase());
            }
        }
    }
}

/// Reads `#  Rank  0 Group  0 Pid 41 on HOST device  0 [0000:07:00] NAME`.
fn rank_of(line: &str) -> Option<(u32, Device)> {
    let mut words = line.strip_prefix('#')?.split_whitespace();
    if words.next() != Some("Rank") {
        return None;
    }
    let rank = words.next()?.parse().ok()?;
    let host = words.by_ref().skip_while(|&word| word != "on").nth(1)?.to_owned();
    let bus = words.find_map(|word| bus_id(word.strip_prefix('[')?.strip_suffix(']')?));
    Some((rank, Device { host: Some(host), bus_id: bus }))
}
