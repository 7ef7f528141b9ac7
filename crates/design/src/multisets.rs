//! Multisets of numbers.

/// Returns the number of multisets of `size` elements of `kinds` kinds, or `None` on overflow.
pub(crate) fn multiset_count(kinds: u32, size: u32) -> Option<u128> {
    (0..u128::from(size)).try_fold(1u128, |number, place| {
        // The intermediate results are binomial coefficients, so the division is exact.
        Some(number.checked_mul(u128::from(kinds) + place)? / (place + 1))
    })
}

/// All multisets of numbers of a range, as ascending lists in lexicographic order.
pub(crate) struct Multisets {
    greatest: u32,
    next: Option<Vec<u32>>,
}

impl Multisets {
    pub(crate) fn new(range: std::ops::RangeInclusive<u32>, size: u32) -> Self {
        let next = (size == 0 || !range.is_empty()).then(|| vec![*range.start(); size as usize]);
        Self { greatest: *range.end(), next }
    }
}

impl Iterator for Multisets {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let this = self.next.take()?;
        if let Some(place) = this.iter().rposition(|&number| number < self.greatest) {
            let mut next = this.clone();
            next[place..].fill(this[place] + 1);
            self.next = Some(next);
        }
        Some(this)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_matches_the_enumeration() {
        for (greatest, size) in [(1, 3), (4, 0), (4, 1), (5, 3), (3, 6)] {
            let all: Vec<_> = Multisets::new(1..=greatest, size).collect();
            assert_eq!(multiset_count(greatest, size), Some(all.len() as u128), "{size} of {greatest}");
            assert!(all.is_sorted_by(|one, next| one < next) && all.iter().all(|list| list.is_sorted()));
        }
    }
}
