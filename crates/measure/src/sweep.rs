//! Times of collectives over sizes: lines, and the constants of algorithms.

use lockstep_schedule::CollectiveName;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Figure, Run, Sample, Workload};

/// Larger errors of the logarithm of a time count linearly, not squared.
const HUBER: f64 = 0.2;

/// The starting points of the fit, as parts of the whole time per parameter.
const STARTS: [f64; 3] = [1.0, 0.3, 0.05];

/// The iterations of the fit, and of each fit of the bootstrap.
const ITERATIONS: [usize; 2] = [200, 40];

/// The fits of the bootstrap.
const SAMPLES: usize = 200;

/// An interval with a greater ratio of its ends says nothing.
const MAX_RATIO: f64 = 10.0;

/// The greatest relative error of a time on a line.
const LINE_ERROR: f64 = 0.1;

/// The least number of sizes of a line.
const LINE_SIZES: usize = 3;

/// The work of an algorithm for a collective: its time is a sum of these numbers with three constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Work {
    /// The number of messages that follow each other.
    pub steps: f64,
    /// The bytes that the busiest rank sends.
    pub bytes: f64,
    /// The bytes that it reduces.
    pub reduced: f64,
}

impl Work {
    /// Returns the work of an all-reduce of `bytes` among `ranks`; `None` for an algorithm that is not known, and for numbers of ranks
    /// that it does not support without additional messages.
    ///
    /// ```
    /// use lockstep_measure::Work;
    ///
    /// let ring = Work::of_all_reduce("ring", 4, 4096).unwrap();
    /// assert_eq!((ring.steps, ring.bytes, ring.reduced), (6.0, 6144.0, 3072.0));
    /// ```
    ///
    /// # Source
    ///
    /// Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", *International Journal of
    /// High Performance Computing Applications* 19 (2005).
    pub fn of_all_reduce(algorithm: &str, ranks: u32, bytes: u64) -> Option<Self> {
        let (n, ranks_f64) = (bytes as f64, f64::from(ranks));
        let share = (ranks_f64 - 1.0) / ranks_f64;
        let halving = |steps: f64| Self { steps, bytes: 2.0 * share * n, reduced: share * n };
        let rounds = (ranks.is_power_of_two() && ranks > 1).then(|| f64::from(ranks.ilog2()));
        let name: String = algorithm.to_lowercase().replace(['_', ' '], "-");
        match &name[..] {
            "ring" if ranks > 1 => Some(halving(2.0 * (ranks_f64 - 1.0))),
            "recursive-doubling" | "bine-latency" => {
                rounds.map(|rounds| Self { steps: rounds, bytes: rounds * n, reduced: rounds * n })
            }
            "rabenseifner" | "bine-bandwidth" => rounds.map(|rounds| halving(2.0 * rounds)),
            _ => None,
        }
    }

    fn terms(self) -> [f64; 3] {
        [self.steps, self.bytes, self.reduced]
    }
}

/// A constant of a [`TimeModel`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    /// In picoseconds, or picoseconds per byte.
    pub value: f64,
    /// The interval that has the value with a probability of 90 %, by the bootstrap.
    pub interval: [f64; 2],
    /// False if the measurements do not determine the value: the algorithms always have it together with another constant, or the
    /// interval spans a factor of ten.
    pub is_identified: bool,
}

/// The constants of the time of algorithms: `steps * step + bytes * byte + reduced * reduced_byte`.
///
/// Least squares of the logarithms of the times, with Huber's loss, over constants that are not negative. So every size counts alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeModel {
    /// The time of a message without its bytes.
    pub step: Constant,
    /// The time of a byte that is sent.
    pub byte: Constant,
    /// The time of a byte that is reduced.
    pub reduced_byte: Constant,
}

