//! The text output of perftest.

use super::test::{Measure, Transfer, atomic_note, measure_of, rate_sample, round_trip_note, run, time_sample};
use crate::Sample;
use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::reading::{ReadOptions, Reading};
use crate::format::values::{MIB, MICROSECOND, number, whole};

/// Returns true for the line that names the columns.
pub(super) fn is_head(line: &str) -> bool {
    line.starts_with("#bytes") && line.contains("#iterations")
}

/// The columns of a table.
struct Columns<'a>(Vec<&'a str>);

impl<'a> Columns<'a> {
    /// Reads a head. A name begins with `#`, or ends with a unit in brackets.
    fn new(head: &'a str) -> Self {
        let mut names = Vec::new();
        let mut begin = 0;
        for (at, c) in head.char_indices() {
            let end = at + c.len_utf8();
            if c.is_whitespace() && at == begin {
                begin = end;
            } else if c == ']' || (c.is_whitespace() && head[begin..].starts_with('#')) {
                names.push(head[begin..end].trim_end());
                begin = end;
            }
        }
        names.extend(Some(head[begin..].trim()).filter(|name| !name.is_empty()));
        Self(names)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|column| column.starts_with(name))
    }
}

/// A table with its title.
struct Table<'a> {
    line: u32,
    title: Option<&'a str>,
    measure: Measure,
    columns: Columns<'a>,
    /// The number of rows, also of those that are left out.
    rows: usize,
    samples: Vec<Sample>,
}

pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let (mut title, mut table): (Option<&str>, Option<Table<'_>>) = (None, None);
    let (mut has_assumed, mut is_in_cycles) = (false, false);
    let last = lines.iter().rposition(|line| !line.text.is_empty()).unwrap_or_default();
    for (place, line) in lines.iter().enumerate() {
        let found = line.text.strip_suffix(" Test").filter(|title| measure_of(title).is_some());
        if found.is_some() {
            title = found;
        } else if is_head(line.text) {
            end(table.take(), &mut reading);
            let columns = Columns::new(line.text);
            let is_time = columns.place("t_").is_some();
            let assumed = if is_time { Measure::Latency } else { Measure::Bandwidth(Transfer::ToServer) };
            let measure = title.and_then(measure_of).unwrap_or(assumed);
            let is_rate = matches!(measure, Measure::Bandwidth(_));
            if measure != Measure::Atomic && is_rate == is_time {
                return Err(ReadError::unexpected(
                    line.number,
                    line.text,
                    "the columns of the test in the title above",
                ));
            }
            has_assumed |= line.text.contains("[MB/sec]") && options.rate_unit.is_none();
            table =
                Some(Table { line: line.number, title: title.take(), measure, columns, rows: 0, samples: Vec::new() });
        } else if line.text.starts_with("---") && table.as_ref().is_some_and(|table| table.rows > 0) {
            end(table.take(), &mut reading);
        } else if line.text == "#, cycles" {
            is_in_cycles = true;
        } else if let Some(table) = &mut table
            && line.text.starts_with(|first: char| first.is_ascii_digit())
            && !is_single_time(line.text)
        {
            if is_in_cycles && table.measure == Measure::Latency {
                let text = "the times are cycles of the processor; run the test again without --report-cycles";
                return Err(ReadError::unsupported(line.number, text));
            }
            table.rows += 1;
            let words: Vec<&str> = line.text.split_whitespace().collect();
            if words.len() >= table.columns.0.len() {
                table.samples.extend(row(table, line.number, &words, options)?);
            } else if place == last {
                reading.notes.push(format!("line {}: the last row is incomplete and is left out", line.number));
            } else {
                let expected = format!("a value for each of the {} columns of the head", table.columns.0.len());
                return Err(ReadError::unexpected(line.number, line.text, expected));
            }
        }
    }
    if let Some(table) = &table {
        let line = table.line;
        reading.notes.push(format!(
            "the table of line {line} has no line of dashes behind it, so the run did not end or the output is cut off"
        ));
    }
    end(table, &mut reading);
    if has_assumed {
        reading
            .notes
            .push("MB/sec are 2^20 bytes per second, as perftest counts; --rate-unit sets another one".to_owned());
    }
    Ok(reading)
}

/// Adds the run of a table.
fn end(table: Option<Table<'_>>, reading: &mut Reading) {
    let Some(table) = table else { return };
    let line = table.line;
    match table.measure {
        Measure::RoundTrip => return reading.notes.push(round_trip_note(line)),
        Measure::Atomic => return reading.notes.push(atomic_note(line)),
        Measure::Bandwidth(_) | Measure::Latency => {}
    }
    if table.samples.is_empty() {
        reading.notes.push(format!("line {line}: the table has no rows"));
        return;
    }
    if table.title.is_none() {
        reading.notes.push(format!(
            "line {line}: the output has no title such as 'RDMA_Write BW Test'; read as transfers from the client to the server"
        ));
    }
    reading.runs.push(run(table.title.unwrap_or("without title").to_owned(), table.samples));
}

/// Returns the bytes per second of 1 in a column such as `BW average[MiB/sec]`.
fn rate_unit(column: &str, options: &ReadOptions) -> Option<u64> {
    match column.rsplit_once('[')?.1 {
        "MB/sec]" => Some(options.rate_unit.unwrap_or(MIB)),
        "MiB/sec]" => Some(MIB),
        "Gb/sec]" => Some(125_000_000),
        _ => None,
    }
}

/// Returns true for a time of `--report-unsorted` or `--report-histogram`: `1, 1.35`.
fn is_single_time(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|word| word.ends_with(','))
}

/// Reads a row with a value for each column. `None` if it is left out.
fn row(table: &Table<'_>, line: u32, words: &[&str], options: &ReadOptions) -> Result<Option<Sample>, ReadError> {
    let value_of = |place: usize, unit: u64| number(line, table.columns.0[place], words[place], unit);
    let bytes = whole(line, "#bytes", words[0])?;
    match table.measure {
        Measure::RoundTrip | Measure::Atomic => Ok(None),
        Measure::Bandwidth(transfer) => {
            let place = table.columns.place("BW average");
            let unit = place.and_then(|place| rate_unit(table.columns.0[place], options));
            let Some((place, unit)) = place.zip(unit) else {
                let expected = "a column 'BW average[MiB/sec]', [MB/sec] or [Gb/sec]";
                return Err(ReadError::unexpected(table.line, "", expected));
            };
            Ok(Some(rate_sample(transfer, bytes, value_of(place, unit)?, line)))
        }
        Measure::Latency => {
            let Some(place) = table.columns.place("t_typical").or_else(|| table.columns.place("t_avg")) else {
                return Err(ReadError::unexpected(table.line, "", "a column 't_typical[usec]' or 't_avg[usec]'"));
            };
            let limit = |name: &str| table.columns.place(name).and_then(|place| value_of(place, MICROSECOND).ok());
            let spread = limit("t_min").zip(limit("t_max")).map(|(least, greatest)| [least, greatest]);
            Ok(Some(time_sample(bytes, value_of(place, MICROSECOND)?, spread, line)))
        }
    }
}
