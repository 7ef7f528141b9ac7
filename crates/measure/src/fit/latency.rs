//! The latency of each class from the times of small messages: `start-up + sum of the latencies of the channels`.

use std::collections::BTreeMap;

use super::bandwidth::median;
use super::routes::Profiles;
use super::trials::Ping;

/// Smaller parts of a column that other columns do not explain count as zero.
const DEPENDENT: f64 = 1e-9;

/// The most different counts of a dependent group of terms that are listed.
const MAX_LISTED: usize = 4;

/// A part of the time of a small message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LatencyTerm {
    /// The start-up time of a message.
    StartUp,
    /// The latency of a channel of a class, by its place in the list of classes.
    Class(usize),
}

/// A sum of latencies that the measurements determine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LatencyPart {
    /// The terms with their numbers. More than one if the measurements cannot separate them.
    pub terms: Vec<(LatencyTerm, u32)>,
    /// Their sum.
    pub picoseconds: u64,
}

/// The latencies that the times of small messages show.
///
/// Least squares of relative errors over numbers that are not negative. Where terms cannot be separated, the first of them has the
/// whole sum: the start-up time before classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LatencyFit {
    /// The start-up time in picoseconds.
    pub start_up_ps: u64,
    /// The latency of a channel of each class without the start-up time, in picoseconds; `None` without a measurement.
    pub class_ps: Vec<Option<u64>>,
    /// What the measurements determine, in words of the terms.
    pub parts: Vec<LatencyPart>,
    /// The number of measured times.
    pub trials: usize,
}

/// Fits the latencies of all classes; `None` without times.
pub(super) fn fit(pings: &[Ping], profiles: &Profiles, classes: usize) -> Option<LatencyFit> {
    let mut times: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for ping in pings {
        times.entry(ping.profile).or_default().push(ping.picoseconds);
    }
    let mut counts: Vec<Vec<u32>> = Vec::new();
    let mut medians: Vec<u64> = Vec::new();
    for (profile, mut times) in times {
        times.sort_unstable();
        let mut row = vec![0; classes + 1];
        row[0] = 1;
        profiles.get(profile).iter().for_each(|stretch| row[stretch.class as usize + 1] = stretch.hops);
        counts.push(row);
        medians.push(median(&times)?.max(1));
    }
    if counts.is_empty() {
        return None;
    }
    // Every row divided by its time: equal relative errors count alike.
    let column = |term: usize| -> Vec<f64> {
        counts.iter().zip(&medians).map(|(row, &time)| f64::from(row[term]) / time as f64).collect()
    };
    let used: Vec<usize> = (0..=classes).filter(|&term| counts.iter().any(|row| row[term] > 0)).collect();
    let (basis, groups) = independent(&used, &column);
    let values = least_squares(&basis, &column);
    let value = |term: usize| basis.iter().position(|&other| other == term).map_or(0.0, |place| values[place]);
    let round = |term: usize| whole(value(term));
    let parts = groups.iter().flat_map(|group| {
        let mut rows: Vec<Vec<u32>> = match group[..] {
            [_] => vec![vec![1]],
            _ => counts.iter().map(|row| group.iter().map(|&term| row[term]).collect()).collect(),
        };
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|row| row.iter().any(|&count| count > 0));
        rows.truncate(MAX_LISTED);
        rows.into_iter().map(|row| part(group, &row, &value)).collect::<Vec<_>>()
    });
    Some(LatencyFit {
        start_up_ps: round(0),
        class_ps: (1..=classes).map(|term| used.contains(&term).then(|| round(term))).collect(),
        parts: parts.collect(),
        trials: pings.len(),
    })
}

/// Returns the nearest whole number of picoseconds, at least 0.
#[expect(clippy::cast_sign_loss, reason = "at least 0")]
fn whole(picoseconds: f64) -> u64 {
    picoseconds.round().max(0.0) as u64
}

