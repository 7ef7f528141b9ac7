//! The time of the steps of a plan, with which simulators of networks must agree.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::cases::Case;
use super::consumer::{Fault, Trial, Verdict};
use crate::process;

/// The size of a collective per number of ranks: the transmission of a chunk takes more than ten times 1 us.
const SIZES: [(usize, u64); 3] = [(8, 128 << 10), (16, 256 << 10), (32, 4 << 20)];

/// The latency per step on networks without latencies, in seconds.
const DEFAULT_LATENCY: f64 = 1e-6;

/// The largest difference of the simulated time from the time of the steps.
const TOLERANCE: f64 = 0.02;

/// Returns the size of the collective, in bytes.
pub(crate) fn size(case: &Case) -> u64 {
    let size = SIZES.iter().find(|(ranks, _)| *ranks == case.ranks);
    size.map_or(1 << 20, |(_, size)| *size)
}

/// The time of all steps: steps × (latency + chunk / bandwidth).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StepsTime {
    /// Bytes of a chunk.
    pub(crate) chunk: f64,
    /// The latency of a step, in seconds; the mean where steps differ.
    pub(crate) latency: f64,
    /// Chunk / time of a step without latency, in bytes per second.
    pub(crate) bandwidth: f64,
    /// All steps, in seconds.
    pub(crate) total: f64,
    /// The part of the total that remains if a transfer waits for its chunk and its channel only, not for the step.
    pub(crate) asynchronous_part: f64,
}

/// Measures the plan with `lockstep time`.
///
/// # Errors
///
/// If the program cannot be started, or if its output is not as expected.
pub(crate) fn measure(trial: &Trial<'_>) -> Result<StepsTime> {
    let size = size(trial.case);
    let mut time = Command::new(trial.program);
    // Two sizes separate the latency from the bandwidth.
    time.args(["time", "--json", "--size", &format!("{size},{}", 2 * size)]).arg(&trial.case.plan);
    if let Some(unit) = trial.case.unit {
        time.args(["--unit", unit]);
    }
    let finished = process::run(&mut time, trial.limit, trial.folder)?;
    ensure!(finished.is_success, "lockstep time: {}", finished.text);
    let default_latency = if trial.case.unit.is_some() { DEFAULT_LATENCY } else { 0.0 };
    parse(&finished.text, trial.case.steps, default_latency)
        .with_context(|| format!("lockstep time prints other fields: {}", finished.text))
}

/// Computes the time from the output of `lockstep time` for two sizes.
fn parse(text: &str, steps: u64, default_latency: f64) -> Option<StepsTime> {
    let values = |name: &str| -> Vec<f64> {
        let digits = |rest: &str| rest.split(|digit: char| !digit.is_ascii_digit()).next()?.parse().ok();
        text.split(&format!("\"{name}\": ")).skip(1).filter_map(digits).collect()
    };
    let ([small, large], [chunk, large_chunk]) =
        (values("synchronous_ps").try_into().ok()?, values("chunk_bytes").try_into().ok()?);
    let asynchronous = values("asynchronous_ps");
    #[expect(clippy::cast_precision_loss, reason = "a number of steps is small")]
    let steps = steps as f64;
    let per_byte = 1e-12 * (large - small) / (large_chunk - chunk);
    let latency = 1e-12 * small / steps - per_byte * chunk / steps + default_latency;
    Some(StepsTime {
        chunk,
        latency,
        bandwidth: steps / per_byte,
        total: 1e-12 * small + steps * default_latency,
        asynchronous_part: asynchronous.first()? / small,
    })
}

/// Compares a simulated time with the time of all steps, where a step may be shorter than in the plan.
///
/// The simulated time must be at most the total, and at least `least` on networks of equal channels. On others, a
/// simulator can use bandwidth that the schedule leaves free. Two merged steps claim to be one.
pub(crate) fn verdict(trial: &Trial<'_>, seconds: f64, total: f64, least: f64) -> Verdict {
    let is_merged = trial.fault == Some(Fault::MissingDependency);
    let steps = trial.case.steps - u64::from(is_merged);
    #[expect(clippy::cast_precision_loss, reason = "a number of steps is small")]
    let part = steps as f64 / trial.case.steps as f64;
    let is_short = seconds < part * total * (1.0 + TOLERANCE);
    let is_long = is_merged || !trial.case.is_uniform || seconds > least * (1.0 - TOLERANCE);
    if is_short && is_long {
        Verdict::Accepted
    } else {
        let (simulated, steps_time) = (1e6 * seconds, 1e6 * part * total);
        Verdict::Refused(format!("simulated {simulated:.3} us, {steps} steps take {steps_time:.3} us"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sizes_separate_the_latency_from_the_bandwidth() {
        let text = r#"[
  {"bytes": 131072, "chunk_bytes": 16384, "synchronous_ps": 2710720, "asynchronous_ps": 1355360},
  {"bytes": 262144, "chunk_bytes": 32768, "synchronous_ps": 4021440, "asynchronous_ps": 2010720}
]"#;
        let time = parse(text, 2, 0.0).expect("all fields");
        assert!((time.latency - 700e-9).abs() < 1e-12, "{time:?}");
        assert!((time.bandwidth - 25e9).abs() < 1.0, "{time:?}");
        assert!((time.total - 2_710_720e-12).abs() < 1e-15, "{time:?}");
        assert!((time.asynchronous_part - 0.5).abs() < 1e-9, "{time:?}");
        let slower = parse(text, 2, 1e-6).expect("all fields");
        assert!((slower.total - 4_710_720e-12).abs() < 1e-15, "{slower:?}");
        assert_eq!(parse("[]", 2, 0.0), None);
    }
}
