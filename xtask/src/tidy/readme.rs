//! Generated Markdown: the README of each package, and the table of packages in the README of the repository.

use std::fmt::Write;

use crate::package::Package;

/// The end of each README.
const FOOTER: &str = "
Part of [Lockstep](https://github.com/lockstep-rs/lockstep), which designs collective communication schedules with proved
lower bounds.

## License

MIT or Apache-2.0, at your option.
";

/// Returns the README of a package: its name as the title, the documentation of its library, and the licence.
///
/// Lines of doc tests that rustdoc hides are left out, links to items become code, and headings move one level down.
/// `source` is the text of `lib.rs`.
pub(crate) fn readme(package: &Package<'_>, source: &str) -> String {
    let mut text = format!("# {}\n\n", package.name());
    let mut fence = Fence::Outside;
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let with_address: Vec<&str> = lines.clone().filter_map(label_of_address).collect();
    for line in lines {
        if let Some(language) = line.strip_prefix("```") {
            fence = fence.next(language);
            let is_rust = fence == Fence::Rust;
            text += if is_rust { "```rust" } else { line };
        } else if fence == Fence::Rust {
            if line == "#" || line.starts_with("# ") {
                continue;
            }
            text += line;
        } else if fence == Fence::Other {
            text += line;
        } else if is_item_definition(line) {
            continue;
        } else {
            if line.starts_with('#') {
                text.push('#');
            }
            text += &without_item_links(line, &with_address);
        }
        text.push('\n');
    }
    text + FOOTER
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fence {
    Outside,
    /// A doc test.
    Rust,
    Other,
}

impl Fence {
    /// Returns the state after a line that begins with three backticks and then `language`.
    fn next(self, language: &str) -> Self {
        let is_test = |word: &str| ["", "rust", "no_run", "ignore", "should_panic", "compile_fail"].contains(&word);
        match self {
            Self::Outside if language.split(',').all(is_test) => Self::Rust,
            Self::Outside => Self::Other,
            Self::Rust | Self::Other => Self::Outside,
        }
    }
}

/// Splits the definition of a link, `` [`name`]: path ``, into its label and its target.
fn definition(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("]: ")
}

/// Returns true for the definition of a link to an item.
fn is_item_definition(line: &str) -> bool {
    definition(line).is_some_and(|(_, target)| !is_address(target))
}

/// Returns the label of the definition of a link to a web address.
fn label_of_address(line: &str) -> Option<&str> {
    definition(line).filter(|(_, target)| is_address(target)).map(|(label, _)| label)
}

fn is_address(target: &str) -> bool {
    target.starts_with("http") || target.starts_with('#')
}

/// Replaces links to items, which only rustdoc resolves, by their text. Labels `with_address` are no items.
fn without_item_links(line: &str, with_address: &[&str]) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once('[') {
        text += before;
        let Some((label, after)) = link.split_once(']') else {
            text.push('[');
            rest = link;
            continue;
        };
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        match target {
            Some((target, _)) if is_address(target) => {
                text = text + "[" + label + "]";
                rest = after;
            }
            Some((_, after)) => {
                text += label;
                rest = after;
            }
            None if label.starts_with('`') && !with_address.contains(&label) => {
                text += label;
                rest = after;
            }
            None => {
                text = text + "[" + label + "]";
                rest = after;
            }
        }
    }
    text + rest
}

/// The lines around the table of packages in the README of the repository.
const TABLE: [&str; 2] = ["<!-- packages: written by `cargo xtask tidy --write` -->\n", "<!-- end of packages -->\n"];

/// Returns the README of the repository with a current table of the published packages, or `None` if it has no table.
pub(crate) fn with_package_table(readme: &str, packages: &[Package<'_>]) -> Option<String> {
    let (before, rest) = readme.split_once(TABLE[0])?;
    let (_, after) = rest.split_once(TABLE[1])?;
    let mut text = format!("{before}{}| crate | description |\n|---|---|\n", TABLE[0]);
    for package in packages.iter().filter(|package| package.is_published()) {
        let (name, folder) = (package.name(), package.folder().display());
        let _ = writeln!(text, "| [`{name}`]({folder}) | {} |", package.description());
    }
    Some(text + TABLE[1] + after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_file::TextFile;

    #[test]
    fn documentation_becomes_markdown_that_reads_without_rustdoc() {
        let source = "//! Counts [`Path`]s of [a graph](crate::Graph), see [x](https://x.org) and [1].\n//!\n//! # Use\n//!\n\
                      //! ```\n//! # use x::Path;\n//! let a = #[b] 1;\n//! #\n//! ```\n//! ```text\n//! # c\n//! ```\n//! \
                      [`Path`]: crate::Path\n//! [`y`] has a page.\n//!\n//! [`y`]: https://y.org\nmod a;\n//! no\n";
        let files = [TextFile { path: "crates/x/Cargo.toml".into(), text: "name = \"x\"".to_owned() }];
        let text = readme(&Package::all(&files)[0], source);
        let expected = "# x\n\nCounts `Path`s of a graph, see [x](https://x.org) and [1].\n\n## Use\n\n\
                        ```rust\nlet a = #[b] 1;\n```\n```text\n# c\n```\n\
                        [`y`] has a page.\n\n[`y`]: https://y.org\n";
        assert_eq!(text.strip_suffix(FOOTER), Some(expected));
    }

    #[test]
    fn the_table_of_packages_is_replaced() {
        let manifest = "name = \"x\"\ndescription = \"All of x\"\n".to_owned();
        let files = [TextFile { path: "crates/x/Cargo.toml".into(), text: manifest }];
        let readme = format!("A\n{}old\n{}B\n", TABLE[0], TABLE[1]);
        let rows = "| crate | description |\n|---|---|\n| [`x`](crates/x) | All of x |\n";
        let expected = format!("A\n{}{rows}{}B\n", TABLE[0], TABLE[1]);
        assert_eq!(with_package_table(&readme, &Package::all(&files)), Some(expected));
        assert_eq!(with_package_table("no table", &[]), None);
    }
}