fn part(group: &[usize], counts: &[u32], value: &impl Fn(usize) -> f64) -> LatencyPart {
    let name = |term: usize| term.checked_sub(1).map_or(LatencyTerm::StartUp, LatencyTerm::Class);
    let pairs = || group.iter().zip(counts).filter(|&(_, &count)| count > 0);
    let sum: f64 = pairs().map(|(&term, &count)| value(term) * f64::from(count)).sum();
    LatencyPart { terms: pairs().map(|(&term, &count)| (name(term), count)).collect(), picoseconds: whole(sum) }
}

/// Returns the first columns that no earlier ones explain, and the groups of terms that cannot be separated.
fn independent(terms: &[usize], column: &impl Fn(usize) -> Vec<f64>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut basis: Vec<usize> = Vec::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &term in terms {
        let target = column(term);
        let weights = solve(&basis, column, &target);
        let rest: f64 = residual(&basis, column, &target, &weights).iter().map(|part| part * part).sum();
        let whole: f64 = target.iter().map(|part| part * part).sum();
        if rest > whole * DEPENDENT {
            basis.push(term);
            groups.push(vec![term]);
            continue;
        }
        let explaining: Vec<usize> =
            basis.iter().zip(&weights).filter(|(_, weight)| weight.abs() > 1e-6).map(|(&term, _)| term).collect();
        let (mut joined, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|term| explaining.contains(term)));
        let mut group: Vec<usize> = joined.drain(..).flatten().chain([term]).collect();
        group.sort_unstable();
        groups = others;
        groups.push(group);
    }
    groups.sort_unstable();
    (basis, groups)
}

/// Returns the least squares of `1 - sum` over values that are not negative: the most negative value becomes 0 until none is left.
fn least_squares(basis: &[usize], column: &impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
    let mut values = vec![0.0; basis.len()];
    let mut active: Vec<usize> = (0..basis.len()).collect();
    loop {
        let terms: Vec<usize> = active.iter().map(|&place| basis[place]).collect();
        let Some(&first) = terms.first() else { return values };
        let target = vec![1.0; column(first).len()];
        let solution = solve(&terms, column, &target);
        let least = (0..solution.len()).min_by(|&one, &other| solution[one].total_cmp(&solution[other]));
        let Some(negative) = least.filter(|&place| solution[place] < 0.0) else {
            active.iter().zip(solution).for_each(|(&place, value)| values[place] = value);
            return values;
        };
        active.remove(negative);
    }
}

/// Solves the normal equations of a small system by elimination with pivots.
fn solve(terms: &[usize], column: &impl Fn(usize) -> Vec<f64>, target: &[f64]) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = terms.iter().map(|&term| column(term)).collect();
    let norms: Vec<f64> = columns.iter().map(|column| dot(column, column).sqrt().max(f64::MIN_POSITIVE)).collect();
    let mut rows: Vec<Vec<f64>> = (columns.iter().zip(&norms))
        .map(|(one, norm)| {
            let products = columns.iter().zip(&norms).map(|(other, length)| dot(one, other) / norm / length);
            products.chain([dot(one, target) / norm]).collect()
        })
        .collect();
    let size = rows.len();
    for pivot in 0..size {
        let best = (pivot..size).max_by(|&one, &other| rows[one][pivot].abs().total_cmp(&rows[other][pivot].abs()));
        rows.swap(pivot, best.unwrap_or(pivot));
        let own = rows[pivot].clone();
        if own[pivot].abs() < f64::MIN_POSITIVE {
            continue;
        }
        for (place, row) in rows.iter_mut().enumerate().filter(|&(place, _)| place != pivot) {
            let factor = row[pivot] / own[pivot];
            debug_assert_ne!(place, pivot, "a row does not eliminate itself");
            row.iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
        }
    }
    let value = |place: usize| rows[place][size] / rows[place][place] / norms[place];
    (0..size).map(|place| if rows[place][place].abs() < f64::MIN_POSITIVE { 0.0 } else { value(place) }).collect()
}

fn residual(terms: &[usize], column: &impl Fn(usize) -> Vec<f64>, target: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut rest = target.to_vec();
    for (&term, weight) in terms.iter().zip(weights) {
        rest.iter_mut().zip(column(term)).for_each(|(rest, entry)| *rest -= weight * entry);
    }
    rest
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
