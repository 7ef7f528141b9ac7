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

/// Runs a command with these arguments, and prints it with this name.
///
/// # Errors
///
/// If it cannot be started.
pub(crate) fn status(command: &mut Command, name: &str, arguments: &[&str]) -> Result<ExitStatus> {
    eprintln!("$ {name} {}", arguments.join(" "));
    command.args(arguments).current_dir(root()).status().with_context(|| format!("{name} cannot be started"))
}

/// A build of the workspace.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// The optimised programs `lockstep` and `lockstep-documents`. Built together, they share all libraries.
    Release,
    /// All libraries, programs, tests and examples, as `cargo xtask test` builds them.
    Tests,
}

impl Build {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Release => &["--release", "--package", "lockstep-cli", "--package", "lockstep-documents"],
            // Without `--tests`, packages of others have fewer features, and everything would be compiled again.
            Self::Tests => &["--workspace", "--all-features", "--lib", "--bins", "--tests", "--examples"],
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Tests => "debug",
        }
    }

    /// Builds a program, and returns its path.
    ///
    /// # Errors
    ///
    /// If the build fails, or if this program is not in a folder of builds.
    pub(crate) fn program(self, name: &str) -> Result<PathBuf> {
        self.file(&format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Builds a library that is loaded at run time, and returns its path.
    ///
    /// # Errors
    ///
    /// If the build fails, or if this program is not in a folder of builds.
    pub(crate) fn library(self, name: &str) -> Result<PathBuf> {
        use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
        self.file(&format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
    }

    fn file(self, name: &str) -> Result<PathBuf> {
        cargo(&[&["build", "--quiet"], self.arguments()].concat(), &[])?;
        // This program is in a folder beside that of the build, or in that folder.
        let own = std::env::current_exe().context("the path of this program is unknown")?;
        let builds = own.ancestors().nth(2).context("this program is not in a folder of builds")?;
        let file = builds.join(self.folder()).join(name);
        ensure!(file.is_file(), "{} does not exist; start this task with `cargo xtask`", file.display());
        Ok(file)
    }
}

/// Runs a program in silence and returns true if it can be started and succeeds.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
