//! `LogGOPSim` with the channels of the network: the simulated time of a schedule without conflicts is the time of its
//! steps.
//!
//! Messages that use a link at the same time share it; a link transmits one byte per unit of time. Two steps that are
//! merged are not faster, because their messages share the links.
//!
//! The model of the network has two limits. All links have the same bandwidth. And the simulator ends with a failed assertion
//! if a message begins when another one ends. So the task makes all sizes different, by less than one per cent, and a rank
//! works for one unit of time between two sends to a peer.
//!
//! # Source
//!
//! `LogGOPSim`, `src/LogGOPSim/Network.hpp`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::{self, Case};
use super::consumer::{Consumer, Effort, Fault, Found, Trial, Verdict};
use super::{loggopsim, steps};
use crate::process;

/// The factor of the sizes of other simulators: it leaves room for different sizes of messages.
const SCALE: u64 = 1 << 14;

/// The largest number of bytes that a message lacks. A chunk has at least 256 MiB.
const SPREAD: u64 = 1_600_000;

/// The number of tries with other sizes: a message may still begin when another one ends.
const TRIES: u64 = 20;

/// The failed assertion of a message that begins when another one ends.
const COINCIDENCE: &str = "msg_db_it != msg_db.end()";

struct LogGopSimNetwork;

/// Looks for `LogGOPSim` and `txt2bin`.
pub(crate) fn find() -> Found {
    loggopsim::check_installed()?;
    Ok(Box::new(LogGopSimNetwork))
}

impl Consumer for LogGopSimNetwork {
    fn name(&self) -> &'static str {
        "LogGOPSim with a network"
    }

    fn format(&self) -> &'static str {
        "goal"
    }

    fn options(&self, case: &Case) -> Vec<String> {
        vec!["--size".to_owned(), (SCALE * steps::size(case)).to_string()]
    }

    fn effort(&self) -> Effort {
        Effort::Small
    }

    fn supports(&self, case: &Case) -> bool {
        case.is_uniform
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        let text = fs::read_to_string(trial.file).with_context(|| trial.file.display().to_string())?;
        let network = trial.folder.join("network.dot");
        fs::write(&network, dot(&text, trial.case.ranks)?)?;
        let (program, binary) = (trial.folder.join("program.goal"), trial.folder.join("program.bin"));
        let is_merged = trial.fault == Some(Fault::MissingDependency);
        let mut verdict = Verdict::Accepted;
        for attempt in 0..TRIES {
            fs::write(&program, prepare(&text, attempt, is_merged)?)?;
            if let Some(error) = loggopsim::convert_text(trial, &program, &binary)? {
                return Ok(Verdict::Refused(error));
            }
            let mut simulator = Command::new("LogGOPSim");
            // A receive takes one unit of time. A send ends when its message has arrived.
            simulator.args(["-L", "0", "-o", "1", "-g", "0", "-G", "0", "-O", "0", "-S", "1", "-n", "simple"]);
            simulator.arg("--network-file").arg(&network).arg("-f").arg(&binary);
            let finished = process::run(&mut simulator, trial.limit, trial.folder)?;
            let times = finished.text.lines().filter_map(end_time);
            let is_complete = finished.is_success && loggopsim::is_complete(&finished.text, trial.case.ranks);
            if let Some(time) = times.max().filter(|_| is_complete) {
                return compare(trial, time);
            }
            verdict = Verdict::Refused(finished.reason("queue on host"));
            if !finished.text.contains(COINCIDENCE) {
                break;
            }
        }
        // An assertion that fails does not show that merged steps share links.
        Ok(if is_merged { Verdict::Accepted } else { verdict })
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        match fault {
            Fault::SwappedOffsets => Ok(false),
            // The run merges the steps.
            Fault::MissingDependency => is_channel_full(trial),
            Fault::WrongPeer => loggopsim::wrong_peer(trial).map(|()| true),
        }
    }
}

/// Compares a simulated time with that of the steps, with a unit of time of 1 ns.
fn compare(trial: &Trial<'_>, time: u64) -> Result<Verdict> {
    let steps_time = steps::measure(trial)?;
    #[expect(clippy::cast_precision_loss, reason = "a simulated time and a number of steps are small")]
    let (seconds, count, scale) = (time as f64 * 1e-9, trial.case.steps as f64, SCALE as f64);
    let total = count * scale * steps_time.chunk / steps_time.bandwidth;
    Ok(steps::verdict(trial, seconds, total, total * steps_time.asynchronous_part))
}

/// Returns the time at which a rank ends, from a line of the output.
fn end_time(line: &str) -> Option<u64> {
    line.strip_prefix("Host ")?.split_once(": ")?.1.trim().parse().ok()
}

/// A line of a program.
enum Line<'a> {
    Rank(usize),
    Send { label: &'a str, size: u64, peer: usize, tag: u64 },
    Receive { label: &'a str, size: u64, peer: usize, tag: u64 },
    Requires { label: &'a str, before: &'a str },
    End,
    Other,
}

/// Reads a line of the text.
fn line(text: &str) -> Result<Line<'_>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = |label: &'static str, size: &str, peer: &str, tag: &str| -> Result<(u64, usize, u64)> {
        let size = size.trim_end_matches('b').parse();
        Ok((size.context(label)?, peer.parse().context(label)?, tag.parse().context(label)?))
    };
    Ok(match words[..] {
        ["rank", rank, "{"] => Line::Rank(rank.parse()?),
        [label, "send", size, "to", peer, "tag", tag, ..] => {
            let (size, peer, tag) = read("a send", size, peer, tag)?;
            Line::Send { label: label.trim_end_matches(':'), size, peer, tag }
        }
        [label, "recv", size, "from", peer, "tag", tag, ..] => {
            let (size, peer, tag) = read("a receive", size, peer, tag)?;
            Line::Receive { label: label.trim_end_matches(':'), size, peer, tag }
        }
        [label, "requires", before] => Line::Requires { label, before },
        ["}"] => Line::End,
        _ => Line::Other,
    })
}

