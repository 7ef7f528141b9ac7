//! `lockstep doctor`: the program, its limits, and the installed programs that use its files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, thread};

use lockstep::files::to_json_rows;
use lockstep_report::Table;
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::exit_status::ExitStatus;
use crate::memory::{self, MemoryLimit};
use crate::text::{Sheet, counted, path_name};
use crate::{cache, output};

/// Programs that use files of Lockstep or write its input, and what for.
const PROGRAMS: [(&str, &str); 14] = [
    ("mpicc", "export --to mpi-c"),
    ("mpirun", "export --to mpi-c"),
    ("nvcc", "export --to nccl-c"),
    ("hipcc", "export --to nccl-c"),
    (PYTHON, "export --to torch"),
    ("LogGOPSim", "export --to goal-binary"),
    ("txt2bin", "export --to goal"),
    ("AstraSim_Analytical_Congestion_Aware", "export --to chakra"),
    ("smpirun", "export --to simgrid"),
    ("vite", "export --to paje"),
    ("pj_dump", "export --to paje"),
    ("nvidia-smi", "networks of NVIDIA GPUs"),
    ("rocm-smi", "networks of AMD GPUs"),
    ("amd-smi", "networks of AMD GPUs"),
];

/// The interpreter of Python, unless the environment variable `PYTHON` names another one.
const PYTHON: &str = "python3";

/// The state of the program and its machine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct State {
    version: &'static str,
    threads: usize,
    processors: Option<usize>,
    memory_limit_bytes: Option<u64>,
    memory_bytes: Option<u64>,
    cache: Option<PathBuf>,
    cache_files: u64,
    cache_bytes: u64,
    programs: Vec<Program>,
}

/// A program that uses files of Lockstep.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Program {
    name: &'static str,
    purpose: &'static str,
    /// `None` if it is not installed.
    path: Option<PathBuf>,
    /// What the program lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
}

pub(crate) fn run(args: &DoctorArgs, limit: MemoryLimit) -> anyhow::Result<ExitStatus> {
    let state = State::new(limit);
    output::print(&if args.json { to_json_rows(&state, 2) } else { state.to_text(limit) })?;
    Ok(ExitStatus::Success)
}

impl State {
    fn new(limit: MemoryLimit) -> Self {
        let cache = cache::folder();
        let files = cache.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let sizes: Vec<u64> = files
            .filter_map(|file| file.metadata().ok())
            .filter(fs::Metadata::is_file)
            .map(|file| file.len())
            .collect();
        Self {
            version: env!("LOCKSTEP_VERSION"),
            threads: lockstep::thread_count(),
            processors: thread::available_parallelism().ok().map(usize::from),
            memory_limit_bytes: limit.bytes(),
            memory_bytes: memory::available(),
            cache,
            cache_files: sizes.len() as u64,
            cache_bytes: sizes.iter().sum(),
            programs: PROGRAMS.into_iter().map(|(name, purpose)| Program::find(name, purpose)).collect(),
        }
    }

    fn to_text(&self, limit: MemoryLimit) -> String {
        let size = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
        let mut sheet = Sheet::default();
        sheet.line("version", self.version);
        let processors = self.processors.map_or("unknown".to_owned(), |count| count.to_string());
        sheet.line(
            "threads",
            format!("{}, processors: {processors} (RAYON_NUM_THREADS sets the threads)", self.threads),
        );
        let memory = self.memory_bytes.map_or("unknown".to_owned(), size);
        let limited = self.memory_limit_bytes.map_or("unlimited".to_owned(), size);
        let percent = if matches!(limit, MemoryLimit::Percent(_)) { format!("{limit} of ") } else { "of ".to_owned() };
        sheet.line("memory", format!("at most {limited}, {percent}{memory} (--max-memory sets the limit)"));
        sheet.line(
            "cache",
            match &self.cache {
                Some(folder) => {
                    let files = counted(self.cache_files as usize, "file");
                    format!("{}: {files}, {}", path_name(folder), size(self.cache_bytes))
                }
                None => "none, because HOME is not set".to_owned(),
            },
        );
        let mut table = Table::new(["program", "purpose", "installed"]);
        for Program { name, purpose, path, missing } in &self.programs {
            let path = path.as_ref().map_or("no".to_owned(), |path| path_name(path));
            let missing = missing.map_or(String::new(), |missing| format!(", without {missing}"));
            table.push([*name, *purpose, &format!("{path}{missing}")]);
        }
        sheet.to_text() + "\n" + &table.to_text()
    }
}

impl Program {
    fn find(name: &'static str, purpose: &'static str) -> Self {
        if name != PYTHON {
            return Self { name, purpose, path: on_path(OsStr::new(name)), missing: None };
        }
        let python = env::var_os("PYTHON").unwrap_or_else(|| PYTHON.into());
        let path = on_path(&python);
        let missing = path.as_ref().and_then(|python| (!has_torch(python)).then_some("torch"));
        Self { name, purpose, path, missing }
    }
}

/// Returns the file of a program in a folder of `PATH`, or at the path that is given.
fn on_path(program: &OsStr) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut name = program.to_owned();
    if !program.to_string_lossy().ends_with(env::consts::EXE_SUFFIX) {
        name.push(env::consts::EXE_SUFFIX);
    }
    env::split_paths(&folders).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// Returns true if an interpreter of Python finds the package `torch`. The package is not loaded.
fn has_torch(python: &Path) -> bool {
    const SCRIPT: &str = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)";
    let mut command = Command::new(python);
    command.args(["-I", "-c", SCRIPT]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use lockstep_export::format_named;

    use super::*;

    #[test]
    fn every_purpose_that_is_an_export_names_a_format() {
        let formats = PROGRAMS.iter().filter_map(|(_, purpose)| purpose.strip_prefix("export --to "));
        for format in formats {
            assert!(format_named(format).is_some(), "{format}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn programs_are_found_on_the_path_only() {
        assert!(on_path(OsStr::new("sh")).is_some_and(|path| path.is_absolute()));
        assert_eq!(on_path(OsStr::new("no-such-program-at-all")), None);
    }
}
