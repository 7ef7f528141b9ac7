//! The subflows that one link limits.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A number of units as an unevaluated sum, with about 100 significant bits.
///
/// A link serves far more units than a subflow has, so that a float would lose the last digits of the subflow.
///
/// # Source
///
/// Knuth, *The Art of Computer Programming*, volume 2, 3rd edition, Addison-Wesley 1997, section 4.2.2, theorem B.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Units {
    high: f64,
    /// At most half a unit in the last place of `high`.
    low: f64,
}

impl Units {
    pub(super) fn plus(self, added: f64) -> Self {
        let sum = self.high + added;
        let of_added = sum - self.high;
        let low = self.low + ((self.high - (sum - of_added)) + (added - of_added));
        let high = sum + low;
        Self { high, low: low - (high - sum) }
    }

    pub(super) fn minus(self, other: Self) -> f64 {
        (self.high - other.high) + (self.low - other.low)
    }
}

/// The end of a subflow: the units that its link has served to each member then.
#[derive(Clone, Copy)]
pub(super) struct GroupEnd {
    pub(super) units: Units,
    pub(super) subflow: u32,
}

impl Ord for GroupEnd {
    fn cmp(&self, other: &Self) -> Ordering {
        let of_units = self.units.high.total_cmp(&other.units.high).then(self.units.low.total_cmp(&other.units.low));
        of_units.then(self.subflow.cmp(&other.subflow))
    }
}

impl PartialOrd for GroupEnd {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for GroupEnd {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for GroupEnd {}

/// A link and the subflows that it limits. All of them have its share as their rate.
///
/// If the share changes, the members keep their order: each one ends when the link has served a fixed number of units to
/// each member.
#[derive(Clone)]
pub(super) struct LinkGroup {
    /// The share of each subflow on the link; infinite on an empty link.
    pub(super) share: f64,
    /// Number of members.
    pub(super) members: u32,
    /// Units served to each member until `since`.
    served: Units,
    since: f64,
    /// The ends of all members, and of subflows that have left.
    pub(super) ends: BinaryHeap<Reverse<GroupEnd>>,
    /// The limits of members as bits, and outdated ones. Limits are positive, so their bits have the same order.
    pub(super) limits: BinaryHeap<Reverse<(u64, u32)>>,
}

impl LinkGroup {
    pub(super) fn new() -> Self {
        Self {
            share: f64::INFINITY,
            members: 0,
            served: Units::default(),
            since: 0.0,
            ends: BinaryHeap::new(),
            limits: BinaryHeap::new(),
        }
    }

    /// Returns the units that each member has received at the time `now`.
    pub(super) fn served_at(&self, now: f64) -> Units {
        if self.members == 0 { self.served } else { self.served.plus(self.share * (now - self.since)) }
    }

    /// Sets the share from the time `now` on.
    pub(super) fn set_share(&mut self, now: f64, share: f64) {
        self.served = self.served_at(now);
        self.since = now;
        self.share = share;
    }

    /// Adds a member with `left` units at the time `now`. Returns the units that the link has served when it ends.
    pub(super) fn join(&mut self, now: f64, subflow: u32, left: f64) -> Units {
        if self.members == 0 {
            self.ends.clear();
            self.limits.clear();
            self.served = Units::default();
            self.since = now;
        }
        let units = self.served_at(now).plus(left);
        self.members += 1;
        self.ends.push(Reverse(GroupEnd { units, subflow }));
        units
    }

    /// Returns the time at which the link has served `units` to each member.
    pub(super) fn time_of(&self, units: Units) -> f64 {
        self.since + units.minus(self.served).max(0.0) / self.share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_remainders_survive_large_sums() {
        let served = (0..1000).fold(Units::default(), |sum, _| sum.plus(1e17 + 0.1));
        let left = served.plus(0.25).minus(served);
        assert_eq!(left.to_bits(), 0.25f64.to_bits());
    }

    #[test]
    fn members_end_in_the_order_of_their_units() {
        let mut group = LinkGroup::new();
        group.set_share(0.0, 2.0);
        let first = group.join(0.0, 7, 10.0);
        group.set_share(1.0, 1.0);
        // The first member has 8 units left, the second one 3.
        let second = group.join(2.0, 9, 3.0);
        let times = [first, second].map(|units| group.time_of(units).to_bits());
        assert_eq!(times, [9.0f64, 5.0].map(f64::to_bits));
        let order: Vec<u32> = std::iter::from_fn(|| group.ends.pop()).map(|Reverse(end)| end.subflow).collect();
        assert_eq!(order, [9, 7]);
    }
}
