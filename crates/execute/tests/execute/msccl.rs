//! MSCCL XML: right algorithms, all mutations of their steps, deadlocks, races and limits.

use lockstep_execute::{ExecuteOptions, Format, RaceCheck, Runtime, Violation, execute, load};

use crate::{ring, run};

const RELAY: &str = include_str!("../data/all-to-all-relay.xml");

fn samples() -> [String; 3] {
    [ring::all_reduce(4), ring::all_gather(5), RELAY.to_owned()]
}

fn violation(text: &str) -> Violation {
    let programs = load(text.as_bytes(), Format::MscclXml, Runtime::Rccl).expect("the file can be loaded");
    execute(&programs[0], ExecuteOptions { orders: 8, seed: 3 }).expect_err("the algorithm is wrong")
}

/// Returns the number of an attribute of a line.
fn attribute(line: &str, name: &str) -> Option<i64> {
    let value = line.split_once(&format!(" {name}=\""))?.1;
    value[..value.find('"')?].parse().ok()
}

/// Replaces the number of an attribute of a line.
fn with(line: &str, name: &str, value: i64) -> String {
    let old = attribute(line, name).expect("the line has the attribute");
    line.replace(&format!(" {name}=\"{old}\""), &format!(" {name}=\"{value}\""))
}

/// Gives the steps of each thread block ascending numbers.
fn renumbered(lines: &[String]) -> String {
    let mut next = 0;
    let mut text = String::new();
    for line in lines {
        let is_step = line.contains("<step");
        text.push_str(&if is_step { with(line, "s", next) } else { line.clone() });
        text.push('\n');
        next = if is_step { next + 1 } else { 0 };
    }
    text
}

/// Returns all spoiled forms of an algorithm, with the operators that made them.
fn mutations(text: &str) -> Vec<(String, String)> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut spoiled = Vec::new();
    let mut add = |operator: &str, index: usize, change: &dyn Fn(&mut Vec<String>)| {
        let mut changed = lines.clone();
        change(&mut changed);
        spoiled.push((format!("{operator} in line {}", index + 1), renumbered(&changed)));
    };
    for (index, line) in lines.iter().enumerate() {
        let set = |name: &'static str, value: i64| {
            move |lines: &mut Vec<String>| lines[index] = with(&lines[index], name, value)
        };
        if line.contains("<tb") {
            let gpus = attribute(text, "ngpus").unwrap();
            for name in ["send", "recv"] {
                let peer = attribute(line, name).unwrap();
                if peer >= 0 {
                    add("wrong peer", index, &set(name, (peer + 1) % gpus));
                    add("no peer", index, &set(name, -1));
                }
            }
            add("duplicate id", index, &set("id", attribute(line, "id").unwrap() + 1));
        }
        if !line.contains("<step") {
            continue;
        }
        let kind = ["rrcs", "rrs", "rrc", "rcs", "cpy", "nop", "re", "s", "r"]
            .into_iter()
            .find(|kind| line.contains(&format!("type=\"{kind}\"")))
            .unwrap();
        if kind != "nop" {
            add("wrong count", index, &set("cnt", attribute(line, "cnt").unwrap() + 1));
            add("dropped step", index, &|lines| _ = lines.remove(index));
        }
        for (name, kinds) in
            [("srcoff", &["s", "rrs", "rrcs", "rrc", "cpy"][..]), ("dstoff", &["r", "rcs", "rrc", "rrcs", "cpy"][..])]
        {
            if kinds.contains(&kind) {
                let offset = attribute(line, name).unwrap();
                add("wrong offset", index, &set(name, offset + 1));
                add("wrong offset", index, &set(name, offset - 1));
            }
        }
        if attribute(line, "depid").unwrap() >= 0 {
            add("missing dependency", index, &set("depid", -1));
        }
        if lines[index + 1].contains("<step") && !line.contains("cpy") && kind != "nop" {
            add("swapped steps", index, &|lines| lines.swap(index, index + 1));
        }
    }
    spoiled
}

#[test]
fn right_algorithms_run_in_all_orders() {
    for text in samples() {
        let execution = run(&text, Format::MscclXml).unwrap();
        assert_eq!((execution.orders, execution.races), (8, RaceCheck::NoRace));
    }
    assert_eq!(run(&ring::all_reduce(4), Format::MscclXml).unwrap().outputs, 16);
}

#[test]
fn every_mutation_is_found() {
    let mut count = 0;
    for text in samples() {
        for (operator, spoiled) in mutations(&text) {
            assert!(run(&spoiled, Format::MscclXml).is_err(), "{operator}:\n{spoiled}");
            count += 1;
        }
    }
    assert!(count > 300, "{count} mutations");
}

