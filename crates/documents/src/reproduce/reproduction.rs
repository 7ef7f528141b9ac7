//! The result of a reproduction, and its comparison with the committed report.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::arguments::Arguments;
use super::figure_table::FigureTable;
use super::report_text::{Difference, ReportText};
use crate::repository::root;

/// The folder of the committed reports, relative to the root folder.
const COMMITTED: &str = "docs/reproduction";

/// The folder of partial reports, and of those that differ from the committed ones.
const SCRATCH: &str = "target/reproduction";

/// The largest number of lines of a text that are printed.
const MOST_LINES: usize = 20;

/// The result of reproducing a paper.
pub(super) struct Reproduction {
    /// The file name of the report without its extension.
    pub(super) stem: &'static str,
    pub(super) report: ReportText,
    /// The figures of the report: its CSV file.
    pub(super) figures: FigureTable,
    /// File name and text.
    pub(super) pictures: Vec<(String, String)>,
    /// Why our figures are not as good as they must be; empty on success.
    pub(super) failures: Vec<String>,
}

/// A report beside the committed one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Agreement {
    /// It is not compared.
    Written,
    /// It has the same figures.
    Same,
    /// It differs, and each figure that differs is better.
    Better,
    /// A figure is worse, or something else differs.
    Different,
}

impl Agreement {
    /// Returns the words of a summary.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Same => "as committed",
            Self::Better => "better than committed",
            Self::Different => "differs from the committed report",
        }
    }
}

impl Reproduction {
    /// Compares the report with the committed one, or writes it. Differences are printed on standard error.
    ///
    /// Of a partial report, for instance of one table, only the figures are compared; with another seed, nothing.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or if the committed figures are not CSV.
    pub(super) fn publish(&self, arguments: &Arguments) -> Result<Agreement> {
        let mut files = vec![(self.document(), self.report.markdown()), (self.csv(), self.figures.csv())];
        files.extend(self.pictures.iter().cloned());
        if let Some(folder) = &arguments.out {
            write(folder, &files)?;
            return Ok(Agreement::Written);
        }
        if arguments.write {
            write(&root().join(COMMITTED), &files)?;
            return Ok(Agreement::Written);
        }
        write(&root().join(SCRATCH), &files)?;
        if !arguments.has_committed_seed() {
            return Ok(Agreement::Written);
        }
        let (agreement, lines) = self.compare(&committed, arguments.is_whole())?;
        for line in &lines {
            eprintln!("{line}");
        }
        Ok(agreement)
    }

    /// Returns the agreement with the committed files, and the lines that explain it.
    ///
    /// The figures decide: the document is computed from them. It is compared itself if the figures are the same.
    ///
    /// # Errors
    ///
    /// If the committed figures are not CSV.
    fn compare(&self, committed: &dyn Fn(&str) -> String, is_whole: bool) -> Result<(Agreement, Vec<String>)> {
        let csv = self.csv();
        let changes = self.figures.changes(&committed(&csv), is_whole).with_context(|| format!("{COMMITTED}/{csv}"))?;
        let is_better = changes.iter().all(|change| change.is_better);
        let mut lines: Vec<String> =
            changes.iter().map(|change| format!("{COMMITTED}/{csv}:{}: {change}", change.line)).collect();
        let mut is_same = changes.is_empty();
        if is_whole {
            let document = (self.document(), self.report.markdown());
            for (name, text) in std::iter::once(&document).chain(&self.pictures) {
                if let Some(difference) = Difference::of(&committed(name), text) {
                    lines.extend(shown(name, &difference));
                    is_same = false;
                }
            }
        }
        let agreement = match (is_same, is_better && !changes.is_empty()) {
            (true, _) => Agreement::Same,
            (false, true) => Agreement::Better,
            (false, false) => Agreement::Different,
        };
        match agreement {
            Agreement::Better => lines.push(format!(
                "{}: all differing figures are better; write the whole report with `--write` and commit it",
                self.stem
            )),
            Agreement::Different => lines.push(format!(
                "{}: differs from the committed report; if that is right, write the whole report with `--write` and commit it",
                self.stem
            )),
            Agreement::Written | Agreement::Same => {}
        }
        Ok((agreement, lines))
    }

    fn document(&self) -> String {
        format!("{}.md", self.stem)
    }

