//! The measured times of a collective, from the runs of a file.

use std::collections::BTreeMap;

use lockstep_schedule::CollectiveName;
use lockstep_topology::Quantity;

use crate::run::{Figure, Run, Workload};

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// Which run of a file is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObservedRequest {
    /// The collective.
    pub collective: CollectiveName,
    /// The number of ranks.
    pub ranks: u32,
    /// The number of the run, from 1, among those of the collective. `None` if there must be only one.
    pub number: Option<usize>,
}

/// The measured times of a collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The name of the test in the tool.
    pub test: String,
    /// The algorithm that the library was forced to use, if the output names it.
    pub algorithm: Option<String>,
    /// Sizes in bytes and times in picoseconds, by ascending sizes: those with separate buffers, or those in place if there are no
    /// others. Of several times of one size, the shortest.
    pub times: Vec<(u64, u128)>,
}

/// Why a file cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObservedError {
    /// No run of the collective.
    #[error(
        "the file has {found}, and no sweep of {collective}; give the output of the benchmark for {collective}, or choose another collective"
    )]
    Collective {
        /// What the runs measured, in words.
        found: String,
        /// The requested collective.
        collective: CollectiveName,
    },
    /// Another number of ranks.
    #[error(
        "the run '{test}' has {found} ranks, and the collective has {expected}; give the network of this machine, or choose {found} of its terminals"
    )]
    Ranks {
        /// The name of the test.
        test: String,
        /// The number of ranks in the file.
        found: u32,
        /// The number of ranks of the collective.
        expected: u32,
    },
    /// Several runs of the collective.
    #[error("the file has {count} runs of {collective}, from lines {lines}; choose one by its number, 1 to {count}")]
    Several {
        /// The collective.
        collective: CollectiveName,
        /// The number of its runs.
        count: usize,
        /// The first line of each run.
        lines: String,
    },
    /// A run that does not exist.
    #[error("there is no run {number} of {collective}: the file has {count}")]
    Number {
        /// The requested number.
        number: usize,
        /// The collective.
        collective: CollectiveName,
        /// The number of its runs.
        count: usize,
    },
    /// Wrong data.
    #[error("line {line}: the benchmark found wrong data for {}; a time of wrong data says nothing: repair the machine or the library, and measure again", Quantity::Size.format(*.bytes))]
    Wrong {
        /// The line of the file, from 1.
        line: u32,
        /// The size of the collective.
        bytes: u64,
    },
    /// A run without times.
    #[error("the run '{test}' has no times; the file is truncated: measure again")]
    Empty {
        /// The name of the test.
        test: String,
    },
}

impl Observed {
    /// Returns the times of a run.
    ///
    /// # Errors
    ///
    /// [`ObservedError`] if the file has no such run, several, or one with other ranks or wrong data.
    pub fn of_runs(runs: &[Run], request: &ObservedRequest) -> Result<Self, ObservedError> {
        let ObservedRequest { collective, ranks, number } = *request;
        let of_collective: Vec<&Run> = runs.iter().filter(|run| collective_of(run) == Some(collective)).collect();
        let count = of_collective.len();
        let run = match (number, &of_collective[..]) {
            (_, []) => return Err(ObservedError::Collective { found: found(runs), collective }),
            (Some(number), runs) => {
                let run = number.checked_sub(1).and_then(|place| runs.get(place));
                *run.ok_or(ObservedError::Number { number, collective, count })?
            }
            (None, [run]) => *run,
            (None, runs) => {
                let first = |run: &&Run| run.samples.first().map_or(0, |sample| sample.line).to_string();
                let lines = runs.iter().map(first).collect::<Vec<_>>().join(", ");
                return Err(ObservedError::Several { collective, count, lines });
            }
        };
        let test = run.test.clone();
        let of_run = run.ranks.or_else(|| u32::try_from(run.devices.len()).ok().filter(|&count| count > 0));
        if let Some(found) = of_run.filter(|&found| found != ranks) {
            return Err(ObservedError::Ranks { test, found, expected: ranks });
        }
        // By place of the data, and by size.
        let mut times: [BTreeMap<u64, u128>; 2] = Default::default();
        for sample in run.samples.iter().filter(|sample| sample.workload == Workload::Collective(collective)) {
            let Some(bytes) = sample.bytes.filter(|&bytes| bytes > 0) else { continue };
            if sample.is_wrong {
                return Err(ObservedError::Wrong { line: sample.line, bytes });
            }
            let time = match sample.figure {
                Figure::Picoseconds(time) => u128::from(time),
                Figure::BytesPerSecond(rate) => {
                    (u128::from(bytes) * PICOSECONDS_PER_SECOND).div_ceil(u128::from(rate.max(1)))
                }
            };
            let shortest = times[usize::from(sample.in_place)].entry(bytes).or_insert(time);
            *shortest = (*shortest).min(time);
        }
        let [separate, in_place] = times;
        let times = if separate.is_empty() { in_place } else { separate };
        if times.is_empty() {
            return Err(ObservedError::Empty { test });
        }
        Ok(Self { test, algorithm: run.algorithm.clone(), times: times.into_iter().collect() })
    }
}

