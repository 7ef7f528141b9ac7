//! Tables in Markdown, CSV and plain text.

use std::borrow::Cow;

use lockstep_files::escaped;

/// A table of text with a header.
///
/// A column is right-aligned if all its non-empty cells are numbers, such as `7`, `12.5 %`, `3/4` or `1,499`.
///
/// ```
/// use lockstep_report::Table;
///
/// let mut table = Table::new(["network", "steps"]);
/// table.push(["omega:8", "7"]);
/// table.push(["omega:16", "15"]);
/// assert_eq!(table.to_text(), "network   steps\nomega:8       7\nomega:16     15\n");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Alignment of a cell in its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnAlignment {
    /// Spaces follow the cell.
    Left,
    /// Spaces precede the cell.
    Right,
}

/// The largest width of a column in characters. A longer cell shifts the next columns of its row.
const MAX_WIDTH: usize = 200;

/// Returns the cell, filled with spaces to a width in characters, 200 at most. A longer cell stays as it is.
///
/// The limit keeps the length of a table proportional to the length of its cells, and below the limit of widths of
/// [`std::fmt`], 65,535.
///
/// ```
/// use lockstep_report::{ColumnAlignment, padded};
///
/// assert_eq!(padded("7", 3, ColumnAlignment::Right), "  7");
/// assert_eq!(padded("größe", 3, ColumnAlignment::Left), "größe");
/// ```
pub fn padded(cell: &str, width: usize, alignment: ColumnAlignment) -> String {
    let width = width.min(MAX_WIDTH);
    match alignment {
        ColumnAlignment::Left => format!("{cell:<width$}"),
        ColumnAlignment::Right => format!("{cell:>width$}"),
    }
}

impl Table {
    /// Creates a table without rows.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row. A short row is filled with empty cells; a long row adds columns without names.
    pub fn push<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        if row.len() > self.header.len() {
            for line in std::iter::once(&mut self.header).chain(&mut self.rows) {
                line.resize_with(row.len(), String::new);
            }
        }
        row.resize_with(self.header.len(), String::new);
        self.rows.push(row);
    }

    /// Returns the names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Returns the rows, each as long as the header.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Returns the table in GitHub-flavoured Markdown with columns [`padded`] to the same width.
    ///
    /// Cells can contain inline Markdown. Only `|` and line breaks are escaped.
    pub fn to_markdown(&self) -> String {
        let lines = self.lines(|cell| cell.replace('|', "\\|").replace("\r\n", "<br>").replace(['\n', '\r'], "<br>"));
        let aligns = self.aligns();
        // The delimiter row needs three characters per column.
        let widths: Vec<usize> = widths(&lines).into_iter().map(|width| width.clamp(3, MAX_WIDTH)).collect();
        let rule = |(&width, &align): (&usize, &ColumnAlignment)| match align {
            ColumnAlignment::Left => "-".repeat(width),
            ColumnAlignment::Right => format!("{}:", "-".repeat(width - 1)),
        };
        let rule: Vec<String> = widths.iter().zip(&aligns).map(rule).collect();
        let mut rows: Vec<Vec<String>> = lines.iter().map(|line| padded_line(line, &widths, &aligns)).collect();
        rows.insert(1, rule);
        let rows: Vec<String> = rows.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect();
        rows.concat()
    }

    /// Returns the table with its header as CSV (RFC 4180, with `\n` at line ends).
    ///
    /// A cell that a spreadsheet would take for a formula begins with an apostrophe: one that begins with `=`, `+`, `-`, `@`,
    /// a tab or a carriage return, and is not a number.
    pub fn to_csv(&self) -> String {
        csv_text(std::iter::once(&self.header).chain(&self.rows))
    }

    /// Returns the table in aligned columns for a terminal, separated by two spaces, each cell [`padded`].
    ///
    /// Line breaks and tabs become spaces. Other control characters, and those that change the writing direction, are
    /// escaped.
    pub fn to_text(&self) -> String {
        let space = |character| if matches!(character, '\n' | '\r' | '\t') { ' ' } else { character };
        let lines = self.lines(|cell| cell.chars().map(space).flat_map(escaped).collect());
        let (widths, aligns) = (widths(&lines), self.aligns());
        let row = |line: &Vec<String>| padded_line(line, &widths, &aligns).join("  ").trim_end().to_owned() + "\n";
        lines.iter().map(row).collect()
    }

    /// Returns header and rows with each cell rewritten.
    fn lines(&self, rewrite: impl Fn(&str) -> String) -> Vec<Vec<String>> {
        let lines = std::iter::once(&self.header).chain(&self.rows);
        lines.map(|line| line.iter().map(|cell| rewrite(cell)).collect()).collect()
    }

    fn aligns(&self) -> Vec<ColumnAlignment> {
        let numeric = |column: usize| {
            let mut filled =
                self.rows.iter().map(|row| row[column].as_str()).filter(|cell| !cell.is_empty()).peekable();
            filled.peek().is_some() && filled.all(is_number)
        };
        (0..self.header.len())
            .map(|column| if numeric(column) { ColumnAlignment::Right } else { ColumnAlignment::Left })
            .collect()
    }
}

