//! Files that grow by one record after the other.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::fault;
use crate::replacement::{expect_regular, in_use, lock};

/// A file that grows by one record after the other, so that a killed process loses the last record at most.
///
/// The file is locked as long as it is open, so it has one writer at a time.
#[derive(Debug)]
pub struct LogFile(File);

impl LogFile {
    /// Opens a regular file, and creates it if it does not exist. Call [`truncate`](Self::truncate) before writing.
    ///
    /// # Errors
    ///
    /// The errors of the operating system; also if the file is not a regular one, or is being written by another process.
    pub fn open(path: &Path) -> io::Result<Self> {
        fault::point()?;
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        expect_regular(&file.metadata()?)?;
        if lock(&file) { Ok(Self(file)) } else { Err(in_use()) }
    }

    /// Shortens the file to this length in bytes. The next record is written there.
    ///
    /// # Errors
    ///
    /// The errors of the operating system.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)?;
        self.0.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Waits until the records are on the disk.
    ///
    /// # Errors
    ///
    /// The errors of the operating system.
    pub fn sync(&self) -> io::Result<()> {
        fault::point()?;
        self.0.sync_all()
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault::point()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
