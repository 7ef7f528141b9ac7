//! The rules of Open MPI's component `tuned`: text, and JSON for version 6.
//!
//! In the text, the rules of the last listed size that is not larger count, and those of the first one otherwise. A fault drops the whole file
//! without a message.
//!
//! # Source
//!
//! Open MPI 4.1.4 and main, `ompi/mca/coll/tuned/coll_tuned_dynamic_file.c`.

use lockstep_files::one_line;
use serde_json::{Map, Value};

use super::reading::{Communicator, Rule, TableError, TableReading};
use crate::library::{Library, LibraryCollective};

/// The number of collectives of Open MPI.
const COLLECTIVES: u64 = 22;

/// Names of algorithms by collective, from the number 1 on. A rule with a larger number aborts the job.
const ALGORITHMS: [(&str, &[&str]); 9] = [
    ("allgather", &["linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit", "direct"]),
    (
        "allreduce",
        &[
            "linear",
            "nonoverlapping",
            "recursive_doubling",
            "ring",
            "segmented_ring",
            "rabenseifner",
            "allgather_reduce",
        ],
    ),
    ("alltoall", &["linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"]),
    (
        "bcast",
        &[
            "linear",
            "chain",
            "pipeline",
            "split_binary",
            "binary",
            "binomial",
            "knomial",
            "scatter_allgather",
            "scatter_allgather_ring",
        ],
    ),
    ("gather", &["linear", "binomial", "linear_sync"]),
    ("reduce", &["linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner", "knomial"]),
    ("reduce_scatter", &["nonoverlapping", "recursive_halving", "ring", "butterfly"]),
    ("reduce_scatter_block", &["linear", "recursive_doubling", "recursive_halving", "butterfly"]),
    ("scatter", &["linear", "binomial", "linear_nb"]),
];

/// Algorithms of version 6 only: the collective and the first of their numbers.
const LATER: [(&str, usize); 3] = [("allgather", 7), ("allreduce", 7), ("reduce", 8)];

/// The effect of a fault.
const DROPPED: &str = "Open MPI drops the whole file without a message";

fn names(collective: &str) -> &'static [&'static str] {
    ALGORITHMS.iter().find(|(name, _)| *name == collective).map_or(&[], |(_, names)| names)
}

/// The name of the decision of the library.
const BUILT_IN: &str = "ignore";

/// Returns the name of an algorithm, or [`BUILT_IN`].
fn algorithm(of: &LibraryCollective, number: u64, library: Library) -> Option<&'static str> {
    let Some(place) = usize::try_from(number).ok()?.checked_sub(1) else { return Some(BUILT_IN) };
    let first_later = LATER.iter().find(|(name, _)| *name == of.name).map_or(usize::MAX, |(_, first)| *first);
    let is_known = library == Library::OpenMpi6 || place + 1 < first_later;
    names(of.name).get(place).filter(|_| is_known).copied()
}

/// Returns true if the text has numbers only, besides comments.
pub(super) fn looks_like(text: &str) -> bool {
    let mut tokens = Tokens::new(text).map(|(_, token)| token).peekable();
    tokens.next_if(|token| token.starts_with("rule-file-version"));
    let mut count = 0;
    tokens.all(|token| {
        count += 1;
        token.parse::<u64>().is_ok()
    }) && count >= 3
}

