//! Rules for comments and prose: module documentation, source headings, banned words, length of files, paths.

use std::path::Path;

use super::finding::Finding;
use crate::text_file::TextFile;

/// Longer source files are split by role.
const LINE_LIMIT: usize = 500;

/// One line per banned phrase: the phrase, ` = `, and what to write instead.
const BANNED: &str = include_str!("banned_words.txt");

/// Folders of the repository that documents name.
const FOLDERS: [&str; 5] = ["crates/", "data/", "docs/", "fuzz/", "xtask/"];

/// Path prefixes and the banned words that they may contain.
const ALLOWED: &[(&str, &[&str])] = &[
    // The tests of this rule.
    ("xtask/src/tidy/prose.rs", &["anew", "dear", "judge", "judged", "so many"]),
    // The command `lockstep judge`.
    ("crates/cli/src/args/", &["judge"]),
    ("crates/cli/src/commands/", &["judge", "judged"]),
    ("crates/cli/src/lib.rs", &["judge"]),
    ("crates/cli/tests/program/", &["judge"]),
    ("crates/python/src/", &["judge"]),
    ("docs/guide/src/reference/json.md", &["judge"]),
    // The task that runs this command on a folder, and its page.
    ("xtask/src/judged.rs", &["judge", "judged"]),
    ("xtask/src/main.rs", &["judge", "judged"]),
    ("docs/judged.md", &["judge", "judged"]),
    ("docs/architecture.md", &["judged"]),
    ("README.md", &["judged"]),
    ("CHANGELOG.md", &["judged"]),
    ("docs/changes/", &["judged"]),
    // The old names of renamed items.
    ("docs/migration.md", &["dear", "judge"]),
];

/// Checks that each source file begins with its module documentation; `tests.rs`, the unit tests of a module, needs
/// none.
pub(crate) fn module_docs(file: &TextFile) -> Option<Finding> {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.starts_with("#!");
    let first = file.text.lines().find(is_code).unwrap_or_default();
    let is_missing = file.has_extension("rs") && !file.path.ends_with("tests.rs") && !first.starts_with("//!");
    is_missing.then(|| Finding::of(&file.path, "no module documentation: begin the file with `//!`"))
}

/// Checks that a source file has at most `LINE_LIMIT` lines.
pub(crate) fn length(file: &TextFile) -> Option<Finding> {
    let lines = file.text.lines().count();
    let is_long = file.has_extension("rs") && lines > LINE_LIMIT;
    is_long.then(|| Finding::of(&file.path, format!("{lines} lines, at most {LINE_LIMIT}: split the file by role")))
}

/// Checks that documentation names its sources below a heading `# Source`.
pub(crate) fn source_headings(file: &TextFile) -> Vec<Finding> {
    let is_misspelt = |line: &str| {
        let Some(doc) = ["///", "//!"].iter().find_map(|mark| line.trim_start().strip_prefix(mark)) else {
            return false;
        };
        let doc = doc.trim().trim_start_matches('*');
        let heading = doc.strip_prefix('#').map(|heading| heading.trim_start_matches('#').trim());
        let other = ["Sources", "Reference", "References"];
        doc.starts_with("Source:") || doc.starts_with("Source**") || heading.is_some_and(|text| other.contains(&text))
    };
    if !file.has_extension("rs") {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate().filter(|(_, line)| is_misspelt(line));
    lines.map(|(at, _)| Finding::at(&file.path, at + 1, "name the source below a heading `# Source`")).collect()
}

/// Finds the paths of a Markdown file that do not exist. A path is a code span that begins with a folder of the
/// repository. `NAME` and `*` stand for any name.
pub(crate) fn missing_paths(file: &TextFile, root: &Path) -> Vec<Finding> {
    if !file.has_extension("md") {
        return Vec::new();
    }
    let is_missing = |span: &&str| {
        FOLDERS.iter().any(|folder| span.starts_with(folder))
            && !span.contains("NAME")
            && !span.contains('*')
            && !root.join(span).exists()
    };
    let spans = file.text.lines().enumerate().flat_map(|(at, line)| {
        let spans = line.split('`').skip(1).step_by(2).filter(is_missing);
        spans.map(move |span| Finding::at(&file.path, at + 1, format!("`{span}` does not exist; correct the path")))
    });
    spans.collect()
}

/// Finds the banned words of a source file or a Markdown file, in prose and in identifiers. A word after `lockstep` is the
/// name of a command.
pub(crate) fn banned_words(file: &TextFile) -> Vec<Finding> {
    if !file.has_extension("rs") && !file.has_extension("md") {
        return Vec::new();
    }
    let allowed =
        |phrase: &str| ALLOWED.iter().any(|(prefix, words)| file.path.starts_with(prefix) && words.contains(&phrase));
    let banned: Vec<(Vec<&str>, &str)> = banned_phrases()
        .filter(|(phrase, _)| !allowed(phrase))
        .map(|(phrase, instead)| (phrase.split(' ').collect(), instead))
        .collect();
    let words = words(&file.text);
    let mut findings = Vec::new();
    for (at, (line, _)) in words.iter().enumerate() {
        for (phrase, instead) in &banned {
            let tail = words[at..].iter().map(|(_, word)| word.as_str());
            let is_command = phrase.len() == 1 && at > 0 && words[at - 1] == (*line, "lockstep".to_owned());
            if !is_command && tail.take(phrase.len()).eq(phrase.iter().copied()) {
                let message = format!("banned: `{}`; write {instead}", phrase.join(" "));
                findings.push(Finding::at(&file.path, *line, message));
            }
        }
    }
    findings
}

fn banned_phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    BANNED.lines().map(|line| line.split_once(" = ").expect("each line of banned_words.txt has ` = `"))
}

