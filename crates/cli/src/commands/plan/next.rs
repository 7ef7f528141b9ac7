//! Advice at the end of the summary of a plan: what the user can do next.

use std::path::Path;

use lockstep::Verdict;
use lockstep_report::{ColumnAlignment, padded};

use crate::args::PlanFormat;
use crate::commands::time_limit::larger;
use crate::text::Sheet;
use crate::units::BudgetArg;

/// What the advice depends on.
pub(super) struct Situation<'a> {
    /// The file of the plan.
    pub(super) file: Option<(&'a Path, PlanFormat)>,
    pub(super) verdict: Verdict,
    /// The budget, if the search used all of it.
    pub(super) spent: Option<BudgetArg>,
    /// Whether the transfers are listed.
    pub(super) is_listed: bool,
}

/// Adds one line per possibility: options of this command, or commands for its file.
pub(super) fn describe(sheet: &mut Sheet, situation: &Situation<'_>) {
    let mut rows = Vec::new();
    if let (Verdict::Gap(_), Some(budget)) = (situation.verdict, situation.spent) {
        rows.push((format!("--budget {}", larger(budget)), "search longer for a plan with fewer steps"));
    } else if let Verdict::Gap(_) = situation.verdict {
        rows.push(("--explain".to_owned(), "list the bounds and engines tried"));
    }
    match situation.file {
        Some((path, PlanFormat::Json | PlanFormat::Binary)) => {
            let file = quoted(&path.display().to_string());
            let page = quoted(&path.with_extension("html").display().to_string());
            rows.push((format!("lockstep render {file} -o {page}"), "draw the plan"));
            rows.push((
                format!("lockstep export {file} --to mpi-c"),
                "run it over MPI; others: lockstep export --list",
            ));
        }
        Some(_) => rows.push(("-o plan.json".to_owned(), "save the plan for lockstep export, verify and time")),
        None => {
            rows.push(("-o plan.html".to_owned(), "draw the plan"));
            rows.push(("-o plan.json".to_owned(), "save the plan for lockstep export, render and time"));
        }
    }
    if !situation.is_listed {
        rows.push(("--table".to_owned(), "list the transfers of each step"));
    }
    let width = rows.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let mut name = "next";
    for (command, purpose) in rows {
        sheet.line(name, format!("{}  {purpose}", padded(&command, width, ColumnAlignment::Left)));
        name = "";
    }
}

/// Returns a word for a shell, in quotes if it needs them.
fn quoted(word: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(is_safe) && !word.starts_with('-') {
        return word.to_owned();
    }
    let prefix = if word.starts_with('-') { "./" } else { "" };
    format!("'{prefix}{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("out/plan.json"), "out/plan.json");
        assert_eq!(quoted("my plan.json"), "'my plan.json'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("-p.json"), "'./-p.json'");
    }

    #[test]
    fn a_longer_search_is_advised_only_if_the_budget_ended_it() {
        let advice = |verdict, spent| {
            let mut sheet = Sheet::default();
            describe(&mut sheet, &Situation { file: None, verdict, spent, is_listed: true });
            sheet.to_text()
        };
        assert!(!advice(Verdict::Optimal, Some(BudgetArg::DEFAULT)).contains("--budget"));
        assert!(advice(Verdict::Gap(1), Some(BudgetArg::DEFAULT)).contains("--budget 60s"));
        assert!(advice(Verdict::Gap(1), Some(BudgetArg::Evaluations(7))).contains("--budget 70 "));
        assert!(advice(Verdict::Gap(1), Some(BudgetArg::Time(Duration::from_mins(1)))).contains("--budget 300s"));
        assert!(advice(Verdict::Gap(1), None).contains("--explain"));
    }
}
