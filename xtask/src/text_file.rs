//! The text files of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// A text file of the repository.
pub(crate) struct TextFile {
    /// Relative to the root folder.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl TextFile {
    /// Returns true if the file name ends with this extension.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.path.extension().is_some_and(|found| found == extension)
    }
}

/// Reads all `.rs`, `.md` and `.toml` files that git tracks or would add, in the order of their paths.
///
/// # Errors
///
/// If git cannot list the files, or if a file cannot be read.
pub(crate) fn text_files(root: &Path) -> Result<Vec<TextFile>> {
    let listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.rs", "*.md", "*.toml"];
    let output = Command::new("git").args(listing).current_dir(root).output().context("git cannot be started")?;
    ensure!(output.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&output.stderr));
    let mut paths: Vec<PathBuf> = String::from_utf8(output.stdout)?.split_terminator('\0').map(PathBuf::from).collect();
    // A file that is deleted but not yet committed is still listed.
    paths.retain(|path| root.join(path).is_file());
    paths.sort_unstable();
    paths.dedup();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(root.join(&path)).with_context(|| path.display().to_string())?;
        Ok(TextFile { path, text })
    };
    paths.into_iter().map(read).collect()
}