/// Returns the network in the form that the simulator reads: a link for each two ranks of which one receives from the
/// other. Each link is the route to its end.
fn dot(text: &str, ranks: usize) -> Result<String> {
    let (mut links, mut rank) = (BTreeSet::new(), 0);
    for text in text.lines() {
        match line(text)? {
            Line::Rank(number) => rank = number,
            Line::Receive { peer, .. } => _ = links.insert((peer, rank)),
            _ => {}
        }
    }
    let mut dot = "digraph network {\n".to_owned();
    for rank in 0..ranks {
        writeln!(dot, "H{rank};")?;
    }
    for (from, to) in links {
        writeln!(dot, "H{from} -> H{to} [comment=\"H{to}\"];")?;
    }
    Ok(dot + "}\n")
}

/// Returns a size that differs from those of other messages.
fn different_size(size: u64, tag: u64, attempt: u64) -> u64 {
    // A linear hash is too weak: the times at which messages end are sums of sizes, and would be equal.
    let hash = cases::mix((attempt << 32) + tag);
    size - (hash % SPREAD).min(size - 1)
}

/// Returns the program with different sizes, where a send waits for the send before it to the same peer.
///
/// In a program with merged steps, the operations that wait only for operations of the first step do not wait.
fn prepare(text: &str, attempt: u64, is_merged: bool) -> Result<String> {
    let mut program = String::new();
    let mut sends: BTreeSet<&str> = BTreeSet::new();
    let mut last_sends: BTreeMap<usize, &str> = BTreeMap::new();
    let mut waits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for text in text.lines() {
        match line(text)? {
            Line::Send { label, size, peer, tag } => {
                let size = different_size(size, tag, attempt);
                writeln!(program, "{label}: send {size}b to {peer} tag {tag}")?;
                sends.insert(label);
                if let Some(before) = last_sends.insert(peer, label) {
                    waits.entry(label).or_default().push(before);
                }
            }
            Line::Receive { label, size, peer, tag } => {
                writeln!(program, "{label}: recv {}b from {peer} tag {tag}", different_size(size, tag, attempt))?;
            }
            Line::Requires { label, before } => waits.entry(label).or_default().push(before),
            Line::End => {
                last_sends.clear();
                for (label, befores) in &waits {
                    if is_merged && befores.iter().all(|before| !waits.contains_key(before)) {
                        continue;
                    }
                    let (after_sends, others): (Vec<&str>, Vec<&str>) =
                        befores.iter().copied().partition(|before| sends.contains(before));
                    for before in others {
                        writeln!(program, "{label} requires {before}")?;
                    }
                    if !after_sends.is_empty() {
                        writeln!(program, "w{label}: calc 1\n{label} requires w{label}")?;
                    }
                    for before in after_sends {
                        writeln!(program, "w{label} requires {before}")?;
                    }
                }
                sends.clear();
                waits.clear();
                program.push_str("}\n");
            }
            Line::Rank(_) | Line::Other => writeln!(program, "{text}")?,
        }
    }
    Ok(program)
}

/// Returns true if a channel is busy in every step: then two merged steps are not faster.
fn is_channel_full(trial: &Trial<'_>) -> Result<bool> {
    let text = fs::read_to_string(trial.file).with_context(|| trial.file.display().to_string())?;
    let (mut messages, mut rank) = (BTreeMap::new(), 0);
    for text in text.lines() {
        match line(text)? {
            Line::Rank(number) => rank = number,
            Line::Send { peer, .. } => *messages.entry((rank, peer)).or_insert(0) += 1,
            _ => {}
        }
    }
    Ok(trial.case.steps > 1 && messages.into_values().max() == Some(trial.case.steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "num_ranks 2

rank 0 {
o0: send 16777216b to 1 tag 0 nic 0
o1: send 16777216b to 1 tag 1 nic 0
o2: recv 16777216b from 1 tag 2 nic 0
o1 requires o2
}

rank 1 {
o0: recv 16777216b from 0 tag 0 nic 0
}
";

    #[test]
    fn the_network_has_a_link_for_each_receive() {
        let dot = dot(PROGRAM, 2).unwrap();
        assert_eq!(dot, "digraph network {\nH0;\nH1;\nH0 -> H1 [comment=\"H1\"];\nH1 -> H0 [comment=\"H0\"];\n}\n");
    }

    #[test]
    fn a_send_waits_for_the_send_before_it_to_the_same_peer() {
        let program = prepare(PROGRAM, 0, false).unwrap();
        assert!(program.contains("o1 requires o2\nw"), "{program}");
        assert!(program.contains("wo1: calc 1\no1 requires wo1\nwo1 requires o0\n}"), "{program}");
        let merged = prepare(PROGRAM, 0, true).unwrap();
        assert!(!merged.contains("requires"), "{merged}");
    }

    #[test]
    fn sizes_differ_by_less_than_one_per_cent() {
        let size = 1 << 28;
        let sizes: BTreeSet<u64> = (0..1000).map(|tag| different_size(size, tag, 0)).collect();
        assert!(sizes.len() > 990, "{} sizes", sizes.len());
        assert!(sizes.iter().all(|&other| other <= size && 100 * (size - other) < size));
        assert_ne!(different_size(size, 7, 0), different_size(size, 7, 1));
    }

    #[test]
    fn the_time_of_a_rank_is_read() {
        assert_eq!(end_time("Host 12: 50316684"), Some(50_316_684));
        assert_eq!(end_time("query returned 12"), None);
    }
}
