//! The commands and pictures of the guide in `docs/guide`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with pages, from the folder of this package.
const FOLDERS: [&str; 2] = ["../../docs/guide/src", "../../docs/guide/src/reference"];

/// The first page that a visitor sees. Its commands write no files.
const README: &str = "../../README.md";

/// The first words of the commands of a page.
const PROGRAMS: [&str; 2] = ["lockstep", "cat"];

/// Largest size of a file that the commands of a page write and the page keeps.
const MAX_FILE_BYTES: u64 = 40_000;

/// Commands run in a copy of the folder `NAME.in` beside a page. The files of `NAME.out` are compared with those that the commands
/// wrote.
#[test]
fn the_pages_print_their_transcripts() {
    let cases = trycmd::TestCases::new();
    for folder in FOLDERS {
        cases.case(format!("{folder}/*.md"));
    }
    cases.case(README);
    // Without the program `cat`, as on Windows, its commands are skipped.
    let folders = std::env::var_os("PATH").unwrap();
    let cat = std::env::split_paths(&folders).map(|folder| folder.join("cat")).find(|path| path.is_file());
    cases.register_bin("cat", cat.map_or(trycmd::schema::Bin::Ignore, trycmd::schema::Bin::Path));
}

/// The commands that a transcript does not know would be skipped.
#[test]
fn every_command_of_a_page_is_known() {
    let mut commands = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```console\n").skip(1) {
            let block = block.split_once("\n```").unwrap().0;
            for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
                let program = command.split_whitespace().next().unwrap();
                assert!(PROGRAMS.contains(&program), "{}: {command}", page.display());
                commands += 1;
            }
        }
        assert!(!text.contains("```trycmd") && !text.contains("console,ignore"), "{}", page.display());
    }
    assert!(commands > 50, "{commands}");
}

/// A file that no command writes would never be compared, because its page would not exist or would have no commands.
#[test]
fn every_folder_belongs_to_a_page_with_commands_that_name_its_files() {
    for folder in FOLDERS {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let Some(extension) = path.extension().filter(|extension| *extension == "in" || *extension == "out") else {
                continue;
            };
            let page = path.with_extension("md");
            let text = fs::read_to_string(&page).unwrap_or_else(|_| panic!("{} has no page", path.display()));
            let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("$ ")).collect();
            for name in super::names(&path) {
                let is_used = commands.iter().any(|command| command.split_whitespace().any(|word| word == name));
                assert!(is_used, "no command of {} names {name}", page.display());
                let bytes = fs::metadata(path.join(&name)).unwrap().len();
                assert!(bytes <= MAX_FILE_BYTES, "{}: {name} has {bytes} bytes", path.display());
                let is_picture = extension == "out" && Path::new(&name).extension().is_some_and(|kind| kind == "svg");
                let link = format!("]({}/{name})", path.file_name().unwrap().to_str().unwrap());
                assert!(!is_picture || text.contains(&link), "{} does not show {name}", page.display());
            }
        }
    }
}

/// A page that writes files without a folder `NAME.out` would write them into the repository.
#[test]
fn a_page_that_writes_files_runs_in_a_sandbox() {
    let writers = ["-o", "--output", "--book", "--plot", "--write-programs", "--checkpoint"];
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
        let words: BTreeSet<&str> = commands.flat_map(str::split_whitespace).collect();
        let is_writer = writers.iter().any(|option| words.contains(option));
        // Git keeps no empty folder.
        let has_folder = fs::read_dir(page.with_extension("out")).is_ok_and(|mut entries| entries.next().is_some());
        assert!(!is_writer || has_folder, "{} needs a folder with a file that it writes", page.display());
    }
}

/// Returns all pages of the guide, in order.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = Vec::new();
    for folder in FOLDERS {
        pages.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    pages.push(README.into());
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}
