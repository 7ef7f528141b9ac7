//! The destination of an output: a file, a device or a pipe.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::replacement::Replacement;

/// The destination of an output.
///
/// ```
/// use lockstep_files::OutputFile;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("out.json");
/// let output = OutputFile::open(&path)?;
/// output.write(b"{}\n")?;
/// assert_eq!(std::fs::read(&path)?, b"{}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub enum OutputFile {
    /// A device or pipe, which is written in place.
    Device(PathBuf),
    /// A file, which is replaced as a whole.
    File(Replacement),
}

impl OutputFile {
    /// Opens the destination. A file keeps its contents until [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// The errors of [`Replacement::begin`].
    pub fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Ok(Self::Device(path.to_owned()));
        }
        Replacement::begin(path).map(Self::File)
    }

    /// Writes the bytes.
    ///
    /// # Errors
    ///
    /// The errors of the operating system. An old file is intact then.
    pub fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Device(path) => File::options().write(true).open(path)?.write_all(bytes),
            Self::File(mut file) => {
                file.write_all(bytes)?;
                file.commit().map(drop)
            }
        }
    }
}
