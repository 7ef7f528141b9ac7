//! The columns and the lines of a table.

use crate::error::{LoadError, LoadProblem};

/// The columns and the lines of a table.
pub(super) struct Table<'a> {
    pub(super) names: Vec<&'a str>,
    /// Each line with its number in the file.
    pub(super) lines: Vec<(usize, Vec<&'a str>)>,
}

impl<'a> Table<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, LoadError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let cells = |line: &'a str| line.split(',').map(str::trim).collect::<Vec<_>>();
        let Some((_, names)) = lines.next() else {
            return Err(LoadError::syntax(1, "the names of the columns", ""));
        };
        let names = cells(names);
        let mut found = Vec::new();
        for (line, text) in lines {
            let cells = cells(text);
            if cells.len() != names.len() {
                let expected = format!("{} cells, as in the first line", names.len());
                return Err(LoadError::syntax(line, expected, text));
            }
            found.push((line, cells));
        }
        Ok(Self { names, lines: found })
    }

    /// Returns the position of a column.
    pub(super) fn column(&self, field: &'static str) -> Result<usize, LoadError> {
        let position = self.names.iter().position(|&name| name == field);
        position.ok_or(LoadError { place: 1.into(), problem: LoadProblem::Missing { element: "table", field } })
    }

    /// Returns the number of ranks: one more than the greatest number in some columns.
    pub(super) fn rank_count(&self, columns: &[usize]) -> u32 {
        let cells = self.lines.iter().flat_map(|(_, cells)| columns.iter().map(|&column| cells[column]));
        cells.filter_map(|cell| cell.parse::<u32>().ok()).max().map_or(0, |rank| rank.saturating_add(1))
    }
}
