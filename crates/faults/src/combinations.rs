//! Combinations in lexicographic order.

/// All sets of `size` numbers below `bound`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combinations {
    pub(crate) bound: usize,
    pub(crate) size: usize,
}

impl Combinations {
    /// Returns the number of sets, or `None` from 2^128 on.
    pub(crate) fn count(self) -> Option<u128> {
        binomial(self.bound, self.size)
    }

    /// Returns the first set, if any.
    pub(crate) fn first(self) -> Option<Vec<u32>> {
        (self.size <= self.bound).then(|| (0..self.size as u32).collect())
    }

    /// Returns the set at this index in `O(K^2 log N)` time. `None` past the last set, and if the sets cannot be
    /// [counted](Self::count).
    pub(crate) fn nth(self, mut index: u128) -> Option<Vec<u32>> {
        if index >= self.count()? {
            return None;
        }
        let mut set = Vec::with_capacity(self.size);
        let mut least = 0;
        for left in (1..=self.size).rev() {
            // The number of sets of the remaining numbers whose smallest element is below `number`.
            let below =
                |number: usize| Some(binomial(self.bound - least, left)? - binomial(self.bound - number, left)?);
            let (mut low, mut high) = (least, self.bound - left);
            while low < high {
                let middle = (low + high).div_ceil(2);
                if below(middle)? <= index {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            index -= below(low)?;
            set.push(low as u32);
            least = low + 1;
        }
        Some(set)
    }

    /// Returns the index of a set, the inverse of [`nth`](Self::nth), in `O(K^2)` time.
    pub(crate) fn index_of(self, set: &[u32]) -> Option<u128> {
        if set.len() != self.size {
            return None;
        }
        self.count()?;
        let mut least = 0;
        set.iter().zip((1..=self.size).rev()).try_fold(0, |index, (&number, left)| {
            let number = number as usize;
            if number < least || number + left > self.bound {
                return None;
            }
            let before = binomial(self.bound - least, left)? - binomial(self.bound - number, left)?;
            least = number + 1;
            Some(index + before)
        })
    }

    /// Returns all sets from this one on.
    pub(crate) fn from(self, first: Option<Vec<u32>>) -> impl Iterator<Item = Vec<u32>> + Clone {
        std::iter::successors(first, move |set| self.after(set))
    }

    /// Returns the next set.
    fn after(self, set: &[u32]) -> Option<Vec<u32>> {
        let is_movable = |&place: &usize| (set[place] as usize) < self.bound - self.size + place;
        let place = (0..set.len()).rev().find(is_movable)?;
        Some(set[..place].iter().copied().chain(set[place] + 1..).take(self.size).collect())
    }
}

/// Computes the binomial coefficient `n` over `k`, or `None` from 2^128 on.
fn binomial(n: usize, k: usize) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    // Before step `i`, `count` is the binomial coefficient of `n` over `i`. It grows with each step, so the last one is the
    // largest. If the product overflows before the division, divide by the common divisor first.
    (0..k as u128).try_fold(1u128, |count, i| {
        let (factor, divisor) = (n as u128 - i, i + 1);
        if let Some(product) = count.checked_mul(factor) {
            return Some(product / divisor);
        }
        let common = greatest_common_divisor(count, divisor);
        (count / common).checked_mul(factor / (divisor / common))
    })
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_indexed_in_lexicographic_order() {
        for bound in 0..9 {
            for size in 0..=bound + 1 {
                let sets = Combinations { bound, size };
                let subsets = (0..1u32 << bound).filter(|bits| bits.count_ones() as usize == size);
                let numbers = |bits: u32| (0..bound as u32).filter(|number| bits >> number & 1 == 1).collect();
                let mut expected: Vec<Vec<u32>> = subsets.map(numbers).collect();
                expected.sort();
                assert_eq!(sets.count(), Some(expected.len() as u128));
                assert_eq!(sets.first().as_ref(), expected.first());
                for (index, set) in (0..).zip(&expected) {
                    assert_eq!(sets.nth(index).as_ref(), Some(set));
                    assert_eq!(sets.index_of(set), Some(index));
                    assert!(sets.from(sets.nth(index)).eq(expected[index as usize..].iter().cloned()));
                }
                assert_eq!(sets.nth(expected.len() as u128), None);
            }
        }
        let pairs = Combinations { bound: 5, size: 2 };
        for set in [&[1][..], &[1, 1], &[2, 1], &[1, 5], &[0, 1, 2]] {
            assert_eq!(pairs.index_of(set), None, "{set:?}");
        }
    }

    #[test]
    fn counts_equal_pascals_triangle_or_are_none() {
        let mut row = vec![Some(1u128)];
        for n in 0..150 {
            for (k, &count) in row.iter().enumerate() {
                assert_eq!(binomial(n, k), count, "{n} {k}");
            }
            let sums = row.windows(2).map(|pair| pair[0]?.checked_add(pair[1]?));
            row = [Some(1)].into_iter().chain(sums).chain([Some(1)]).collect();
        }
        assert_eq!(binomial(1 << 26, 2), Some((1u128 << 25) * ((1 << 26) - 1)));
        let many = Combinations { bound: 1 << 26, size: 3 };
        let last = many.count().unwrap() - 1;
        assert_eq!(many.nth(last), Some(vec![(1 << 26) - 3, (1 << 26) - 2, (1 << 26) - 1]));
        assert_eq!(many.nth(last).and_then(|set| many.index_of(&set)), Some(last));
        assert_eq!(Combinations { bound: 1 << 26, size: 1 << 20 }.nth(0), None);
    }
}
