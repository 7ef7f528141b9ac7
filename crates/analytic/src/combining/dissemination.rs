//! Dissemination, and windows of ranks that grow by a factor per step.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::pattern::Pattern;
use super::ranks::Ranks;

/// In step `s`, every rank sends to the rank `2^s` places ahead, whatever its number of ports: `ceil(log2 p)` steps.
///
/// With one port, Bruck's algorithm is the same.
///
/// # Source
///
/// Hensgen, Finkel and Manber, *Two algorithms for barrier synchronization* (1988), section 3.
pub(super) const DISSEMINATION: CombiningAlgorithm = CombiningAlgorithm {
    name: "dissemination",
    about: "the rank 2^s places ahead, whatever the number of ports: ceil(log2 p) steps",
    plan: Plan::Everywhere(pattern),
};

fn pattern(ranks: &Ranks) -> Pattern<'_> {
    windows(&ranks.cycle, 1)
}

/// Returns the pattern in which each rank holds a window of consecutive ranks, which grows by the factor `ports + 1` in
/// every step.
///
/// A rank with a window of `w` ranks gets the windows of the ranks at the multiples `-floor(ports/2) w` to
/// `ceil(ports/2) w`: they meet without overlap until the window is the whole cycle.
pub(super) fn windows(cycle: &[u32], ports: u32) -> Pattern<'_> {
    let size = cycle.len() as u64;
    let radix = u64::from(ports) + 1;
    let steps =
        std::iter::successors(Some(1), |window| Some(window * radix)).take_while(|&window| window < size).count();
    Pattern::new(1, steps, move |_, step, pairs| {
        let window = radix.pow(step as u32);
        // Further windows would overlap those before: the last step needs fewer.
        let needed = (size.div_ceil(window) - 1).min(radix - 1);
        let behind = needed / 2;
        for place in 0..size {
            for offset in (0..=needed).filter(|&offset| offset != behind) {
                let sender = (place + size * radix + offset * window - behind * window) % size;
                pairs.push([cycle[sender as usize], cycle[place as usize]]);
            }
        }
    })
}
