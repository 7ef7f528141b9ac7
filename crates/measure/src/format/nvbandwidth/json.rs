//! The JSON output of nvbandwidth (`-j`).

use lockstep_files::one_line;
use serde::Deserialize;

use super::test_matrices::{Direction, Part, TestMatrices, direction_of, rows_of, waived_note};
use crate::Device;
use crate::format::error::{ReadError, ReadFault};
use crate::format::json::{documents, has_key, key_lines};
use crate::format::matrix::{DeviceList, Matrix, RowCount};
use crate::format::values::{bus_id, check_devices, expected_number, parse_scaled, scaled};

#[derive(Deserialize)]
struct Document {
    nvbandwidth: Tests,
}

#[derive(Deserialize)]
struct Tests {
    #[serde(default)]
    error: Option<String>,
    #[serde(default, rename = "GPU Device list")]
    devices: Vec<String>,
    #[serde(default)]
    testcases: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    bandwidth_matrix: Vec<Vec<Entry>>,
}

/// An entry of a matrix: a number in a text, or `N/A`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Number(f64),
    Text(String),
}

pub(super) fn looks_like(text: &str) -> bool {
    text.trim_start().starts_with('{') && has_key(text, "nvbandwidth")
}

/// Reads the matrices of all tests.
pub(super) fn tests(text: &str, unit: u64, notes: &mut Vec<String>) -> Result<Vec<TestMatrices>, ReadError> {
    let documents: Vec<Document> = documents(text)?;
    let mut lines = key_lines(text, "name").into_iter();
    let mut tests = Vec::new();
    for document in documents {
        if let Some(error) = &document.nvbandwidth.error {
            notes.push(format!("nvbandwidth reports an error: {}", one_line(error)));
        }
        let mut devices = DeviceList::default();
        for (number, device) in document.nvbandwidth.devices.iter().filter_map(|device| device_of(device)) {
            devices.add(number, device);
        }
        for test in document.nvbandwidth.testcases {
            let line = lines.next().unwrap_or(1);
            let mut matrices = TestMatrices::new(&test.name, line);
            match test.status.as_deref() {
                None | Some("Passed") => {}
                Some("Waived") => {
                    notes.push(waived_note(&test.name, line));
                    continue;
                }
                Some(status) => {
                    let (name, status) = (matrices.name, one_line(status));
                    notes.push(format!("left out: {name} (line {line}), whose status is '{status}'"));
                    continue;
                }
            }
            if let Some(direction) = direction_of(&test.name) {
                matrices.matrices = self::matrices(&test, direction, unit, line)?;
                let size = matrices.matrices.first().map_or(0, |(_, matrix)| matrix.rows.len().max(matrix.width()));
                matrices.devices = devices.of_width(size);
            }
            tests.push(matrices);
        }
    }
    Ok(tests)
}

/// Reads `0: NAME (00000000:07:00): (HOST)`.
fn device_of(text: &str) -> Option<(usize, Device)> {
    let (number, rest) = text.split_once(':')?;
    let (rest, host) = match rest.rsplit_once("): (") {
        Some((rest, host)) => (rest, Some(one_line(host.trim_end_matches(')')))),
        None => (rest.trim_end_matches(')'), None),
    };
    let bus_id = rest.rsplit_once('(').and_then(|(_, bus)| bus_id(bus));
    Some((number.trim().parse().ok()?, Device { host, bus_id }))
}

/// Reads the matrices of a test, which stand below each other.
fn matrices(test: &Test, direction: Direction, unit: u64, line: u32) -> Result<Vec<(Part, Matrix)>, ReadError> {
    let fault = |field: String, fault: ReadFault| ReadError::Field { field, line, fault };
    let field = || format!("bandwidth_matrix of {}", one_line(&test.name));
    let width = test.bandwidth_matrix.first().map_or(0, Vec::len);
    let count = test.bandwidth_matrix.len();
    check_devices(line, width.max(count / 3) as u64)?;
    let height = match rows_of(direction) {
        _ if direction == Direction::Bisection && width == 1 => count,
        RowCount::One => 1,
        RowCount::Square => width,
    };
    if width == 0 || !count.is_multiple_of(height) || !matches!(count / height, 1 | 3) {
        let what = format!("{count} rows of {width} values, expected {height} or {} rows", 3 * height);
        return Err(fault(field(), ReadFault::Truncated { what }));
    }
    let parts = if count == height { vec![Part::Whole] } else { vec![Part::First, Part::Second, Part::Total] };
    let mut matrices: Vec<(Part, Matrix)> = Vec::new();
    for (part, rows) in parts.into_iter().zip(test.bandwidth_matrix.chunks(height)) {
        let mut matrix = Matrix { rows: Vec::new() };
        for (place, row) in rows.iter().enumerate() {
            if row.len() != width {
                let what = format!("row {place} has {} values, expected {width}", row.len());
                return Err(fault(field(), ReadFault::Truncated { what }));
            }
            let values = row.iter().map(|entry| entry.value(unit)).collect::<Result<_, _>>();
            let values = values.map_err(|text: String| {
                let found = format!("'{}' in row {place}", one_line(&text));
                fault(field(), ReadFault::Unexpected { found, expected: expected_number(&text, unit) })
            })?;
            matrix.rows.push((line, values));
        }
        matrices.push((part, matrix));
    }
    Ok(matrices)
}

impl Entry {
    /// Returns the value in whole units; `None` for `N/A`. The error is the text.
    fn value(&self, unit: u64) -> Result<Option<u64>, String> {
        match self {
            Self::Text(text) if text.trim().eq_ignore_ascii_case("n/a") => Ok(None),
            Self::Text(text) => parse_scaled(text, unit).map(Some).ok_or_else(|| text.clone()),
            Self::Number(number) => scaled(*number, unit).map(Some).ok_or_else(|| number.to_string()),
        }
    }
}
