//! Standard output, standard error, and output files.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use lockstep::files::{OutputFile, message_line, one_line};

use crate::args::Verbosity;
use crate::standard_streams::is_standard_output;
use crate::text::path_name;

/// Writes data to standard output.
///
/// # Errors
///
/// If it cannot be written.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Returns true if the reader of an output has closed the pipe.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_one = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(is_one)
}

/// Writes a text to standard error, for use when standard output carries data. Ignores write errors.
pub(crate) fn print_beside(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The destination of an output option.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    destination: Destination,
}

#[derive(Debug)]
enum Destination {
    Standard,
    File(OutputFile),
}

impl Output {
    /// Opens the destination. A file keeps its contents until [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// If the destination cannot be written.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let destination = if is_standard_output(path) {
            Destination::Standard
        } else {
            let opened = OutputFile::open(path);
            Destination::File(opened.with_context(|| format!("{}: cannot write the file", path_name(path)))?)
        };
        Ok(Self { path: path.to_owned(), destination })
    }

    /// The path, as the user gave it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the data goes to standard output.
    pub(crate) fn is_standard(&self) -> bool {
        matches!(self.destination, Destination::Standard)
    }

    /// Returns true if the data goes to a file, and not to standard output, a device or a pipe.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.destination, Destination::File(OutputFile::File(_)))
    }

    /// Writes a text.
    ///
    /// # Errors
    ///
    /// If writing fails. An old file is intact then, and standard output gets the text.
    pub(crate) fn write(self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes(), || text.to_owned())
    }

    /// Writes bytes. `text` is their form for a terminal.
    ///
    /// # Errors
    ///
    /// If writing fails. An old file is intact then, and standard output gets the bytes, or the text if it is a terminal.
    pub(crate) fn write_bytes(self, bytes: &[u8], text: impl FnOnce() -> String) -> anyhow::Result<()> {
        let Self { path, destination } = self;
        let written = match destination {
            Destination::Standard => return print_bytes(bytes),
            Destination::File(file) => file.write(bytes),
        };
        let Err(error) = written else { return Ok(()) };
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Err(error.into());
        }
        let offered = if io::stdout().is_terminal() { print(&text()) } else { print_bytes(bytes) };
        let rescue = match offered {
            Ok(()) => "standard output has its contents".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        Err(anyhow!("{}: cannot write the file: {error}; {rescue}", path_name(&path)))
    }
}

/// Returns the extension of a path in lower case; empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Refuses an output file whose extension belongs to another format. `remedy` says what is written, and names the extensions.
///
/// # Errors
///
/// If the path has an extension, and it is not one of those in `known`.
pub(crate) fn check_extension(path: Option<&Path>, known: &[&str], remedy: &str) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let extension = extension(path);
    ensure!(extension.is_empty() || known.contains(&extension.as_str()), "{}: {remedy}", path_name(path));
    Ok(())
}

/// Refuses a file for a plot that is neither a picture nor a page.
///
/// # Errors
///
/// If the path has another extension than `.svg`, `.html` or `.htm`.
pub(crate) fn check_plot(path: Option<&Path>) -> anyhow::Result<()> {
    check_extension(path, &["svg", "html", "htm"], "a plot is a picture or a page; name the file .svg or .html")
}

/// Returns true if the extension of a path is that of a page.
pub(crate) fn is_page(path: &Path) -> bool {
    matches!(extension(path).as_str(), "html" | "htm")
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

/// Prints a warning on standard error.
pub(crate) fn warning(text: &str) {
    eprint_line("warning", text);
}

/// Prints an error with its causes on standard error.
pub fn error(error: &anyhow::Error) {
    eprint_line("error", &format!("{error:#}"));
}

/// Writes one line to standard error. Ignores write errors.
fn eprint_line(kind: &str, text: &str) {
    let line = shortened(text).replace('\n', "\\n");
    let _ = writeln!(io::stderr(), "{kind}: {line}");
}

/// Shortens the long arguments of this process and the long words in a message, and escapes its characters. Lines stay.
///
/// Any crate can quote an argument in its errors, so the place that prints them limits its length.
pub(crate) fn shortened(text: &str) -> String {
    let mut text = text.to_owned();
    for argument in env::args_os() {
        let argument = argument.to_string_lossy();
        for quoted in [Some(&*argument), argument.split_once('=').map(|(_, value)| value)].into_iter().flatten() {
            let short = one_line(quoted);
            if short.len() < quoted.len() {
                text = text.replace(quoted, &short);
            }
        }
    }
    text.split('\n').map(message_line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_directory_is_named() {
        let path = Path::new("no/such/directory/out");
        let message = format!("{:#}", Output::open(path).unwrap_err());
        assert!(message.starts_with("no/such/directory/out: cannot write the file: "), "{message}");
    }
}
