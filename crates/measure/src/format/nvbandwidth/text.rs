//! The text output of nvbandwidth.

use lockstep_files::one_line;

use super::test_matrices::{Direction, Part, TestMatrices, direction_of, rows_of, waived_note};
use crate::Device;
use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::matrix::{DeviceList, Matrix, MatrixForm, read_matrix};
use crate::format::values::{bus_id, check_devices, number};

/// Returns true for a line that only nvbandwidth prints.
pub(super) fn is_mark(line: &str) -> bool {
    line.starts_with("nvbandwidth Version")
        || waived(line).is_some_and(is_test)
        || running(line).is_some_and(is_test)
        || sum_of(line).is_some()
        || (is_title(line) && (line.starts_with("memcpy ") || line.starts_with("multicast ")))
}

/// Returns true for the name of a test.
fn is_test(name: &str) -> bool {
    ["_memcpy_", "_to_", "_latency_", "bisect", "device_local"].iter().any(|part| name.contains(part))
}

fn is_title(line: &str) -> bool {
    line.ends_with("bandwidth (GB/s)")
}

/// Returns the test of `Running NAME.`
fn running(line: &str) -> Option<&str> {
    let name = line.strip_prefix("Running ")?.trim_end_matches('.');
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// Returns the test of `Waiving NAME.`
fn waived(line: &str) -> Option<&str> {
    line.strip_prefix("Waiving ").map(|name| name.trim_end_matches('.'))
}

/// Returns the test of `SUM NAME 175.70`, without the part of a bidirectional test.
fn sum_of(line: &str) -> Option<&str> {
    let name = line.strip_prefix("SUM ").or_else(|| line.strip_prefix("&&&& PERF "))?.split_whitespace().next()?;
    let parts = ["_read1", "_read2", "_write1", "_write2", "_total"];
    let name = parts.iter().find_map(|part| name.strip_suffix(part)).unwrap_or(name);
    is_test(name).then_some(name)
}

fn part_of(title: &str) -> Part {
    let has = |words: [&str; 2]| title.split_whitespace().any(|word| words.contains(&word));
    if has(["Read1", "Write1"]) {
        Part::First
    } else if has(["Read2", "Write2"]) {
        Part::Second
    } else if has(["Total", "total"]) && title.contains("<->") {
        Part::Total
    } else {
        Part::Whole
    }
}

/// Reads `Device 0: NAME (00000000:07:00)`, or `Process 0 (HOST): device 0: NAME (00000000:07:00)`.
fn device_of(line: &str) -> Option<(usize, Device)> {
    let bus_id = line.rsplit_once('(').and_then(|(_, bus)| bus_id(bus.trim_end().trim_end_matches(')')));
    if let Some((number, _)) = line.strip_prefix("Device ").and_then(|rest| rest.split_once(':')) {
        return Some((number.trim().parse().ok()?, Device { host: None, bus_id }));
    }
    let (number, rest) = line.strip_prefix("Process ")?.split_once(" (")?;
    let host = rest.split_once("): device ")?.0.to_owned();
    Some((number.trim().parse().ok()?, Device { host: Some(host), bus_id }))
}

/// Reads the matrices of all tests.
pub(super) fn tests(lines: &[Line<'_>], unit: u64, notes: &mut Vec<String>) -> Result<Vec<TestMatrices>, ReadError> {
    let mut tests: Vec<TestMatrices> = Vec::new();
    let mut devices = DeviceList::default();
    let mut has_names = false;
    // The line of the last matrix, if nothing ends it.
    let mut without_sum = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if let Some((number, device)) = device_of(line.text) {
            devices.add(number, device);
        } else if let Some(name) = running(line.text) {
            tests.push(TestMatrices::new(name, line.number));
            has_names = true;
        } else if let Some(name) = waived(line.text) {
            notes.push(waived_note(name, line.number));
        } else if line.text.starts_with("Waived:") {
            notes.push(waived_note("a test", line.number));
        } else if is_title(line.text) || line.text.starts_with("Bisect benchmarking") {
            if !has_names {
                // Only matrices were copied. The name of the test stands behind them.
                let mut behind = lines[at..].iter().take_while(|line| !is_title(line.text));
                let Some(name) = behind.find_map(|line| sum_of(line.text)) else {
                    let expected = "a line 'Running device_to_device_memcpy_read_ce.' before the matrix, because the name of the test gives its direction";
                    return Err(ReadError::unexpected(line.number, line.text, expected));
                };
                if tests.last().is_none_or(|test| test.name != one_line(name)) {
                    tests.push(TestMatrices::new(name, line.number));
                }
            }
            let Some(test) = tests.last_mut() else { continue };
            let Some(direction) = direction_of(&test.name) else { continue };
            let (matrix, end) = if direction == Direction::Bisection {
                read_bisection(lines, at, unit)?
            } else {
                read_matrix(lines, at, MatrixForm { corners: &[], rows: rows_of(direction), unit })?
            };
            if test.devices.is_empty() {
                test.devices = devices.of_width(matrix.rows.len().max(matrix.width()));
            }
            test.matrices.push((part_of(line.text), matrix));
            at = end;
            let next = lines[end..].iter().find(|line| !line.text.is_empty());
            without_sum = Some(line.number).filter(|_| next.is_none_or(|next| sum_of(next.text).is_none()));
        }
    }
    if let Some(line) = without_sum {
        notes.push(format!(
            "the matrix of line {line} has no line 'SUM' behind it, so the run did not end or the output is cut off"
        ));
    }
    Ok(tests)
}

/// Reads the rows `0->2   380.10` of a bisection, behind a line with the number of its column.
fn read_bisection(lines: &[Line<'_>], at: usize, unit: u64) -> Result<(Matrix, usize), ReadError> {
    let mut matrix = Matrix::default();
    let mut end = (at + 1).min(lines.len());
    while let Some(line) = lines.get(end) {
        let Some((pair, rate)) = line.text.split_once(char::is_whitespace).filter(|(pair, _)| pair.contains("->"))
        else {
            break;
        };
        check_devices(line.number, matrix.rows.len() as u64 + 1)?;
        matrix.rows.push((line.number, vec![Some(number(line.number, pair, rate.trim(), unit)?)]));
        end += 1;
    }
    Ok((matrix, end))
}
