//! The rules of Open MPI's component `tuned`: text, and JSON for version 6.

use serde_json::{Map, Value, json};

use crate::tuning::Tuning;

/// Returns the rules as text.
///
/// Open MPI uses the rules of the largest listed size that is not larger, and those of the first one otherwise. So the first size is
/// a communicator of one rank with algorithm 0, the built-in decision, and so is the size after that of the table.
pub(super) fn text(tuning: &Tuning) -> String {
    let mut text = format!("{:<18} # collectives\n", tuning.tables.len());
    let mut line = |values: &str, comment: &str| {
        text += &if comment.is_empty() { format!("{values}\n") } else { format!("{values:<18} # {comment}\n") };
    };
    for table in &tuning.tables {
        line(&table.of.number.to_string(), table.of.name);
        line("3", "communicator sizes");
        let built_in = "the decision of the library";
        line("1", "ranks and more");
        line("1", "message size");
        line("0 0 0 0", built_in);
        line(&tuning.ranks.to_string(), "ranks and more");
        line(&table.ranges.len().to_string(), "message sizes, each with algorithm, fan-out and segment size");
        for ([first, _], choice) in table.whole_ranges(u64::MAX) {
            let (fan, segment) = (choice.fan_out.unwrap_or(0), choice.segment_bytes.unwrap_or(0));
            line(&format!("{first} {} {fan} {segment}", choice.number), choice.algorithm);
        }
        line(&(tuning.ranks + 1).to_string(), "ranks and more");
        line("1", "message size");
        line("0 0 0 0", built_in);
    }
    text
}

/// Returns the rules as JSON. They have no segment sizes: the schema of Open MPI forbids them.
pub(super) fn json(tuning: &Tuning) -> String {
    let mut collectives = Map::new();
    for table in &tuning.tables {
        let count = table.ranges.len();
        let rule = |(place, ([first, last], choice)): (usize, ([u64; 2], &crate::Choice))| {
            let last = if place + 1 == count { json!("inf") } else { json!(last) };
            json!({
                "msg_size_min": first, "msg_size_max": last, "alg": choice.number, "faninout": choice.fan_out.unwrap_or(0),
            })
        };
        let rules: Vec<Value> = table.whole_ranges(u64::MAX).enumerate().map(rule).collect();
        let of_size = json!([{
            "comm_size_min": tuning.ranks, "comm_size_max": tuning.ranks, "comm_rank_distribution": "any", "rules": rules,
        }]);
        collectives.insert(table.of.name.to_owned(), of_size);
    }
    let rules = json!({ "rule_file_version": 3, "module": "tuned", "collectives": collectives });
    format!("{rules:#}\n")
}
