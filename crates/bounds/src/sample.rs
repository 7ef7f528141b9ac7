//! Samples that keep searches from many nodes within seconds.

/// Node and channel visits that one rule may spend on searches from many nodes: a few seconds.
pub(crate) const SEARCH_WORK: usize = 1 << 30;

/// Returns at most `count` of the items, evenly spaced; at least one if there is any.
pub(crate) fn sample<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(count.max(1)).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_even_and_never_empty() {
        let items: Vec<u32> = (0..10).collect();
        let picked = |count| sample(&items, count).copied().collect::<Vec<_>>();
        assert_eq!(picked(0), [0]);
        assert_eq!(picked(4), [0, 3, 6, 9]);
        assert_eq!(picked(100), items);
    }
}
