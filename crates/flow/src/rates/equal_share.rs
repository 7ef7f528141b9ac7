//! Equal shares of the most loaded link.

use std::cmp::{Ordering, Reverse};

use super::link_group::{GroupEnd, LinkGroup, Units};
use super::mark_set::MarkSet;
use super::progress::Progress;
use crate::event_queue::EventQueue;
use crate::routed_flows::RoutedFlows;

/// The limit of a subflow that has ended: no share is below it.
const ENDED: f64 = f64::NEG_INFINITY;

/// Marks a subflow without a bottleneck.
const NO_LINK: u32 = u32::MAX;

/// A heap of a link is rebuilt if it has this number of outdated entries, and more outdated ones than others.
const MAX_OUTDATED: usize = 16;

/// A subflow.
#[derive(Clone, Copy)]
struct Subflow {
    /// The units that the bottleneck has served to each member when this subflow ends.
    end: Units,
    /// A lower bound on the shares of all links but the bottleneck, or [`ENDED`].
    limit: f64,
    /// A link with the least share, or [`NO_LINK`].
    bottleneck: u32,
}

/// Each link divides its capacity equally among its subflows. The rate of a subflow is the least share on its path.
///
/// The *bottleneck* of a subflow is a link with this share. The subflows with one bottleneck have the same rate, so a
/// change of its share takes constant time. A subflow gets another bottleneck only if the share of its bottleneck rises
/// above its *limit*, or the share of another link falls below the share of its bottleneck.
///
/// An end takes O(log n) per link of the path, for `n` subflows per link, and as much for each subflow whose limit is
/// exceeded. A start also examines all subflows of its links.
///
/// # Source
///
/// Parekh and Gallager, *A generalized processor sharing approach to flow control in integrated services networks: the
/// single-node case*, IEEE/ACM Transactions on Networking 1(3), 1993: the virtual time of one link. The limits are our
/// own.
pub(crate) struct EqualShare {
    capacity: f64,
    subflows: Vec<Subflow>,
    groups: Vec<LinkGroup>,
    /// Number of active subflows of each link, counted once per crossing.
    crossings: Vec<u32>,
    /// The subflows of each link, once per crossing. Some of them have ended.
    link_subflows: Vec<Vec<u32>>,
    /// The next end at each link, or infinity.
    queue: EventQueue,
    /// Links whose load changes.
    touched: Vec<u32>,
    touched_links: MarkSet,
    /// Links whose next end changes.
    changed: Vec<u32>,
    changed_links: MarkSet,
}

impl Progress for EqualShare {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self {
        let links = flows.link_count();
        let inactive = Subflow { end: Units::default(), limit: ENDED, bottleneck: NO_LINK };
        Self {
            capacity,
            subflows: vec![inactive; flows.subflow_count()],
            groups: vec![LinkGroup::new(); links],
            crossings: vec![0; links],
            link_subflows: vec![Vec::new(); links],
            queue: EventQueue::new(links),
            touched: Vec::new(),
            touched_links: MarkSet::new(links),
            changed: Vec::new(),
            changed_links: MarkSet::new(links),
        }
    }

    fn update(&mut self, flows: &RoutedFlows, now: f64, ended: &[u32], started: &[u32]) {
        self.touched_links.clear();
        self.changed_links.clear();
        for &subflow in ended {
            for &link in flows.links(subflow) {
                self.touch(link);
                self.crossings[link as usize] -= 1;
            }
        }
        for &subflow in started {
            self.subflows[subflow as usize].limit = f64::INFINITY;
            for &link in flows.links(subflow) {
                self.touch(link);
                self.add(link, subflow);
            }
        }
        let (mut risen, mut fallen) = (Vec::new(), Vec::new());
        for link in std::mem::take(&mut self.touched) {
            let crossings = f64::from(self.crossings[link as usize]);
            let share = self.capacity * flows.link_capacity(link) / crossings;
            let group = &mut self.groups[link as usize];
            match share.total_cmp(&group.share) {
                Ordering::Greater => risen.push(link),
                Ordering::Less if group.share.is_finite() => fallen.push(link),
                // The link was empty: its subflows start now, and get their bottlenecks from the new shares.
                Ordering::Less => {}
                Ordering::Equal => continue,
            }
            group.set_share(now, share);
            self.change(link);
        }
        for &subflow in started {
            self.find_bottleneck(flows, now, subflow);
        }
        for link in risen {
            self.move_limited(flows, now, link);
        }
        for link in fallen {
            self.move_faster(flows, now, link);
        }
        for link in std::mem::take(&mut self.changed) {
            self.set_next_end(link);
        }
    }

    fn next_end(&self) -> Option<f64> {
        self.queue.first().map(|(time, _)| time).filter(|time| time.is_finite())
    }

