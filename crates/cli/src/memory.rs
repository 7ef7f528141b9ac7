//! The limit of the memory that the program uses.

use std::fmt;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use sysinfo::{MemoryRefreshKind, Pid, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System, get_current_pid};

use crate::output;

/// Units of memory in bytes. A single letter means a power of 1024.
const UNITS: [(&str, u64); 13] = [
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("t", 1 << 40),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
];

/// Time between two measurements. Memory grows by about 100 MB in this time at most.
const INTERVAL: Duration = Duration::from_millis(20);

/// Exit code after the limit is reached, or after the system refuses memory.
const OUT_OF_MEMORY: i32 = 2;

/// A limit of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryLimit {
    /// A number of bytes.
    Bytes(u64),
    /// A percentage of the memory of the machine, or of the control group of the program.
    Percent(u64),
    /// No limit.
    Unlimited,
}

impl MemoryLimit {
    /// The default limit.
    pub(crate) const DEFAULT: Self = Self::Percent(80);

    /// Returns the limit in bytes, if there is one.
    pub(crate) fn bytes(self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Percent(percent) => Some((u128::from(available()?) * u128::from(percent) / 100) as u64),
            Self::Unlimited => None,
        }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{bytes}B"),
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

/// Parses a limit such as `2GiB`, `500MB`, `80%` or `unlimited`.
#[expect(clippy::cast_sign_loss, reason = "the size is positive")]
pub(crate) fn limit(text: &str) -> Result<MemoryLimit, String> {
    let expected = || "expected a size such as 500MB, 2GiB or 80%, or 'unlimited'".to_owned();
    if text == "unlimited" {
        return Ok(MemoryLimit::Unlimited);
    }
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (text[..split].parse::<f64>(), text[split..].trim().to_ascii_lowercase());
    if unit == "%" {
        let percent = text[..split].parse().ok().filter(|percent| (1..=100).contains(percent));
        return percent.map(MemoryLimit::Percent).ok_or_else(expected);
    }
    let number = number.ok().filter(|number| *number > 0.0).ok_or_else(expected)?;
    let unit = UNITS.into_iter().find(|&(name, _)| name == unit).ok_or_else(expected)?;
    // Beyond 2^64 bytes, the conversion saturates.
    Ok(MemoryLimit::Bytes((number * unit.1 as f64) as u64))
}

/// Ends the program with exit code 2 when the system refuses memory: Rust names the refused size on standard error, and
/// aborts.
pub(crate) fn end_when_refused() {
    #[cfg(unix)]
    {
        use std::sync::Arc;
        use std::sync::atomic::AtomicBool;
        let always = Arc::new(AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGABRT, OUT_OF_MEMORY, always);
    }
}

/// Ends the program with exit code 2 and one line when it uses more memory.
///
/// The memory in use is measured again and again, because Rust cannot recover from an allocation that fails.
pub(crate) fn enforce(limit: MemoryLimit) {
    let (Some(limit), Ok(process), Ok(mut system)) = (limit.bytes(), get_current_pid(), System::new()) else { return };
    let watch = move || {
        loop {
            thread::sleep(INTERVAL);
            if let Some(used) = used(&mut system, process).filter(|&used| used > limit) {
                let [used, limit] = [used, limit].map(|bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)));
                output::error(&anyhow!(
                    "the program uses {used} of memory, more than --max-memory {limit}; give a smaller problem, or raise the limit"
                ));
                std::process::exit(OUT_OF_MEMORY);
            }
        }
    };
    // Without a thread there is no limit, but the program can run.
    let _ = thread::Builder::new().name("memory".to_owned()).spawn(watch);
}

/// Returns the memory of the machine, or of the control group of the program if that is less.
pub(crate) fn available() -> Option<u64> {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory).ok()?;
    let group = system.cgroup_limits().map(|limits| limits.total_memory);
    [Some(system.total_memory()), group].into_iter().flatten().filter(|&bytes| bytes > 0).min()
}

/// Returns the memory that the process occupies.
fn used(system: &mut System, process: Pid) -> Option<u64> {
    let memory = ProcessRefreshKind::nothing().with_memory().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, memory);
    Some(system.process(process)?.memory())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_units_that_people_write() {
        let sizes = [("1GiB", 1 << 30), ("2g", 2 << 30), ("500MB", 500_000_000), ("1.5 KiB", 1536), ("7b", 7)];
        for (text, bytes) in sizes {
            assert_eq!(limit(text), Ok(MemoryLimit::Bytes(bytes)), "{text}");
        }
        assert_eq!(limit("80%"), Ok(MemoryLimit::DEFAULT));
        for limits in [MemoryLimit::DEFAULT, MemoryLimit::Unlimited, MemoryLimit::Bytes(12)] {
            assert_eq!(limit(&limits.to_string()), Ok(limits));
        }
        for text in ["", "0", "12", "GiB", "-1GiB", "1e3MB", "101%", "0%", "1.2.3GB", "5 apples", "all"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_machine_has_memory_and_the_process_uses_some() {
        let used = used(&mut System::new().unwrap(), get_current_pid().unwrap()).unwrap();
        assert!(0 < used && used < available().unwrap());
    }
}