/// Returns the words of a text in lower case with their lines, counted from 1.
///
/// An identifier such as `PathTable` or `path_table` is two words. A constant such as `NOBODY` keeps its capitals, so
/// that it is not banned. `O(length)`.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut previous = ' ';
        for letter in line.chars() {
            let begins = !previous.is_alphabetic() || (previous.is_lowercase() && letter.is_uppercase());
            if letter.is_alphabetic() {
                match words.last_mut() {
                    Some((_, word)) if !begins => word.push(letter),
                    _ => words.push((at + 1, letter.to_string())),
                }
            }
            previous = letter;
        }
    }
    let is_constant = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    for (_, word) in words.iter_mut().filter(|(_, word)| !is_constant(word)) {
        *word = word.to_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::root;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.into(), text: text.to_owned() }
    }

    #[test]
    fn banned_words_are_found_in_prose_identifiers_and_across_lines() {
        let text = "A judge. `lockstep judge`\nlet plan_anew = BroadcastJudge; // so\n// many\n";
        let found: Vec<String> = banned_words(&file("a.rs", text)).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].starts_with("a.rs:1: banned: `judge`"));
        assert!(found[1].starts_with("a.rs:2: banned: `anew`"));
        assert!(found[3].starts_with("a.rs:2: banned: `so many`"));
    }

    #[test]
    fn longer_words_and_constants_are_not_banned() {
        assert!(
            banned_words(&file("a.md", "A request for endearing judgement; `NOBODY` marks a free entry.")).is_empty()
        );
    }

    #[test]
    fn every_banned_phrase_is_in_lower_case_and_has_a_replacement() {
        for (phrase, instead) in banned_phrases() {
            assert!(phrase.chars().all(|letter| letter.is_ascii_lowercase() || letter == ' '), "{phrase}");
            assert!(!instead.is_empty(), "{phrase}");
        }
    }

    #[test]
    fn a_file_without_module_documentation_is_named() {
        assert!(module_docs(&file("a.rs", "#![no_main]\n\n//! Docs.\n")).is_none());
        assert!(module_docs(&file("a.rs", "use std::mem;\n//! Docs.\n")).is_some());
        assert!(
            module_docs(&file("a.md", "Text")).is_none() && module_docs(&file("a/tests.rs", "use super::*;")).is_none()
        );
    }

    #[test]
    fn a_path_that_does_not_exist_is_named() {
        let text = "`xtask/src/main.rs`, `xtask`\n`xtask/src/NAME.rs` or `xtask/src/t*.rs`: `xtask/src/gone.rs`\n";
        let found: Vec<String> = missing_paths(&file("a.md", text), &root()).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["a.md:2: `xtask/src/gone.rs` does not exist; correct the path"]);
        assert!(missing_paths(&file("a.rs", text), &root()).is_empty());
    }

    #[test]
    fn other_spellings_of_a_source_are_named() {
        for line in ["/// Source: X", "//! **Source**: X", "    /// # Sources", "/// # References"] {
            assert_eq!(source_headings(&file("a.rs", line)).len(), 1, "{line}");
        }
        assert!(source_headings(&file("a.rs", "/// # Source\n// Source: X\nlet s = \"Source: X\";")).is_empty());
    }
}
