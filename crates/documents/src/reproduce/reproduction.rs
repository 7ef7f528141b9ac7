//! The result of a reproduction, and its comparison with the committed report.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::arguments::Arguments;
use super::report_text::{Difference, ReportText, first_difference};
use crate::repository::root;

/// The folder of the committed reports, relative to the root folder.
const COMMITTED: &str = "docs/reproduction";

/// The folder of partial reports, and of those that differ from the committed ones.
const SCRATCH: &str = "target/reproduction";

/// The result of reproducing a paper.
pub(super) struct Reproduction {
    /// The file name of the report without its extension.
    pub(super) stem: &'static str,
    pub(super) report: ReportText,
    /// Tables and pictures: file name and text.
    pub(super) attachments: Vec<(String, String)>,
    /// Why our figures are not as good as they must be; empty on success.
    pub(super) failures: Vec<String>,
}

impl Reproduction {
    /// Compares a whole report with the committed one, or writes it; returns true if there is no difference.
    ///
    /// A partial report, for instance of one table, is only written.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub(super) fn publish(&self, arguments: &Arguments) -> Result<bool> {
        let mut files = vec![(format!("{}.md", self.stem), self.report.markdown())];
        files.extend(self.attachments.iter().cloned());
        if let Some(folder) = &arguments.out {
            write(folder, &files)?;
        } else if arguments.write {
            write(&root().join(COMMITTED), &files)?;
        } else {
            write(&root().join(SCRATCH), &files)?;
            if arguments.is_whole() {
                return Ok(files.iter().filter(|(name, text)| !is_committed(name, text)).count() == 0);
            }
        }
        Ok(true)
    }
}

fn write(folder: &Path, files: &[(String, String)]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
    for (name, text) in files {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("{}: cannot be written", file.display()))?;
        eprintln!("wrote {}", file.display());
    }
    Ok(())
}

/// Returns true if the committed file is the same up to its times, and prints the first difference otherwise.
fn is_committed(name: &str, text: &str) -> bool {
    let committed = fs::read_to_string(root().join(COMMITTED).join(name)).unwrap_or_default();
    let Some(Difference { line, committed, reproduced }) = first_difference(&committed, text) else { return true };
    let shown = |line: Option<&str>| line.unwrap_or("end of file").to_owned();
    eprintln!("{COMMITTED}/{name}:{line}: differs from this run; `--write` replaces the committed file");
    eprintln!("  committed:  {}\n  reproduced: {}", shown(committed), shown(reproduced));
    false
}