impl Observed {
    /// Returns the time of a size in picoseconds, if it was measured.
    pub fn time(&self, bytes: u64) -> Option<u128> {
        let place = self.times.binary_search_by_key(&bytes, |&(bytes, _)| bytes).ok()?;
        Some(self.times[place].1)
    }
}

/// Returns the collective that a run measured.
fn collective_of(run: &Run) -> Option<CollectiveName> {
    run.samples.iter().find_map(|sample| match sample.workload {
        Workload::Collective(collective) => Some(collective),
        Workload::Flows(_) => None,
    })
}

/// Returns what runs measured, in words.
fn found(runs: &[Run]) -> String {
    let mut collectives: Vec<&str> = runs.iter().filter_map(collective_of).map(CollectiveName::word).collect();
    collectives.sort_unstable();
    collectives.dedup();
    match collectives[..] {
        [] if runs.is_empty() => "no measurements".to_owned(),
        [] => "transfers between pairs of devices".to_owned(),
        _ => format!("sweeps of {}", collectives.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Device, Flow, Sample, Tool, TransferKind};

    fn sample(bytes: u64, microseconds: u64, in_place: bool) -> Sample {
        Sample {
            workload: Workload::Collective(CollectiveName::AllReduce),
            bytes: Some(bytes),
            figure: Figure::Picoseconds(microseconds * 1_000_000),
            spread: None,
            in_place,
            is_wrong: false,
            line: 10 + bytes as u32,
        }
    }

    fn run(samples: Vec<Sample>) -> Run {
        Run {
            tool: Tool::NcclTests,
            test: "AllReduce".to_owned(),
            kind: TransferKind::Kernel,
            algorithm: None,
            devices: vec![Device::default(); 4],
            ranks: None,
            samples,
        }
    }

    const REQUEST: ObservedRequest = ObservedRequest { collective: CollectiveName::AllReduce, ranks: 4, number: None };

    #[test]
    fn separate_buffers_come_before_those_in_place() {
        let all = vec![sample(8, 7, true), sample(16, 4, false), sample(8, 3, false), sample(8, 2, false)];
        let observed = Observed::of_runs(&[run(all)], &REQUEST).unwrap();
        assert_eq!(observed.times, [(8, 2_000_000), (16, 4_000_000)]);
        let in_place = Observed::of_runs(&[run(vec![sample(8, 7, true)])], &REQUEST).unwrap();
        assert_eq!(in_place.times, [(8, 7_000_000)]);
        let rate = Sample { figure: Figure::BytesPerSecond(2_000_000_000), ..sample(8, 0, false) };
        assert_eq!(Observed::of_runs(&[run(vec![rate])], &REQUEST).unwrap().times, [(8, 4_000)]);
    }

    #[test]
    fn what_does_not_fit_is_refused_in_words() {
        let good = || run(vec![sample(8, 3, false)]);
        let flows = Sample { workload: Workload::Flows(vec![Flow { from: 0, to: 1 }]), ..sample(8, 3, false) };
        let wrong = Sample { is_wrong: true, ..sample(8, 3, false) };
        for (runs, request, expected) in [
            (vec![good()], ObservedRequest { ranks: 8, ..REQUEST }, "has 4 ranks, and the collective has 8"),
            (vec![Run { ranks: Some(2), ..good() }], REQUEST, "has 2 ranks, and the collective has 4"),
            (
                vec![good()],
                ObservedRequest { collective: CollectiveName::AllGather, ..REQUEST },
                "the file has sweeps of all-reduce, and no sweep of all-gather",
            ),
            (vec![run(vec![flows])], REQUEST, "the file has transfers between pairs of devices"),
            (vec![], REQUEST, "the file has no measurements"),
            (
                vec![good(), good()],
                REQUEST,
                "2 runs of all-reduce, from lines 18, 18; choose one by its number, 1 to 2",
            ),
            (vec![good()], ObservedRequest { number: Some(2), ..REQUEST }, "there is no run 2"),
            (vec![good()], ObservedRequest { number: Some(0), ..REQUEST }, "there is no run 0"),
            (vec![run(vec![wrong])], REQUEST, "line 18: the benchmark found wrong data for 8B"),
            (vec![run(vec![Sample { bytes: None, ..sample(8, 3, false) }])], REQUEST, "has no times"),
        ] {
            let message = Observed::of_runs(&runs, &request).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains('\n'), "{message}");
        }
        let second = ObservedRequest { number: Some(2), ..REQUEST };
        let runs = [good(), run(vec![sample(8, 5, false)])];
        assert_eq!(Observed::of_runs(&runs, &second).unwrap().times, [(8, 5_000_000)]);
    }
}
