//! The program as a process, as users run it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lockstep::Topology;
use lockstep::topology::{GraphFormat, write_graph};

/// Interval between two samples of the memory of a process.
const SAMPLE_INTERVAL: Duration = Duration::from_micros(500);

/// The release build of the program `lockstep`.
pub(crate) struct Program {
    path: PathBuf,
    /// The folder for network and plan files. It is removed with this value.
    folder: PathBuf,
}

/// Time and memory of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// From start to end.
    pub(crate) time: Duration,
    /// Processor time of the program and of the system for it; `None` if the system does not tell.
    pub(crate) processor: Option<Duration>,
    /// Largest memory in bytes; 0 if the system does not tell, or if the process ended before the first sample.
    pub(crate) peak: u64,
}

/// A process that has ended.
pub(crate) struct EndedProcess {
    pub(crate) cost: Cost,
    /// True if its exit code is 0.
    pub(crate) is_successful: bool,
    /// Its standard output.
    pub(crate) output: String,
}

impl Cost {
    /// Returns the run of median time, with the largest peak of all.
    pub(crate) fn median(mut costs: Vec<Self>) -> Self {
        costs.sort_by_key(|cost| cost.time);
        let peak = costs.iter().map(|cost| cost.peak).max().unwrap_or(0);
        let nothing = Self { time: Duration::ZERO, processor: None, peak };
        costs.get(costs.len() / 2).map_or(nothing, |&cost| Self { peak, ..cost })
    }

    /// Returns the processor time, or the time from start to end if the system does not tell.
    pub(crate) fn processor_or_time(self) -> Duration {
        self.processor.unwrap_or(self.time)
    }
}

impl Program {
    /// Returns the program in the folder of the running executable.
    pub(crate) fn beside_this() -> Result<Self> {
        let path = std::env::current_exe()?.with_file_name(format!("lockstep{}", std::env::consts::EXE_SUFFIX));
        ensure!(path.exists(), "{}: not built; run cargo build --release --package lockstep-cli", path.display());
        // Two runs at once must not write the same files: one would measure the plan of the other.
        let folder = path.with_file_name("benchmarks").join(std::process::id().to_string());
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Self { path, folder })
    }

    /// Returns the path of the program.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the network to a file and returns the path of the file.
    pub(crate) fn write_network(&self, topology: &Topology) -> Result<String> {
        let file = self.file("network.json");
        fs::write(&file, write_graph(topology, GraphFormat::Json)?)?;
        Ok(file)
    }

    /// Returns the path of a file of the program.
    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Runs the program and returns what it prints.
    pub(crate) fn output(&self, arguments: &[String]) -> Result<String> {
        let output = Command::new(&self.path).args(arguments).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "{} {}: {}", self.path.display(), arguments.join(" "), output.status);
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Runs the program with a seed and a number of threads.
    pub(crate) fn run(&self, arguments: &[String], seed: u64, threads: u32) -> Result<Cost> {
        let arguments = [arguments, &["--seed".to_owned(), seed.to_string()]].concat();
        let ended = self.run_to_end(&arguments, threads)?;
        ensure!(ended.is_successful, "{} {}: failed", self.path.display(), arguments.join(" "));
        Ok(ended.cost)
    }

    /// Returns the median time from start to end of this number of runs that print the version.
    pub(crate) fn start_time(&self, runs: usize) -> Result<Duration> {
        median_time(Command::new(&self.path).arg("--version"), runs)
    }

    /// Runs the program with a number of threads. No other child of this process may end meanwhile.
    pub(crate) fn run_to_end(&self, arguments: &[String], threads: u32) -> Result<EndedProcess> {
        let output = self.file("output.txt");
        let mut command = Command::new(&self.path);
        command.args(arguments).env("RAYON_NUM_THREADS", threads.to_string()).stdout(File::create(&output)?);
        let before = processor_time_of_children();
        let started = Instant::now();
        let mut child = command.spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        let ended = loop {
            if let Some(ended) = child.try_wait()? {
                break ended;
            }
            peak = peak.max(fs::read_to_string(&status).ok().and_then(|text| high_water(&text)).unwrap_or(0));
            thread::sleep(SAMPLE_INTERVAL);
        };
        let time = started.elapsed();
        let processor = before.zip(processor_time_of_children()).map(|(before, after)| after.saturating_sub(before));
        let output = String::from_utf8_lossy(&fs::read(output)?).into_owned();
        Ok(EndedProcess { cost: Cost { time, processor, peak }, is_successful: ended.success(), output })
    }
}

/// Returns the median time from start to end of this number of runs of a command.
fn median_time(command: &mut Command, runs: usize) -> Result<Duration> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let started = Instant::now();
        let ended = command.stdout(Stdio::null()).status()?;
        times.push(started.elapsed());
        ensure!(ended.success(), "{command:?}: {ended}");
    }
    times.sort();
    times.get(runs / 2).copied().context("at least one run is needed")
}

/// Returns the median time of `true`, a program that does nothing: the least time of any program on this machine. `None` where
/// there is no such program.
pub(crate) fn least_start_time(runs: usize) -> Option<Duration> {
    median_time(&mut Command::new("true"), runs).ok()
}

impl Drop for Program {
    fn drop(&mut self) {
        // Files that remain after an error do no harm: no other run reads them.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the processor time of all children that have ended; `None` if the system does not tell.
fn processor_time_of_children() -> Option<Duration> {
    processor_time(Whose::Children)
}

/// Returns the processor time of this process; `None` if the system does not tell.
pub(crate) fn processor_time_of_this() -> Option<Duration> {
    processor_time(Whose::This)
}

/// The processes whose time is wanted.
#[derive(Clone, Copy)]
enum Whose {
    This,
    Children,
}

#[cfg(unix)]
fn processor_time(whose: Whose) -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;

    let usage = getrusage(match whose {
        Whose::This => UsageWho::RUSAGE_SELF,
        Whose::Children => UsageWho::RUSAGE_CHILDREN,
    });
    let usage = usage.ok()?;
    let times = [usage.user_time(), usage.system_time()];
    Some(times.iter().map(|time| Duration::from_micros(time.num_microseconds().cast_unsigned())).sum())
}

/// Other systems have no such time.
#[cfg(not(unix))]
fn processor_time(_: Whose) -> Option<Duration> {
    None
}

/// Returns the largest memory of a process in bytes, from its status on Linux.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok().map(|kilobytes: u64| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status_of_a_process() {
        assert_eq!(high_water("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2 << 20));
        assert_eq!(high_water("Name:\tx\n"), None);
    }

    #[test]
    fn the_median_is_the_middle_run() {
        let cost = |time, peak| Cost { time: Duration::from_secs(time), processor: None, peak };
        let median = Cost::median(vec![cost(9, 1), cost(1, 5), cost(3, 2)]);
        assert_eq!((median.time, median.peak), (Duration::from_secs(3), 5));
    }
}
