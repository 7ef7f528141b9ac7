//! The rules of Open MPI's component `tuned`: text, and JSON for version 6.

use std::collections::BTreeMap;

use lockstep_files::to_json_rows;
use serde::Serialize;
use serde_json::Value;

use crate::tuning::{Choice, ChoiceTable, Tuning};

/// Returns the rules as text.
///
/// Open MPI uses the rules of the largest listed size that is not larger, and those of the first one otherwise. So the first size is
/// a communicator of one rank with algorithm 0, the built-in decision, and so is the size after that of the table.
pub(super) fn text(tuning: &Tuning) -> String {
    let built_in = || ["0 0 0 0".to_owned()];
    let mut lines = vec![commented(&tuning.tables.len().to_string(), "collectives")];
    for table in &tuning.tables {
        lines.push(commented(&table.of.number.to_string(), table.of.name));
        lines.push(commented("3", "communicator sizes: below, equal to and above that of the table"));
        lines.extend(of_communicator(1, built_in()));
        let rule = |([first, _], choice): ([u64; 2], &Choice)| {
            let (fan, segment) = (choice.fan_out.unwrap_or(0), choice.segment_bytes.unwrap_or(0));
            commented(&format!("{first} {} {fan} {segment}", choice.number), choice.algorithm)
        };
        let rules: Vec<String> = table.whole_ranges(u64::MAX).map(rule).collect();
        lines.extend(of_communicator(tuning.ranks, rules));
        lines.extend(of_communicator(tuning.ranks + 1, built_in()));
    }
    lines.join("\n") + "\n"
}

/// Returns the lines of a communicator size: the ranks, the number of rules, and the rules. A rule has a size, an algorithm, a
/// fan-out and a segment size.
fn of_communicator(ranks: u32, rules: impl IntoIterator<Item = String>) -> Vec<String> {
    let rules: Vec<String> = rules.into_iter().collect();
    let head = [commented(&ranks.to_string(), "ranks"), commented(&rules.len().to_string(), "rules")];
    head.into_iter().chain(rules).collect()
}

fn commented(values: &str, comment: &str) -> String {
    format!("{values:<20} # {comment}")
}

#[derive(Serialize)]
struct Document {
    rule_file_version: u32,
    module: &'static str,
    collectives: BTreeMap<&'static str, [CommunicatorRules; 1]>,
}

#[derive(Serialize)]
struct CommunicatorRules {
    comm_size_min: u32,
    comm_size_max: u32,
    comm_rank_distribution: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
struct Rule {
    msg_size_min: u64,
    msg_size_max: Value,
    alg: u32,
    faninout: u32,
}

/// Returns the rules as JSON. They have no segment sizes: the schema of Open MPI forbids them.
pub(super) fn json(tuning: &Tuning) -> String {
    /// Levels that are broken into lines: a rule is on one line.
    const LEVELS: usize = 5;
    let of_table = |table: &ChoiceTable| {
        let count = table.ranges.len();
        let rule = |(place, ([first, last], choice)): (usize, ([u64; 2], &Choice))| Rule {
            msg_size_min: first,
            msg_size_max: if place + 1 == count { "inf".into() } else { last.into() },
            alg: choice.number,
            faninout: choice.fan_out.unwrap_or(0),
        };
        let rules = CommunicatorRules {
            comm_size_min: tuning.ranks,
            comm_size_max: tuning.ranks,
            comm_rank_distribution: "any",
            rules: table.whole_ranges(u64::MAX).enumerate().map(rule).collect(),
        };
        (table.of.name, [rules])
    };
    let collectives = tuning.tables.iter().map(of_table).collect();
    to_json_rows(&Document { rule_file_version: 3, module: "tuned", collectives }, LEVELS)
}
