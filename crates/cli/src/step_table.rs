//! The transfers of a schedule as tables with a legend.

use std::collections::BTreeMap;

use lockstep::schedule::{MessageId, Pattern, Receivers, Schedule, Transfer};
use lockstep::{NodeId, Problem};
use lockstep_report::Table;

/// Maximum width of a printed table, in characters.
const MAX_WIDTH: usize = 100;
/// Least number of characters of a listed transfer: two names, an arrow and a comma.
const LEAST_WIDTH: usize = 8;
/// Maximum number of destinations in one cell.
const MAX_IN_CELL: usize = 4;

/// Returns all transfers: a list by step, a table by sender unless it is too wide, and the legend of both.
pub(crate) fn full(problem: &Problem<'_>, schedule: &Schedule) -> String {
    let table = StepTable { problem, schedule };
    let matrix = table.matrix();
    let legend = table.legend(matrix.is_some());
    [Some(table.list()), matrix, Some(legend)].into_iter().flatten().flat_map(|text| ["\n".to_owned(), text]).collect()
}

/// Returns all transfers if there are at most `most`, otherwise their number.
pub(crate) fn at_most(problem: &Problem<'_>, schedule: &Schedule, most: usize) -> String {
    match schedule.transfer_count() {
        transfers if transfers > most => {
            format!("\n{transfers} transfers are too many to list; use lockstep render or --json\n")
        }
        _ => full(problem, schedule),
    }
}

/// Returns the list by step with its legend if it has at most `lines` lines.
pub(crate) fn short(problem: &Problem<'_>, schedule: &Schedule, lines: usize) -> Option<String> {
    let table = StepTable { problem, schedule };
    if schedule.step_count() > lines || schedule.transfer_count() > lines * (MAX_WIDTH / LEAST_WIDTH) {
        return None;
    }
    let text = format!("\n{}\n{}", table.list(), table.legend(false));
    (text.lines().count() <= lines).then_some(text)
}

struct StepTable<'a> {
    problem: &'a Problem<'a>,
    schedule: &'a Schedule,
}

/// One transfer as it is printed.
struct PrintedTransfer {
    sender: NodeId,
    receiver: NodeId,
    message: MessageId,
    /// Name of the message, unless sender and receiver determine it.
    mark: Option<String>,
}

