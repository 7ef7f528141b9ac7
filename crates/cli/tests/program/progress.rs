//! The line of progress on a terminal, which the program `script` simulates.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// Columns of the terminal.
const COLUMNS: usize = 100;
/// The words of a line, in this order.
const WORDS: [&str; 4] = [": bound ", ", best ", " of the budget", " left"];

/// Runs the program on a terminal. Returns what it wrote; `None` where `script` is not installed.
fn on_terminal(arguments: &str) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_lockstep");
    let line = format!("stty cols {COLUMNS} rows 24; exec '{program}' {arguments}");
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(directory.path());
    command.env("TERM", "xterm").env("SHELL", "/bin/sh").env_remove("LOCKSTEP_LOG").env_remove("NO_COLOR");
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        // A closed standard error does not concern the test.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no terminal was tested; install script of util-linux");
        return None;
    };
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stdout));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Returns the lines of progress in the order in which they were written, without control sequences.
fn progress_lines(written: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => {
                // A control sequence ends with a letter.
                let _ = letters.find(char::is_ascii_alphabetic);
                plain.push('\n');
            }
            '\r' => plain.push('\n'),
            letter => plain.push(letter),
        }
    }
    plain.lines().filter(|line| line.contains(WORDS[0])).map(str::to_owned).collect()
}

#[test]
fn all_commands_show_the_same_words_in_one_line() {
    for arguments in [
        "plan omega:16 -c aas --engine umda --seed 3 --budget 1s",
        "plan random-regular:60,4,1 -c all-to-all --budget 1s",
        "design --routers 8 --chassis 16 --preset stated --generations 200 --seed 3 -o s.json",
        "design --order 600 --degree 4 --rounds 9",
        "faults mesh:4x4 -c all-to-all --links --sample 20 --budget 200000",
        "simulate torus:8x8 --workload chained --tasks 8 --flows 100",
    ] {
        let Some(written) = on_terminal(arguments) else { return };
        let lines = progress_lines(&written);
        assert!(!lines.is_empty(), "{arguments}: {written}");
        for line in &lines {
            assert!(line.chars().count() <= COLUMNS, "{arguments}: {line}");
            let places: Vec<Option<usize>> = WORDS[..3].iter().map(|words| line.find(words)).collect();
            assert!(places.is_sorted() && places.iter().all(Option::is_some), "{arguments}: {line}");
        }
        let different: BTreeSet<&String> = lines.iter().collect();
        assert!(different.len() > 1, "{arguments}: {different:?}");
        assert!(lines.iter().any(|line| line.contains(WORDS[3])), "{arguments}: {different:?}");
    }
}

#[test]
fn quiet_shows_no_progress() {
    let arguments = "plan random-regular:60,4,1 -c all-to-all --budget 1s --quiet";
    let Some(written) = on_terminal(arguments) else { return };
    assert!(progress_lines(&written).is_empty(), "{written}");
}
