//! The degradation table of a sweep, row by row.

use anyhow::bail;
use lockstep::files::{message_line, to_json_line};
use lockstep::{Degradation, FaultOutcome, PlanFigures, Problem, Topology};
use lockstep_report::{ColumnAlignment, csv_line, padded};
use serde::Serialize;

use crate::args::{SweepArgs, TableFormat};
use crate::output::{self, Output, extension, is_broken_pipe};
use crate::text::{self, Sheet, escaped_line, path_name};

/// A table that is printed row by row, or written to a file at the end.
pub(super) struct Rows<'a> {
    topology: &'a Topology,
    format: TableFormat,
    /// Minimum widths of the text columns.
    widths: [usize; COLUMNS.len()],
    destination: Destination,
    /// Whether the sweep goes on after the reader of the table has closed the pipe.
    outlives_reader: bool,
}

enum Destination {
    /// Standard output gets each row at once.
    Standard,
    /// The reader of standard output needs no more rows.
    Closed,
    /// A file, and its text so far.
    File(Output, String),
}

const COLUMNS: [&str; 12] =
    ["faults", "times", "steps", "bound", "verdict", "rule", "kept", "lost", "moved", "added", "found by", "why"];

/// Columns of the text table; the second one only with `--classes`.
const SHOWN: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 10];

/// A row as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct RowRecord<'a> {
    faults: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<usize>,
    #[serde(flatten)]
    planned: Option<&'a PlanFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<String>,
}

/// Returns the format of the table: the given one, or that of the extension. Text without path or extension.
///
/// # Errors
///
/// If the extension is unknown.
pub(super) fn format_of(args: &SweepArgs) -> anyhow::Result<TableFormat> {
    if args.json {
        return Ok(TableFormat::Json);
    }
    let (Some(path), None) = (&args.output, args.format) else { return Ok(args.format.unwrap_or(TableFormat::Text)) };
    Ok(match extension(path).as_str() {
        "" | "txt" => TableFormat::Text,
        "csv" => TableFormat::Csv,
        "json" | "jsonl" => TableFormat::Json,
        _ => bail!(
            "{}: unknown extension; use .txt, .csv, .json or .jsonl, or choose a format with --format",
            path_name(path)
        ),
    })
}

impl<'a> Rows<'a> {
    /// Begins the table. A text table starts with a description of the problem. `widest` is the width of the longest
    /// name of a fault set. With a recovery book, the sweep outlives the reader of the table.
    pub(super) fn begin(
        problem: &Problem<'a>,
        widest: usize,
        output: Option<Output>,
        format: TableFormat,
        args: &SweepArgs,
    ) -> anyhow::Result<Self> {
        let file = output.filter(|output| !output.is_standard());
        let destination = file.map_or(Destination::Standard, |output| Destination::File(output, String::new()));
        let mut widths = COLUMNS.map(str::len);
        // The longest name of a rule; and two counts, as in `kept of all`.
        (widths[0], widths[5], widths[6]) = (widths[0].max(widest), 14, 10);
        widths[1] = if args.classes { widths[1] } else { 0 };
        let outlives_reader = args.book.is_some();
        let mut rows = Self { topology: problem.topology(), format, widths, destination, outlives_reader };
        match format {
            TableFormat::Text => {
                let mut sheet = Sheet::default();
                text::describe(&mut sheet, problem);
                rows.write(&format!("{}\n", sheet.to_text()))?;
                rows.write_columns(&COLUMNS.map(str::to_owned))?;
            }
            TableFormat::Csv => rows.write(&csv_line(COLUMNS))?,
            TableFormat::Json => {}
        }
        Ok(rows)
    }

    /// Writes a row; `times` is the size of its symmetry class, if there are classes.
    pub(super) fn push(&mut self, row: &Degradation, times: Option<usize>) -> anyhow::Result<()> {
        let names = || row.faults.iter().map(|fault| fault.name(self.topology));
        let (planned, lost) = match &row.outcome {
            FaultOutcome::Planned(planned) => (Some(planned), None),
            FaultOutcome::Lost(loss) => (None, Some(loss.describe(self.topology))),
        };
        if self.format == TableFormat::Json {
            let record = RowRecord { faults: names().collect(), times, planned, lost };
            return self.write(&to_json_line(&record));
        }
        let mut cells = COLUMNS.map(|_| String::new());
        cells[0] = names().collect::<Vec<_>>().join(", ");
        cells[1] = times.map(|times| times.to_string()).unwrap_or_default();
        "lost".clone_into(&mut cells[4]);
        cells[11] = lost.unwrap_or_default();
        if let Some(planned) = planned {
            let PlanFigures { steps, bound, rule, verdict, engine, changes } = planned;
            (cells[2], cells[3]) = (steps.to_string(), bound.to_string());
            (cells[4], cells[5], cells[10]) = (verdict.to_string(), rule.to_string(), engine.clone());
            if let Some(changes) = changes {
                let counts = [changes.kept, changes.lost, changes.moved, changes.added];
                cells[6..10].clone_from_slice(&counts.map(|count| count.to_string()));
            }
        }
        if self.format == TableFormat::Csv {
            return self.write(&csv_line(&cells));
        }
        if row.faults.is_empty() {
            "none".clone_into(&mut cells[0]);
        }
        if let Some(changes) = planned.and_then(|planned| planned.changes.as_ref()) {
            cells[6] = format!("{} of {}", changes.kept, changes.kept + changes.lost + changes.moved);
        }
        self.write_columns(&cells)
    }

    /// Ends the table: writes its file.
    pub(super) fn end(self) -> anyhow::Result<()> {
        if let Destination::File(output, text) = self.destination { output.write(&text) } else { Ok(()) }
    }

    /// Writes the text columns. The reason of a loss replaces the figures.
    fn write_columns(&mut self, cells: &[String; COLUMNS.len()]) -> anyhow::Result<()> {
        let is_number = |column: usize| (1..=3).contains(&column);
        let cells_of_line = SHOWN.into_iter().filter(|&column| self.widths[column] > 0).map(|column| {
            let (cell, width) = (escaped_line(&cells[column]), self.widths[column]);
            let alignment = if is_number(column) { ColumnAlignment::Right } else { ColumnAlignment::Left };
            padded(&cell, width, alignment)
        });
        let mut line = cells_of_line.collect::<Vec<_>>().join("  ").trim_end().to_owned();
        if cells != &COLUMNS.map(str::to_owned) && !cells[11].is_empty() {
            line = format!("{line}: {}", message_line(&cells[11]));
        }
        self.write(&(line + "\n"))
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match &mut self.destination {
            Destination::File(_, table) => table.push_str(text),
            Destination::Closed => {}
            Destination::Standard => match output::print(text) {
                Err(error) if self.outlives_reader && is_broken_pipe(&error) => self.destination = Destination::Closed,
                printed => printed?,
            },
        }
        Ok(())
    }
}