    fn csv(&self) -> String {
        format!("{}.csv", self.stem)
    }
}

/// Returns a committed file, or an empty text if there is none.
fn committed(name: &str) -> String {
    fs::read_to_string(root().join(COMMITTED).join(name)).unwrap_or_default().replace("\r\n", "\n")
}

fn write(folder: &Path, files: &[(String, String)]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
    for (name, text) in files {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("{}: cannot be written", file.display()))?;
        eprintln!("wrote {}", file.display());
    }
    Ok(())
}

/// Returns the lines of a document that differ, the first of them if there are many.
fn shown(name: &str, difference: &Difference<'_>) -> Vec<String> {
    let of = |kind: &'static str, lines: &[(usize, &str)]| {
        let line = move |&(line, text): &(usize, &str)| format!("{COMMITTED}/{name}:{line}: {kind}: {text}");
        let more =
            lines.len().checked_sub(MOST_LINES + 1).map(|more| format!("{COMMITTED}/{name}: {} more lines", more + 1));
        lines.iter().take(MOST_LINES).map(line).chain(more).collect::<Vec<_>>()
    };
    let lines = [of("committed", &difference.committed), of("reproduced", &difference.reproduced)].concat();
    if lines.is_empty() {
        vec![format!("{COMMITTED}/{name}: the order of the lines or the widths of columns differ")]
    } else {
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure_table::{Column, Compared};
    use super::*;
    use crate::template::Template;

    const COLUMNS: [Column; 3] =
        [Column("network", Compared::Key), Column("steps", Compared::Fewer), Column("found_by", Compared::Uncompared)];

    fn reproduction(head: &str, steps: &str, method: &str) -> Reproduction {
        const TEMPLATE: Template =
            Template::new("<!-- block: a -->\n{head}: {steps} steps.\n\n<!-- block: b -->\nFound by {method}.\n");
        let mut report = ReportText::new(TEMPLATE);
        report.add("a", &[("head", &head), ("steps", &steps)]);
        report.add_uncompared("b", &[("method", &method)]);
        let mut figures = FigureTable::new(&COLUMNS);
        figures.push(["omega:8", steps, method].map(str::to_owned));
        Reproduction { stem: "paper", report, figures, pictures: Vec::new(), failures: Vec::new() }
    }

    /// Compares a reproduction with the committed report of 8 steps.
    fn compared(ours: &Reproduction) -> (Agreement, Vec<String>) {
        let theirs = reproduction("Paper", "8", "x");
        let committed = |name: &str| if name == "paper.csv" { theirs.figures.csv() } else { theirs.report.markdown() };
        ours.compare(&committed, true).unwrap()
    }

    #[test]
    fn the_same_report_agrees() {
        assert_eq!(compared(&reproduction("Paper", "8", "x")), (Agreement::Same, Vec::new()));
    }

    #[test]
    fn another_method_agrees() {
        assert_eq!(compared(&reproduction("Paper", "8", "y")), (Agreement::Same, Vec::new()));
    }

    #[test]
    fn fewer_steps_are_better_and_name_the_lines_to_change() {
        let (agreement, lines) = compared(&reproduction("Paper", "7", "x"));
        let expected = [
            "docs/reproduction/paper.csv:2: better: network omega:8, steps: committed `8`, reproduced `7`",
            "docs/reproduction/paper.md:1: committed: Paper: 8 steps.",
            "docs/reproduction/paper.md:1: reproduced: Paper: 7 steps.",
            "paper: all differing figures are better; write the whole report with `--write` and commit it",
        ];
        assert_eq!((agreement, lines), (Agreement::Better, expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn more_steps_differ() {
        assert_eq!(compared(&reproduction("Paper", "9", "x")).0, Agreement::Different);
    }

    #[test]
    fn another_text_with_the_same_figures_differs() {
        let (agreement, lines) = compared(&reproduction("The paper", "8", "x"));
        assert_eq!((agreement, lines.len()), (Agreement::Different, 3));
    }

    #[test]
    fn without_a_committed_report_all_differs() {
        let (agreement, _) = reproduction("Paper", "8", "x").compare(&|_| String::new(), true).unwrap();
        assert_eq!(agreement, Agreement::Different);
    }
}
