//! Standard output, standard error and files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use lockstep::topology::escaped;
use tempfile::NamedTempFile;

use crate::args::Verbosity;
use crate::input::is_standard;

/// Writes data to standard output.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context("standard output cannot be written")
}

/// Writes a text to standard error, where data is on standard output; if it is gone, nobody wants to know.
pub(crate) fn print_beside(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes data to a file, or to standard output if the path is `-`.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_standard(path) {
        return print_bytes(bytes);
    }
    replace(path, bytes).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Writes a file so that whoever reads it sees the old contents or the new ones, whatever happens meanwhile.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device or a pipe is no place to put a file, and a link stays a link.
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

/// A temporary file with the permissions of an ordinary one.
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

/// Whether somebody watches standard error.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Says something beside the data, unless that is not wanted.
pub(crate) fn note(verbosity: Verbosity, text: &str) {
    if !verbosity.quiet {
        eprint_line("note", text);
    }
}

/// Says why there is no result.
pub(crate) fn error(error: &anyhow::Error) {
    eprint_line("error", &format!("{error:#}"));
}

/// Writes one line to standard error; if that is gone, nobody wants to know.
pub(crate) fn eprint_line(kind: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {}", one_line(text));
}

/// A text on one line, without characters that a terminal would obey.
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
        assert!(message.starts_with("no/such/directory/out: cannot be written: "), "{message}");
    }
}
