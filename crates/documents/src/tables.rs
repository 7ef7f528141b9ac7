//! The tables of the guide that list what the code has: `cargo xtask tables`.
//!
//! A page marks the place of a table by two lines:
//!
//! ```text
//! <!-- table NAME: written by `cargo xtask tables --write` -->
//! <!-- end of table -->
//! ```

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use lockstep::analytic::combining::algorithms;
use lockstep::analytic::constructions;
use lockstep::certificate::Rule;
use lockstep::construct::methods;
use lockstep::schedule::CollectiveName;
use lockstep::topology::families;

use crate::repository::root;

/// Compare the tables of the guide with the code.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Write the tables
    #[arg(long)]
    write: bool,
}

/// The pages with tables.
const PAGES: [&str; 4] = [
    "docs/guide/src/reference/collectives.md",
    "docs/guide/src/reference/families.md",
    "docs/guide/src/reference/methods.md",
    "docs/guide/src/reference/rules.md",
];

const BEGIN: &str = "<!-- table ";
const BEGIN_END: &str = ": written by `cargo xtask tables --write` -->\n";
const END: &str = "<!-- end of table -->\n";

/// Compares all tables with the code, or writes them. The exit code is 1 if a committed table differs.
///
/// # Errors
///
/// If a page cannot be read or written, or has a table with an unknown name.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut is_current = true;
    for page in PAGES {
        let path = root().join(page);
        let committed = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let text = with_tables(&committed).with_context(|| path.display().to_string())?;
        if text == committed {
            continue;
        }
        if arguments.write {
            fs::write(&path, text).with_context(|| path.display().to_string())?;
        } else {
            is_current = false;
            eprintln!("{page} has old tables; `cargo xtask tables --write` updates them");
        }
    }
    Ok(if is_current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the page with the tables of today's code.
fn with_tables(page: &str) -> Result<String> {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(BEGIN_END).context("the first line of a table is incomplete")?;
        let (_, after) = after.split_once(END).with_context(|| format!("the table {name} has no end"))?;
        text += &[before, BEGIN, name, BEGIN_END, &table(name)?, END].concat();
        rest = after;
    }
    Ok(text + rest)
}

/// Returns the lines of a table.
fn table(name: &str) -> Result<String> {
    let code = |name: &str| format!("`{name}`");
    let rows: Vec<[String; 3]> = match name {
        "collectives" => {
            let others = |name: CollectiveName| name.spellings()[1..].iter().map(|name| code(name)).collect::<Vec<_>>();
            CollectiveName::ALL
                .map(|name| [name.word().to_owned(), others(name).join(", "), name.about().to_owned()])
                .to_vec()
        }
        "families" => families()
            .iter()
            .map(|family| {
                let names = family.aliases.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ");
                let aliases = if names.is_empty() { names } else { format!("; also {names}") };
                [code(&family.usage()), code(family.example), format!("{}{aliases}", family.about)]
            })
            .collect(),
        "constructions" => {
            constructions().iter().map(|entry| [code(entry.name), entry.about.to_owned(), String::new()]).collect()
        }
        "combining" => {
            algorithms().iter().map(|entry| [code(entry.name), entry.about.to_owned(), String::new()]).collect()
        }
        "methods" => methods().iter().map(|entry| [code(entry.name), entry.about.to_owned(), String::new()]).collect(),
        "rules" => Rule::ALL.map(|rule| [code(&rule.to_string()), rule.about().to_owned(), String::new()]).to_vec(),
        _ => bail!("there is no table {name}"),
    };
    let head: &[&str] = match name {
        "collectives" => &["collective", "other names", "messages"],
        "families" => &["spec", "example", "network"],
        "constructions" => &["construction", "networks and collectives"],
        "combining" => &["algorithm", "partners of a rank, and steps for p ranks"],
        "methods" => &["method of `construct`", "problems, on any network"],
        _ => &["rule", "limit"],
    };
    let mut text = format!("| {} |\n", head.join(" | ")) + &"|---".repeat(head.len()) + "|\n";
    text.extend(rows.iter().map(|row| format!("| {} |\n", row[..head.len()].join(" | "))));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_tables_of_all_pages_are_current() {
        assert_eq!(run(&Arguments { write: false }).unwrap(), ExitCode::SUCCESS);
    }

    /// `docs/bounds.md` has one section per rule, in their order, and each names all fields of the certificate.
    #[test]
    fn every_rule_has_a_proof_and_its_fields() {
        let page = fs::read_to_string(root().join("docs/bounds.md")).unwrap();
        let mut sections = page.split("\n## ").skip(2);
        let bounds = fs::read_to_string(root().join("crates/certificate/tests/data/bounds.jsonl")).unwrap();
        let bounds: Vec<Value> = bounds.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for rule in Rule::ALL.map(|rule| rule.to_string()) {
            let section = sections.next().unwrap();
            assert_eq!(section.lines().next(), Some(rule.as_str()));
            for part in ["**Statement.**", "**Proof.**", "**Applies**", "**Certificate**"] {
                assert!(section.contains(part), "{rule} has no {part}");
            }
            let certificates: Vec<&Value> = bounds
                .iter()
                .filter(|case| case["bound"]["rule"] == *rule)
                .map(|case| &case["bound"]["certificate"])
                .filter(|certificate| certificate["kind"] != "reversed")
                .collect();
            assert!(!certificates.is_empty(), "{rule}");
            let fields = certificates.iter().flat_map(|certificate| certificate.as_object().unwrap().keys());
            for field in fields.filter(|field| *field != "kind") {
                assert!(section.contains(&format!("`{field}`")), "{rule} does not name `{field}`");
            }
        }
        assert_eq!(sections.next().and_then(|section| section.lines().next()), Some("Cayley graphs"));
    }

    #[test]
    fn a_table_is_replaced_and_an_unknown_one_is_refused() {
        let page = format!("a\n{BEGIN}rules{BEGIN_END}| stale |\n{END}b\n");
        let text = with_tables(&page).unwrap();
        assert!(text.starts_with("a\n") && text.ends_with("b\n") && !text.contains("stale"));
        assert!(text.contains("| `ports` | "));
        assert_eq!(with_tables(&text).unwrap(), text);
        assert!(with_tables(&page.replace("rules", "x")).unwrap_err().to_string().contains("no table x"));
    }
}
