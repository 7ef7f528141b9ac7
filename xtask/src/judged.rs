//! `cargo xtask judged`: `lockstep judge` on all schedules in a folder, as a table.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::command::{Build, root};
use crate::process;

const USAGE: &str = "\
Judge all schedules in a folder

Usage: cargo xtask judged <FOLDER> [--write]

Options:
  --write  Write the table into docs/judged.md
";

/// The page with the table.
const PAGE: &str = "docs/judged.md";

/// The line of the page after which the table is.
const BEGIN: &str = "<!-- written by `cargo xtask judged FOLDER --write` -->\n";

/// Runs the task with the arguments after its name.
///
/// # Errors
///
/// If the program `lockstep` cannot be built or started, or if a file cannot be read or written.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode> {
    let (folder, is_write) = match *arguments {
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        [folder] | [folder, "--write"] if !folder.starts_with('-') => (Path::new(folder), arguments.len() == 2),
        _ => {
            eprint!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    ensure!(!files.is_empty(), "{}: no files", folder.display());
    let program = Build::Release.program("lockstep")?;
    let mut table = String::from(
        "| file | collective | execution | schedule | lower bound | gap | our plan |\n|---|---|---|---|---|---|---|\n",
    );
    let scratch = std::env::temp_dir().join(format!("lockstep-judged-{}", std::process::id()));
    fs::create_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    for file in &files {
        // MSCCL reads more files than RCCL, and its thread blocks are longer.
        let mut judge = Command::new(&program);
        let judge = judge.current_dir(folder).arg("judge").arg(file).args(["--for", "msccl"]);
        let finished = process::run(judge, process::TIME_LIMIT, &scratch)?;
        let row = row(file, &finished.text, finished.is_timeout);
        eprintln!("{row}");
        table += &row;
        table.push('\n');
    }
    fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    if is_write {
        let page = root().join(PAGE);
        let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
        let (head, _) = text.split_once(BEGIN).with_context(|| format!("{PAGE}: no line {BEGIN}"))?;
        fs::write(&page, format!("{head}{BEGIN}\n{table}")).with_context(|| page.display().to_string())?;
    } else {
        print!("{table}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Collects the files of a folder and of its folders, relative to it, in the order of their names.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        let path = folder.join(&inner);
        for entry in fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let entry = entry?;
            let name = inner.join(entry.file_name());
            if entry.file_type()?.is_dir() { folders.push(name) } else { files.push(name) }
        }
    }
    files.sort_unstable();
    Ok(())
}

/// Returns the row of a file from the output of `lockstep judge`.
fn row(file: &Path, output: &str, is_timeout: bool) -> String {
    let mut lines = BTreeMap::new();
    for line in output.lines() {
        // Two blanks or more are behind a label.
        if let Some((label, text)) = line.split_once("  ") {
            lines.entry(label.trim()).or_insert(text.trim());
        }
    }
    let name = file.display().to_string().replace('\\', "/");
    let cell = |label: &str| lines.get(label).copied().unwrap_or("-");
    let short = |label: &str, ends: &[&str]| {
        let text = cell(label);
        let end = ends.iter().filter_map(|end| text.find(end)).min();
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let [error, wrong] = ["error: ", "wrong: "].map(|begin| output.lines().find_map(|line| line.strip_prefix(begin)));
    let execution = match error {
        // The name of the file is in the first column.
        Some(error) => format!("not read: {}", error.replacen(&format!("{name}: "), "", 1)),
        None if let Some(wrong) = wrong => format!("wrong: {wrong}"),
        None if is_timeout => format!("no result in {} s", process::TIME_LIMIT.as_secs()),
        None => short("execution", &[" in ", ":"]),
    };
    let cells = [
        format!("`{name}`"),
        short("collective", &[" (", ":"]),
        execution,
        short("schedule", &[", each", ", as "]),
        short("lower bound", &[" step"]),
        short("gap", &[":"]),
        short("our plan", &[", found by"]),
    ];
    format!("| {} |", cells.map(|cell| cell.replace('|', "/")).join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_judge_become_cells() {
        let output = "program      csv\nexecution    right in 16 orders of the threads: 8 chunks\ncollective   all-gather (aab): \
                      4 messages\nschedule     3 steps, each transfer as early as possible\nlower bound  2 steps (ports): \
                      at most 2\ngap          1\nour plan     2 steps, optimal, found by x\n";
        let expected = "| `a/b.csv` | all-gather | right | 3 steps | 2 | 1 | 2 steps, optimal |";
        assert_eq!(row(Path::new("a/b.csv"), output, false), expected);
    }

    #[test]
    fn a_wrong_program_and_one_without_steps_have_the_reason() {
        let expected = "| `a.json` | - | wrong: csv: rank 0 has no data | - | - | - | - |";
        assert_eq!(row(Path::new("a.json"), "wrong: csv: rank 0 has no data\n", false), expected);
        let output = "program    te-ccl\nexecution  right in 16 orders of the threads\nschedule   none: other sizes\n";
        let expected = "| `a.json` | - | right | none: other sizes | - | - | - |";
        assert_eq!(row(Path::new("a.json"), output, false), expected);
    }

    #[test]
    fn a_file_that_cannot_be_read_has_the_reason() {
        let expected = "| `b.csv` | - | not read: line 1: empty | - | - | - | - |";
        assert_eq!(row(Path::new("b.csv"), "error: b.csv: line 1: empty\n", false), expected);
    }
}
