//! Errors that a benchmark, its library or its launcher reports in the output.

use lockstep_files::one_line;

use super::lines::Line;

/// The beginnings of such reports.
const BEGINNINGS: [&str; 8] = [
    "[ERROR]",
    "ASSERT in expression",
    "Completion with error",
    "Couldn't ",
    "ERROR:",
    "Error:",
    "Failed ",
    "Invalid value when checking the pattern",
];

/// Parts of such reports that stand anywhere in a line.
const PARTS: [&str; 12] = [
    "BAD TERMINATION",
    "CUDA error",
    "CUDA failure",
    "Cuda failure",
    "DATA VALIDATION ERROR",
    "DUE TO TIME LIMIT",
    "MPI_ABORT was invoked",
    "Segmentation fault",
    "Test CUDA failure",
    "Test NCCL failure",
    "mpirun noticed that process",
    "slurmstepd: error",
];

/// Returns the note on the first report of an error, and the number of the others.
pub(super) fn note(lines: &[Line<'_>]) -> Option<String> {
    let is_report = |line: &&Line<'_>| {
        BEGINNINGS.iter().any(|begin| line.text.starts_with(begin)) || PARTS.iter().any(|part| line.text.contains(part))
    };
    let mut reports = lines.iter().filter(is_report);
    let first = reports.next()?;
    let more = match reports.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (line, text) = (first.number, one_line(first.text));
    Some(format!("line {line}: the output reports an error, '{text}'{more}; values after it may be missing"))
}
