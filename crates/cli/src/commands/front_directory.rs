//! The directory of `lockstep front -o`: a table of sizes, a plan and a page per row, and a page of the front.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};
use lockstep::files::{FileIdentity, TEMPORARY_SUFFIX, to_json_rows};
use lockstep::{AlgorithmTimes, Front, Problem};
use lockstep_report::PageLimits;
use serde::Deserialize;

use super::size_ranges::{plan_name, ranges};
use super::{front_page, plan_file};
use crate::args::PictureFormat;
use crate::command_files::CommandFiles;
use crate::input;
use crate::output::Output;
use crate::text::{escaped_line, path_name};

/// The name of the table of sizes.
pub(super) const SIZES_FILE: &str = "sizes.json";

/// The name of the page of the front.
const INDEX_FILE: &str = "index.html";

/// The extension of the page of a plan.
const PAGE: &str = "html";

/// The sizes of a plan, as another command reads them.
#[derive(Deserialize)]
pub(super) struct PlanSizes {
    pub(super) from_bytes: u64,
    pub(super) to_bytes: u64,
    /// The name of the plan in the directory of the table.
    pub(super) file: String,
}

/// Reads a table of sizes.
pub(super) fn read_ranges(table: &Path) -> anyhow::Result<Vec<PlanSizes>> {
    let text = input::text(table, "the table of sizes of lockstep front -o")?;
    let ranges: Vec<PlanSizes> =
        serde_json::from_str(&text).with_context(|| format!("{}: no table of sizes", path_name(table)))?;
    for PlanSizes { file, from_bytes, to_bytes } in &ranges {
        let is_name = Path::new(file).components().eq([Component::Normal(file.as_ref())]);
        ensure!(is_name, "{}, field 'file': '{}' is no name of a file beside it", path_name(table), escaped_line(file));
        ensure!(
            (1..=*to_bytes).contains(from_bytes),
            "{}, field 'from_bytes': {from_bytes}; expected 1 to {to_bytes}, the field 'to_bytes'",
            path_name(table)
        );
    }
    Ok(ranges)
}

/// The directory of a front, with all files of an older front that are in it.
pub(super) struct FrontDirectory {
    path: PathBuf,
    table: Output,
    old: BTreeSet<String>,
}

impl FrontDirectory {
    /// Makes the directory, and opens the table of sizes in it. `plot` is another file that the command writes.
    ///
    /// # Errors
    ///
    /// If the directory cannot be written, or contains a file that is neither hidden, nor the plot, nor of an older front.
    pub(super) fn open(path: &Path, plot: Option<&Path>, files: &mut CommandFiles) -> anyhow::Result<Self> {
        let named = || path_name(path);
        fs::create_dir_all(path).with_context(|| format!("{}: cannot make the directory", named()))?;
        let old = old_files(path);
        let plot = plot.and_then(|plot| FileIdentity::of(plot).ok());
        for entry in fs::read_dir(path).with_context(named)? {
            let name = entry.with_context(named)?.file_name().to_string_lossy().into_owned();
            let whole = name.strip_suffix(TEMPORARY_SUFFIX).unwrap_or(&name);
            let is_plot = || plot.is_some() && FileIdentity::of(&path.join(whole)).ok() == plot;
            let is_unfinished_table = whole == SIZES_FILE && whole != name;
            if !(name.starts_with('.') || old.contains(whole) || is_unfinished_table || is_plot()) {
                bail!(
                    "{}: the directory contains '{}', which is not of a front; give another directory",
                    named(),
                    escaped_line(&name)
                );
            }
        }
        let table = files.write("-o", &path.join(SIZES_FILE))?;
        files.update("-o", &path.join(INDEX_FILE))?;
        Ok(Self { path: path.to_owned(), table, old })
    }

    /// Writes the front, and removes the files of the older one that it does not replace. The plans of a network that is too
    /// large for a page have none.
    pub(super) fn write(
        self,
        problem: &Problem<'_>,
        front: &Front,
        algorithms: &[AlgorithmTimes],
        sizes: [u64; 2],
    ) -> anyhow::Result<()> {
        let Self { path, table, mut old } = self;
        let ranges = ranges(front, sizes);
        let has_pages = PageLimits::BROWSER.refuse_network(problem.topology()).is_none();
        for (plan, range) in front.plans.iter().zip(&ranges) {
            Output::open(&path.join(&range.file))?.write(&plan.file.to_json())?;
            if !has_pages {
                continue;
            }
            let page = plan_file::picture(&plan.file.problem(), plan.file.schedule(), PictureFormat::Html);
            let file = Path::new(&range.file).with_extension(PAGE);
            Output::open(&path.join(file))?.write_bytes(&page, || String::from_utf8_lossy(&page).into_owned())?;
        }
        table.write(&to_json_rows(&ranges, 1))?;
        Output::open(&path.join(INDEX_FILE))?.write(&front_page::html(problem, front, algorithms, sizes, has_pages))?;
        let is_written = |name: &String| has_pages || name == INDEX_FILE || !name.ends_with(PAGE);
        for name in files_of(ranges.iter().map(|range| &*range.file)).into_iter().filter(is_written) {
            old.remove(&name);
        }
        for name in old {
            let file = path.join(name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.with_context(|| format!("{}: cannot remove the old file", path_name(&file)))?,
            }
        }
        Ok(())
    }
}

/// Returns the names of the files of an older front, whether they exist or not. Empty without a table of sizes whose
/// rows name plans as this program does.
fn old_files(directory: &Path) -> BTreeSet<String> {
    let table = read_ranges(&directory.join(SIZES_FILE)).unwrap_or_default();
    if table.iter().zip(0..).any(|(row, place)| row.file != plan_name(place)) || table.is_empty() {
        return BTreeSet::new();
    }
    files_of(table.iter().map(|row| &*row.file))
}

/// Returns the names of all files of a front with these plans.
fn files_of<'a>(plans: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let pair = |plan: &str| [plan.to_owned(), Path::new(plan).with_extension(PAGE).display().to_string()];
    plans.flat_map(pair).chain([SIZES_FILE, INDEX_FILE].map(str::to_owned)).collect()
}
