//! GOAL: sends, receives and computations of `LogGOPSim` and ATLAHS, as text.
//!
//! Receives from any rank or with any tag are not supported, because no order of the threads shows all their matches.
//!
//! # Source
//!
//! `LogGOPSim`, `txt2bin.re`.

use std::collections::BTreeMap;

use super::messages::{self, Task, Work};
use super::text::number;
use crate::error::LoadError;
use crate::program::{Names, ParallelProgram};

const NAMES: Names = Names { thread: "task", place: "line" };

/// Replaces comments by blanks and keeps line breaks.
pub(super) fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut result = String::with_capacity(text.len());
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        result.push_str(&rest[..start]);
        let comment = &rest[start..];
        let length =
            if comment.starts_with("//") { comment.find('\n') } else { comment[2..].find("*/").map(|end| end + 4) };
        let (comment, after) = comment.split_at(length.unwrap_or(comment.len()));
        result.extend(comment.chars().filter(|&c| c == '\n'));
        rest = after;
    }
    result.push_str(rest);
    result
}

/// Reads a program.
pub(super) fn load(text: &str) -> Result<ParallelProgram, LoadError> {
    let text = without_comments(text);
    let mut lines =
        (1..).zip(text.lines()).map(|(line, text)| (line, words(text))).filter(|(_, words)| !words.is_empty());
    let rank_count = match lines.next() {
        Some((line, words)) => match words[..] {
            ["num_ranks", count] => number(line, "num_ranks", "number", count, u32::MAX.into())? as usize,
            _ => return Err(LoadError::syntax(line, "`num_ranks N`", words[0])),
        },
        None => return Err(LoadError::syntax(1, "`num_ranks N`", "")),
    };
    let mut ranks = Vec::new();
    let mut last = 1;
    while let Some((line, words)) = lines.next() {
        last = line;
        match words[..] {
            ["rank", rank, "{"] => {
                let rank = number(line, "rank", "number", rank, u32::MAX.into())? as usize;
                if rank != ranks.len() {
                    return Err(LoadError::field(
                        line,
                        "rank",
                        "number",
                        rank,
                        format!("{}, the next rank", ranks.len()),
                    ));
                }
                ranks.push(tasks_of_rank(&mut lines, line, rank_count)?);
            }
            _ => return Err(LoadError::syntax(line, "`rank R {`", words[0])),
        }
    }
    if ranks.len() != rank_count {
        let expected = format!("the number of ranks in the file: {}", ranks.len());
        return Err(LoadError::field(last, "num_ranks", "number", rank_count, expected));
    }
    Ok(messages::program(format!("messages of {rank_count} ranks"), NAMES, &ranks))
}

/// Splits a line into words. A colon ends a word.
fn words(line: &str) -> Vec<&str> {
    line.split_inclusive(':').flat_map(str::split_whitespace).collect()
}

/// A dependency between labels, resolved at the end of the rank.
struct Dependency<'a> {
    line: usize,
    task: &'a str,
    other: &'a str,
    on_start: bool,
}

/// Reads the tasks of a rank to the closing brace.
fn tasks_of_rank<'a>(
    lines: &mut impl Iterator<Item = (usize, Vec<&'a str>)>,
    first_line: usize,
    rank_count: usize,
) -> Result<Vec<Task>, LoadError> {
    let (mut tasks, mut labels, mut dependencies) = (Vec::new(), BTreeMap::new(), Vec::new());
    loop {
        let Some((line, words)) = lines.next() else {
            return Err(LoadError::syntax(first_line, "`}` at the end of the rank", ""));
        };
        match words[..] {
            ["}"] => break,
            [task, "requires", other] => dependencies.push(Dependency { line, task, other, on_start: false }),
            [task, "irequires", other] => dependencies.push(Dependency { line, task, other, on_start: true }),
            [label, ref rest @ ..] if label.ends_with(':') => {
                if labels.insert(label.trim_end_matches(':'), tasks.len() as u32).is_some() {
                    return Err(LoadError::field(line, "task", "label", label, "a label that is new in its rank"));
                }
                tasks.push(task(line, rest, rank_count)?);
            }
            ref words => tasks.push(task(line, words, rank_count)?),
        }
    }
    for Dependency { line, task, other, on_start } in dependencies {
        let find = |label: &str| {
            labels
                .get(label)
                .copied()
                .ok_or_else(|| LoadError::field(line, "requires", "label", label, "a label of this rank"))
        };
        let (task, other) = (find(task)?, find(other)?);
        let task: &mut Task = &mut tasks[task as usize];
        if on_start { task.after_start.push(other) } else { task.after_end.push(other) }
    }
    Ok(tasks)
}

/// Reads a task without its label.
fn task(line: usize, words: &[&str], rank_count: usize) -> Result<Task, LoadError> {
    let (work, size, options) = match *words {
        ["send", size, "to", peer, ref options @ ..] => (Some((true, peer)), size, options),
        ["recv", size, "from", peer, ref options @ ..] => (Some((false, peer)), size, options),
        ["calc", size, ref options @ ..] => (None, size, options),
        _ => {
            let expected = "`send SIZEb to RANK`, `recv SIZEb from RANK`, `calc TIME`, `A requires B` or `}`";
            return Err(LoadError::syntax(line, expected, &words.join(" ")));
        }
    };
    let mut tag = 0;
    for option in options.chunks(2) {
        match *option {
            ["tag", value] => tag = number(line, "task", "tag", value, u32::MAX.into())? as u32,
            ["cpu", value] => _ = number(line, "task", "cpu", value, u8::MAX.into())?,
            ["nic", value] => _ = number(line, "task", "nic", value, u8::MAX.into())?,
            _ => return Err(LoadError::syntax(line, "`tag N`, `cpu N` or `nic N`", &option.join(" "))),
        }
    }
    let (work, size) = match work {
        None => (Work::Compute, number(line, "calc", "time", size, u64::MAX)?),
        Some((sends, peer)) => {
            let Some(bytes) = size.strip_suffix('b') else {
                return Err(LoadError::field(
                    line,
                    "task",
                    "size",
                    size,
                    "a number of bytes with `b`, for example `8b`",
                ));
            };
            let peer = number(line, "task", "peer", peer, rank_count.saturating_sub(1) as u64)? as u32;
            let work = if sends { Work::Send { to: peer, tag } } else { Work::Receive { from: peer, tag } };
            (work, number(line, "task", "size", bytes, u64::MAX)?)
        }
    };
    Ok(Task { line: line as u32, work, size, after_end: Vec::new(), after_start: Vec::new() })
}
