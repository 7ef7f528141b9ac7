//! Rules for the packages below `crates/`: benches, test programs and licence files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::finding::Finding;
use crate::package::{Package, manifest_value};
use crate::text_file::TextFile;

/// The licence texts, in the root folder and in each published package.
pub(crate) const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Checks that each file of `benches/` is in the manifest with `harness = false`.
///
/// Criterion brings its own `main`; with the standard harness a bench measures nothing and does not fail.
pub(crate) fn benches(package: &Package<'_>, files: &[TextFile]) -> Vec<Finding> {
    let targets: Vec<&str> = package.manifest.text.split("[[bench]]").skip(1).collect();
    let is_listed = |name: &str| {
        targets.iter().any(|&target| {
            manifest_value(target, "name") == Some(name) && manifest_value(target, "harness") == Some("false")
        })
    };
    let folder = package.folder().join("benches");
    let benches = files.iter().filter(|file| file.path.parent() == Some(&folder) && file.has_extension("rs"));
    let names = benches.filter_map(|file| file.path.file_stem()?.to_str());
    let missing = names.filter(|name| !is_listed(name));
    let message = |name: &str| format!("no [[bench]] `{name}` with `harness = false`: criterion does not run");
    missing.map(|name| Finding::of(&package.manifest.path, message(name))).collect()
}

/// Checks that the integration tests of a package are one program, since each program is linked on its own.
pub(crate) fn test_programs(package: &Package<'_>, files: &[TextFile]) -> Option<Finding> {
    let folder = package.folder().join("tests");
    let is_program = |path: &Path| {
        let file = path.strip_prefix(&folder).ok();
        file.is_some_and(|file| {
            let names = file.iter().count();
            file.extension().is_some_and(|found| found == "rs")
                && (names == 1 || (names == 2 && file.ends_with("main.rs")))
        })
    };
    let programs = files.iter().filter(|file| is_program(&file.path)).count();
    let message = format!("{programs} test programs: make them modules of one `tests/<name>/main.rs`");
    (programs > 1).then(|| Finding::of(&folder, message))
}

/// Checks the licence files of a published package, or writes them.
///
/// # Errors
///
/// If a licence text of the root folder cannot be read, or a copy cannot be written.
pub(crate) fn licences(root: &Path, package: &Package<'_>, is_write: bool) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for name in LICENCES {
        let text = fs::read_to_string(root.join(name)).with_context(|| name.to_owned())?;
        findings.extend(generated(root, &package.folder().join(name), &text, is_write)?);
    }
    Ok(findings)
}

/// Compares a generated file with its expected text, or writes it.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn generated(root: &Path, path: &Path, expected: &str, is_write: bool) -> Result<Option<Finding>> {
    let file = root.join(path);
    // Git may check a file out with other line ends.
    let found = fs::read_to_string(&file).map(|text| text.replace("\r\n", "\n"));
    if found.is_ok_and(|found| found == expected) {
        return Ok(None);
    }
    if is_write {
        fs::write(&file, expected).with_context(|| path.display().to_string())?;
        return Ok(None);
    }
    Ok(Some(Finding::of(path, "not up to date: run `cargo xtask tidy --write`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(listing: &[(&str, &str)]) -> Vec<TextFile> {
        listing.iter().map(|&(path, text)| TextFile { path: path.into(), text: text.to_owned() }).collect()
    }

    #[test]
    fn a_bench_without_its_own_main_is_named() {
        let manifest = "[package]\nname = \"x\"\n[[bench]]\nname = \"a\"\nharness = false\n[[bench]]\nname = \"b\"\n";
        let files = files(&[
            ("crates/x/Cargo.toml", manifest),
            ("crates/x/benches/a.rs", ""),
            ("crates/x/benches/b.rs", ""),
            ("crates/x/benches/c.rs", ""),
        ]);
        let [package] = &Package::all(&files)[..] else { panic!("one package") };
        let found: Vec<String> = benches(package, &files).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("`b`") && found[1].contains("`c`"), "{found:?}");
        assert!(package.is_published());
    }

    #[test]
    fn test_programs_are_counted_and_their_modules_are_not() {
        let listing = [
            ("crates/x/Cargo.toml", "name = \"x\"\npublish = false"),
            ("crates/x/tests/a/main.rs", ""),
            ("crates/x/tests/a/b.rs", ""),
            ("crates/x/tests/c.rs", ""),
        ];
        let (one, two) = (files(&listing[..3]), files(&listing));
        assert!(test_programs(&Package::all(&one)[0], &one).is_none());
        assert!(test_programs(&Package::all(&two)[0], &two).is_some());
        assert!(!Package::all(&one)[0].is_published());
    }
}
