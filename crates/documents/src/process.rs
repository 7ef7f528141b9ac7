//! The program as a process, as users run it.

use std::fs;
use std::path::PathBuf;
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
    /// The folder for network and plan files.
    folder: PathBuf,
}

/// Time and memory of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// From start to end.
    pub(crate) time: Duration,
    /// Largest memory in bytes; 0 if the system does not tell, or if the process ended before the first sample.
    pub(crate) peak: u64,
}

impl Cost {
    /// Returns the median time and the largest peak.
    pub(crate) fn median(mut costs: Vec<Self>) -> Self {
        costs.sort_by_key(|cost| cost.time);
        let peak = costs.iter().map(|cost| cost.peak).max().unwrap_or(0);
        Self { time: costs.get(costs.len() / 2).map_or(Duration::ZERO, |cost| cost.time), peak }
    }
}

impl Program {
    /// Returns the program in the folder of the running executable.
    pub(crate) fn beside_this() -> Result<Self> {
        let path = std::env::current_exe()?.with_file_name(format!("lockstep{}", std::env::consts::EXE_SUFFIX));
        ensure!(path.exists(), "{}: not built; run cargo build --release --package lockstep-cli", path.display());
        let folder = path.with_file_name("benchmarks");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(Self { path, folder })
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
        let mut command = Command::new(&self.path);
        command.args(arguments).args(["--seed", &seed.to_string()]).env("RAYON_NUM_THREADS", threads.to_string());
        let started = Instant::now();
        let mut child = command.stdout(Stdio::null()).spawn()?;
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
        ensure!(ended.success(), "{} {}: {ended}", self.path.display(), arguments.join(" "));
        Ok(Cost { time, peak })
    }
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
        let cost = |time, peak| Cost { time: Duration::from_secs(time), peak };
        let median = Cost::median(vec![cost(9, 1), cost(1, 5), cost(3, 2)]);
        assert_eq!((median.time, median.peak), (Duration::from_secs(3), 5));
    }
}
