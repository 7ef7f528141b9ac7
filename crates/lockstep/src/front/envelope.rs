//! The lower envelope of times over sizes.

use std::cmp::Ordering;
use std::num::NonZeroU64;

use lockstep_schedule::Picoseconds;

use super::front_plan::FrontPlan;

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// The time of a schedule as a function of the size: a latency, and a time per byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    /// Picoseconds for no bytes.
    pub(super) latency_ps: u128,
    /// The sum of the widths, and the chunks that make up the size.
    pub(super) width_per_part: [u64; 2],
}

impl Line {
    pub(super) fn of(plan: &FrontPlan) -> Self {
        Self { latency_ps: plan.cost.latency_ps, width_per_part: [plan.cost.width_sum, plan.parts()] }
    }

    /// Returns the time of a size in picoseconds, rounded down.
    pub(super) fn time_ps(self, bytes: u64, unit_bytes_per_second: NonZeroU64) -> u128 {
        let [widths, parts] = self.width_per_part.map(u128::from);
        let at_one = u128::from(bytes) * PICOSECONDS_PER_SECOND / u128::from(unit_bytes_per_second.get());
        self.latency_ps.saturating_add(at_one.saturating_mul(widths) / parts.max(1))
    }

    /// Returns true if this line rises less than another one.
    pub(super) fn rises_less(self, other: Self) -> bool {
        self.compare_rise(other).is_lt()
    }

    /// Returns true if this line rises less than another one, or as much with fewer parts.
    fn is_better(self, other: Self) -> bool {
        self.compare_rise(other).then(self.width_per_part[1].cmp(&other.width_per_part[1])).is_lt()
    }

    fn compare_rise(self, other: Self) -> Ordering {
        let [[a, b], [c, d]] = [self, other].map(|line| line.width_per_part.map(u128::from));
        (a * d).cmp(&(c * b))
    }

    /// Returns the smallest size from which on a line that rises less is not above this one, if the size fits 64 bits.
    fn crossing(self, flatter: Self, unit_bytes_per_second: NonZeroU64) -> Option<u64> {
        let higher = flatter.latency_ps.saturating_sub(self.latency_ps);
        let [[a, b], [c, d]] = [self, flatter].map(|line| line.width_per_part.map(u128::from));
        let rise = (a * d).checked_sub(c * b).filter(|&rise| rise > 0)?;
        let bytes = higher
            .checked_mul(unit_bytes_per_second.get().into())?
            .checked_mul(b * d)?
            .div_ceil(rise.checked_mul(PICOSECONDS_PER_SECOND)?);
        u64::try_from(bytes).ok()
    }
}

/// Returns the lines that are lowest for some size from `sizes[0]` to `sizes[1]`, by ascending size: the number of each, and
/// the smallest such size. Of equal lines, the one of the fewest parts counts.
pub(super) fn lower_envelope(lines: &[Line], sizes: [u64; 2], unit_bytes_per_second: NonZeroU64) -> Vec<(usize, u64)> {
    let Some(lowest) = (0..lines.len()).min_by_key(|&place| lines[place].latency_ps) else { return Vec::new() };
    // At size 0, the lowest latency is best; of equal ones, the flattest line.
    let mut current = (0..lines.len())
        .filter(|&place| lines[place].latency_ps == lines[lowest].latency_ps)
        .reduce(|best, next| if lines[next].is_better(lines[best]) { next } else { best })
        .unwrap_or(lowest);
    let mut envelope = vec![(current, sizes[0])];
    loop {
        let flatter = (0..lines.len()).filter(|&place| lines[place].rises_less(lines[current]));
        let crossings =
            flatter.filter_map(|place| Some((lines[current].crossing(lines[place], unit_bytes_per_second)?, place)));
        let next = crossings.reduce(|best, next| {
            let is_better = next.0 < best.0 || next.0 == best.0 && lines[next.1].is_better(lines[best.1]);
            if is_better { next } else { best }
        });
        let Some((size, place)) = next.filter(|&(size, _)| size <= sizes[1]) else { return envelope };
        if size <= sizes[0] {
            envelope.clear();
        }
        envelope.push((place, size.max(sizes[0])));
        current = place;
    }
}

/// Returns the schedules that take the least time for some of the sizes, by ascending size: the number of each, and the size
/// from which on it is best. `times` has the times of each schedule, by size. A schedule that remains best is kept; of equal
/// ones, the first counts.
pub(super) fn best_of_sizes(times: &[&[Picoseconds]], sizes: impl Iterator<Item = u64>) -> Vec<(usize, u64)> {
    let mut best: Vec<(usize, u64)> = Vec::new();
    for (column, size) in sizes.enumerate() {
        let Some(least) = (0..times.len()).min_by_key(|&place| times[place][column]) else { return best };
        if best.last().is_none_or(|&(last, _)| times[last][column] > times[least][column]) {
            best.push((least, size));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_line() -> impl Strategy<Value = Line> {
        (0u128..5_000, 1u64..60, 1u64..9)
            .prop_map(|(latency_ps, widths, parts)| Line { latency_ps, width_per_part: [widths, parts] })
    }

    proptest! {
        #[test]
        fn no_line_is_below_the_envelope(
            lines in prop::collection::vec(any_line(), 1..9), least in 0u64..3_000, length in 0u64..3_000, size in 0u64..6_000,
        ) {
            // One byte per picosecond.
            let unit = NonZeroU64::new(1_000_000_000_000).unwrap();
            let sizes = [least, least + length];
            let envelope = lower_envelope(&lines, sizes, unit);
            prop_assert!(envelope.is_sorted_by(|one, other| one.1 < other.1));
            prop_assert_eq!(envelope[0].1, least);
            let size = size.clamp(sizes[0], sizes[1]);
            let best = envelope.iter().rfind(|&&(_, from)| from <= size).unwrap().0;
            // Times as fractions of a common denominator.
            let common: u128 = lines.iter().map(|line| u128::from(line.width_per_part[1])).product();
            let time = |line: &Line| {
                let [widths, parts] = line.width_per_part.map(u128::from);
                line.latency_ps * common + u128::from(size) * widths * (common / parts)
            };
            let least = lines.iter().map(time).min().unwrap();
            prop_assert_eq!(time(&lines[best]), least);
        }
    }
}
