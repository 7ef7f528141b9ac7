//! Rules for the links of Markdown files, and for the list of the pages of the guide.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::finding::Finding;
use crate::text_file::TextFile;

/// The address of the main branch of the repository. A link that begins with it leads to a file.
const REPOSITORY: &str = "https://github.com/lockstep-rs/lockstep/blob/main/";

/// The folder with the pages of the guide.
const GUIDE: &str = "docs/guide/src";

/// Finds the links of Markdown files that do not lead to a file, or to a heading of a file.
pub(crate) fn dead_links(files: &[TextFile], root: &Path) -> Vec<Finding> {
    let pages: Vec<&TextFile> = files.iter().filter(|file| file.has_extension("md")).collect();
    let anchors: BTreeMap<&Path, Vec<String>> =
        pages.iter().map(|page| (page.path.as_path(), headings(&page.text))).collect();
    let mut findings = Vec::new();
    for page in pages {
        for (line, link) in links(&page.text) {
            let Some((target, anchor)) = target(&page.path, link) else {
                continue;
            };
            if !root.join(&target).exists() {
                findings.push(Finding::at(&page.path, line, format!("`{link}` leads to no file; correct the link")));
            } else if let Some(anchors) = anchors.get(target.as_path())
                && !anchor.is_empty()
                && !anchors.iter().any(|heading| heading == anchor)
            {
                findings.push(Finding::at(&page.path, line, format!("`{link}` leads to no heading; correct the link")));
            }
        }
    }
    findings
}

/// Finds the pages of the guide that its summary does not name, or names twice.
pub(crate) fn unlisted_pages(files: &[TextFile]) -> Vec<Finding> {
    let summary_path = Path::new(GUIDE).join("SUMMARY.md");
    let Some(summary) = files.iter().find(|file| file.path == summary_path) else {
        return vec![Finding::of(&summary_path, "the guide has no list of its pages")];
    };
    let listed: Vec<PathBuf> =
        links(&summary.text).into_iter().filter_map(|(_, link)| Some(target(&summary_path, link)?.0)).collect();
    let pages = files.iter().map(|file| &file.path).filter(|path| {
        path.starts_with(GUIDE) && path.extension().is_some_and(|extension| extension == "md") && **path != summary_path
    });
    let count = |page: &PathBuf| listed.iter().filter(|path| *path == page).count();
    pages
        .filter(|page| count(page) != 1)
        .map(|page| Finding::of(page, format!("name the page once in {}", summary_path.display())))
        .collect()
}

/// Returns the file and the heading of a link, or `None` for an address outside of the repository and for a link of a template,
/// which has a `{placeholder}`.
fn target<'a>(page: &Path, link: &'a str) -> Option<(PathBuf, &'a str)> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if let Some(path) = path.strip_prefix(REPOSITORY) {
        return Some((path.into(), anchor));
    }
    if path.contains("://") || path.contains('{') {
        return None;
    }
    if path.is_empty() {
        return Some((page.to_owned(), anchor));
    }
    let mut target = page.parent()?.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                target.pop();
            }
            part => target.push(part),
        }
    }
    Some((target, anchor))
}

/// Returns the targets of the links of a page, `[text](target)`, with their lines, counted from 1. Code has no links.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    for (at, line) in prose_lines(text) {
        for prose in line.split('`').step_by(2) {
            for rest in prose.split("](").skip(1) {
                links.extend(rest.split_once(')').map(|(link, _)| (at, link)));
            }
        }
    }
    links
}

/// Returns the anchors of all headings, in the form of GitHub and mdBook.
fn headings(text: &str) -> Vec<String> {
    let titles = prose_lines(text).filter(|(_, line)| line.starts_with('#')).map(|(_, line)| line);
    titles.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(title: &str) -> String {
    let letters = title.chars().filter(|letter| letter.is_alphanumeric() || "-_ ".contains(*letter));
    letters.map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() }).collect()
}

/// Returns the lines outside of fenced code, with their numbers, counted from 1.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((at + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::root;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.into(), text: text.to_owned() }
    }

    #[test]
    fn links_to_missing_files_and_headings_are_named() {
        let good = "# A page, of 2\n[a](README.md) [b](#a-page-of-2) [c](docs/bounds.md) [d](https://example.org)\n";
        let address = format!("[e]({REPOSITORY}docs/bounds.md) [f]({REPOSITORY}docs/gone.md)\n");
        let bad = "[a](gone.md)\n```\n[b](gone.md)\n```\n`[c](gone.md)` [d](#gone)\n";
        let text = [good, &address, bad].concat();
        let found: Vec<String> =
            dead_links(&[file("README.md", &text)], &root()).iter().map(ToString::to_string).collect();
        let expected = [
            format!("README.md:3: `{REPOSITORY}docs/gone.md` leads to no file; correct the link"),
            "README.md:4: `gone.md` leads to no file; correct the link".to_owned(),
            "README.md:8: `#gone` leads to no heading; correct the link".to_owned(),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_link_of_a_folder_leads_upwards() {
        let (path, anchor) = target(Path::new("docs/guide/src/reference/run.md"), "../other-tools.md#formats").unwrap();
        assert_eq!((path.as_path(), anchor), (Path::new("docs/guide/src/other-tools.md"), "formats"));
    }

    #[test]
    fn pages_that_the_summary_does_not_name_or_names_twice_are_found() {
        let summary = file("docs/guide/src/SUMMARY.md", "- [a](a.md)\n- [b](b.md)\n- [b](b.md)\n");
        let pages = ["a", "b", "c"].map(|name| file(&format!("docs/guide/src/{name}.md"), ""));
        let files: Vec<TextFile> = [summary].into_iter().chain(pages).collect();
        let found: Vec<String> = unlisted_pages(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("b.md") && found[1].contains("c.md"));
        assert_eq!(unlisted_pages(&[]).len(), 1);
    }
}