/// Returns true for digits with the signs of numbers, percentages and ratios, and for `-`, a missing number.
fn is_number(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || "+-.,/% eE".contains(c))
        && (cell == "-" || cell.contains(|c: char| c.is_ascii_digit()))
}

fn widths(lines: &[Vec<String>]) -> Vec<usize> {
    let columns = lines.first().map_or(0, Vec::len);
    (0..columns).map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)).collect()
}

/// Returns the cells of a line, padded to the width of their columns.
fn padded_line(line: &[String], widths: &[usize], aligns: &[ColumnAlignment]) -> Vec<String> {
    line.iter().zip(widths).zip(aligns).map(|((cell, &width), &align)| padded(cell, width, align)).collect()
}

/// Formats one line of CSV, as [`Table::to_csv`] does, to write a table row by row. The line ends in `\n`.
///
/// ```
/// assert_eq!(lockstep_report::csv_line(["kautz:3,2", "11"]), "\"kautz:3,2\",11\n");
/// ```
pub fn csv_line<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let line: Vec<String> = cells.into_iter().map(|cell| cell.as_ref().to_owned()).collect();
    csv_text(std::iter::once(&line))
}

/// Returns the cell as a spreadsheet shows it without computing anything.
///
/// # Source
///
/// OWASP, *CSV Injection*.
fn csv_cell(cell: &str) -> Cow<'_, str> {
    let is_number =
        |rest: &str| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()) && rest.parse::<f64>().is_ok();
    match cell.strip_prefix(['=', '+', '-', '@', '\t', '\r']) {
        Some(rest) if !(cell.starts_with(['+', '-']) && is_number(rest)) => Cow::Owned(format!("'{cell}")),
        _ => Cow::Borrowed(cell),
    }
}

