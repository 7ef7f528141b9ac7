//! The functions that take the most time of a run, by the profiler `perf`.

use std::process::{Command, ExitStatus, Stdio};

use lockstep_report::Table;

use crate::process::Program;

/// Samples per second.
const FREQUENCY: &str = "199";
/// Number of functions of a run.
const LARGEST: usize = 6;

/// The functions of a run with their shares of the samples in percent, the largest first.
#[derive(Debug, PartialEq)]
pub(super) struct FunctionShares(Vec<(String, f64)>);

/// Runs the program on one thread under the profiler. Returns `None` if perf is not installed, or if the program has no
/// symbols.
pub(super) fn measure(program: &Program, arguments: &[String]) -> Option<FunctionShares> {
    let samples = program.file("perf.data");
    let mut record = Command::new("perf");
    record.args(["record", "-q", "-F", FREQUENCY, "-o", &samples, "--"]).arg(program.path()).args(arguments);
    let record = record.env("RAYON_NUM_THREADS", "1").stdout(Stdio::null()).stderr(Stdio::null());
    record.status().ok().filter(ExitStatus::success)?;
    let fields = ["report", "-i", &samples, "--stdio", "-q", "--no-children", "-F", "overhead,sym"];
    let report = Command::new("perf").args(fields).stderr(Stdio::null()).output().ok()?;
    FunctionShares::read(&String::from_utf8_lossy(&report.stdout))
}

impl FunctionShares {
    /// Reads a report of perf. Returns `None` if most samples have an address instead of a name.
    fn read(text: &str) -> Option<Self> {
        let mut functions: Vec<(String, f64)> = text.lines().filter_map(function).collect();
        let all: f64 = functions.iter().map(|function| function.1).sum();
        functions.retain(|function| !function.0.starts_with("0x"));
        let named: f64 = functions.iter().map(|function| function.1).sum();
        functions.truncate(LARGEST);
        (named > all / 2.0).then_some(Self(functions))
    }

    /// Returns one row per function.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(["function", "share"]);
        for (name, percent) in &self.0 {
            table.push([format!("`{name}`"), format!("{percent:.1} %")]);
        }
        table
    }
}

/// Reads a line such as `15.38%  [.] name`. A name of the kernel has a `k` in brackets.
fn function(line: &str) -> Option<(String, f64)> {
    let (share, rest) = line.trim().split_once('%')?;
    let (space, name) = rest.trim().split_once("] ")?;
    let name = name.trim();
    // A hash ends the names of older compilers.
    let name = name.rsplit_once("::h").filter(|(_, hash)| hash.len() == 16).map_or(name, |(name, _)| name);
    let kernel = if space == "[k" { "kernel: " } else { "" };
    Some((format!("{kernel}{name}"), share.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\n    55.38%  [.] lockstep::verify::h0123456789abcdef\n    12.31%  [k] exc_page_fault\n     \
        9.23%  [.] 0x0000000000dcbe67\n";

    #[test]
    fn functions_have_shares() {
        let expected = [("lockstep::verify", 55.38), ("kernel: exc_page_fault", 12.31)];
        let expected = expected.map(|(name, percent)| (name.to_owned(), percent)).to_vec();
        let shares = FunctionShares::read(REPORT).unwrap();
        assert_eq!(shares, FunctionShares(expected));
        assert!(shares.table().to_markdown().contains("| `lockstep::verify` "));
    }

    #[test]
    fn a_program_without_symbols_has_no_functions() {
        assert_eq!(FunctionShares::read(" 80.00%  [.] 0x0000000000dcbe67\n 20.00%  [.] memmove\n"), None);
        assert_eq!(FunctionShares::read(""), None);
    }
}
