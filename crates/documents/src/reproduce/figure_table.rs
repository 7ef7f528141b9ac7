//! The figures of a report as rows with typed columns, and their comparison with the committed rows.
//!
//! The document of a report is computed from its rows. So two reports with the same figures have the same document, and a reader of a
//! difference sees which figure changed, and in which direction.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use lockstep_report::Table;

/// The comparison of a column with the committed one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compared {
    /// A part of the name of the row.
    Key,
    /// A number; fewer is better. An empty cell means that none was found, which is worse than any number.
    Fewer,
    /// A number; more is better.
    More,
    /// A number of successful runs; more is better. A partial report may have fewer runs, so it is compared in whole reports only.
    Successes,
    /// A text that must be equal.
    Equal,
    /// A text that the other columns determine: it must be equal if they are.
    Derived,
    /// Written but not compared: the name of a method, or one proof of several.
    Uncompared,
}

/// A column of figures.
pub(super) struct Column(pub(super) &'static str, pub(super) Compared);

/// The figures of a report, one row per line of its CSV file.
pub(super) struct FigureTable {
    columns: &'static [Column],
    table: Table,
}

impl FigureTable {
    /// Returns a table without rows.
    pub(super) fn new(columns: &'static [Column]) -> Self {
        Self { columns, table: Table::new(columns.iter().map(|Column(name, _)| *name)) }
    }

    /// Adds a row with one cell per column.
    ///
    /// # Panics
    ///
    /// If the row has another number of cells, which is a bug of the report.
    pub(super) fn push<const CELLS: usize>(&mut self, cells: [String; CELLS]) {
        assert_eq!(CELLS, self.columns.len(), "a row has one cell per column");
        self.table.push(cells);
    }

    /// Returns the rows as CSV.
    pub(super) fn csv(&self) -> String {
        self.table.to_csv()
    }

    /// Compares the rows with the committed ones, in the order of the rows.
    ///
    /// Rows are matched by their keys. A whole report must have all committed rows and no others. Of a partial report, only the rows
    /// with a committed row are compared.
    ///
    /// # Errors
    ///
    /// If `committed` is not CSV.
    pub(super) fn changes(&self, committed: &str, is_whole: bool) -> Result<Vec<Change>> {
        let (committed, ours) = (Rows::read(committed)?, Rows::read(&self.csv())?);
        if committed.header != ours.header {
            let [committed, reproduced] = [committed, ours].map(|rows| rows.header.join(","));
            return Ok(vec![Change { line: 1, row: "the header".to_owned(), committed, reproduced, is_better: false }]);
        }
        let mut changes = Vec::new();
        let (committed, mut others) = (self.by_key(&committed), self.by_key(&committed));
        for (line, row) in &ours.rows {
            let key = self.key(row);
            others.remove(&key);
            match committed.get(&key) {
                Some((line, committed)) => changes.extend(self.row_changes(&key, *line, committed, row, is_whole)),
                None if is_whole => changes.push(Change::of_row(&key, *line, "no such row", "a row")),
                None => {}
            }
        }
        if is_whole {
            let missing = others.iter().map(|(key, (line, _))| Change::of_row(key, *line, "a row", "no such row"));
            changes.extend(missing);
            changes.sort_by_key(|change| change.line);
        }
        Ok(changes)
    }

    fn row_changes(
        &self,
        key: &str,
        line: usize,
        committed: &[String],
        reproduced: &[String],
        is_whole: bool,
    ) -> Vec<Change> {
        let of = |is_compared: &dyn Fn(Compared) -> bool| {
            let cells = self.columns.iter().zip(committed.iter().zip(reproduced));
            let differing =
                cells.filter(|(column, (committed, reproduced))| is_compared(column.1) && committed != reproduced);
            let change = |(Column(name, compared), (committed, reproduced)): (&Column, (&String, &String))| Change {
                line,
                row: format!("{key}, {name}"),
                committed: committed.clone(),
                reproduced: reproduced.clone(),
                is_better: compared.is_better(committed, reproduced),
            };
            differing.map(change).collect::<Vec<_>>()
        };
        let changes = of(&|compared| match compared {
            Compared::Key | Compared::Uncompared | Compared::Derived => false,
            Compared::Successes => is_whole,
            Compared::Fewer | Compared::More | Compared::Equal => true,
        });
        if changes.is_empty() { of(&|compared| compared == Compared::Derived) } else { changes }
    }

    fn by_key<'a>(&self, rows: &'a Rows) -> BTreeMap<String, (usize, &'a [String])> {
        rows.rows.iter().map(|(line, row)| (self.key(row), (*line, &row[..]))).collect()
    }

    /// Returns the name of a row: its cells in the columns of the key, without those that are empty.
    fn key(&self, row: &[String]) -> String {
        let cells = self.columns.iter().zip(row).filter(|(column, cell)| column.1 == Compared::Key && !cell.is_empty());
        cells.map(|(Column(name, _), cell)| format!("{name} {cell}")).collect::<Vec<_>>().join(", ")
    }
}

