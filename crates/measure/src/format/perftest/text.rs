//! The text output of perftest.

use super::test::{Measure, Transfer, measure_of, rate_sample, round_trip_note, run, time_sample};
use crate::Sample;
use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::reading::{ReadOptions, Reading};
use crate::format::values::{MIB, MICROSECOND, NUMBER, parse_scaled, parse_whole};

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
    samples: Vec<Sample>,
}

pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let (mut title, mut table): (Option<&str>, Option<Table<'_>>) = (None, None);
    let mut has_assumed = false;
    for line in lines {
        let found = line.text.strip_suffix(" Test").filter(|title| measure_of(title).is_some());
        if found.is_some() {
            title = found;
        } else if is_head(line.text) {
            end(table.take(), &mut reading);
            let columns = Columns::new(line.text);
            let is_time = columns.place("t_").is_some();
            let assumed = if is_time { Measure::Latency } else { Measure::Bandwidth(Transfer::ToServer) };
            let measure = title.and_then(measure_of).unwrap_or(assumed);
            if matches!(measure, Measure::Bandwidth(_)) == is_time {
                return Err(ReadError::unexpected(
                    line.number,
                    line.text,
                    "the columns of the test in the title above",
                ));
            }
            has_assumed |= line.text.contains("[MB/sec]") && options.rate_unit.is_none();
            table = Some(Table { line: line.number, title: title.take(), measure, columns, samples: Vec::new() });
        } else if line.text.starts_with("---") && table.as_ref().is_some_and(|table| !table.samples.is_empty()) {
            end(table.take(), &mut reading);
        } else if let Some(table) = &mut table
            && line.text.starts_with(|first: char| first.is_ascii_digit())
        {
            table.samples.extend(row(table, *line, options)?);
        }
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
    if table.measure == Measure::RoundTrip {
        reading.notes.push(round_trip_note(line));
        return;
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

fn row(table: &Table<'_>, line: Line<'_>, options: &ReadOptions) -> Result<Option<Sample>, ReadError> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let value_of = |place: usize, unit: u64| {
        let word = words.get(place).copied().unwrap_or_default();
        parse_scaled(word, unit).ok_or_else(|| ReadError::value(line.number, table.columns.0[place], word, NUMBER))
    };
    let bytes =
        parse_whole(words[0]).ok_or_else(|| ReadError::value(line.number, "#bytes", words[0], "a whole number"))?;
    match table.measure {
        Measure::RoundTrip => Ok(None),
        Measure::Bandwidth(transfer) => {
            let place = table.columns.place("BW average");
            let unit = place.and_then(|place| rate_unit(table.columns.0[place], options));
            let Some((place, unit)) = place.zip(unit) else {
                let expected = "a column 'BW average[MiB/sec]', [MB/sec] or [Gb/sec]";
                return Err(ReadError::unexpected(table.line, "", expected));
            };
            Ok(Some(rate_sample(transfer, bytes, value_of(place, unit)?, line.number)))
        }
        Measure::Latency => {
            let Some(place) = table.columns.place("t_typical").or_else(|| table.columns.place("t_avg")) else {
                return Err(ReadError::unexpected(table.line, "", "a column 't_typical[usec]' or 't_avg[usec]'"));
            };
            let limit = |name: &str| table.columns.place(name).and_then(|place| value_of(place, MICROSECOND).ok());
            let spread = limit("t_min").zip(limit("t_max")).map(|(least, greatest)| [least, greatest]);
            Ok(Some(time_sample(bytes, value_of(place, MICROSECOND)?, spread, line.number)))
        }
    }
}
