//! The text of a report: what is compared with the committed report, and behind it what is not.

use std::collections::BTreeSet;

use crate::template::{Template, Values};

/// The heading of the last section, which may differ from run to run.
const UNCOMPARED: &str = "## Not compared";

/// The first paragraph of the last section.
const WHY_UNCOMPARED: &str = "\
Times depend on the machine. Names of methods and rules, certificates, and shares of transfers kept depend on which of several optimal
plans and proofs was found. `cargo xtask reproduce-paper` writes this section, and does not compare it.";

/// A Markdown report that is built block by block from a template.
pub(super) struct ReportText {
    template: Template,
    body: String,
    uncompared: String,
}

impl ReportText {
    /// Returns an empty report.
    pub(super) const fn new(template: Template) -> Self {
        Self { template, body: String::new(), uncompared: String::new() }
    }

    /// Appends a block of the template to the compared part.
    pub(super) fn add(&mut self, block: &str, values: Values<'_>) {
        self.body += &self.template.fill(block, values);
        self.body += "\n\n";
    }

    /// Appends a block of the template to the section that is not compared.
    pub(super) fn add_uncompared(&mut self, block: &str, values: Values<'_>) {
        self.uncompared += &self.template.fill(block, values);
        self.uncompared += "\n\n";
    }

    /// Returns the whole report.
    pub(super) fn markdown(&self) -> String {
        let mut text = self.body.trim_end().to_owned() + "\n";
        if !self.uncompared.is_empty() {
            let uncompared = self.uncompared.trim_end();
            text += &["\n", UNCOMPARED, "\n\n", WHY_UNCOMPARED, "\n\n", uncompared, "\n"].concat();
        }
        text
    }
}

/// The lines in which two texts differ, up to the section that is not compared. Numbers of lines are counted from 1.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Difference<'a> {
    /// Lines that are only in the committed text.
    pub(super) committed: Vec<(usize, &'a str)>,
    /// Lines that are only in the reproduced text.
    pub(super) reproduced: Vec<(usize, &'a str)>,
}

impl<'a> Difference<'a> {
    /// Compares a committed text with its reproduction in `O(length)`; returns `None` if they are equal.
    ///
    /// The lists ignore the widths of the columns of tables, so that one longer cell is one line and not the whole table.
    pub(super) fn of(committed: &'a str, reproduced: &'a str) -> Option<Self> {
        let [committed, reproduced] = [committed, reproduced].map(compared_lines);
        if committed == reproduced {
            return None;
        }
        let only = |lines: &[&'a str], others: &[&str]| {
            let others: BTreeSet<String> = others.iter().map(|line| without_widths(line)).collect();
            let numbered = lines.iter().enumerate().map(|(place, &line)| (place + 1, line));
            numbered.filter(|(_, line)| !others.contains(&without_widths(line))).collect()
        };
        Some(Self { committed: only(&committed, &reproduced), reproduced: only(&reproduced, &committed) })
    }
}

fn compared_lines(text: &str) -> Vec<&str> {
    text.lines().take_while(|line| *line != UNCOMPARED).collect()
}

/// Returns the words of a line; a rule of a table as one word per column.
fn without_widths(line: &str) -> String {
    let word = |word: &str| {
        if word.len() > 2 && word.trim_matches(['-', ':']).is_empty() { "-".to_owned() } else { word.to_owned() }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(number: &str, time: &str) -> String {
        let template =
            Template::new("<!-- block: a -->\n| n |\n| ---: |\n| {n} |\n| 7 |\n\n<!-- block: t -->\nT {time}.\n");
        let mut report = ReportText::new(template);
        report.add("a", &[("n", &number)]);
        report.add_uncompared("t", &[("time", &time)]);
        report.markdown()
    }

    #[test]
    fn the_last_section_is_not_compared() {
        assert_eq!(Difference::of(&report("1", "2 s"), &report("1", "3 s")), None);
    }

    #[test]
    fn the_lines_that_differ_are_listed() {
        let (committed, reproduced) = (report("1", "2 s"), report("2", "2 s"));
        let expected = Difference { committed: vec![(3, "| 1 |")], reproduced: vec![(3, "| 2 |")] };
        assert_eq!(Difference::of(&committed, &reproduced), Some(expected));
    }

    #[test]
    fn wider_columns_are_not_listed() {
        let narrow = "| n |\n| --- |\n| 1 |\n| 2 |\n";
        let wide = "| n    |\n| ---: |\n| 1234 |\n|    2 |\n";
        let expected = Difference { committed: vec![(3, "| 1 |")], reproduced: vec![(3, "| 1234 |")] };
        assert_eq!(Difference::of(narrow, wide), Some(expected));
    }

    #[test]
    fn a_line_that_moves_is_a_difference() {
        assert_eq!(Difference::of("a\nb\n", "b\na\n"), Some(Difference::default()));
    }
}
