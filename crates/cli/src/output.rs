//! Standard output, standard error, and files that are replaced atomically.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use lockstep::files::escaped;
use tempfile::NamedTempFile;

use crate::args::Verbosity;
use crate::input::is_standard;

/// Writes data to standard output.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Writes a text to standard error, for use when standard output carries data. Ignores write errors.
pub(crate) fn print_beside(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes data to a file, or to standard output if the path is `-`.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_standard(path) {
        return print_bytes(bytes);
    }
    replace(path, bytes).with_context(|| format!("{}: cannot write the file", path.display()))
}

/// Replaces a file atomically: a reader sees the old contents or the new ones, never a mixture.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Devices and pipes are written in place, and symbolic links are kept.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return File::options().write(true).open(&target)?.write_all(bytes);
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary(directory)?;
    file.write_all(bytes)?;
    file.persist(&target)?;
    Ok(())
}

/// Creates a temporary file with the permissions of an ordinary file.
#[cfg(unix)]
fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o666)).tempfile_in(directory)
}

#[cfg(not(unix))]
fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(directory)
}

/// Returns the extension of a path in lower case; empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Returns true if standard error is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Prints a note on standard error, unless `--quiet` is given.
pub(crate) fn note(verbosity: Verbosity, text: &str) {
    if !verbosity.quiet {
        eprint_line("note", text);
    }
}

/// Prints an error with its causes on standard error.
pub(crate) fn error(error: &anyhow::Error) {
    eprint_line("error", &format!("{error:#}"));
}

/// Writes one line to standard error. Ignores write errors.
pub(crate) fn eprint_line(kind: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {}", one_line(text));
}

/// Escapes line breaks and terminal control characters.
fn one_line(text: &str) -> String {
    text.chars().flat_map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stay_on_one_harmless_line() {
        assert_eq!(one_line("a\nb\u{1b}[31m"), "a\\nb\\u{1b}[31m");
        assert_eq!(one_line("größe 'x' -> y"), "größe 'x' -> y");
    }

    #[test]
    fn a_replaced_file_has_the_new_contents_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        replace(&path, b"long contents").unwrap();
        replace(&path, b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_directory_is_named() {
        let path = Path::new("no/such/directory/out");
        let message = format!("{:#}", write(path, b"").unwrap_err());
        assert!(message.starts_with("no/such/directory/out: cannot write the file: "), "{message}");
    }
}
