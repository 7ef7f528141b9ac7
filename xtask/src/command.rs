//! Runs programs in the root folder of the repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

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
    let status = cargo_status(arguments, environment)?;
    ensure!(status.success(), "cargo {} failed: {status}", arguments.join(" "));
    Ok(())
}

/// Runs `cargo` and returns its exit status.
///
/// # Errors
///
/// If `cargo` cannot be started.
pub(crate) fn cargo_status(arguments: &[&str], environment: &[(&str, &str)]) -> Result<ExitStatus> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    status(Command::new(cargo).envs(environment.iter().copied()), "cargo", arguments)
}

/// Runs another program with these arguments.
///
/// # Errors
///
/// If the program cannot be started, or if it fails.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let status = status(&mut Command::new(program), program, arguments)?;
    ensure!(status.success(), "{program} {} failed: {status}", arguments.join(" "));
    Ok(())
}

fn status(command: &mut Command, name: &str, arguments: &[&str]) -> Result<ExitStatus> {
    eprintln!("$ {name} {}", arguments.join(" "));
    command.args(arguments).current_dir(root()).status().with_context(|| format!("{name} cannot be started"))
}

/// A build of the program `lockstep`.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// The optimised one.
    Release,
    /// That of the tests, which takes no time after them.
    Tests,
}

/// Builds the program `lockstep`, and returns its path.
///
/// # Errors
///
/// If the build fails, or if this program is not in a folder of builds.
pub(crate) fn lockstep_program(build: Build) -> Result<PathBuf> {
    let (arguments, folder): (&[&str], _) = match build {
        Build::Release => (&["--release", "--package", "lockstep-cli"], "release"),
        Build::Tests => (&["--workspace", "--all-features", "--bins"], "debug"),
    };
    cargo(&[&["build", "--quiet"], arguments].concat(), &[])?;
    // This program is in a folder beside that of the build, or in that folder.
    let own = std::env::current_exe().context("the path of this program is unknown")?;
    let builds = own.ancestors().nth(2).context("this program is not in a folder of builds")?;
    let program = builds.join(folder).join(format!("lockstep{}", std::env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "{} does not exist; start this task with `cargo xtask`", program.display());
    Ok(program)
}

/// Runs a program in silence and returns true if it can be started and succeeds.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
