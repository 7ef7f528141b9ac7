//! `cargo xtask python`: builds the wheel of the Python package and tests it in a virtual environment.
//!
//! `cargo xtask ci` tests the package with the extension module of the build of the tests, because a wheel compiles all libraries again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{root, succeeds};

/// The folder of the Python package.
const PACKAGE: &str = "crates/python";

/// The module of the Python package.
const MODULE: &str = "lockstep_collectives";

/// The virtual environment of the tests.
pub(crate) struct Environment {
    folder: PathBuf,
}

/// Builds the wheel, installs it, checks its types, and runs the tests, the doctests and the notebooks.
///
/// # Errors
///
/// If a tool is missing, or if a test fails.
pub(crate) fn run() -> Result<()> {
    match Environment::prepare()? {
        Ok(environment) => {
            let wheel = environment.build_wheel(&environment.folder.join("wheels"))?;
            environment.install_wheel(&wheel)?;
            environment.test()
        }
        Err(missing) => bail!("{missing}"),
    }
}

impl Environment {
    /// Makes the environment with all tools. Returns the reason if that is impossible on this machine.
    ///
    /// # Errors
    ///
    /// If the folder cannot be made.
    pub(crate) fn prepare() -> Result<Result<Self, String>> {
        if !succeeds("python3", &["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))"]) {
            return Ok(Err("python3, version 3.9 or later, with venv and pip is not installed".to_owned()));
        }
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
        let environment = Self { folder: root().join(target).join("python-package") };
        fs::create_dir_all(environment.work()).context("the folder of the virtual environment")?;
        let is_made = environment.python().is_file()
            || start(Command::new("python3").args(["-m", "venv"]).arg(environment.folder.join("venv"))).is_ok();
        let needed = test_packages()?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "maturin>=1.9,<2"];
        if !is_made || start(Command::new(environment.python()).args(pip).args(needed)).is_err() {
            return Ok(Err("pip cannot install maturin and the packages of the tests".to_owned()));
        }
        Ok(Ok(environment))
    }

    /// Builds the wheel in release mode, and returns its path. Wheels of earlier runs are removed from the folder.
    ///
    /// # Errors
    ///
    /// If the build fails.
    pub(crate) fn build_wheel(&self, folder: &Path) -> Result<PathBuf> {
        for wheel in wheels(folder)? {
            fs::remove_file(&wheel).with_context(|| wheel.display().to_string())?;
        }
        let manifest = root().join(PACKAGE).join("Cargo.toml");
        let mut maturin = Command::new(self.python());
        maturin.args(["-m", "maturin", "build", "--release", "--locked", "--quiet", "--manifest-path"]).arg(&manifest);
        start(maturin.arg("--out").arg(folder).arg("--interpreter").arg(self.python()))?;
        let wheel = wheels(folder)?.pop().context("maturin made no wheel")?;
        let bytes = fs::metadata(&wheel)?.len();
        println!("{}: {:.1} MB", wheel.file_name().unwrap_or_default().display(), bytes as f64 / 1e6);
        Ok(wheel)
    }

    /// Installs a wheel in the place of an earlier one.
    ///
    /// # Errors
    ///
    /// If pip fails.
    pub(crate) fn install_wheel(&self, wheel: &Path) -> Result<()> {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
        start(Command::new(self.python()).args(pip).arg(wheel))
    }

    /// Installs the Python files of the package, with an extension module that `cargo` has built.
    ///
    /// # Errors
    ///
    /// If the folder of the installed packages is unknown, or if a file cannot be copied.
    pub(crate) fn install_extension(&self, library: &Path) -> Result<()> {
        let pip = ["-m", "pip", "uninstall", "--quiet", "--yes", "--disable-pip-version-check", "lockstep-collectives"];
        start(Command::new(self.python()).args(pip))?;
        let script = "import sysconfig; print(sysconfig.get_path('platlib'))";
        let output = Command::new(self.python()).args(["-c", script]).output().context("python cannot be started")?;
        let installed = Path::new(str::from_utf8(&output.stdout)?.trim()).join(MODULE);
        fs::create_dir_all(&installed).with_context(|| installed.display().to_string())?;
        for file in fs::read_dir(root().join(PACKAGE).join("python").join(MODULE))? {
            let file = file?;
            if file.file_type()?.is_file() {
                fs::copy(file.path(), installed.join(file.file_name()))?;
            }
        }
        let extension = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
        fs::copy(library, installed.join(extension)).with_context(|| library.display().to_string())?;
        Ok(())
    }

    /// Checks the types of the installed package, and runs the tests, the doctests and the notebooks.
    ///
    /// # Errors
    ///
    /// If a test fails.
    pub(crate) fn test(&self) -> Result<()> {
        self.check_types()?;
        self.pytest(&[&root().join(PACKAGE).join("tests")], &[])?;
        self.pytest(&[], &["--doctest-modules", "--pyargs", MODULE])
    }

    /// Checks the types of the package, and its stubs against the extension module that is installed.
    fn check_types(&self) -> Result<()> {
        let package = root().join(PACKAGE);
        let mypy = |arguments: &[&str]| {
            let mut mypy = Command::new(self.python());
            mypy.arg("-m").args(arguments).current_dir(self.work());
            mypy
        };
        let settings = package.join("pyproject.toml");
        let mut types = mypy(&["mypy", "--no-error-summary", "--config-file"]);
        start(types.arg(&settings).arg(package.join("python").join(MODULE)))?;
        let mut stubs = mypy(&["mypy.stubtest", "--mypy-config-file"]);
        start(stubs.arg(&settings).arg(format!("{MODULE}._native")))
    }

    /// Runs pytest in a folder of its own, because the doctests write files.
    fn pytest(&self, files: &[&Path], arguments: &[&str]) -> Result<()> {
        let settings = root().join(PACKAGE).join("pyproject.toml");
        let mut pytest = Command::new(self.python());
        pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-c"]).arg(settings);
        pytest.args(arguments).args(files);
        start(pytest.env("PYTHONDONTWRITEBYTECODE", "1").env("LOCKSTEP_ROOT", root()).current_dir(self.work()))
    }

    fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    fn python(&self) -> PathBuf {
        let place = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        self.folder.join("venv").join(place)
    }
}

/// Returns the wheels in a folder, or none if it does not exist.
fn wheels(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let files = fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<Result<Vec<PathBuf>>>()?;
    Ok(files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "whl")).collect())
}

/// Returns the packages of the tests, as `pyproject.toml` lists them.
fn test_packages() -> Result<Vec<String>> {
    let path = root().join(PACKAGE).join("pyproject.toml");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let list = text.lines().find_map(|line| line.strip_prefix("test = ["));
    let list = list.with_context(|| format!("{}: expected a line that begins with `test = [`", path.display()))?;
    Ok(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Starts a program and waits for its success.
fn start(command: &mut Command) -> Result<()> {
    eprintln!("$ {command:?}");
    let program = command.get_program().display().to_string();
    let status = command.status().with_context(|| format!("{program} cannot be started"))?;
    ensure!(status.success(), "{program} failed: {status}");
    Ok(())
}
