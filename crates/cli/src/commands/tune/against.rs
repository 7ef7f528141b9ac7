//! `lockstep tune --against`: the choices beside the times that PICO measured.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use lockstep::CollectiveName;
use lockstep::schedule::Picoseconds;
use lockstep_measure::format::pico::{self, Test, TestFiles};
use lockstep_measure::{Figure, Workload};
use lockstep_report::Table;
use lockstep_tune::{ComparedCell, MeasuredCell, Tuning, compare};
use serde::Serialize;

use crate::commands::size_ranges;
use crate::input;
use crate::text::{counted, path_name};

/// The end of the name of a table of tests.
const METADATA: &str = "_metadata.csv";

/// Number of the worst cells in the text.
const WORST_CELLS: usize = 8;

/// Measured times of the algorithms of a library.
pub(super) struct Measurements {
    /// One per test and size.
    cells: Vec<MeasuredCell>,
    tests: usize,
    libraries: BTreeSet<String>,
    /// What was left out.
    pub(super) notes: Vec<String>,
}

/// A table of tests, and the folder of its system.
struct System {
    tests: Vec<Test>,
    folder: PathBuf,
}

impl Measurements {
    /// Reads the tests of a folder that have this number of ranks.
    pub(super) fn read(folder: &Path, ranks: u32) -> anyhow::Result<Self> {
        Self::read_tests(folder, ranks).with_context(|| format!("--against: {}", path_name(folder)))
    }

    fn read_tests(folder: &Path, ranks: u32) -> anyhow::Result<Self> {
        let folder = fs::canonicalize(folder).context("cannot read the folder")?;
        let mut tests = Vec::new();
        let mut other_ranks = BTreeSet::new();
        for system in systems(&folder)? {
            for test in system.tests {
                let path = system.folder.join(&test.folder[0]).join(&test.folder[1]);
                if !path.starts_with(&folder) || !path.is_dir() {
                    continue;
                }
                if test.ranks == ranks {
                    tests.push(TestFiles { files: files(&path)?, test });
                } else {
                    other_ranks.insert(test.ranks);
                }
            }
        }
        ensure!(
            !tests.is_empty() || !other_ranks.is_empty(),
            "there is no folder of a test of PICO, TIMESTAMP/TEST_ID; extract its archives first"
        );
        let other_ranks: Vec<String> = other_ranks.iter().map(u32::to_string).collect();
        ensure!(
            !tests.is_empty(),
            "no test has {ranks} ranks; the tests have {}; choose a network of that size, or --ranks",
            other_ranks.join(", ")
        );
        let reading = pico::read(&tests);
        let mut cells: BTreeMap<(String, CollectiveName, u64), Vec<_>> = BTreeMap::new();
        for run in reading.runs {
            for sample in run.samples {
                let (Workload::Collective(collective), Some(bytes)) = (sample.workload, sample.bytes) else { continue };
                let Figure::Picoseconds(time) = sample.figure else { continue };
                let times = cells.entry((run.test.clone(), collective, bytes)).or_default();
                times.push((run.algorithm.clone(), time));
            }
        }
        let cell = |((_, collective, bytes), times)| MeasuredCell { collective, bytes, times };
        Ok(Self {
            cells: cells.into_iter().map(cell).collect(),
            tests: tests.len(),
            libraries: tests.into_iter().map(|of| of.test.library).collect(),
            notes: reading.notes,
        })
    }
}

/// Returns the tables of tests in a folder. If there is none: that of the system to which the folder belongs.
fn systems(folder: &Path) -> anyhow::Result<Vec<System>> {
    let system = |metadata: &Path, folder: PathBuf| {
        let text = input::text(metadata, "a table of tests of PICO")?;
        let tests = pico::tests(&text).with_context(|| path_name(metadata))?;
        Ok::<_, anyhow::Error>(System { tests, folder })
    };
    let mut systems = Vec::new();
    for name in names(folder)? {
        if let Some(name_of_system) = name.strip_suffix(METADATA) {
            let inner = folder.join(name_of_system);
            let of_tests = if inner.is_dir() { inner } else { folder.to_owned() };
            systems.push(system(&folder.join(&name), of_tests)?);
        }
    }
    if systems.is_empty() {
        let above = folder.ancestors().find_map(|inner| {
            let name = inner.file_name()?.to_str()?;
            let metadata = inner.with_file_name(format!("{name}{METADATA}"));
            metadata.is_file().then(|| (metadata, inner.to_owned()))
        });
        let (metadata, inner) = above.context(
            "neither this folder nor one above it has a file SYSTEM_metadata.csv; give a folder results/SYSTEM of PICO",
        )?;
        systems.push(system(&metadata, inner)?);
    }
    Ok(systems)
}

/// Returns the names and texts of the CSV files of a folder.
fn files(folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for name in names(folder)? {
        if Path::new(&name).extension().is_some_and(|extension| extension == "csv") {
            let text = input::text(&folder.join(&name), "a table of times")?;
            files.push((name, text));
        }
    }
    Ok(files)
}

/// Returns the names in a folder, sorted.
fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| path_name(folder))?;
    let name = |entry: std::io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    let mut names = entries.map(name).collect::<std::io::Result<Vec<String>>>().with_context(|| path_name(folder))?;
    names.sort_unstable();
    Ok(names)
}

/// The choices beside measured times.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Agreement {
    /// The measured libraries with their versions.
    libraries: Vec<String>,
    /// The number of tests with this number of ranks.
    tests: usize,
    /// Cells with fewer than two measured algorithms that the table can choose.
    without_choice: usize,
    /// One per collective; the last is that of all.
    collectives: Vec<Shares>,
    /// All cells, the worst first.
    cells: Vec<CellRecord>,
}

