//! Matrices that benchmarks print: a line of column numbers, then rows that begin with their number.

use super::error::ReadError;
use super::lines::Line;
use super::values::{check_devices, is_cut_off, number, parse_whole, unnamed_devices};
use crate::Device;

/// The rows that a matrix must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RowCount {
    /// One row per column.
    Square,
    /// One row.
    One,
}

/// A row of a matrix: its line, and its entries.
type Row = (u32, Vec<Option<u64>>);

/// A matrix of values in whole units. The entry is `None` if the tool prints `N/A`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Matrix {
    /// The rows, each with its line.
    pub(super) rows: Vec<Row>,
}

impl Matrix {
    /// Returns the number of columns.
    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, |(_, row)| row.len())
    }

    /// Returns the matrix of `combine` of the entries that both matrices have.
    pub(super) fn combined(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        let row = |((line, one), (_, other)): (&Row, &Row)| {
            let entry =
                |(one, other): (&Option<u64>, &Option<u64>)| one.zip(*other).map(|(one, other)| combine(one, other));
            (*line, one.iter().zip(other).map(entry).collect())
        };
        Self { rows: self.rows.iter().zip(&other.rows).map(row).collect() }
    }

    /// Returns the entries off the diagonal: line, row, column and value.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32, u32, Option<u64>)> {
        (0..).zip(&self.rows).flat_map(|(row, (line, values))| {
            let entries = (0..).zip(values).filter(move |&(column, _)| column != row);
            entries.map(move |(column, &value)| (*line, row, column, value))
        })
    }
}

/// The devices that an output lists before its matrices.
#[derive(Default, Debug)]
pub(super) struct DeviceList(Vec<Device>);

impl DeviceList {
    /// Adds a device. The number 0 begins a new list, and a number that is not the next one is ignored.
    pub(super) fn add(&mut self, number: usize, device: Device) {
        if number == 0 {
            self.0.clear();
        }
        if number == self.0.len() {
            self.0.push(device);
        }
    }

    /// Returns the devices of a matrix; they have no names if their number is not its width.
    pub(super) fn of_width(&self, width: usize) -> Vec<Device> {
        if self.0.len() == width { self.0.clone() } else { unnamed_devices(width) }
    }
}

/// How a tool prints a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatrixForm {
    /// The words before the column numbers, one of which is there. Empty if there is none.
    pub(super) corners: &'static [&'static str],
    /// The rows.
    pub(super) rows: RowCount,
    /// The number of whole units in 1.
    pub(super) unit: u64,
}

impl MatrixForm {
    /// Returns true for the column numbers of a matrix: `0 1 2`, perhaps behind a word such as `D\D`.
    fn is_header(self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let has_corner = self.corners.is_empty() || words.next().is_some_and(|word| self.corners.contains(&word));
        let mut count = 0;
        has_corner
            && words.all(|word| {
                count += 1;
                parse_whole(word) == Some(count - 1)
            })
            && count > 0
    }
}

/// Reads the matrix that begins at the place `at` of the lines, after blank ones. Returns the place behind it.
///
/// # Errors
///
/// If there is no header, a row is missing, or an entry is no number.
pub(super) fn read_matrix(lines: &[Line<'_>], mut at: usize, form: MatrixForm) -> Result<(Matrix, usize), ReadError> {
    while lines.get(at).is_some_and(|line| line.text.is_empty()) {
        at += 1;
    }
    let last = lines.last().map_or(1, |line| line.number);
    let Some(header) = lines.get(at) else {
        return Err(ReadError::truncated(last, "a matrix has no rows"));
    };
    if !form.is_header(header.text) {
        let corner = form.corners.first().map(|corner| format!("{corner} ")).unwrap_or_default();
        let expected = format!("the numbers of the columns, such as '{corner}0 1'");
        return Err(ReadError::unexpected(header.number, header.text, expected));
    }
    let width = header.text.split_whitespace().count() - usize::from(!form.corners.is_empty());
    check_devices(header.number, width as u64)?;
    let height = if form.rows == RowCount::One { 1 } else { width };
    let mut matrix = Matrix { rows: Vec::new() };
    for row in 0..height {
        let line = lines
            .get(at + 1 + row)
            .filter(|line| line.text.split_whitespace().next().and_then(parse_whole) == Some(row as u64));
        let Some(line) = line else {
            let line = lines.get(at + 1 + row).map_or(last, |line| line.number);
            return Err(ReadError::truncated(line, format!("row {row} of the matrix is missing")));
        };
        let words: Vec<&str> = line.text.split_whitespace().skip(1).collect();
        if words.len() != width {
            let what = format!("row {row} of the matrix has {} values, expected {width}", words.len());
            return Err(ReadError::truncated(line.number, what));
        }
        if line.number == last && is_cut_off(&words) {
            let what = format!("the last value of row {row} has fewer decimals than the others");
            return Err(ReadError::truncated(line.number, what));
        }
        let entry = |(column, word): (usize, &&str)| {
            if word.eq_ignore_ascii_case("n/a") {
                Ok(None)
            } else {
                number(line.number, column, word, form.unit).map(Some)
            }
        };
        let values = words.iter().enumerate().map(entry).collect::<Result<_, _>>()?;
        matrix.rows.push((line.number, values));
    }
    Ok((matrix, at + 1 + height))
}
