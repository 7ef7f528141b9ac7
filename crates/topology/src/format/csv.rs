//! The format `csv`: an adjacency or bandwidth matrix, or a table of edges, with commas, semicolons, tabs or blanks between
//! the entries.
//!
//! # Grammar
//!
//! Row `u`, column `v` is the channel from `u` to `v`: empty, `0` or `-` for none, a whole number for its capacity, or a
//! bandwidth with its unit, such as `25GB/s`. Whole numbers may be written like `1.000e+00`, as numpy does. The first row may
//! name the nodes; then the first column may, too. A unit in the corner, such as `GB/s`, holds for all entries. Names may be in
//! double quotes. `#` and `%` begin a comment line. Entries of the diagonal are not channels.
//!
//! A first row that names the ends of edges, such as `source,target`, begins a [table of edges](super::edge_table).
//!
//! # Source
//!
//! RFC 4180 for quotes.

use std::borrow::Cow;

use super::edge_table::{self, Row};
use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, parse_whole, quantity};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::quantity::Quantity;
use crate::text::excerpt;

const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// The separator of a file without any of [`SEPARATORS`]: white space of any length.
const BLANK: char = ' ';

/// Returns true if a text is a table of edges, or has as many rows as columns, one of them perhaps for names.
///
/// Edge lists may have tabs and blanks, too. So a matrix with tabs has at least four columns. A matrix with blanks has only
/// numbers, and at least four columns, zeros on its diagonal, or numbers that are no names, such as `1.0e+00`.
pub(super) fn looks_like(text: &str) -> bool {
    looks_like_table(text) || looks_like_matrix(text)
}

/// Returns true if the first row is the header of a table of edges, and its names are not nodes as well.
pub(super) fn looks_like_table(text: &str) -> bool {
    let separator = separator(text);
    let Some((_, first)) = lines(text).next() else { return false };
    let is_header =
        fields(first, separator).is_ok_and(|header| edge_table::ends(&header.iter().map(AsRef::as_ref)).is_some());
    is_header && rows(text, separator).is_ok_and(|rows| table_ends(&rows).is_some())
}

fn looks_like_matrix(text: &str) -> bool {
    let separator = separator(text);
    let rows = lines(text).count();
    let least = if separator == '\t' { 4 } else { 2 };
    let columns = |line: &str| match separator {
        BLANK => line.split_whitespace().count(),
        separator => line.matches(separator).count() + 1,
    };
    let is_square = rows >= least
        && lines(text).map(|(_, line)| columns(line)).all(|columns| columns == rows || columns + 1 == rows);
    is_square && (separator != BLANK || is_matrix_of_numbers(text, rows))
}

fn is_matrix_of_numbers(text: &str, count: usize) -> bool {
    let (mut has_zero_diagonal, mut is_fractional) = (true, true);
    for (u, (_, line)) in lines(text).enumerate() {
        for (v, word) in line.split_whitespace().enumerate() {
            let Some(number) = word.parse::<f64>().ok().filter(|number| number.is_finite()) else { return false };
            has_zero_diagonal &= u != v || number == 0.0;
            is_fractional &= word.contains('.');
        }
    }
    let is_whole_square = lines(text).all(|(_, line)| line.split_whitespace().count() == count);
    is_whole_square && (count > 3 || is_fractional || (count == 3 && has_zero_diagonal))
}

/// Returns the columns of the ends, if the rows are a table of edges.
fn table_ends(rows: &[Row<'_>]) -> Option<[usize; 2]> {
    let ((_, header), rows) = rows.split_first()?;
    let ends = edge_table::ends(&header.iter().map(AsRef::as_ref))?;
    (!rows.is_empty() && edge_table::names_are_no_nodes(header, ends, rows)).then_some(ends)
}

/// Returns the rows of a file.
fn rows(text: &str, separator: char) -> Result<Vec<Row<'_>>, ReadError> {
    let row = |(number, line)| Ok((number, fields(line, separator).map_err(|fault| ReadError::line(number, fault))?));
    lines(text).map(row).collect()
}

/// Reads a matrix or a table of edges. See [`GraphFormat::Csv`](crate::GraphFormat::Csv).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut rows = rows(text, separator(text))?;
    if let Some(ends) = table_ends(&rows) {
        return edge_table::read(rows, ends, name, options);
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
            let expected = "as many entries as rows: a square matrix, optionally with names in the first row and column; a table of edges needs a header such as 'source,target'";
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
        if matches!(entry, "" | "-") || parse_whole(entry) == Some(0) {
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
            let expected =
                "a whole number for a capacity; write bandwidths with their unit (12.5GB/s), or the unit in the corner";
            let fault = || FileFault::Value { attribute: "capacity", found: excerpt(entry), expected };
            attributes.capacity = Some(parse_whole(entry).ok_or_else(fault)?);
        }
        parsed.add_edge(NodeId::from_index(u), NodeId::from_index(v), EdgeDirection::Forward, attributes);
    }
    Ok(())
}

/// Returns the lines without comments and empty lines, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '%']))
}

/// Returns the separator of the first line.
fn separator(text: &str) -> char {
    let first = lines(text).next().map_or("", |(_, line)| line);
    SEPARATORS.into_iter().find(|&separator| first.contains(separator)).unwrap_or(BLANK)
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
    if separator == BLANK {
        return Ok(line.split_whitespace().map(Cow::Borrowed).collect());
    }
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
