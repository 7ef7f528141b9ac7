//! The results of all runs, as tables.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::cases::{COLLECTIVES, Case};
use super::consumer::{Consumer, Fault, Verdict};

/// The result of one run.
pub(crate) struct Cell {
    /// The fault of a spoiled plan.
    pub(crate) fault: Option<Fault>,
    pub(crate) verdict: Verdict,
}

impl Cell {
    /// Plans are accepted, and spoiled plans are refused.
    fn is_right(&self) -> bool {
        (self.verdict == Verdict::Accepted) == self.fault.is_none()
    }
}

/// Numbers of runs with the same place in a table.
#[derive(Clone, Copy, Default)]
struct Count {
    right: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.all += 1;
    }
}

impl Display for Count {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.all == 0 { formatter.write_str("-") } else { write!(formatter, "{} of {}", self.right, self.all) }
    }
}

/// A consumer with its format.
type Key = (usize, String, &'static str);

/// The results of all consumers.
#[derive(Default)]
pub(crate) struct Results {
    /// In the order of the runs.
    consumers: Vec<(String, &'static str)>,
    /// Accepted plans per consumer and network; one count per collective, and one for all others.
    plans: BTreeMap<(Key, usize, String), [Count; COLLECTIVES.len() + 1]>,
    networks: Vec<String>,
    /// Refused plans per consumer and fault.
    faults: BTreeMap<(Key, Fault), Count>,
    missing: Vec<(&'static str, &'static str)>,
    unexpected: Vec<String>,
}

impl Results {
    /// Adds a run.
    pub(crate) fn add(&mut self, consumer: &dyn Consumer, case: &Case, cell: Cell) {
        let (name, format) = (consumer.name().to_owned(), consumer.format());
        let known = self.consumers.iter().position(|(one, other)| (one, *other) == (&name, format));
        let number = known.unwrap_or_else(|| {
            self.consumers.push((name.clone(), format));
            self.consumers.len() - 1
        });
        let known = self.networks.iter().position(|network| *network == case.network);
        let network = known.unwrap_or_else(|| {
            self.networks.push(case.network.clone());
            self.networks.len() - 1
        });
        let key = (number, name.clone(), format);
        let is_right = cell.is_right();
        if let Some(fault) = cell.fault {
            self.faults.entry((key, fault)).or_default().add(is_right);
        } else {
            let column = COLLECTIVES.iter().position(|collective| *collective == case.collective);
            let counts = self.plans.entry((key, network, case.network.clone())).or_default();
            counts[column.unwrap_or(COLLECTIVES.len())].add(is_right);
        }
        if !is_right {
            let fault = cell.fault.map_or("", Fault::name);
            let verdict = match cell.verdict {
                Verdict::Accepted => "accepted".to_owned(),
                Verdict::Refused(reason) => format!("refused: {reason}"),
            };
            let line = format!("{name}, {format}, {} {fault}: {verdict}", case.name());
            eprintln!("UNEXPECTED {line}");
            self.unexpected.push(line);
        }
    }

    /// Adds a consumer that is not installed.
    pub(crate) fn missing(&mut self, name: &'static str, install: &'static str) {
        if !self.missing.iter().any(|(known, _)| *known == name) {
            self.missing.push((name, install));
        }
    }

    /// Returns true if all plans are accepted and all spoiled plans are refused.
    pub(crate) fn is_right(&self) -> bool {
        self.unexpected.is_empty()
    }
}

impl Display for Results {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "Plans that are accepted:\n")?;
        let columns = COLLECTIVES.join(" | ");
        writeln!(formatter, "| consumer | format | network | {columns} | others |")?;
        writeln!(formatter, "|---|---|---|{}", "---|".repeat(COLLECTIVES.len() + 1))?;
        for (((_, name, format), _, network), counts) in &self.plans {
            let counts = counts.map(|count| count.to_string()).join(" | ");
            writeln!(formatter, "| {name} | `{format}` | {network} | {counts} |")?;
        }
        writeln!(formatter, "\nSpoiled plans that are refused, or that have a wrong result:\n")?;
        writeln!(formatter, "| consumer | format | {} |", Fault::ALL.map(Fault::name).join(" | "))?;
        writeln!(formatter, "|---|---|---|---|---|")?;
        for (number, (name, format)) in self.consumers.iter().enumerate() {
            let key = (number, name.clone(), *format);
            let count = |fault| self.faults.get(&(key.clone(), fault)).copied().unwrap_or_default().to_string();
            writeln!(formatter, "| {name} | `{format}` | {} |", Fault::ALL.map(count).join(" | "))?;
        }
        for (name, install) in &self.missing {
            writeln!(formatter, "\nNot installed: {name} ({install})")?;
        }
        for line in &self.unexpected {
            writeln!(formatter, "\nUnexpected: {line}")?;
        }
        Ok(())
    }
}

/// The line of the page after which the tables are.
const BEGIN: &str = "<!-- written by `cargo xtask consumers --write` -->\n";

/// Writes the tables into the page.
///
/// # Errors
///
/// If the page cannot be read or written, or if it has no place for tables.
pub(crate) fn write(page: &Path, results: &Results) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let (head, _) = text.split_once(BEGIN).with_context(|| format!("{}: no line {BEGIN}", page.display()))?;
    fs::write(page, format!("{head}{BEGIN}\n{results}")).with_context(|| page.display().to_string())
}