#[test]
fn a_missing_dependency_is_a_race() {
    // In the first order, the copy comes after the receive. Only the clocks find the race.
    let nop = "cnt=\"0\" depid=\"2\" deps=\"0\"";
    let message = violation(&RELAY.replacen(nop, "cnt=\"0\" depid=\"-1\" deps=\"-1\"", 1)).to_string();
    let expected =
        "data race on rank 1, scratch chunk 0: rank 1, tb 2, step 0 and rank 1, tb 4, step 3 are not ordered";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_deadlock_lists_the_ring() {
    let text = ring::all_reduce(2).replace("type=\"s\"", "type=\"rrs\"");
    let Violation::Deadlock { waiting } = violation(&text) else { panic!("expected a deadlock") };
    let texts: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    let expected = [
        "rank 0, tb 0, step 0 waits for a message from rank 1",
        "rank 1, tb 0, step 0 waits for a message from rank 0",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_wrong_output_names_chunk_and_contributions() {
    // The last GPU stores its last chunk in the place of another one.
    let text =
        ring::all_gather(3).replace("type=\"r\" srcbuf=\"o\" srcoff=\"1\"", "type=\"r\" srcbuf=\"o\" srcoff=\"0\"");
    assert!(run(&text, Format::MscclXml).is_ok(), "a receive does not read its source");
    let lines: Vec<String> = ring::all_reduce(2).lines().map(|line| line.replace("rrcs", "rcs")).collect();
    let message = violation(&lines.join("\n")).to_string();
    let expected = "rank 0, output chunk 0 is chunk 0 of rank 0; expected the sum of chunk 0 of all ranks";
    assert_eq!(message, expected);
}

/// MSCCL has default values for the sizes, and each of its algorithms has one placement.
#[test]
fn msccl_needs_neither_sizes_nor_two_placements() {
    let full = ring::all_gather(5);
    let load = |text: &str, runtime| load(text.as_bytes(), Format::MscclXml, runtime);
    for field in ["minBytes", "maxBytes", "outofplace"] {
        let value = attribute(&full, field).expect("the algorithm has the attribute");
        let without = full.replacen(&format!(" {field}=\"{value}\""), "", 1);
        let error = load(&without, Runtime::Rccl).expect_err("RCCL needs the attribute").to_string();
        assert!(error.contains(&format!("`algo` has no `{field}`; RCCL needs it")), "{error}");
        for program in load(&without, Runtime::Msccl).expect("MSCCL does not need the attribute") {
            execute(&program, ExecuteOptions { orders: 8, seed: 3 }).expect("the algorithm is right");
        }
    }
}

#[test]
fn limits_of_the_runtimes_differ() {
    let long = ring::all_reduce(40);
    let error = load(long.as_bytes(), Format::MscclXml, Runtime::Rccl).unwrap_err().to_string();
    assert!(error.contains("65 steps of a thread block, but RCCL supports at most 64"), "{error}");
    let programs = load(long.as_bytes(), Format::MscclXml, Runtime::Msccl).unwrap();
    execute(&programs[0], ExecuteOptions { orders: 4, seed: 0 }).unwrap();
}

#[test]
fn both_placements_are_executed() {
    let both = ring::all_reduce(3).replace("outofplace=\"0\"", "outofplace=\"1\"");
    let programs = load(both.as_bytes(), Format::MscclXml, Runtime::Rccl).unwrap();
    let titles: Vec<&str> = programs.iter().map(|program| program.title.as_str()).collect();
    assert_eq!(titles, ["allreduce out of place", "allreduce in place"]);
    assert!(execute(&programs[0], ExecuteOptions { orders: 2, seed: 0 }).is_err(), "the output begins undefined");
}

#[test]
fn the_grammar_is_that_of_the_runtimes() {
    let text = ring::all_gather(3);
    for (old, new, message) in [
        ("<algo", "<?xml version=\"1.0\"?><algo", "expected a name"),
        ("\" proto", "\"  proto", "expected a name"),
        ("proto=\"Simple\"", "proto=\"Complex\"", "`proto` of `algo` is `Complex`; expected one of Simple, LL, LL128"),
        (" minBytes=\"0\"", "", "`algo` has no `minBytes`"),
        ("allgather", "all_gather", "`coll` of `algo` is `all_gather`"),
        ("hasdep=\"1\"", "hasdep=\"0\"", "`hasdep` of `step` is `0`; expected 1"),
        ("cnt=\"1\"", "cnt=\"72\"", "`cnt` of `step` is `72`; expected a whole number from 1 to 71"),
        ("</algo>", "", "expected `</algo>`"),
    ] {
        let error = run(&text.replacen(old, new, 1), Format::MscclXml).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn only_an_algorithm_is_a_program_in_xml() {
    let found = |text: &str| lockstep_execute::detect(text.as_bytes());
    assert_eq!(found("<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<algo name=\"a\"/>"), Some(Format::MscclXml));
    assert_eq!(found("<!DOCTYPE html>\n<html><body>algo</body></html>"), None);
    assert_eq!(found("<system version=\"1\"><cpu/></system>"), None);
}
