//! Build script: sets `LOCKSTEP_VERSION` to the version of the package and the commit that it is built from.
//!
//! The commit comes from git in a checkout, and from `.cargo_vcs_info.json` in a published package. Without both, the
//! version stands alone.

#![allow(clippy::print_stdout, reason = "cargo reads the instructions of a build script from its output")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Hexadecimal digits of the commit that are shown.
const COMMIT_DIGITS: usize = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    let commit = commit_of_checkout().or_else(commit_of_package);
    let text = commit.map_or(version.to_owned(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=LOCKSTEP_VERSION={text}");
}

/// Returns the commit of the checkout, or `None` if this folder is not part of the repository or git is not installed.
fn commit_of_checkout() -> Option<String> {
    // A package that was unpacked inside another repository must not show the commit of that repository.
    if !Path::new("../../.git").exists() {
        return None;
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", &format!("--short={COMMIT_DIGITS}"), "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Returns the commit that `cargo package` has written down, or `None` outside a published package.
fn commit_of_package() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, value) = text.split_once("\"sha1\"")?;
    let commit: String = value.chars().skip_while(|digit| !digit.is_ascii_hexdigit()).take(COMMIT_DIGITS).collect();
    (commit.len() == COMMIT_DIGITS && commit.chars().all(|digit| digit.is_ascii_hexdigit())).then_some(commit)
}