impl StepTable<'_> {
    fn name(&self, node: NodeId) -> &str {
        self.problem.topology().node_name(node)
    }

    /// Returns the transfers of each step.
    fn steps(&self) -> impl Iterator<Item = Vec<PrintedTransfer>> {
        self.schedule.steps().map(|(_, step)| step.iter().filter_map(|transfer| self.printed(transfer)).collect())
    }

    /// Names the message if the sender is not its source, or the receiver not its only receiver.
    fn printed(&self, transfer: Transfer<'_>) -> Option<PrintedTransfer> {
        let (topology, messages) = (self.problem.topology(), self.problem.messages());
        let (&first, &last) = (transfer.path.first()?, transfer.path.last()?);
        let (sender, receiver, message) = (topology.tail(first), topology.head(last), transfer.message);
        let source = messages.source(message);
        let chunk = self.chunk(message).map(|chunk| format!("#{chunk}")).unwrap_or_default();
        let ends = match messages.receivers(message) {
            Receivers::One(one) if messages.is_scatter() => {
                let is_told = [(source, one), (one, source)].contains(&(sender, receiver));
                if is_told { String::new() } else { format!("{}>{}", self.name(source), self.name(one)) }
            }
            _ if source == sender || self.problem.collective().root().is_some() => String::new(),
            _ => self.name(source).to_owned(),
        };
        let mark = Some(ends + &chunk).filter(|words| !words.is_empty());
        Some(PrintedTransfer { sender, receiver, message, mark })
    }

    /// Returns the number of a chunk within its message, if messages have several.
    fn chunk(&self, message: MessageId) -> Option<u32> {
        let chunks = self.problem.messages().chunks();
        (chunks > 1).then(|| message.number() % chunks)
    }

    fn words(&self, transfer: &PrintedTransfer) -> String {
        let mark = transfer.mark.as_ref().map(|mark| format!(" ({mark})")).unwrap_or_default();
        format!("{} -> {}{mark}", self.name(transfer.sender), self.name(transfer.receiver))
    }

    /// Returns whether a step has another width than 1.
    fn has_widths(&self) -> bool {
        self.schedule.width_sum() != self.schedule.step_count() as u64
    }

    /// Returns one row per step, which is continued on further lines if it is long.
    fn list(&self) -> String {
        let has_widths = self.has_widths();
        let columns = ["step"].into_iter().chain(has_widths.then_some("width")).chain(["transfers"]);
        let mut table = Table::new(columns);
        for ((number, step), transfers) in self.schedule.steps().zip(self.steps()) {
            let mut first = vec![(number + 1).to_string()];
            first.extend(has_widths.then(|| step.width().to_string()));
            for line in filled(transfers.iter().map(|transfer| self.words(transfer))) {
                let next = vec![String::new(); first.len()];
                let cells = std::mem::replace(&mut first, next);
                table.push(cells.into_iter().chain([line]));
            }
        }
        table.to_text()
    }

    /// Returns the table of destinations of the multistage-network document: one row per sender, one column per step.
    fn matrix(&self) -> Option<String> {
        let step_count = self.schedule.step_count();
        let mut rows: BTreeMap<NodeId, Vec<Vec<&str>>> = BTreeMap::new();
        for (step, transfers) in self.steps().enumerate() {
            for transfer in transfers {
                let row = rows.entry(transfer.sender).or_insert_with(|| vec![Vec::new(); step_count]);
                let cell = row.get_mut(step)?;
                if cell.len() == MAX_IN_CELL {
                    return None;
                }
                cell.push(self.name(transfer.receiver));
            }
        }
        let steps = (1..=step_count).map(|step| step.to_string());
        let mut table = Table::new(std::iter::once("sender".to_owned()).chain(steps));
        for (sender, row) in rows {
            let cells = row.into_iter().map(|cell| cell.join(" "));
            table.push(std::iter::once(self.name(sender).to_owned()).chain(cells));
        }
        let text = table.to_text();
        text.lines().all(|line| line.chars().count() <= MAX_WIDTH).then_some(text)
    }

    /// Explains the columns, and each kind of mark by the first transfer that has it.
    fn legend(&self, has_matrix: bool) -> String {
        let mut table = Table::new(["legend", ""]);
        table.push(["step", "its transfers run at the same time; they end before the next step begins"]);
        if self.has_widths() {
            table.push(["width", "how many times its capacity each channel and port carries in the step"]);
        }
        for has_mark in [false, true] {
            let has_it = |transfer: &PrintedTransfer| transfer.mark.is_some() == has_mark;
            if let Some(transfer) = self.steps().flatten().find(has_it) {
                let (sender, receiver) = (self.name(transfer.sender), self.name(transfer.receiver));
                let meaning = format!("node {sender} sends node {receiver} {}", self.describe(&transfer));
                table.push([self.words(&transfer), meaning]);
            }
        }
        if has_matrix {
            table.push(["sender", "one row per sender, one column per step: the receivers"]);
        }
        table.to_text()
    }

    /// Describes the data that a transfer carries.
    fn describe(&self, transfer: &PrintedTransfer) -> String {
        let (problem, message) = (self.problem, transfer.message);
        let messages = problem.messages();
        let (source, pattern) = (messages.source(message), problem.collective().pattern());
        let is_own = source == transfer.sender;
        let what = match (pattern, messages.receivers(message)) {
            (Pattern::Scatter | Pattern::Gather, Receivers::One(one)) => {
                format!("the message from node {} to node {}", self.name(source), self.name(one))
            }
            (Pattern::Reduce | Pattern::ReduceBroadcast, _) if problem.collective().root().is_some() => {
                "its sum of contributions".to_owned()
            }
            (Pattern::Reduce | Pattern::ReduceBroadcast, _) if is_own => "its sum of its own block".to_owned(),
            (Pattern::Reduce | Pattern::ReduceBroadcast, _) => {
                format!("its sum of the block of node {}", self.name(source))
            }
            _ if problem.collective().root().is_some() => "the message".to_owned(),
            _ if is_own => "its own message".to_owned(),
            _ => format!("the message of node {}", self.name(source)),
        };
        match self.chunk(message) {
            Some(chunk) => format!("chunk {chunk} of {what}; chunks count from 0"),
            None => what,
        }
    }
}

/// Joins words by commas in lines of limited width; a longer word has a line of its own. At least one line.
fn filled(words: impl Iterator<Item = String>) -> Vec<String> {
    let (mut lines, mut line, mut width) = (Vec::new(), String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 2 + length > MAX_WIDTH {
            lines.push(std::mem::take(&mut line) + ",");
            width = 0;
        }
        if width > 0 {
            line += ", ";
            width += 2;
        }
        line += &word;
        width += length;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_up_to_the_width() {
        let words = |count: usize| (0..count).map(|number| format!("{number:>8}"));
        assert_eq!(filled(words(0)), [""]);
        assert_eq!(filled(words(10)).len(), 1);
        let lines = filled(words(11));
        assert_eq!((lines.len(), lines[0].chars().count()), (2, 99));
        assert!(lines[0].ends_with("9,") && lines[1] == "      10");
        assert_eq!(filled(["x".repeat(300)].into_iter()).len(), 1);
    }
}
