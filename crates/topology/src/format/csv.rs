//! The format `csv`: an adjacency or bandwidth matrix, with commas, semicolons or tabs between the entries.
//!
//! # Grammar
//!
//! Row `u`, column `v` is the channel from `u` to `v`: empty, `0` or `-` for none, a whole number for its capacity, or a
//! bandwidth with its unit, such as `25GB/s`. The first row may name the nodes; then the first column may, too. A unit in the
//! corner, such as `GB/s`, holds for all entries. Names may be in double quotes. `#` begins a comment line. Entries of the
//! diagonal are not channels.
//!
//! # Source
//!
//! RFC 4180 for quotes.

use std::borrow::Cow;

use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, quantity, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::quantity::Quantity;
use crate::text::excerpt;

const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// A row of the file with its line.
type Row<'a> = (usize, Vec<Cow<'a, str>>);

/// Returns true if a text has as many rows as columns, one of them perhaps for names. Edge lists may have tabs, too, so a
/// matrix with tabs has at least four columns.
pub(super) fn looks_like(text: &str) -> bool {
    let Some(separator) = separator(text) else { return false };
    let rows = lines(text).count();
    let least = if separator == '\t' { 4 } else { 2 };
    let mut columns = lines(text).map(|(_, line)| line.matches(separator).count() + 1);
    rows >= least && columns.all(|columns| columns == rows || columns + 1 == rows)
}

/// Reads a matrix. See [`GraphFormat::Csv`](crate::GraphFormat::Csv).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let separator = separator(text).unwrap_or(',');
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (number, line) in lines(text) {
        rows.push((number, fields(line, separator).map_err(|fault| ReadError::line(number, fault))?));
    }
    let mut parsed = ParsedGraph::default();
    let names = Names::of(&rows);
    let unit = (names == Names::RowsAndCorner).then(|| rows[0].1[0].trim().to_owned()).filter(|corner| is_unit(corner));
    if names == Names::None {
        for node in 0..rows.len() {
            parsed.node(Cow::Owned(node.to_string()));
        }
    } else {
        let (number, header) = rows.remove(0);
        let columns = if names == Names::RowsAndCorner { &header[1..] } else { &header[..] };
        for column in columns {
            let declared = parsed.declare(Cow::Owned(column.trim().to_owned()), NodeAttributes::default());
            declared.map_err(|fault| ReadError::line(number, fault))?;
        }
        rows_are_as_many(&rows, columns.len(), number)?;
        check_row_names(&rows, columns, names)?;
    }
    let has_row_names = matches!(names, Names::Rows | Names::RowsAndCorner);
    let count = rows.len();
    for (u, (number, row)) in rows.iter().enumerate() {
        let entries = if has_row_names { &row[1.min(row.len())..] } else { &row[..] };
        let added = if entries.len() == count {
            add_row(&mut parsed, u, entries, unit.as_deref())
        } else {
            let found = format!("{} entries in a row", entries.len());
            let expected =
                "as many entries as rows: a square matrix, optionally with names in the first row and column";
            Err(FileFault::Unexpected { found, expected })
        };
        added.map_err(|fault| ReadError::line(*number, fault))?;
    }
    parsed.finish(name, options)
}

/// The names that a matrix has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Names {
    None,
    /// In the first row.
    Columns,
    /// In the first row, and in the first column, which has no name itself.
    Rows,
    /// In the first row behind a corner, and in the first column.
    RowsAndCorner,
}

