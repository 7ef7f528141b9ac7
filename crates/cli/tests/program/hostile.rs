//! Arguments and names of extreme length: no panic, and errors of one short line.

use std::fs;

use crate::run;
#[cfg(unix)]
use crate::{lockstep, stdout_of};

/// The most bytes of an error that quotes an argument, with the advice of clap or the list of all parts of the search.
#[cfg(unix)]
const MAX_MESSAGE: usize = 4_000;

/// A command with its options.
#[cfg(unix)]
const COMMANDS: [&str; 17] = [
    "topology ring:4",
    "topology",
    "bound ring:4 -c aab",
    "plan ring:4 -c aab --budget 100",
    "plan",
    "front dgx-1 -c aab --sizes 1KiB..1KiB --max-chunks 1",
    "faults ring:4 -c aab --links --budget 100",
    "faults lookup book.lsb --fail-link 0-1",
    "verify plan.json",
    "time plan.json --unit 1GB/s",
    "export plan.json --to mpi-c",
    "run plan.xml",
    "judge plan.xml --budget 100",
    "render plan.json",
    "simulate ring:4",
    "design --routers 2 --chassis 4 --population 4 --generations 1",
    "design pick --number 1",
];

/// Returns the options of a command that have a value, from its help.
#[cfg(unix)]
fn options(help: &str) -> Vec<String> {
    let option = |line: &str| {
        let word = line.split_whitespace().find(|word| word.starts_with("--"))?;
        line.trim_start().starts_with('-').then_some(())?;
        line.contains('<').then(|| word.to_owned())
    };
    help.lines().filter_map(option).collect()
}

#[cfg(unix)]
#[test]
fn errors_quote_a_short_part_of_a_long_argument() {
    let directory = tempfile::tempdir().unwrap();
    stdout_of(directory.path(), "plan ring:4 -c aab -o plan.json", b"");
    stdout_of(directory.path(), "export plan.json --to msccl-xml -o plan.xml", b"");
    stdout_of(directory.path(), "faults ring:4 -c aab --links --book book.lsb", b"");
    let mut tried = 0;
    for command in COMMANDS {
        let words: Vec<&str> = command.split_whitespace().collect();
        let name = if command.contains(" lookup") || command.contains(" pick") { 2 } else { 1 };
        let help = stdout_of(directory.path(), &format!("{} --help", words[..name].join(" ")), b"");
        let options = options(&String::from_utf8(help).unwrap());
        assert!(options.iter().any(|option| option == "--max-memory"), "{command}: {options:?}");
        for long in ["a-b=%,1 ".repeat(12_000), "x".repeat(100_000)] {
            let arguments = options.iter().map(|option| format!("{option}={long}")).chain([long.clone()]);
            for argument in arguments {
                let output = lockstep(directory.path()).args(&words).arg(&argument).output().unwrap();
                let message = String::from_utf8(output.stderr).unwrap();
                let start: String = argument.chars().take(40).collect();
                assert_eq!(output.status.code(), Some(2), "{command} {start}: {message:.300}");
                assert!(message.len() <= MAX_MESSAGE, "{command} {start}: {} bytes, {message:.300}", message.len());
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn names_of_nodes_may_be_longer_than_the_widths_of_formats() {
    let directory = tempfile::tempdir().unwrap();
    for length in [65_535, 65_536, 1 << 20] {
        let name = "n".repeat(length);
        fs::write(directory.path().join("net.edges"), format!("{name} a\na b\nb {name}\n")).unwrap();
        for arguments in [
            "topology net.edges",
            "topology net.edges --metrics diameter",
            "topology net.edges --format json",
            "topology net.edges --format html",
            "bound net.edges -c aab",
            "plan net.edges -c aab --table",
            "plan net.edges -c aab -o plan.html",
            "plan net.edges -c aab -o plan.svg",
            "plan net.edges -c aab -o plan.pdf",
            "plan net.edges -c aab -o plan.json",
            "verify plan.json",
            "time plan.json --unit 1GB/s",
            "export plan.json --to simgrid -o simgrid",
            "export plan.json --to latex",
            "faults net.edges -c aab --nodes",
            "faults net.edges -c aab --links --at-once 2 --book book.lsb",
            "faults lookup book.lsb --fail-link 0-1",
            "simulate net.edges",
        ] {
            let output = run(directory.path(), arguments, b"");
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0..=2)), "{length}, {arguments}: {message:.300}");
            assert!(message.len() <= 2_000, "{length}, {arguments}: {} bytes, {message:.300}", message.len());
        }
        fs::remove_file(directory.path().join("book.lsb")).unwrap();
    }
}
