//! The machine of a measurement.

/// Returns the name of the processor and the number of its cores.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        line.split_once(':').map(|(_, name)| name.trim().to_owned())
    });
    format!("{}, {cores} cores", processor.as_deref().unwrap_or("unknown processor"))
}
