//! Times as functions of the size: lines in ranges, and the least of several functions.

/// Times are whole numbers of this part of a picosecond: 2^-40.
pub(crate) const TICKS: u32 = 40;

/// The largest size: 2^60 bytes. Tables have no larger ones.
pub const MAX_BYTES: u64 = 1 << 60;

/// The most ticks per byte: 2^64. So no time overflows.
const MAX_SLOPE: u128 = 1 << 64;

/// A time that grows linearly from a size on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    /// The smallest size in bytes.
    from: u64,
    /// The time at size 0, if the piece began there, in ticks.
    intercept: u128,
    /// Ticks per byte.
    slope: u128,
}

/// A time as a function of the size in bytes, in linear pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Curve {
    /// The pieces by ascending sizes; the first begins at size 0.
    pieces: Vec<Piece>,
}

impl Curve {
    /// Returns the time that grows linearly.
    pub(crate) fn line(intercept: u128, slope: u128) -> Self {
        Self { pieces: vec![Piece::new(0, intercept, slope)] }
    }

    /// Returns this time, and another one from a size on.
    pub(crate) fn then(mut self, from: u64, intercept: u128, slope: u128) -> Self {
        self.pieces.push(Piece::new(from, intercept, slope));
        self
    }

    /// Returns the sum of two times.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut starts: Vec<u64> = [self, other].iter().flat_map(|curve| curve.starts()).collect();
        starts.sort_unstable();
        starts.dedup();
        let sum = |from| {
            let [one, two] = [self, other].map(|curve| curve.piece(from));
            Piece::new(from, one.intercept.saturating_add(two.intercept), one.slope.saturating_add(two.slope))
        };
        Self { pieces: starts.into_iter().map(sum).collect() }
    }

    /// Returns the time of a size in picoseconds, rounded up.
    pub fn picoseconds(&self, bytes: u64) -> u128 {
        self.ticks(bytes).div_ceil(1 << TICKS)
    }

    fn ticks(&self, bytes: u64) -> u128 {
        self.piece(bytes).at(bytes)
    }

    fn starts(&self) -> impl Iterator<Item = u64> {
        self.pieces.iter().map(|piece| piece.from)
    }

    fn piece(&self, bytes: u64) -> Piece {
        let after = self.pieces.partition_point(|piece| piece.from <= bytes);
        self.pieces[after.saturating_sub(1)]
    }
}

impl Piece {
    fn new(from: u64, intercept: u128, slope: u128) -> Self {
        Self { from, intercept: intercept.min(u128::MAX >> 2), slope: slope.min(MAX_SLOPE) }
    }

    fn at(self, bytes: u64) -> u128 {
        self.intercept + self.slope * u128::from(bytes.min(MAX_BYTES))
    }

    /// Returns the smallest size after `after` for which another piece is below this one, if both go on so far.
    fn undercut_by(self, other: Self, after: u64) -> Option<u64> {
        let next = after + 1;
        if other.at(next) < self.at(next) {
            return Some(next);
        }
        let closes = self.slope.checked_sub(other.slope).filter(|&closes| closes > 0)?;
        let size = other.intercept.checked_sub(self.intercept)? / closes + 1;
        u64::try_from(size).ok().filter(|&size| size <= MAX_BYTES)
    }
}

/// Returns the curves that are lowest for some size from `sizes[0]` to `sizes[1]`, by ascending size: the number of each, and
/// the size from which on it is lowest. A curve that stays lowest is kept; of equal ones, the first counts.
pub(crate) fn lowest(curves: &[&Curve], sizes: [u64; 2]) -> Vec<(usize, u64)> {
    let best_at = |bytes: u64| (0..curves.len()).min_by_key(|&place| (curves[place].ticks(bytes), place));
    let Some(mut current) = best_at(sizes[0]) else { return Vec::new() };
    let mut lowest = vec![(current, sizes[0])];
    let mut starts: Vec<u64> = curves.iter().flat_map(|curve| curve.starts()).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut at = sizes[0];
    while at < sizes[1] {
        // Until this size, all curves are lines.
        let next_start = starts[starts.partition_point(|&start| start <= at + 1)..].first();
        let end = next_start.map_or(sizes[1], |&start| (start - 1).min(sizes[1]));
        let line = curves[current].piece(at + 1);
        let crossings = curves.iter().filter_map(|curve| line.undercut_by(curve.piece(at + 1), at));
        at = match crossings.min().filter(|&size| size <= end) {
            None => end,
            Some(size) => {
                current = best_at(size).unwrap_or(current);
                lowest.push((current, size));
                size
            }
        };
    }
    lowest
}

/// Returns a fraction in ticks, rounded down: `picoseconds / parts`.
pub(crate) fn ticks_of(picoseconds: u128, parts: u128) -> u128 {
    let mut ticks = picoseconds / parts;
    let mut rest = picoseconds % parts;
    // One binary digit at a time, because the numerator may be large.
    for _ in 0..TICKS {
        rest *= 2;
        ticks = ticks.saturating_mul(2).saturating_add(u128::from(rest >= parts));
        rest -= if rest >= parts { parts } else { 0 };
    }
    ticks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_curve() -> impl Strategy<Value = Curve> {
        let piece = (1u64..400, 0u128..5_000, 0u128..40);
        (0u128..5_000, 0u128..40, prop::collection::vec(piece, 0..3)).prop_map(|(intercept, slope, pieces)| {
            let mut from = 0;
            pieces.into_iter().fold(Curve::line(intercept, slope), |curve, (length, intercept, slope)| {
                from += length;
                curve.then(from, intercept, slope)
            })
        })
    }

    proptest! {
        /// No curve is below the lowest one, for every size; and a curve is left only for one that is below it.
        #[test]
        fn the_lowest_curve_is_lowest(curves in prop::collection::vec(any_curve(), 1..7), least in 0u64..600, length in 0u64..600) {
            let curves: Vec<&Curve> = curves.iter().collect();
            let lowest = lowest(&curves, [least, least + length]);
            prop_assert!(lowest.is_sorted_by(|one, other| one.1 < other.1 && one.0 != other.0));
            prop_assert_eq!(lowest[0].1, least);
            for bytes in least..=least + length {
                let place = lowest.iter().rfind(|&&(_, from)| from <= bytes).unwrap().0;
                let time = curves[place].ticks(bytes);
                prop_assert_eq!(time, curves.iter().map(|curve| curve.ticks(bytes)).min().unwrap(), "{} bytes", bytes);
            }
            for pair in lowest.windows(2) {
                prop_assert!(curves[pair[0].0].ticks(pair[1].1) > curves[pair[1].0].ticks(pair[1].1));
            }
        }

        #[test]
        fn a_sum_is_the_sum_of_the_times(one in any_curve(), other in any_curve(), bytes in 0u64..2_000) {
            prop_assert_eq!(one.plus(&other).ticks(bytes), one.ticks(bytes) + other.ticks(bytes));
        }

        #[test]
        fn ticks_are_exact(picoseconds in 0u128..1 << 64, parts in 1u128..1 << 80) {
            prop_assert_eq!(ticks_of(picoseconds, parts), (picoseconds << TICKS) / parts);
        }

        #[test]
        fn extreme_times_do_not_overflow(intercept in any::<u128>(), slope in any::<u128>(), bytes in any::<u64>()) {
            let steep = Curve::line(intercept, slope);
            let flat = Curve::line(1, 0).then(1 << 59, intercept, slope);
            steep.plus(&flat).picoseconds(bytes);
            lowest(&[&steep, &flat], [1, MAX_BYTES]);
        }
    }
}
