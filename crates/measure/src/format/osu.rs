//! Outputs of the OSU micro-benchmarks.
//!
//! # Grammar
//!
//! - `# OSU MPI Allreduce Latency Test v7.4` names the test, `# [ pairs: 4 ] [ window size: 64 ]` the pairs of `osu_mbw_mr`.
//! - `# Size       Avg Latency(us)   Min Latency(us)` names the columns, which two blanks or more separate.
//! - A row begins with a size. MB/s are 10^6 bytes per second, and times microseconds.
//!
//! The size of an all-gather, all-to-all, gather or scatter is the block of one rank. It is multiplied by the number of ranks,
//! which the output does not have. Tests of NCCL and RCCL, whose titles begin with `# OSU NCCL-CUDA`, run kernels. Latency tests print half of a round trip, `osu_bibw` the sum of both directions, and
//! `osu_mbw_mr` the sum of all pairs.
//!
//! # Source
//!
//! `c/mpi` of the OSU micro-benchmarks, releases 3.6 to 7.5.

use lockstep_files::one_line;
use lockstep_schedule::CollectiveName;

use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::{FlowCount, MB, MICROSECOND, both_ways, is_cut_off, number, parse_scaled, unnamed_devices, whole};
use crate::{Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// What a test measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    /// Times from rank 0 to rank 1.
    Latency,
    /// Rates from rank 0 to rank 1.
    Bandwidth,
    /// The sum of the rates of both directions.
    BothWays,
    /// The sum of the rates of pairs: rank i sends to rank i + pairs.
    Pairs,
    Collective(CollectiveName),
}

/// A test with the lines that belong to it.
struct Section<'a> {
    line: u32,
    test: Option<Test>,
    title: &'a str,
    pairs: Option<u32>,
    /// The names of the columns.
    columns: Vec<&'a str>,
    /// The value of the last row.
    last: &'a str,
    samples: Vec<Sample>,
}

pub(super) fn looks_like(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| title_of(line.text).is_some())
}

/// Returns the library and the name of the test: `MPI Allreduce Latency`.
fn title_of(line: &str) -> Option<&str> {
    line.strip_prefix("# OSU ")?.split_once(" Test").map(|(title, _)| title.trim())
}

/// Returns the test of a title; `None` if it is not read.
fn test_of(title: &str) -> Option<Test> {
    let (library, name) = title.split_once(' ')?;
    // Tests of one-sided transfers: `MPI_Put Latency`.
    if library.contains('_') {
        return None;
    }
    match name {
        "Latency" => return Some(Test::Latency),
        "Bandwidth" => return Some(Test::Bandwidth),
        "Bi-Directional Bandwidth" => return Some(Test::BothWays),
        "Multiple Bandwidth / Message Rate" => return Some(Test::Pairs),
        _ => {}
    }
    let name = name.strip_suffix(" Latency")?;
    let name = name.strip_suffix(" Personalized Exchange").unwrap_or(name);
    name.parse().ok().map(Test::Collective)
}

/// Returns what moves the data: tests such as `NCCL-CUDA Allreduce Latency` call NCCL, which runs kernels.
fn kind_of(title: &str) -> TransferKind {
    let is_kernel = ["NCCL", "RCCL", "xCCL"].iter().any(|library| title.starts_with(library));
    if is_kernel { TransferKind::Kernel } else { TransferKind::Message }
}

/// Reads all tests.
pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut reader = OsuReader { options, reading: Reading::default(), flows: FlowCount::default(), has_rates: false };
    let mut section: Option<Section<'_>> = None;
    let last = lines.iter().rposition(|line| !line.text.is_empty()).unwrap_or_default();
    for (place, line) in lines.iter().enumerate() {
        if let Some(title) = title_of(line.text) {
            reader.end(section.take());
            let test = test_of(title);
            section = Some(Section {
                line: line.number,
                test,
                title,
                pairs: None,
                columns: Vec::new(),
                last: "",
                samples: Vec::new(),
            });
        } else if let Some(section) = &mut section {
            if line.text.is_empty() && !section.samples.is_empty() {
                // Other lines of a log may begin with a number.
                section.columns.clear();
            } else if line.text.starts_with("# Size") {
                section.columns = columns(line.text);
            } else if let Some(pairs) = line.text.split_once("[ pairs: ").and_then(|(_, rest)| rest.split(' ').next()) {
                if section.samples.is_empty() {
                    section.pairs = pairs.parse().ok();
                }
            } else if let Some(test) = section.test
                && !section.columns.is_empty()
                && line.text.starts_with(|first: char| first.is_ascii_digit())
            {
                reader.row(section, test, *line, place == last)?;
            }
        }
    }
    reader.end(section);
    let mut reading = reader.reading;
    if reader.has_rates && options.rate_unit.is_none() {
        reading.notes.push(
            "MB/s are 10^6 bytes per second, as the OSU micro-benchmarks count; --rate-unit sets another one"
                .to_owned(),
        );
    }
    Ok(reading)
}

/// Returns the names of the columns.
fn columns(line: &str) -> Vec<&str> {
    let names = line.trim_start_matches('#').trim().split("  ").flat_map(|part| part.split('\t'));
    names.map(str::trim).filter(|name| !name.is_empty()).collect()
}

struct OsuReader<'a> {
    options: &'a ReadOptions,
    reading: Reading,
    flows: FlowCount,
    has_rates: bool,
}

