//! `cargo xtask mpi`: builds and tests the program `lockstep-mpi`.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::command::{cargo, succeeds};

/// The manifest of the package, which is a workspace of its own.
const MANIFEST: [&str; 2] = ["--manifest-path", "crates/mpi/Cargo.toml"];

/// What to install.
const MISSING: &str = "mpirun, mpicc or clang is not installed: apt install libopenmpi-dev openmpi-bin libclang-dev, or \
                       libmpich-dev mpich libclang-dev";

/// Checks format and lints, and runs the tests with ranks.
///
/// # Errors
///
/// If a tool is missing, or if a check fails.
pub(crate) fn run() -> Result<()> {
    let is_installed = ["mpirun", "mpicc"].iter().all(|tool| succeeds(tool, &["--version"])) && has_libclang();
    ensure!(is_installed, "{MISSING}");
    cargo(&[&["fmt"], &MANIFEST[..], &["--check"]].concat(), &[])?;
    let lints = ["--all-targets", "--quiet", "--", "-D", "warnings"];
    cargo(&[&["clippy"], &MANIFEST[..], &lints].concat(), &[])?;
    cargo(&[&["test"], &MANIFEST[..], &["--quiet"]].concat(), &[])
}

/// Returns true if the library of clang is in a usual folder. It reads the headers of MPI.
fn has_libclang() -> bool {
    let folders = |folder: &str| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let usual = folders("/usr/lib").flat_map(|folder| [folder.join("lib"), folder]);
    let is_library =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libclang"));
    env::var_os("LIBCLANG_PATH").is_some()
        || succeeds("llvm-config", &["--version"])
        || usual
            .filter_map(|folder| folder.to_str().map(str::to_owned))
            .any(|folder| folders(&folder).any(|path| is_library(&path)))
}
