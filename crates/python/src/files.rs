//! Files, read and written as the program does.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use lockstep::files::{InputError, OutputFile, one_line};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The maximum size of a file that is read: 8 GiB.
const MAX_BYTES: u64 = 8 << 30;

/// Reads a file.
///
/// # Errors
///
/// `OSError`; also for a device, and for a file of more than 8 GiB.
#[pyfunction]
pub(crate) fn read_file(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyBytes>> {
    let bytes = py.detach(|| lockstep::files::read_file(&path, MAX_BYTES, |_| Ok::<_, Infallible>(())));
    let bytes = bytes.map_err(|error| match error {
        InputError::Io(error) => named(&path, &error),
        InputError::TooLong => named(&path, &io::ErrorKind::FileTooLarge.into()),
        InputError::Refused(never) => match never {},
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Replaces a file as a whole, or writes a device in place.
///
/// # Errors
///
/// `OSError`. The old file is intact then.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, contents: &[u8]) -> PyResult<()> {
    let written = py.detach(|| OutputFile::open(&path)?.write(contents));
    written.map_err(|error| named(&path, &error))
}

/// Returns the exception of an error of the operating system, with the path in its message.
fn named(path: &Path, error: &io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", one_line(&path.display().to_string()))).into()
}
