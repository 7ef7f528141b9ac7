//! Rule for the lock files of the workspaces beside the main one: they have the dependencies of our packages.

use std::path::Path;

use super::finding::Finding;
use crate::package::Package;

/// The lock files of the workspaces that no test builds.
pub(crate) const LOCKS: [&str; 2] = ["crates/mpi/Cargo.lock", "fuzz/Cargo.lock"];

/// Checks that a lock file lists every dependency of our packages that is not optional. Otherwise `--locked` refuses it.
pub(crate) fn missing_dependencies(path: &Path, lock: &str, packages: &[Package<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in lock.split("[[package]]").skip(1) {
        let name = entry.lines().find_map(|line| line.strip_prefix("name = "));
        let package = packages.iter().find(|package| name.is_some_and(|name| name.trim_matches('"') == package.name()));
        let Some(package) = package else { continue };
        // A version follows the name if the file has several versions of a package.
        let is_listed = |dependency: &str| {
            let mut words = entry.lines().filter_map(|line| line.strip_prefix(" \"")?.split(['"', ' ']).next());
            words.any(|word| word == dependency)
        };
        for dependency in dependencies(&package.manifest.text).filter(|dependency| !is_listed(dependency)) {
            let folder = path.parent().unwrap_or(path).display();
            let message = format!(
                "`{dependency}` of `{}` is missing: run `cargo update --workspace` in {folder}",
                package.name()
            );
            findings.push(Finding::of(path, message));
        }
    }
    findings
}

/// Returns the names in the section `[dependencies]` of a manifest, without the optional ones.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let section = lines.take_while(|line| !line.starts_with('['));
    section.filter(|line| !line.contains("optional = true")).filter_map(|line| {
        let (name, _) = line.split_once([' ', '.', '='])?;
        (!name.is_empty() && !name.starts_with('#')).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_file::TextFile;

    #[test]
    fn a_lock_without_a_dependency_of_our_package_is_named() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\n# Why.\na.workspace = true\nb = { version = \"1\", optional = true }\n\
                        c = \"2\"\n[dev-dependencies]\nd.workspace = true\n";
        let files = [TextFile { path: "crates/x/Cargo.toml".into(), text: manifest.to_owned() }];
        let lock = "version = 4\n[[package]]\nname = \"a\"\n[[package]]\nname = \"x\"\ndependencies = [\n \"a\",\n]\n";
        let path = Path::new("fuzz/Cargo.lock");
        let found = missing_dependencies(path, lock, &Package::all(&files));
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["fuzz/Cargo.lock: `c` of `x` is missing: run `cargo update --workspace` in fuzz"]);
        let lock = lock.replace(" \"a\",\n", " \"a\",\n \"c 2.0.0\",\n");
        assert!(missing_dependencies(path, &lock, &Package::all(&files)).is_empty());
    }
}
