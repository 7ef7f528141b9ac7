//! `cargo xtask tidy`: rules of the repository that neither rustfmt nor clippy checks.

mod finding;
mod imports;
mod links;
mod locks;
mod module;
mod packages;
mod prose;
mod readme;
pub(crate) mod tokens;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::command::root;
use crate::package::Package;
use crate::text_file::{TextFile, text_files};
use finding::Finding;

/// Checks all rules and prints each violation as `path:line: message`.
///
/// With `is_write`, writes what is generated: the README and the licence texts of each published package, and the table
/// of packages in the README of the repository.
///
/// # Errors
///
/// If a rule is violated, or if a file cannot be read or written.
pub(crate) fn run(is_write: bool) -> Result<()> {
    let files = text_files(&root())?;
    let mut findings = imports::circles(&files);
    for file in &files {
        findings.extend(prose::module_docs(file));
        findings.extend(prose::length(file));
        findings.extend(prose::source_headings(file));
        findings.extend(prose::banned_words(file));
        findings.extend(prose::missing_paths(file, &root()));
    }
    findings.extend(links::dead_links(&files, &root()));
    findings.extend(links::unlisted_pages(&files));
    let packages = Package::all(&files);
    findings.extend(package_table(&packages, &files, is_write)?);
    for package in &packages {
        findings.extend(packages::benches(package, &files));
        findings.extend(packages::test_programs(package, &files));
        if package.is_published() {
            findings.extend(packages::licences(&root(), package, is_write)?);
            findings.extend(generated_readme(package, &files, is_write)?);
        }
    }
    for path in locks::LOCKS.map(Path::new) {
        let lock = fs::read_to_string(root().join(path)).with_context(|| path.display().to_string())?;
        findings.extend(locks::missing_dependencies(path, &lock, &packages));
    }
    findings.sort_unstable();
    for finding in &findings {
        eprintln!("{finding}");
    }
    ensure!(findings.is_empty(), "{} violations of the rules of the repository", findings.len());
    Ok(())
}

fn package_table(packages: &[Package<'_>], files: &[TextFile], is_write: bool) -> Result<Option<Finding>> {
    let path = Path::new("README.md");
    let readme = files.iter().find(|file| file.path == path).context("the repository has a README")?;
    let Some(text) = readme::with_package_table(&readme.text, packages) else {
        return Ok(Some(Finding::of(path, "no table of packages")));
    };
    packages::generated(&root(), path, &text, is_write)
}

fn generated_readme(package: &Package<'_>, files: &[TextFile], is_write: bool) -> Result<Option<Finding>> {
    let roots = ["src/lib.rs", "src/main.rs"].map(|root| package.folder().join(root));
    let source =
        files.iter().find(|file| roots.contains(&file.path)).context("a package has a library or a program")?;
    let text = readme::readme(package, &source.text);
    packages::generated(&root(), &package.folder().join("README.md"), &text, is_write)
}