fn csv_text<'a>(lines: impl Iterator<Item = &'a Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines.filter(|line| !line.is_empty()) {
        let cells = line.iter().map(|cell| csv_cell(cell).into_owned());
        writer.write_record(cells).expect("writing to memory never fails, and all lines have the same length");
    }
    let bytes = writer.into_inner().expect("writing to memory never fails");
    String::from_utf8(bytes).expect("CSV of UTF-8 is UTF-8")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(["network", "steps", "note"]);
        table.push(["omega:8", "7", "a|b"]);
        table.push(["fat-tree:2,5", "1,031", "two\nlines"]);
        table.push(["größe", "-"]);
        table
    }

    #[test]
    fn markdown_is_aligned_and_escaped() {
        expect![[r"
            | network      | steps | note         |
            | ------------ | ----: | ------------ |
            | omega:8      |     7 | a\|b         |
            | fat-tree:2,5 | 1,031 | two<br>lines |
            | größe        |     - |              |
        "]]
        .assert_eq(&sample().to_markdown());
    }

    #[test]
    fn csv_quotes_what_needs_quotes() {
        let mut table = sample();
        table.push(["a,b", "\"7\"", ""]);
        expect![[r#"
            network,steps,note
            omega:8,7,a|b
            "fat-tree:2,5","1,031","two
            lines"
            größe,-,
            "a,b","""7""",
        "#]]
        .assert_eq(&table.to_csv());
    }

    #[test]
    fn a_spreadsheet_computes_no_cell() {
        for cell in ["=1+1", "+1-1", "-2*3", "@SUM(A1)", "\t=1", "\r=1", "=", "@", "-inf", "+1e", "--1"] {
            assert_eq!(csv_cell(cell), format!("'{cell}"), "{cell:?}");
        }
        for cell in ["-3", "+1.5", "-1e-3", "-", "7", "", "a=b", "torus:4x4", "1-2"] {
            assert_eq!(csv_cell(cell), cell);
        }
        assert_eq!(csv_line(["=HYPERLINK(\"x\",\"y\")", "-1"]), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\",-1\n");
    }

    #[test]
    fn terminal_text_is_aligned_and_escaped() {
        let mut table = sample();
        table.push(["\u{1b}[31mred", "1"]);
        expect![[r"
            network        steps  note
            omega:8            7  a|b
            fat-tree:2,5   1,031  two lines
            größe              -
            \u{1b}[31mred      1
        "]]
        .assert_eq(&table.to_text());
    }

    #[test]
    fn a_huge_cell_neither_panics_nor_widens_the_other_rows() {
        for length in [200, 201, 65_535, 65_536, 1 << 20] {
            let mut table = Table::new(["name", "number"]);
            table.push(["x".repeat(length), "1".repeat(length)]);
            table.push(["y", "7"]);
            let (text, markdown) = (table.to_text(), table.to_markdown());
            assert_eq!(text.lines().nth(2), Some(&*format!("y{:200} {:>200}", "", "7")));
            assert!(text.len() < 2 * length + 1_000 && markdown.len() < 2 * length + 2_000, "{length}");
        }
    }

    #[test]
    fn a_long_row_widens_the_table() {
        let mut table = Table::new(["a"]);
        table.push(["1", "2"]);
        assert_eq!((table.header().len(), table.to_csv().as_str()), (2, "a,\n1,2\n"));
    }

    #[test]
    fn a_table_without_columns_is_no_text() {
        assert_eq!(Table::default().to_csv(), "");
    }

    fn cells() -> impl Strategy<Value = Vec<Vec<String>>> {
        prop::collection::vec(prop::collection::vec("[ -~\n\u{e9}\u{0}]{0,8}", 3), 0..6)
    }

    fn filled(rows: &[Vec<String>]) -> Table {
        let mut table = Table::new(["a", "b", "c"]);
        for row in rows {
            table.push(row.clone());
        }
        table
    }

    proptest! {
        #[test]
        fn csv_reads_back(rows in cells()) {
            let table = filled(&rows);
            let text = table.to_csv();
            let reader = csv::Reader::from_reader(text.as_bytes());
            let read: Result<Vec<_>, _> = reader.into_deserialize::<Vec<String>>().collect();
            let shown = |row: &Vec<String>| row.iter().map(|cell| csv_cell(cell).into_owned()).collect();
            prop_assert_eq!(read.unwrap(), rows.iter().map(shown).collect::<Vec<Vec<String>>>());
        }

        #[test]
        fn every_row_is_one_line_of_markdown_and_of_text(rows in cells()) {
            let table = filled(&rows);
            let markdown = table.to_markdown();
            prop_assert_eq!(markdown.lines().count(), rows.len() + 2);
            let width = markdown.lines().next().unwrap().chars().count();
            for line in markdown.lines() {
                prop_assert_eq!(line.chars().count(), width);
                prop_assert_eq!(line.replace("\\|", "").matches('|').count(), 4);
            }
            prop_assert_eq!(table.to_text().lines().count(), rows.len() + 1);
        }
    }
}