/// How many choices are near the best measured time.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Shares {
    /// The name in the library, or `all`.
    collective: &'static str,
    chosen: Nearness,
    /// The best algorithms among those that the table can choose.
    attainable: Nearness,
    /// The choices of the library itself.
    default: Nearness,
}

/// Numbers of cells whose time is near the best measured one.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Nearness {
    cells: usize,
    within_5_percent: usize,
    within_20_percent: usize,
    /// The greatest time over the best one, minus one, in thousandths.
    worst_excess: u64,
}

/// A size of a collective in a test.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CellRecord {
    collective: &'static str,
    bytes: u64,
    /// The best measured algorithm by its predicted time.
    chosen: &'static str,
    predicted_ps: u128,
    chosen_ps: u64,
    /// The algorithm with the least measured time; `default` is the choice of the library itself.
    best: String,
    best_ps: u64,
    /// The least measured time of an algorithm that the table can choose.
    attainable_ps: u64,
    default_ps: Option<u64>,
    /// The time of the chosen algorithm over the best one, minus one, in thousandths.
    excess: u64,
}

impl Nearness {
    fn add(&mut self, excess: u64) {
        self.cells += 1;
        self.within_5_percent += usize::from(excess <= 50);
        self.within_20_percent += usize::from(excess <= 200);
        self.worst_excess = self.worst_excess.max(excess);
    }

    fn cells_of_row(&self) -> [String; 3] {
        let percent = |count: usize| match self.cells {
            0 => "-".to_owned(),
            cells => format!("{} %", (200 * count + cells) / (2 * cells)),
        };
        [percent(self.within_5_percent), percent(self.within_20_percent), factor(self.worst_excess)]
    }
}

impl Shares {
    fn add(&mut self, cell: &ComparedCell) {
        self.chosen.add(cell.excess(cell.chosen_ps));
        self.attainable.add(cell.excess(cell.attainable_ps));
        if let Some(time) = cell.default_ps {
            self.default.add(cell.excess(time));
        }
    }
}

impl Agreement {
    pub(super) fn new(measured: &Measurements, tuning: &Tuning) -> Self {
        let mut cells: Vec<ComparedCell> = measured.cells.iter().filter_map(|cell| compare(tuning, cell)).collect();
        let without_choice = measured.cells.len() - cells.len();
        let mut all = Shares { collective: "all", ..Shares::default() };
        let mut collectives: Vec<Shares> = Vec::new();
        for table in &tuning.tables {
            let mut shares = Shares { collective: table.of.name, ..Shares::default() };
            for cell in cells.iter().filter(|cell| cell.name == table.of.name) {
                shares.add(cell);
                all.add(cell);
            }
            collectives.extend(Some(shares).filter(|shares| shares.chosen.cells > 0));
        }
        collectives.push(all);
        cells.sort_by_key(|cell| std::cmp::Reverse(cell.excess(cell.chosen_ps)));
        let record = |cell: ComparedCell| CellRecord {
            collective: cell.name,
            bytes: cell.bytes,
            chosen: cell.chosen,
            predicted_ps: cell.predicted_ps,
            chosen_ps: cell.chosen_ps,
            excess: cell.excess(cell.chosen_ps),
            best: cell.best.unwrap_or_else(|| "default".to_owned()),
            best_ps: cell.best_ps,
            attainable_ps: cell.attainable_ps,
            default_ps: cell.default_ps,
        };
        Self {
            libraries: measured.libraries.iter().cloned().collect(),
            tests: measured.tests,
            without_choice,
            collectives,
            cells: cells.into_iter().map(record).collect(),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let libraries = self.libraries.join(", ");
        let others = match self.without_choice {
            0 => String::new(),
            count => format!("; {} without a choice", counted(count, "other cell")),
        };
        let all = self.collectives.last().map_or(0, |all| all.chosen.cells);
        let head =
            format!("measured: {} of {libraries}, {}{others}\n\n", counted(self.tests, "test"), counted(all, "cell"));
        let columns = ["collective", "algorithms", "cells", "within 5 %", "within 20 %", "worst"];
        let mut shares = Table::new(columns);
        for of in &self.collectives {
            let rows = [("chosen", &of.chosen), ("best choice", &of.attainable), ("default", &of.default)];
            for (place, (name, nearness)) in rows.into_iter().enumerate() {
                let collective = if place == 0 { of.collective } else { "" };
                let row = [collective.to_owned(), name.to_owned(), nearness.cells.to_string()];
                shares.push(row.into_iter().chain(nearness.cells_of_row()));
            }
        }
        let mut worst =
            Table::new(["worst cells", "size", "chosen", "predicted", "measured", "best", "measured", "default"]);
        let time = |picoseconds: u128| format!("{:.3}", Picoseconds::new(picoseconds));
        for cell in self.cells.iter().take(WORST_CELLS).filter(|cell| cell.excess > 0) {
            worst.push([
                cell.collective.to_owned(),
                size_ranges::size(cell.bytes),
                cell.chosen.to_owned(),
                time(cell.predicted_ps),
                time(cell.chosen_ps.into()),
                cell.best.clone(),
                time(cell.best_ps.into()),
                cell.default_ps.map_or("-".to_owned(), |default| time(default.into())),
            ]);
        }
        format!("{head}{}\n{}", shares.to_text(), worst.to_text())
    }
}

/// Returns a time over the best one, such as `1.25`, from what exceeds 1 in thousandths.
fn factor(excess: u64) -> String {
    let hundredths = excess.saturating_add(1000).div_ceil(10);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