impl Compared {
    /// Returns true if the reproduced text is a better number than the committed one.
    fn is_better(self, committed: &str, reproduced: &str) -> bool {
        let [committed, reproduced] = [committed, reproduced].map(|cell| cell.parse::<u128>().ok());
        match self {
            Self::Fewer => reproduced.is_some_and(|ours| committed.is_none_or(|theirs| ours < theirs)),
            Self::More | Self::Successes => reproduced.zip(committed).is_some_and(|(ours, theirs)| ours > theirs),
            Self::Key | Self::Equal | Self::Derived | Self::Uncompared => false,
        }
    }
}

/// The rows of a CSV file with their lines, counted from 1.
struct Rows {
    header: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

impl Rows {
    fn read(text: &str) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let words = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = words(reader.headers()?);
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record?;
            let line = record.position().context("a record has a position")?.line() as usize;
            rows.push((line, words(&record)));
        }
        Ok(Self { header, rows })
    }
}

/// A figure that differs from the committed one.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Change {
    /// The line of the committed file; of a new row that of the reproduced file.
    pub(super) line: usize,
    row: String,
    committed: String,
    reproduced: String,
    pub(super) is_better: bool,
}

impl Change {
    fn of_row(key: &str, line: usize, committed: &str, reproduced: &str) -> Self {
        let [committed, reproduced] = [committed, reproduced].map(str::to_owned);
        Self { line, row: key.to_owned(), committed, reproduced, is_better: false }
    }
}

