//! The text output of nvbandwidth.

use lockstep_files::one_line;

use super::test_matrices::{Part, TestMatrices, direction_of, rows_of};
use crate::Device;
use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::matrix::read_matrix;
use crate::format::values::bus_id;

/// Returns true for a line that only nvbandwidth prints.
pub(super) fn is_mark(line: &str) -> bool {
    let is_test = |name: &str| name.contains("_memcpy_") || direction_of(name).is_some();
    line.starts_with("nvbandwidth Version")
        || running(line).is_some_and(is_test)
        || sum_of(line).is_some()
        || (is_title(line) && line.starts_with("memcpy "))
}

fn is_title(line: &str) -> bool {
    line.contains("GPU(column)") && line.ends_with("bandwidth (GB/s)")
}

/// Returns the test of `Running NAME.`
fn running(line: &str) -> Option<&str> {
    let name = line.strip_prefix("Running ")?.trim_end_matches('.');
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// Returns the test of `SUM NAME 175.70`, without the part of a bidirectional test.
fn sum_of(line: &str) -> Option<&str> {
    let name = line.strip_prefix("SUM ")?.split_whitespace().next()?;
    let parts = ["_read1", "_read2", "_write1", "_write2", "_total"];
    let name = parts.iter().find_map(|part| name.strip_suffix(part)).unwrap_or(name);
    (name.contains("_memcpy_") || name.contains("_to_") || name.contains("device_local")).then_some(name)
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

/// Reads `Device 0: NAME (00000000:07:00)`.
fn device_of(line: &str) -> Option<(usize, Device)> {
    let (number, rest) = line.strip_prefix("Device ")?.split_once(':')?;
    let bus = rest.rsplit_once('(').and_then(|(_, bus)| bus_id(bus.trim_end().trim_end_matches(')')));
    Some((number.trim().parse().ok()?, Device { host: None, bus_id: bus }))
}

/// Reads the matrices of all tests.
pub(super) fn tests(lines: &[Line<'_>], unit: u64) -> Result<Vec<TestMatrices>, ReadError> {
    let mut tests: Vec<TestMatrices> = Vec::new();
    let mut devices: Vec<Device> = Vec::new();
    let mut is_new = true;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if let Some((number, device)) = device_of(line.text) {
            if number == 0 {
                devices.clear();
            }
            if number == devices.len() {
                devices.push(device);
            }
        } else if let Some(name) = running(line.text) {
            tests.push(TestMatrices { name: one_line(name), matrices: Vec::new(), devices: Vec::new() });
            is_new = false;
        } else if line.text.ends_with("bandwidth (GB/s)") {
            if is_new {
                // Only matrices were copied. The name of the test stands behind them.
                let mut behind = lines[at..].iter().take_while(|line| !line.text.ends_with("bandwidth (GB/s)"));
                let Some(name) = behind.find_map(|line| sum_of(line.text)) else {
                    let expected = "a line 'Running device_to_device_memcpy_read_ce.' before the matrix, because the name of the test gives its direction";
                    return Err(ReadError::unexpected(line.number, line.text, expected));
                };
                if tests.last().is_none_or(|test| test.name != one_line(name)) {
                    tests.push(TestMatrices { name: one_line(name), matrices: Vec::new(), devices: Vec::new() });
                }
            }
            let Some(test) = tests.last_mut() else { continue };
            let Some(direction) = direction_of(&test.name) else { continue };
            let (matrix, end) = read_matrix(lines, at, None, rows_of(direction), unit)?;
            if test.devices.is_empty() && devices.len() == matrix.width() {
                test.devices.clone_from(&devices);
            }
            test.matrices.push((part_of(line.text), matrix));
            at = end;
        }
    }
    Ok(tests)
}