impl TimeModel {
    /// Fits the constants to times in picoseconds; `None` without times.
    ///
    /// The bootstrap draws rows with a fixed seed, so the result is deterministic.
    pub fn fit(rows: &[(Work, u64)]) -> Option<Self> {
        let table: Vec<Row<3>> =
            rows.iter().map(|&(work, time)| Row { terms: work.terms(), time: time.max(1) as f64 }).collect();
        if table.is_empty() {
            return None;
        }
        let values = fit_logarithms(&table, ITERATIONS[0]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let fits: Vec<[f64; 3]> = (0..SAMPLES)
            .map(|_| {
                let rows: Vec<_> = (0..table.len()).map(|_| table[rng.random_range(0..table.len())]).collect();
                fit_logarithms(&rows, ITERATIONS[1])
            })
            .collect();
        let constant = |term: usize| {
            let mut found: Vec<f64> = fits.iter().map(|values| values[term]).collect();
            found.sort_unstable_by(f64::total_cmp);
            let interval = [found[SAMPLES / 20], found[SAMPLES - 1 - SAMPLES / 20]];
            let is_narrow = interval[1] <= MAX_RATIO * interval[0];
            Constant { value: values[term], interval, is_identified: is_narrow && is_independent(&table, term) }
        };
        Some(Self { step: constant(0), byte: constant(1), reduced_byte: constant(2) })
    }

    /// Returns the time of some work in picoseconds. Constants that are not identified give right times for the algorithms of the
    /// fit only.
    pub fn time_ps(&self, work: Work) -> f64 {
        let constants = [self.step, self.byte, self.reduced_byte];
        work.terms().iter().zip(constants).map(|(term, constant)| term * constant.value).sum()
    }

    /// Returns true if all constants are identified.
    pub fn is_identified(&self) -> bool {
        [self.step, self.byte, self.reduced_byte].iter().all(|constant| constant.is_identified)
    }
}

/// A time with the numbers that it consists of.
#[derive(Clone, Copy, Debug)]
struct Row<const N: usize> {
    terms: [f64; N],
    time: f64,
}

/// Returns the constants with the least loss. The iteration is that of Gauss and Newton on their logarithms.
fn fit_logarithms<const N: usize>(rows: &[Row<N>], iterations: usize) -> [f64; N] {
    let scale: [f64; N] = std::array::from_fn(|term| {
        let parts = rows.iter().filter(|row| row.terms[term] > 0.0).map(|row| row.time / row.terms[term]);
        let mut parts: Vec<f64> = parts.collect();
        parts.sort_unstable_by(f64::total_cmp);
        match parts.len() {
            0 => 1.0,
            length => f64::midpoint(parts[(length - 1) / 2], parts[length / 2]),
        }
    });
    let mut best: Option<(f64, [f64; N])> = None;
    for start in STARTS {
        let mut exponents = scale.map(|scale| (scale * start).ln());
        let mut loss = 0.0;
        for _ in 0..iterations {
            let mut matrix = [[0.0; N]; N];
            let mut side = [0.0; N];
            loss = 0.0;
            for row in rows {
                let parts: [f64; N] = std::array::from_fn(|term| row.terms[term] * exponents[term].exp());
                let sum: f64 = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                let error = (row.time / sum).ln();
                let weight = (HUBER / error.abs().max(1e-12)).min(1.0);
                let inner = error.abs().min(HUBER);
                loss += inner * (2.0 * error.abs() - inner);
                for one in 0..N {
                    side[one] += parts[one] / sum * weight * error;
                    for other in 0..N {
                        matrix[one][other] += parts[one] / sum * parts[other] / sum * weight;
                    }
                }
            }
            (0..N).for_each(|term| matrix[term][term] += 1e-6);
            let step = solve(matrix, side);
            for term in 0..N {
                exponents[term] = (exponents[term] + step[term].clamp(-1.0, 1.0)).clamp(-40.0, 40.0);
            }
            if step.iter().all(|step| step.abs() < 1e-10) {
                break;
            }
        }
        if best.is_none_or(|(least, _)| loss < least) {
            best = Some((loss, exponents.map(f64::exp)));
        }
    }
    best.map_or([0.0; N], |(_, constants)| constants)
}

/// Solves a small system of linear equations with a positive definite matrix by elimination.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut side: [f64; N]) -> [f64; N] {
    for pivot in 0..N {
        for row in (0..N).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let own = matrix[pivot];
            matrix[row].iter_mut().zip(own).for_each(|(entry, own)| *entry -= factor * own);
            side[row] -= factor * side[pivot];
        }
    }
    std::array::from_fn(|term| side[term] / matrix[term][term])
}