impl Names {
    fn of(rows: &[Row<'_>]) -> Self {
        let Some(((_, header), rows)) = rows.split_first() else { return Self::None };
        let row_length = rows.first().map_or(header.len(), |(_, row)| row.len());
        let has_names = header.iter().skip(1).any(|field| !is_entry(field)) || is_numbered(header, rows);
        match (has_names, row_length == header.len() + 1) {
            (false, _) => Self::None,
            (true, true) => Self::Rows,
            (true, false) if rows.len() + 1 == header.len() => Self::RowsAndCorner,
            (true, false) => Self::Columns,
        }
    }
}

/// Returns true if the first row and the first column are an empty corner and the numbers from 0 on, as pandas writes them.
fn is_numbered(header: &[Cow<'_, str>], rows: &[Row<'_>]) -> bool {
    let is_number = |(place, field): (usize, &str)| field.trim().parse() == Ok(place);
    let column = rows.iter().map(|(_, row)| row.first().map_or("", AsRef::as_ref));
    header.first().is_some_and(|corner| corner.trim().is_empty())
        && header.len() == rows.len() + 1
        && header.iter().skip(1).map(AsRef::as_ref).enumerate().all(is_number)
        && column.enumerate().all(is_number)
}

fn rows_are_as_many(rows: &[Row<'_>], columns: usize, header: usize) -> Result<(), ReadError> {
    if rows.len() == columns {
        return Ok(());
    }
    let found = format!("{} rows for {columns} names", rows.len());
    Err(ReadError::line(header, FileFault::Unexpected { found, expected: "a row per name" }))
}

fn check_row_names(rows: &[Row<'_>], columns: &[Cow<'_, str>], names: Names) -> Result<(), ReadError> {
    for ((number, row), column) in rows.iter().zip(columns).filter(|_| names != Names::Columns) {
        let name = row.first().map_or("", |name| name.trim());
        if name != column.trim() {
            let found = format!("'{}' in the place of '{}'", excerpt(name), excerpt(column.trim()));
            let expected = "the names of the first row, in its order, in the first column";
            return Err(ReadError::line(*number, FileFault::Unexpected { found, expected }));
        }
    }
    Ok(())
}

fn add_row(
    parsed: &mut ParsedGraph<'_>,
    u: usize,
    entries: &[Cow<'_, str>],
    unit: Option<&str>,
) -> Result<(), FileFault> {
    for (v, entry) in entries.iter().enumerate() {
        let entry = entry.trim();
        if matches!(entry, "" | "-" | "0" | "0.0") {
            continue;
        }
        if u == v {
            parsed.leave_out("entries of the diagonal, which are not channels");
            continue;
        }
        let mut attributes = EdgeAttributes::default();
        if let Some(unit) = unit {
            attributes.bandwidth = Some(quantity("bandwidth", Quantity::Bandwidth, &format!("{entry}{unit}"))?);
        } else if entry.ends_with(|c: char| c.is_ascii_alphabetic()) {
            attributes.bandwidth = Some(quantity("bandwidth", Quantity::Bandwidth, entry)?);
        } else {
            let whole = entry.strip_suffix(".0").unwrap_or(entry);
            let expected =
                "a whole number for a capacity; write bandwidths with their unit (12.5GB/s), or the unit in the corner";
            attributes.capacity = Some(whole_number("capacity", whole, 1..=u64::MAX, expected)?);
        }
        parsed.add_edge(NodeId::from_index(u), NodeId::from_index(v), EdgeDirection::Forward, attributes)?;
    }
    Ok(())
}

/// Returns the lines without comments and empty lines, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Returns the separator of the first line.
fn separator(text: &str) -> Option<char> {
    let (_, first) = lines(text).next()?;
    SEPARATORS.into_iter().find(|&separator| first.contains(separator))
}

fn is_entry(field: &str) -> bool {
    let field = field.trim();
    field.is_empty() || field.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

fn is_unit(corner: &str) -> bool {
    Quantity::Bandwidth.parse(&format!("1{corner}")).is_ok() && !corner.is_empty()
}

/// Splits a line at its separators. Fields may be in double quotes.
fn fields(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, FileFault> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let Some(quoted) = rest.trim_start().strip_prefix('"') else {
            let (field, tail) = rest.split_once(separator).map_or((rest, None), |(field, tail)| (field, Some(tail)));
            fields.push(Cow::Borrowed(field));
            let Some(tail) = tail else { return Ok(fields) };
            rest = tail;
            continue;
        };
        let unclosed = FileFault::Unsupported("the quotes are not closed; close them with '\"' in the same line");
        let (mut end, mut is_doubled) = (None, false);
        let mut marks = quoted.match_indices('"').map(|(at, _)| at).peekable();
        while let Some(at) = marks.next() {
            if marks.next_if_eq(&(at + 1)).is_none() {
                end = Some(at);
                break;
            }
            is_doubled = true;
        }
        let end = end.ok_or(unclosed)?;
        let field = &quoted[..end];
        fields.push(if is_doubled { Cow::Owned(field.replace("\"\"", "\"")) } else { Cow::Borrowed(field) });
        let tail = quoted[end + 1..].trim_start_matches(' ');
        if tail.is_empty() {
            return Ok(fields);
        }
        rest = tail.strip_prefix(separator).ok_or_else(|| {
            let found = format!("'{}' behind quotes", excerpt(tail));
            FileFault::Unexpected { found, expected: "a separator" }
        })?;
    }
}