    fn take_ended(&mut self, until: f64, ended: &mut Vec<u32>) {
        while let Some((_, link)) = self.queue.first().filter(|&(time, _)| time <= until) {
            while let Some(GroupEnd { units, subflow }) = self.first_end(link) {
                let group = &mut self.groups[link as usize];
                if group.time_of(units) > until {
                    break;
                }
                group.ends.pop();
                group.members -= 1;
                self.subflows[subflow as usize] = Subflow { end: units, limit: ENDED, bottleneck: NO_LINK };
                ended.push(subflow);
            }
            self.set_next_end(link);
        }
    }
}

impl EqualShare {
    /// Records a link whose load changes.
    fn touch(&mut self, link: u32) {
        if self.touched_links.add(link) {
            self.touched.push(link);
        }
    }

    /// Records a link whose next end changes.
    fn change(&mut self, link: u32) {
        if self.changed_links.add(link) {
            self.changed.push(link);
        }
    }

    /// Lists a subflow at a link.
    fn add(&mut self, link: u32, subflow: u32) {
        self.crossings[link as usize] += 1;
        let (list, subflows) = (&mut self.link_subflows[link as usize], &self.subflows);
        if list.len() == list.capacity() && list.len() > 2 * self.crossings[link as usize] as usize {
            list.retain(|&other| subflows[other as usize].limit > ENDED);
        }
        list.push(subflow);
    }

    /// Examines the members of a link whose share rose above their limits.
    fn move_limited(&mut self, flows: &RoutedFlows, now: f64, link: u32) {
        let share = self.groups[link as usize].share;
        while let Some(&Reverse((bits, subflow))) = self.groups[link as usize].limits.peek() {
            if f64::from_bits(bits) >= share {
                break;
            }
            self.groups[link as usize].limits.pop();
            let Subflow { limit, bottleneck, .. } = self.subflows[subflow as usize];
            if bottleneck == link && limit.to_bits() == bits {
                self.find_bottleneck(flows, now, subflow);
            }
        }
    }

    /// Examines the subflows of a link whose share fell below their limits.
    fn move_faster(&mut self, flows: &RoutedFlows, now: f64, link: u32) {
        let share = self.groups[link as usize].share;
        for place in 0..self.link_subflows[link as usize].len() {
            let subflow = self.link_subflows[link as usize][place];
            let Subflow { limit, bottleneck, .. } = self.subflows[subflow as usize];
            if share >= limit || bottleneck == link {
                continue;
            }
            let rate = self.groups[bottleneck as usize].share;
            if share < rate {
                self.find_bottleneck(flows, now, subflow);
            } else {
                // Lower than necessary, so that the next starts do not change it again.
                self.set_limit(subflow, rate + (share - rate) / 2.0);
            }
        }
    }

    /// Finds the bottleneck of a subflow, and its limit. Of equal shares, the bottleneck remains.
    fn find_bottleneck(&mut self, flows: &RoutedFlows, now: f64, subflow: u32) {
        let Subflow { end, bottleneck: before, .. } = self.subflows[subflow as usize];
        let (mut least, mut bottleneck, mut limit) = (f64::INFINITY, NO_LINK, f64::INFINITY);
        for &link in flows.links(subflow) {
            let share = self.groups[link as usize].share;
            if share < least || (share <= least && link == before) {
                (limit, least, bottleneck) = (least, share, link);
            } else if link != bottleneck {
                limit = limit.min(share);
            }
        }
        if bottleneck != before {
            let left = if before == NO_LINK {
                flows.size(subflow)
            } else {
                let left = end.minus(self.groups[before as usize].served_at(now)).max(0.0);
                self.groups[before as usize].members -= 1;
                self.change(before);
                left
            };
            let end = self.groups[bottleneck as usize].join(now, subflow, left);
            self.subflows[subflow as usize] = Subflow { end, limit, bottleneck };
            self.change(bottleneck);
        }
        self.set_limit(subflow, limit);
    }

    /// Sets the limit of a subflow.
    fn set_limit(&mut self, subflow: u32, limit: f64) {
        let of_subflow = &mut self.subflows[subflow as usize];
        of_subflow.limit = limit;
        if limit < f64::INFINITY {
            let (link, subflows) = (of_subflow.bottleneck, &self.subflows);
            let LinkGroup { limits, members, .. } = &mut self.groups[link as usize];
            if is_outdated(limits.len(), *members) {
                limits.retain(|&Reverse((bits, other))| {
                    let Subflow { limit, bottleneck, .. } = subflows[other as usize];
                    bottleneck == link && limit.to_bits() == bits && other != subflow
                });
            }
            limits.push(Reverse((limit.to_bits(), subflow)));
        }
    }