/// Returns true if the numbers of a term are no sum of multiples of those of the others.
fn is_independent<const N: usize>(rows: &[Row<N>], term: usize) -> bool {
    // Columns of length 1, made orthogonal one after the other; the term is the last one.
    let column = |term: usize| normalised(rows.iter().map(|row| row.terms[term]).collect());
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for other in (0..N).filter(|&other| other != term).chain([term]) {
        let mut rest = column(other);
        for vector in &basis {
            let product: f64 = rest.iter().zip(vector).map(|(one, other)| one * other).sum();
            rest.iter_mut().zip(vector).for_each(|(entry, part)| *entry -= product * part);
        }
        let length = rest.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if other == term {
            return length > 1e-9;
        }
        if length > 1e-9 {
            basis.push(normalised(rest));
        }
    }
    false
}

fn normalised(mut column: Vec<f64>) -> Vec<f64> {
    let length = column.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if length > 0.0 {
        for entry in &mut column {
            *entry /= length;
        }
    }
    column
}

/// The time of a collective as a line over its size: `start_up_ps + bytes * byte_ps`.
#[derive(Clone, PartialEq, Debug)]
pub struct SizeLine {
    /// The collective.
    pub collective: CollectiveName,
    /// The number of ranks, if it is known.
    pub ranks: Option<u32>,
    /// The algorithm that the library was forced to use.
    pub algorithm: Option<String>,
    /// True if input and output have the same buffer.
    pub in_place: bool,
    /// The least and the greatest size in bytes. The line says nothing about others.
    pub sizes: [u64; 2],
    /// The time at size 0 in picoseconds.
    pub start_up_ps: f64,
    /// The time of a byte in picoseconds.
    pub byte_ps: f64,
}

/// Returns the all-reduces of a run with a known algorithm, and their times in picoseconds.
pub(crate) fn all_reduce_times(run: &Run) -> Vec<(Work, u64)> {
    let row = |sample: &Sample| match (&sample.workload, sample.figure) {
        (Workload::Collective(CollectiveName::AllReduce), Figure::Picoseconds(time)) if !sample.is_wrong => {
            Some((Work::of_all_reduce(run.algorithm.as_deref()?, run.ranks?, sample.bytes?)?, time))
        }
        _ => None,
    };
    run.samples.iter().filter_map(row).collect()
}

/// Returns the lines of the collectives of a run. A line has the largest sizes whose times it gives within 10 %, at least three.
pub fn size_lines(run: &Run) -> Vec<SizeLine> {
    let mut lines = Vec::new();
    let mut known: Vec<(CollectiveName, bool)> = Vec::new();
    for sample in &run.samples {
        if let Workload::Collective(collective) = sample.workload
            && !known.contains(&(collective, sample.in_place))
        {
            known.push((collective, sample.in_place));
        }
    }
    for (collective, in_place) in known {
        let times = run.samples.iter().filter(|sample| {
            sample.workload == Workload::Collective(collective) && sample.in_place == in_place && !sample.is_wrong
        });
        let mut times: Vec<(u64, u64)> = times
            .filter_map(|sample| match sample.figure {
                Figure::Picoseconds(time) => Some((sample.bytes?, time)),
                Figure::BytesPerSecond(_) => None,
            })
            .filter(|&(bytes, time)| bytes > 0 && time > 0)
            .collect();
        times.sort_unstable();
        if let Some(([from, to], [start_up_ps, byte_ps])) = longest_line(&times) {
            let (ranks, algorithm) = (run.ranks, run.algorithm.clone());
            let sizes = [from, to];
            lines.push(SizeLine { collective, ranks, algorithm, in_place, sizes, start_up_ps, byte_ps });
        }
    }
    lines
}

/// Returns the sizes and constants of the line through most of the largest sizes. `times` is ascending.
fn longest_line(times: &[(u64, u64)]) -> Option<([u64; 2], [f64; 2])> {
    let mut found = None;
    for from in (0..(times.len() + 1).saturating_sub(LINE_SIZES)).rev() {
        let part = &times[from..];
        let rows: Vec<Row<2>> =
            part.iter().map(|&(bytes, time)| Row { terms: [1.0, bytes as f64], time: time as f64 }).collect();
        let constants = fit_logarithms(&rows, ITERATIONS[0]);
        let error = |row: &Row<2>| (constants[0] + constants[1] * row.terms[1]) / row.time - 1.0;
        if rows.iter().any(|row| error(row).abs() > LINE_ERROR) {
            break;
        }
        found = Some(([part[0].0, part[part.len() - 1].0], constants));
    }
    found
}
