//! The text of a report: what the reproduction determines, and behind it the times of the machine.

use crate::template::{Template, Values};

/// The heading of the last section, which differs from run to run.
const TIMES: &str = "## Times of the last run";

/// A Markdown report that is built block by block from a template.
pub(super) struct ReportText {
    template: Template,
    body: String,
    times: String,
}

impl ReportText {
    /// Returns an empty report.
    pub(super) const fn new(template: Template) -> Self {
        Self { template, body: String::new(), times: String::new() }
    }

    /// Appends a block of the template to the compared part.
    pub(super) fn add(&mut self, block: &str, values: Values<'_>) {
        self.body += &self.template.fill(block, values);
        self.body += "\n\n";
    }

    /// Appends a block of the template to the section of times, which is not compared.
    pub(super) fn add_times(&mut self, block: &str, values: Values<'_>) {
        self.times += &self.template.fill(block, values);
        self.times += "\n\n";
    }

    /// Returns the whole report.
    pub(super) fn markdown(&self) -> String {
        let mut text = self.body.trim_end().to_owned() + "\n";
        if !self.times.is_empty() {
            text = text
                + "\n"
                + TIMES
                + "\n\nThey depend on the machine, and are not compared.\n\n"
                + self.times.trim_end()
                + "\n";
        }
        text
    }
}

/// The first line in which two reports differ; the times are not compared.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Difference<'a> {
    /// Counted from 1.
    pub(super) line: usize,
    /// `None` at the end of the text.
    pub(super) committed: Option<&'a str>,
    pub(super) reproduced: Option<&'a str>,
}

/// Compares a committed file with its reproduction in `O(length)`.
pub(super) fn first_difference<'a>(committed: &'a str, reproduced: &'a str) -> Option<Difference<'a>> {
    let [mut committed, mut reproduced] =
        [committed, reproduced].map(|text| text.lines().take_while(|line| *line != TIMES));
    let mut line = 0;
    loop {
        line += 1;
        let pair = Difference { line, committed: committed.next(), reproduced: reproduced.next() };
        if pair.committed != pair.reproduced {
            return Some(pair);
        }
        pair.committed?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(number: u32, time: &str) -> String {
        let mut report = ReportText::new(Template::new("<!-- block: a -->\nA {n}.\n<!-- block: t -->\nT {time}.\n"));
        report.add("a", &[("n", &number)]);
        report.add_times("t", &[("time", &time)]);
        report.markdown()
    }

    #[test]
    fn times_are_not_compared() {
        assert_eq!(first_difference(&report(1, "2 s"), &report(1, "3 s")), None);
    }

    #[test]
    fn the_first_line_that_differs_is_returned() {
        let (committed, reproduced) = (report(1, "2 s"), report(2, "2 s"));
        let difference = Difference { line: 1, committed: Some("A 1."), reproduced: Some("A 2.") };
        assert_eq!(first_difference(&committed, &reproduced), Some(difference));
        assert_eq!(first_difference("a\n", "a\nb\n").map(|difference| difference.line), Some(2));
    }
}
