//! The results of rccl-tests in a file (`-x FILE -Z json` or `-Z csv`): one entry per size, out of place or in place.

use serde::Deserialize;

use super::operation::Signature;
use super::table::{Row, Table, Time};
use crate::format::error::ReadError;
use crate::format::json::{documents, has_key, key_lines};
use crate::format::lines::Line;
use crate::format::values::{MICROSECOND, expected_number, number, scaled, whole};

/// An entry of a JSON file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    #[serde(default)]
    ranks_per_node: Option<u32>,
    #[serde(alias = "gpus")]
    gpus_per_rank: u32,
    size: u64,
    redop: String,
    in_place: u8,
    time: f64,
    #[serde(alias = "#wrong")]
    wrong: String,
}

/// Returns true for a JSON text of entries: a list, or one after the other.
pub(super) fn is_json(text: &str) -> bool {
    ["inPlace", "busBw", "redop"].iter().all(|key| has_key(text, key))
}

/// Reads the entries of a JSON text.
pub(super) fn json_tables(text: &str) -> Result<Vec<Table>, ReadError> {
    let entries: Vec<Entry> = if text.trim_start().starts_with('[') {
        documents::<Vec<Entry>>(text)?.into_iter().flatten().collect()
    } else {
        documents(text)?
    };
    let mut lines = key_lines(text, "size").into_iter();
    let mut tables = Vec::new();
    for entry in entries {
        let line = lines.next().unwrap_or(1);
        let picoseconds = scaled(entry.time, MICROSECOND).ok_or_else(|| {
            let time = entry.time.to_string();
            ReadError::value(line, "time", &time, expected_number(&time, MICROSECOND))
        })?;
        let time = Time { in_place: entry.in_place != 0, picoseconds, spread: None, is_wrong: is_wrong(&entry.wrong) };
        let row = Row { line, signature: signature(entry.size, &entry.redop), times: vec![time] };
        let ranks = entry.gpus_per_rank.saturating_mul(entry.ranks_per_node.unwrap_or(1));
        add(&mut tables, &entry.name, ranks, row);
    }
    Ok(tables)
}

/// Returns the columns of a CSV file in lower case, if the line names them.
fn csv_head(line: &str) -> Option<Vec<String>> {
    if !line.contains("collective,") {
        return None;
    }
    let mut columns: Vec<String> = fields(line).map(str::to_ascii_lowercase).collect();
    let place_of = |name: &str| columns.iter().position(|column| column == name);
    if !["collective", "size", "redop", "inplace", "time", "busbw"].into_iter().all(|name| place_of(name).is_some()) {
        return None;
    }
    // Old releases do not name the nodes, which are before the ranks.
    if let (Some(ranks), None) = (place_of("ranks"), place_of("nodes")) {
        columns.insert(ranks, "nodes".to_owned());
    }
    Some(columns)
}

/// Returns true for the line that names the columns of a CSV file.
pub(super) fn is_csv_head(line: &str) -> bool {
    csv_head(line).is_some()
}

/// Returns the fields of a line of a CSV file without quotes.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|field| field.trim().trim_matches('"'))
}

/// Reads the entries of a CSV text.
pub(super) fn csv_tables(lines: &[Line<'_>], notes: &mut Vec<String>) -> Result<Vec<Table>, ReadError> {
    let (mut tables, mut columns) = (Vec::new(), Vec::new());
    let last = lines.iter().rposition(|line| !line.text.is_empty()).unwrap_or_default();
    for (place, line) in lines.iter().enumerate() {
        if let Some(head) = csv_head(line.text) {
            columns = head;
            continue;
        }
        let values: Vec<&str> = fields(line.text).collect();
        if columns.is_empty() || line.text.is_empty() {
            continue;
        }
        if values.len() < columns.len() && place == last {
            notes.push(format!("line {}: the last row is incomplete and is left out", line.number));
        } else if values.len() != columns.len() {
            let expected = format!("{} values, one per column; write decimals with a point", columns.len());
            return Err(ReadError::unexpected(line.number, line.text, expected));
        } else {
            add_csv_row(&mut tables, line.number, &columns, &values)?;
        }
    }
    Ok(tables)
}

fn add_csv_row(tables: &mut Vec<Table>, line: u32, columns: &[String], values: &[&str]) -> Result<(), ReadError> {
    let place_of = |name: &str| columns.iter().position(|column| column == name);
    let value_of = |name: &str| place_of(name).map_or("", |place| values[place]);
    let count_of = |name: &str| whole(line, name, value_of(name));
    let processes = if place_of("rankspernode").is_some() { count_of("rankspernode")? } else { 1 };
    let gpus = count_of(if place_of("gpus").is_some() { "gpus" } else { "gpusperrank" })?;
    let time = Time {
        in_place: value_of("inplace") != "0",
        picoseconds: number(line, "time", value_of("time"), MICROSECOND)?,
        spread: None,
        is_wrong: is_wrong(value_of("#wrong")),
    };
    let row = Row { line, signature: signature(count_of("size")?, value_of("redop")), times: vec![time] };
    let ranks = u32::try_from(processes.saturating_mul(gpus)).unwrap_or(u32::MAX);
    add(tables, value_of("collective"), ranks, row);
    Ok(())
}

/// Returns true for a number of wrong elements; `N/A` is no check.
fn is_wrong(text: &str) -> bool {
    text.parse::<u64>().is_ok_and(|wrong| wrong > 0)
}

/// Returns what is known of a row. The name tells its test.
fn signature(bytes: u64, redop: &str) -> Signature {
    Signature { bytes, rank_bytes: None, is_reduction: Some(redop != "none"), has_root: false }
}

/// Adds a row to the last table, or to a new one if its test or its number of ranks is another.
fn add(tables: &mut Vec<Table>, name: &str, ranks: u32, row: Row) {
    let (program, ranks) = (Some(name.to_ascii_lowercase()), Some(ranks));
    match tables.last_mut() {
        Some(table) if table.program == program && table.ranks == ranks => table.rows.push(row),
        _ => tables.push(Table { line: row.line, program, ranks, rows: vec![row], ..Table::default() }),
    }
}
