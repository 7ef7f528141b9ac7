//! Runs `cargo` in the root folder of the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, ensure};

/// Returns the root folder of the repository.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("xtask is in the root folder").to_owned()
}

/// Runs `cargo` with these arguments and additional environment variables.
///
/// # Errors
///
/// If `cargo` cannot be started, or if it fails.
pub(crate) fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let status = status(arguments, environment)?;
    ensure!(status.success(), "cargo {} failed: {status}", arguments.join(" "));
    Ok(())
}

/// Runs `cargo` and returns its exit status.
///
/// # Errors
///
/// If `cargo` cannot be started.
pub(crate) fn status(arguments: &[&str], environment: &[(&str, &str)]) -> Result<ExitStatus> {
    eprintln!("$ cargo {}", arguments.join(" "));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).envs(environment.iter().copied()).current_dir(root());
    command.status().context("cargo cannot be started")
}
