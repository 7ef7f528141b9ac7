//! `cargo xtask package`: the files of a release for this machine, an archive of the program and the wheel of the Python package.
//!
//! The workflow of releases runs this task on each platform. It publishes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::command::{Build, root, run as run_program};
use crate::package::manifest_value;
use crate::python::Environment;

/// The files of the repository that an archive contains.
const TEXTS: [&str; 5] = ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE-APACHE", "LICENSE-MIT"];

/// The shells whose completions an archive contains.
const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

/// Writes the archive and the wheel into `target/release-files`, which is emptied first, and prints their paths.
///
/// The program and the wheel are tested before they are packed.
///
/// # Errors
///
/// If a build or a test fails, if a tool is missing, or if a file cannot be written.
pub(crate) fn run() -> Result<()> {
    let folder = root().join("target").join("release-files");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).context("the files of an earlier run")?;
    }
    fs::create_dir_all(&folder)?;
    let version = version()?;
    check_version(&version)?;
    let archive = archive(&folder, &version)?;
    let environment = Environment::prepare()?.map_err(anyhow::Error::msg)?;
    let wheel = environment.build_wheel(&folder)?;
    environment.install_wheel(&wheel)?;
    environment.test()?;
    println!("{}\n{}", archive.display(), wheel.display());
    Ok(())
}

/// Builds the program, and packs it with its texts, manual pages and completions. Returns the path of the archive.
fn archive(folder: &Path, version: &str) -> Result<PathBuf> {
    let program = Build::Release.program("lockstep")?;
    let name = format!("lockstep-{version}-{}", host()?);
    let contents = root().join("target").join("release-archive").join(&name);
    if contents.is_dir() {
        fs::remove_dir_all(&contents).context("the contents of an earlier archive")?;
    }
    let completions = contents.join("completions");
    fs::create_dir_all(&completions)?;
    fs::copy(&program, contents.join(program.file_name().context("the program has a name")?))?;
    for text in TEXTS {
        fs::copy(root().join(text), contents.join(text)).with_context(|| text.to_owned())?;
    }
    output(&program, &["man", "-o", &contents.join("man").display().to_string()])?;
    for shell in SHELLS {
        fs::write(completions.join(format!("lockstep.{shell}")), output(&program, &["completions", shell])?)?;
    }
    // A plan with a proof shows that the program works here.
    let plan = String::from_utf8(output(&program, &["plan", "torus:4x4", "-c", "all-gather"])?)?;
    ensure!(plan.contains("optimal"), "the program does not plan an optimal all-gather: {plan}");
    // Every system of the workflow has `tar`, Windows too.
    let archive = folder.join(format!("{name}.tar.gz"));
    let parent = contents.parent().context("the contents are in a folder")?;
    run_program("tar", &["-czf", &archive.display().to_string(), "-C", &parent.display().to_string(), &name])?;
    Ok(archive)
}

/// Returns the version of the workspace.
fn version() -> Result<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).context("Cargo.toml")?;
    let version = manifest_value(&manifest, "version").context("Cargo.toml: expected a line `version = \"…\"`")?;
    Ok(version.to_owned())
}

/// Checks that the texts of the release, and the tag that started the workflow, name this version.
fn check_version(version: &str) -> Result<()> {
    for (file, line) in [("CHANGELOG.md", format!("## {version} – ")), ("CITATION.cff", format!("version: {version}"))]
    {
        let text = fs::read_to_string(root().join(file)).with_context(|| file.to_owned())?;
        let found = text.lines().any(|found| found.starts_with(&line));
        ensure!(found, "{file}: no line begins with `{line}`, the version of Cargo.toml; write the release into it");
    }
    if std::env::var("GITHUB_REF_TYPE").is_ok_and(|kind| kind == "tag") {
        let tag = std::env::var("GITHUB_REF_NAME").context("the workflow has a tag without a name")?;
        ensure!(tag == format!("v{version}"), "the tag is {tag}, but Cargo.toml has version {version}; tag v{version}");
    }
    Ok(())
}

/// Returns the target triple of this machine, as the compiler names it.
fn host() -> Result<String> {
    let text = String::from_utf8(output(Path::new("rustc"), &["-vV"])?)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` prints no line `host: …`")?.to_owned())
}

/// Runs a program and returns its standard output.
fn output(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("{} cannot be started", program.display()))?;
    ensure!(output.status.success(), "{} {} failed: {}", program.display(), arguments.join(" "), output.status);
    Ok(output.stdout)
}