/// The words of a text with their lines, without comments.
struct Tokens<'a>(Box<dyn Iterator<Item = (usize, &'a str)> + 'a>);

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        let of_line = |(line, text): (usize, &'a str)| {
            let words = text.split('#').next().unwrap_or_default().split_whitespace();
            words.map(move |word| (line, word))
        };
        Self(Box::new((1..).zip(text.lines()).flat_map(of_line)))
    }

    /// Returns the next number with its line.
    fn number(&mut self, what: &str) -> Result<(usize, u64), TableError> {
        let (line, word) =
            self.next().ok_or_else(|| TableError::new("end of the file", format!("{what} is missing; {DROPPED}")))?;
        let number = word.parse().map_err(|_| {
            TableError::at_line(line, format!("{what} is '{}'; expected a number; {DROPPED}", one_line(word)))
        })?;
        Ok((line, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// A rule of the text.
struct TextRule {
    line: usize,
    bytes: u64,
    algorithm: u64,
    fan_out: u64,
    segment_bytes: u64,
}

pub(super) fn read(text: &str, communicator: Communicator, reading: &mut TableReading) -> Result<(), TableError> {
    let mut first = Tokens::new(text);
    let has_requests = first.next().is_some_and(|(_, word)| word == "rule-file-version-2");
    let mut tokens = Tokens::new(text);
    if has_requests {
        tokens.next();
        reading.note("rule-file-version-2: versions before 5.0.7 drop the whole file without a message");
    }
    let (_, collectives) = tokens.number("the number of collectives")?;
    for _ in 0..collectives {
        let (line, id) = tokens.number("a collective")?;
        if id >= COLLECTIVES {
            return Err(TableError::at_line(line, format!("{id} is no collective; {DROPPED}")));
        }
        let of = reading.library.collectives().iter().find(|of| u64::from(of.number) == id);
        let (_, sizes) = tokens.number("the number of communicator sizes")?;
        let mut chosen: Option<(u64, Vec<TextRule>)> = None;
        let (mut before, mut is_over) = (None, false);
        for place in 0..sizes {
            let (line, ranks) = tokens.number("a communicator size")?;
            if before.is_some_and(|before| ranks <= before) {
                reading.note(format!(
                    "line {line}: communicator sizes do not ascend; a look-up ends at the first larger one"
                ));
            }
            before = Some(ranks);
            let rules = rules(&mut tokens, has_requests, reading)?;
            is_over |= ranks > u64::from(communicator.ranks);
            if place == 0 && is_over {
                reading.note(format!(
                    "line {line}: smaller communicators than {ranks} ranks use these rules, too; begin with size 1 and algorithm 0"
                ));
            }
            if place == 0 || !is_over {
                chosen = Some((ranks, rules));
            }
        }
        match (of, chosen) {
            (None, _) => reading.note(format!("line {line}: the collective {id} is left out")),
            (Some(_), None) => {}
            (Some(of), Some((_, rules))) => add(of, &rules, communicator, reading)?,
        }
    }
    Ok(())
}

/// Reads the rules of a communicator size.
fn rules(tokens: &mut Tokens<'_>, has_requests: bool, reading: &mut TableReading) -> Result<Vec<TextRule>, TableError> {
    let (line, count) = tokens.number("the number of rules")?;
    let mut rules: Vec<TextRule> = Vec::new();
    for place in 0..count {
        let (line, bytes) = tokens.number("a message size")?;
        let [algorithm, fan_out, segment_bytes] =
            ["an algorithm", "a fan-out", "a segment size"].map(|what| tokens.number(what).map(|(_, number)| number));
        if has_requests {
            tokens.number("a number of requests")?;
        }
        if place == 0 && bytes != 0 {
            return Err(TableError::at_line(line, format!("the first message size is {bytes}, not 0; {DROPPED}")));
        }
        if rules.last().is_some_and(|last| bytes <= last.bytes) {
            reading.note(format!("line {line}: message sizes do not ascend; a look-up ends at the first larger one"));
        }
        rules.push(TextRule { line, bytes, algorithm: algorithm?, fan_out: fan_out?, segment_bytes: segment_bytes? });
    }
    if rules.is_empty() {
        reading.note(format!("line {line}: there are no rules, so the built-in decision counts"));
    }
    Ok(rules)
}

fn add(
    of: &'static LibraryCollective,
    rules: &[TextRule],
    communicator: Communicator,
    reading: &mut TableReading,
) -> Result<(), TableError> {
    let mut known = Vec::new();
    for rule in rules {
        let name = algorithm(of, rule.algorithm, reading.library).ok_or_else(|| {
            let (number, most) = (rule.algorithm, names(of.name).len());
            let most = LATER.iter().find(|(name, _)| *name == of.name).map_or(most, |(_, first)| first - 1);
            TableError::at_line(
                rule.line,
                format!("{} has the algorithms 1 to {most}, not {number}; the job aborts", of.name),
            )
        })?;
        let place = format!("line {}", rule.line);
        check_ranks(of, name, &place, communicator, reading)?;
        if rule.fan_out > 1 && name != "chain" {
            reading.note(format!("{place}: only chains have a fan-out; {} is ignored", rule.fan_out));
        }
        known.push(Rule {
            fan_out: u32::try_from(rule.fan_out).ok().filter(|&fan| fan > 0),
            segment_bytes: Some(rule.segment_bytes).filter(|&bytes| bytes > 0),
            ..Rule::new(place, (name != BUILT_IN).then_some(name))
        });
    }
    // A look-up ends at the first larger size.
    let at = |bytes: u64| {
        let place = rules.iter().position(|rule| rule.bytes > bytes).unwrap_or(rules.len()).checked_sub(1)?;
        Some(known[place].clone())
    };
    reading.add(of, rules.iter().map(|rule| rule.bytes).collect(), at);
    Ok(())
}

/// Checks that an algorithm supports the number of ranks.
fn check_ranks(
    of: &LibraryCollective,
    algorithm: &str,
    place: &str,
    Communicator { ranks, .. }: Communicator,
    reading: &mut TableReading,
) -> Result<(), TableError> {
    let fallback = match (of.name, algorithm) {
        ("allgather", "recursive_doubling") if !ranks.is_power_of_two() => "bruck",
        ("allgather", "neighbor") if !ranks.is_multiple_of(2) => "ring",
        (_, "two_proc") if ranks != 2 => {
            return Err(TableError::new(place, format!("two_proc is for 2 ranks, not {ranks}; the job aborts")));
        }
        _ => return Ok(()),
    };
    reading.note(format!("{place}: {algorithm} does not support {ranks} ranks; Open MPI uses {fallback}"));
    Ok(())
}

/// Returns true if a JSON text has rules.
pub(super) fn looks_like_json(text: &str) -> bool {
    text.contains("\"collectives\"") && (text.contains("\"comm_size_min\"") || text.contains("\"rule_file_version\""))
}

pub(super) fn read_json(text: &str, communicator: Communicator, reading: &mut TableReading) -> Result<(), TableError> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| TableError::at_line(error.line(), format!("this is no JSON; {DROPPED}")))?;
    let collectives = document.get("collectives").and_then(Value::as_object);
    let collectives =
        collectives.ok_or_else(|| TableError::new("collectives", format!("the object is missing; {DROPPED}")))?;
    for (field, expected) in [("rule_file_version", Value::from(3)), ("module", Value::from("tuned"))] {
        if document.get(field) != Some(&expected) {
            reading
                .note(format!("{field} is not {expected}, as the schema of Open MPI requires; its reader ignores it"));
        }
    }
    reading.note("Open MPI 4.1 and 5 ignore rules in JSON without a message");
    for (name, sizes) in collectives {
        let Some(of) = reading.library.collectives().iter().find(|of| of.name == name) else {
            reading.note(format!("the collective '{}' is left out", one_line(name)));
            continue;
        };
        for (number, size) in (1..).zip(sizes.as_array().into_iter().flatten()) {
            let place = format!("{name}, communicator {number}");
            let size = size.as_object().ok_or_else(|| TableError::new(&place, format!("no object; {DROPPED}")))?;
            let [least, most] = bounds(size, ["comm_size_min", "comm_size_max"], i32::MAX as u64, &place)?;
            if !(least..=most).contains(&communicator.ranks.into()) {
                continue;
            }
            let distribution = size.get("comm_rank_distribution").and_then(Value::as_str).unwrap_or("any");
            if distribution != "any" {
                reading.note(format!("{place}: only for ranks with the distribution '{}'", one_line(distribution)));
            }
            add_json(of, (size, &place), communicator, reading)?;
            break;
        }
    }
    Ok(())
}

fn add_json(
    of: &'static LibraryCollective,
    (size, place): (&Map<String, Value>, &str),
    communicator: Communicator,
    reading: &mut TableReading,
) -> Result<(), TableError> {
    let mut rules: Vec<([u64; 2], Rule)> = Vec::new();
    for (number, rule) in (1..).zip(size.get("rules").and_then(Value::as_array).into_iter().flatten()) {
        let place = format!("{place}, rule {number}");
        let rule = rule.as_object().ok_or_else(|| TableError::new(&place, format!("no object; {DROPPED}")))?;
        let bounds = bounds(rule, ["msg_size_min", "msg_size_max"], u64::MAX, &place)?;
        let name = match rule.get("alg") {
            Some(Value::String(name)) if name == BUILT_IN => Some(BUILT_IN),
            Some(Value::String(name)) => names(of.name).iter().find(|known| *known == name).copied(),
            Some(number) => number.as_u64().and_then(|number| algorithm(of, number, reading.library)),
            None => None,
        };
        let Some(name) = name else {
            reading.note(format!("{place}: the algorithm is unknown, so Open MPI ignores the rule"));
            continue;
        };
        check_ranks(of, name, &place, communicator, reading)?;
        let number = |field: &str| rule.get(field).and_then(Value::as_u64).filter(|&number| number > 0);
        let rule = Rule {
            fan_out: number("faninout").and_then(|fan| u32::try_from(fan).ok()),
            segment_bytes: number("seg_size"),
            ..Rule::new(place, (name != BUILT_IN).then_some(name))
        };
        rules.push((bounds, rule));
    }
    let starts = rules.iter().flat_map(|([first, last], _)| [*first, last.saturating_add(1)]).collect();
    let first = |bytes: u64| rules.iter().find(|([first, last], _)| (*first..=*last).contains(&bytes));
    reading.add(of, starts, |bytes| first(bytes).map(|(_, rule)| rule.clone()));
    Ok(())
}

/// Returns the bounds of a rule; the maximum may be `"inf"`.
fn bounds(object: &Map<String, Value>, fields: [&str; 2], most: u64, place: &str) -> Result<[u64; 2], TableError> {
    let number = |field: &str, default: u64| match object.get(field) {
        None => Ok(default),
        Some(Value::String(text)) if text == "inf" => Ok(most),
        Some(value) => value
            .as_u64()
            .ok_or_else(|| TableError::new(place, format!("{field} is no number and not \"inf\"; {DROPPED}"))),
    };
    Ok([number(fields[0], 0)?, number(fields[1], most)?])
}