    /// Returns the first end at a link.
    fn first_end(&mut self, link: u32) -> Option<GroupEnd> {
        let LinkGroup { ends, members, .. } = &mut self.groups[link as usize];
        let subflows = &self.subflows;
        let is_member = |end: &GroupEnd| {
            let Subflow { end: units, bottleneck, .. } = subflows[end.subflow as usize];
            bottleneck == link && units == end.units
        };
        if is_outdated(ends.len(), *members) {
            ends.retain(|Reverse(end)| is_member(end));
        }
        while ends.peek().is_some_and(|Reverse(end)| !is_member(end)) {
            ends.pop();
        }
        ends.peek().map(|&Reverse(end)| end)
    }

    /// Updates the next end at a link in the queue.
    fn set_next_end(&mut self, link: u32) {
        let time = self.first_end(link).map_or(f64::INFINITY, |end| self.groups[link as usize].time_of(end.units));
        self.queue.set(link, time);
    }
}

/// Returns true if most entries of a heap are not those of members.
fn is_outdated(entries: usize, members: u32) -> bool {
    entries > 2 * members as usize + MAX_OUTDATED
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroU32;

    use lockstep_topology::strategy;
    use proptest::prelude::*;

    use super::*;
    use crate::options::{Clock, Endpoints, RateModel, SimulationOptions};
    use crate::routing::Routing;
    use crate::workload::{Workload, WorkloadOptions};

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
    }

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(100))]

        /// Batches of subflows start at ends of others and between them. All rates are counted again after each change.
        #[test]
        fn rates_limits_and_ends_are_those_of_a_scan_of_all_subflows(
            topology in strategy::any_topology(9), flows_per_task in 1..30u32, seed: u64,
            batches in prop::collection::vec((1..12usize, any::<bool>()), 1..40),
            endpoints in prop::sample::select(Endpoints::ALL),
        ) {
            let options = SimulationOptions {
                tasks_per_terminal: NonZeroU32::MIN,
                routing: Routing::EcmpSplit,
                rates: RateModel::EqualShare,
                clock: Clock::Real,
                endpoints,
                capacity: 10.0,
                outstanding: None,
                startup: 0.0,
                seed,
            };
            let tasks = topology.terminal_count() as u32;
            let shape = WorkloadOptions { tasks, flows_per_task, size: 10_000, seed };
            let programs = Workload::Uniform.programs(&shape).unwrap();
            let routed = RoutedFlows::new(&topology, &programs, &options).unwrap();
            let mut pending = 0..routed.subflow_count() as u32;
            let mut progress = EqualShare::new(&routed, options.capacity);
            let (mut now, mut ended, mut active) = (0.0, Vec::new(), BTreeMap::<u32, f64>::new());
            for &(batch, is_between) in batches.iter().cycle() {
                let started: Vec<u32> = pending.by_ref().take(batch.max(usize::from(active.is_empty()))).collect();
                progress.update(&routed, now, &ended, &started);
                active.extend(started.iter().map(|&subflow| (subflow, routed.size(subflow))));
                let mut crossings = vec![0.0; routed.link_count()];
                active.keys().flat_map(|&subflow| routed.links(subflow)).for_each(|&link| crossings[link as usize] += 1.0);
                let share = |link: u32| options.capacity * routed.link_capacity(link) / crossings[link as usize];
                let mut next = f64::INFINITY;
                let mut rates = Vec::new();
                for (&subflow, &left) in &active {
                    let Subflow { limit, bottleneck, .. } = progress.subflows[subflow as usize];
                    let rate = routed.links(subflow).iter().map(|&link| share(link)).fold(f64::INFINITY, f64::min);
                    prop_assert_eq!(progress.groups[bottleneck as usize].share.to_bits(), rate.to_bits());
                    prop_assert!(limit >= rate);
                    prop_assert!(routed.links(subflow).iter().all(|&link| link == bottleneck || limit <= share(link)));
                    rates.push(rate);
                    next = next.min(now + left / rate);
                }
                if active.is_empty() {
                    prop_assert_eq!(progress.next_end(), None);
                    break;
                }
                prop_assert!(near(progress.next_end().unwrap(), next));
                // Not close to the end, so that rounding does not decide.
                let until = if is_between && !pending.is_empty() && next - now > 1e-3 { f64::midpoint(now, next) } else { next };
                for (left, rate) in active.values_mut().zip(rates) {
                    *left -= rate * (until - now);
                }
                ended.clear();
                progress.take_ended(until * (1.0 + 1e-12), &mut ended);
                ended.sort_unstable();
                let expected: Vec<u32> = active.iter().filter(|&(_, &left)| left < 1e-6).map(|(&subflow, _)| subflow).collect();
                prop_assert_eq!(&ended, &expected);
                active.retain(|subflow, _| ended.binary_search(subflow).is_err());
                now = until;
            }
        }
    }
}
