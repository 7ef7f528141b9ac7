//! Windows of consecutive ranks that grow by a factor per step.
//!
//! In a step, a rank with a window of `w` ranks gets the windows of `k` other ranks, at multiples of `w` on both sides. They
//! meet without overlap until the window is the whole cycle.

/// Returns the number of steps on a cycle of ranks with `ports` partners each: `ceil(log_{ports+1} size)`.
pub(super) fn steps(size: u32, ports: u32) -> usize {
    let radix = u64::from(ports) + 1;
    std::iter::successors(Some(1_u64), |window| window.checked_mul(radix))
        .take_while(|&window| window < u64::from(size))
        .count()
}

/// Returns the places of the senders in a step, relative to their receiver: numbers to add modulo `size`.
pub(super) fn shifts(size: u32, ports: u32, step: usize) -> impl Iterator<Item = u32> {
    let window = (u64::from(ports) + 1).saturating_pow(step as u32);
    let size = u64::from(size);
    // Further windows would overlap those before: the last step needs fewer.
    let needed = (size.div_ceil(window) - 1).min(u64::from(ports));
    let behind = needed / 2;
    let places = (0..=needed).filter(move |&place| place != behind);
    // `behind * window` is less than `size`.
    places.map(move |place| ((size + place * window - behind * window) % size) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ports_reach_both_sides() {
        let all = |step| shifts(27, 2, step).collect::<Vec<_>>();
        assert_eq!((0..steps(27, 2)).map(all).collect::<Vec<_>>(), [[26, 1], [24, 3], [18, 9]]);
    }

    #[test]
    fn many_ports_take_one_step() {
        assert_eq!((steps(5, u32::MAX), steps(5, 4), steps(5, 3), steps(5, 1)), (1, 1, 2, 3));
        assert_eq!(shifts(5, u32::MAX, 0).count(), 4);
    }
}