impl fmt::Display for Change {
    /// Writes for instance `better: network omega:8, our_steps: committed 8, reproduced 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, committed, reproduced, is_better, .. } = self;
        let kind = if *is_better { "better" } else { "differs" };
        let shown = |cell: &str| if cell.is_empty() { "none".to_owned() } else { format!("`{cell}`") };
        write!(f, "{kind}: {row}: committed {}, reproduced {}", shown(committed), shown(reproduced))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 7] = [
        Column("network", Compared::Key),
        Column("paper", Compared::Equal),
        Column("steps", Compared::Fewer),
        Column("bound", Compared::More),
        Column("successes", Compared::Successes),
        Column("verdict", Compared::Derived),
        Column("found_by", Compared::Uncompared),
    ];

    fn table(rows: &[[&str; COLUMNS.len()]]) -> FigureTable {
        let mut table = FigureTable::new(&COLUMNS);
        for row in rows {
            table.push(row.map(str::to_owned));
        }
        table
    }

    const COMMITTED: [&str; COLUMNS.len()] = ["a", "5", "5", "4", "9", "bound + 1", "x"];

    /// Returns the changes of the row after `spoil`, each with its direction.
    fn changes(spoil: impl Fn(&mut [&str; COLUMNS.len()]), is_whole: bool) -> Vec<(String, bool)> {
        let mut row = COMMITTED;
        spoil(&mut row);
        let other = ["b", "", "1", "1", "9", "optimal", "x"];
        let changes = table(&[row, other]).changes(&table(&[COMMITTED, other]).csv(), is_whole).unwrap();
        changes.iter().map(|change| (change.row.clone(), change.is_better)).collect()
    }

    fn change(column: &str, is_better: bool) -> Vec<(String, bool)> {
        vec![(format!("network a, {column}"), is_better)]
    }

    #[test]
    fn the_same_figures_have_no_changes() {
        assert_eq!(changes(|_| {}, true), []);
    }

    #[test]
    fn the_name_of_a_method_is_not_compared() {
        assert_eq!(changes(|row| row[6] = "y", true), []);
    }

    #[test]
    fn fewer_steps_and_larger_bounds_and_more_successes_are_better() {
        assert_eq!(changes(|row| (row[2], row[5]) = ("4", "optimal"), true), change("steps", true));
        assert_eq!(changes(|row| (row[3], row[5]) = ("5", "optimal"), true), change("bound", true));
        assert_eq!(changes(|row| row[4] = "10", true), change("successes", true));
    }

    #[test]
    fn more_steps_and_smaller_bounds_and_fewer_successes_are_not() {
        assert_eq!(changes(|row| row[2] = "6", true), change("steps", false));
        assert_eq!(changes(|row| row[2] = "10", true), change("steps", false));
        assert_eq!(changes(|row| row[2] = "", true), change("steps", false));
        assert_eq!(changes(|row| row[3] = "3", true), change("bound", false));
        assert_eq!(changes(|row| row[4] = "8", true), change("successes", false));
        assert_eq!(changes(|row| row[1] = "4", true), change("paper", false));
    }

    #[test]
    fn a_schedule_where_none_was_found_is_better() {
        let none = ["a", "5", "", "4", "0", "short", "x"];
        let found = ["a", "5", "4", "4", "0", "optimal", "x"];
        let changes = table(&[found]).changes(&table(&[none]).csv(), true).unwrap();
        let expected = "better: network a, steps: committed none, reproduced `4`";
        assert_eq!(changes.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
        assert_eq!(changes[0].line, 2);
    }

    #[test]
    fn a_verdict_alone_must_not_change() {
        assert_eq!(changes(|row| row[5] = "optimal", true), change("verdict", false));
    }

    #[test]
    fn a_better_figure_does_not_hide_a_worse_one() {
        let found = changes(|row| (row[2], row[3]) = ("4", "3"), true);
        assert_eq!(found, [change("steps", true), change("bound", false)].concat());
    }

    #[test]
    fn a_partial_report_is_compared_in_its_rows_and_without_successes() {
        let committed = table(&[COMMITTED, ["b", "", "1", "1", "9", "optimal", "x"]]).csv();
        assert_eq!(table(&[COMMITTED]).changes(&committed, false).unwrap(), []);
        assert_eq!(changes(|row| row[4] = "1", false), []);
        assert_eq!(changes(|row| row[2] = "6", false), change("steps", false));
    }

    #[test]
    fn a_whole_report_has_all_rows_and_no_others() {
        let other = ["b", "", "1", "1", "9", "optimal", "x"];
        let (one, two) = (table(&[COMMITTED]), table(&[COMMITTED, other]));
        let lines =
            |changes: Vec<Change>| changes.iter().map(|change| (change.line, change.is_better)).collect::<Vec<_>>();
        assert_eq!(lines(one.changes(&two.csv(), true).unwrap()), [(3, false)]);
        assert_eq!(lines(two.changes(&one.csv(), true).unwrap()), [(3, false)]);
        assert_eq!(lines(two.changes("other\n1\n", true).unwrap()), [(1, false)]);
        assert_eq!(lines(one.changes("", true).unwrap()), [(1, false)]);
    }
}
