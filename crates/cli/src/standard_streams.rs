//! The files behind standard input and standard output.

use std::fs::{File, FileType};
use std::path::Path;

use lockstep::files::FileIdentity;

/// The file behind a standard stream.
pub(crate) struct StreamFile {
    identity: FileIdentity,
    kind: FileType,
}

impl StreamFile {
    /// Returns the file behind standard input. `None` if it is closed, and on systems without inode numbers.
    pub(crate) fn input() -> Option<Self> {
        #[cfg(unix)]
        return Self::of(&std::io::stdin());
        #[cfg(not(unix))]
        None
    }

    /// Returns the file behind standard output. `None` if it is closed, and on systems without inode numbers.
    pub(crate) fn output() -> Option<Self> {
        #[cfg(unix)]
        return Self::of(&std::io::stdout());
        #[cfg(not(unix))]
        None
    }

    #[cfg(unix)]
    fn of(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let kind = file.metadata().ok()?.file_type();
        Some(Self { identity: FileIdentity::of_file(&file).ok()??, kind })
    }

    /// Returns the identity of the file if it is a regular one.
    pub(crate) fn regular(self) -> Option<FileIdentity> {
        Some(self.identity).filter(|_| self.kind.is_file())
    }

    /// Returns true if the path names this file, and the file is no device: writing to the path is writing to the stream.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        (self.kind.is_file() || is_pipe(self.kind)) && FileIdentity::of(path).is_ok_and(|file| file == self.identity)
    }
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

/// Returns true if the path is `-`: standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns true if data for this path goes to standard output: the path is `-`, or the file or pipe behind it.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    is_standard(path) || StreamFile::output().is_some_and(|stream| stream.is_at(path))
}