impl OsuReader<'_> {
    /// Adds a row to a test.
    fn row<'a>(
        &mut self,
        section: &mut Section<'a>,
        test: Test,
        line: Line<'a>,
        is_last: bool,
    ) -> Result<(), ReadError> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let is_short = words.len() < section.columns.len();
        let is_cut = is_last && words.len() == 2 && is_cut_off(&[section.last, words[1]]);
        if is_short || is_cut {
            if is_last {
                self.reading.notes.push(format!("line {}: the last row is incomplete and is left out", line.number));
                return Ok(());
            }
            let expected = format!("a value for each of the {} columns of the head", section.columns.len());
            return Err(ReadError::unexpected(line.number, line.text, expected));
        }
        let bytes = whole(line.number, "Size", words[0])?;
        let word_of = |is_it: &dyn Fn(&str) -> bool| {
            section.columns.iter().skip(1).position(|name| is_it(name)).map(|place| words[place + 1])
        };
        let Some(value) = section.columns.get(1).map(|_| words[1]) else {
            return Err(ReadError::unexpected(line.number, line.text, "a column of times or rates behind the size"));
        };
        let is_rate = matches!(test, Test::Bandwidth | Test::BothWays | Test::Pairs);
        let unit = if is_rate { self.options.rate_unit.unwrap_or(MB) } else { MICROSECOND };
        let number = number(line.number, section.columns[1], value, unit)?;
        section.last = value;
        let limit = |word: Option<&str>| word.and_then(|word| parse_scaled(word, unit));
        let spread =
            limit(word_of(&|name| name.starts_with("Min"))).zip(limit(word_of(&|name| name.starts_with("Max"))));
        let is_wrong = word_of(&|name| name == "Validation").is_some_and(|word| word.eq_ignore_ascii_case("fail"));
        self.has_rates |= is_rate;
        let (workload, bytes, number) = match test {
            Test::Latency | Test::Bandwidth => (Workload::Flows(vec![Flow { from: 0, to: 1 }]), bytes, number),
            Test::BothWays => (Workload::Flows(both_ways(0, 1)), bytes, number / 2),
            Test::Pairs => {
                let pairs = section.pairs.filter(|&pairs| pairs > 0).ok_or_else(|| {
                    let expected = "the line '# [ pairs: 4 ] [ window size: 64 ]' before the rows";
                    ReadError::found(section.line, "no number of pairs", expected)
                })?;
                self.flows.add(line.number, u64::from(pairs) * 3)?;
                let flows = (0..pairs).map(|from| Flow { from, to: from + pairs }).collect();
                (Workload::Flows(flows), bytes, number / u64::from(pairs))
            }
            Test::Collective(name) => (Workload::Collective(name), self.whole_size(section.line, name, bytes)?, number),
        };
        if bytes == 0 && is_rate {
            return Ok(());
        }
        section.samples.push(Sample {
            workload,
            bytes: Some(bytes),
            figure: if is_rate { Figure::BytesPerSecond(number) } else { Figure::Picoseconds(number) },
            spread: spread
                .filter(|_| !matches!(test, Test::BothWays | Test::Pairs))
                .map(|(least, greatest)| [least, greatest]),
            in_place: false,
            is_wrong,
            line: line.number,
        });
        Ok(())
    }

    /// Returns the bytes of the whole buffer.
    fn whole_size(&self, line: u32, name: CollectiveName, bytes: u64) -> Result<u64, ReadError> {
        use CollectiveName::{AllGather, AllToAll, Gather, Scatter};
        if !matches!(name, AllGather | AllToAll | Gather | Scatter) {
            return Ok(bytes);
        }
        let ranks = self.options.ranks.ok_or_else(|| {
            let text = format!(
                "the sizes of the {name} are blocks of one rank, and the output does not have the number of ranks; state it"
            );
            ReadError::unsupported(line, text)
        })?;
        bytes.checked_mul(u64::from(ranks)).ok_or_else(|| {
            ReadError::unsupported(
                line,
                format!("{bytes} bytes of each of {ranks} ranks exceed 2^64; correct the number of ranks"),
            )
        })
    }

    /// Adds the run of a test.
    fn end(&mut self, section: Option<Section<'_>>) {
        let Some(section) = section else { return };
        let (line, title) = (section.line, one_line(section.title));
        let Some(test) = section.test else {
            self.reading.notes.push(format!("left out: the test '{title}' of line {line}, which is not supported"));
            return;
        };
        if section.samples.is_empty() {
            self.reading.notes.push(format!("line {line}: the test '{title}' has no rows"));
            return;
        }
        let ranks = match test {
            Test::Latency | Test::Bandwidth | Test::BothWays => Some(2),
            Test::Pairs => section.pairs.map(|pairs| 2 * pairs),
            Test::Collective(_) => self.options.ranks,
        };
        if ranks.is_none() {
            self.reading.notes.push(format!("line {line}: the number of ranks is not in the output; state it"));
        }
        let has_flows = !matches!(test, Test::Collective(_));
        self.reading.runs.push(Run {
            tool: Tool::Osu,
            test: title,
            kind: kind_of(section.title),
            algorithm: None,
            devices: unnamed_devices(if has_flows { ranks.unwrap_or_default() as usize } else { 0 }),
            ranks,
            samples: section.samples,
        });
    }
}
