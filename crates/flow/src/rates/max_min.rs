//! Max-min fair rates, updated incrementally.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::link_subflows::LinkSubflows;
use super::mark_set::MarkSet;
use crate::routed_flows::RoutedFlows;

/// Relative tolerance within which rates are equal.
const TOLERANCE: f64 = 1e-12;

/// Marks a moving subflow without a new rate.
const OPEN: f64 = -1.0;

/// Marks a link without an entry in the queue.
const NOT_QUEUED: u64 = u64::MAX;

/// Max-min fair rates by progressive filling, restricted to the affected subflows.
///
/// Rates are max-min fair if and only if each subflow has a *bottleneck*: a full link on which no subflow is faster. A
/// change affects only subflows without a bottleneck. These *move*: their rates are filled from zero, and a subflow
/// stops at the first of its links that is full, in ascending order of link shares.
///
/// Other subflows start to move if they are faster than those that stop at a full link, or if a subflow stops below its
/// former rate, so that their bottleneck is no longer full. In both cases, their former rates are at least the current
/// level, so one pass is sufficient.
///
/// # Source
///
/// Bertsekas and Gallager, *Data Networks*, 2nd edition, Prentice Hall 1992, section 6.5.2: progressive filling and the
/// bottleneck condition. The restriction to affected subflows is our own.
pub(super) struct MaxMin {
    capacity: f64,
    link_subflows: LinkSubflows,
    bottleneck: Vec<u32>,
    moving: Vec<u32>,
    is_moving: MarkSet,
    /// New rates of moving subflows, or [`OPEN`].
    fresh: Vec<f64>,
    /// Subflows that stopped below their former rates and whose neighbours are not yet examined.
    slowed: Vec<u32>,
    /// Links that moving subflows cross.
    is_crossed: MarkSet,
    /// Remaining capacity of each crossed link.
    free: Vec<f64>,
    /// Number of crossings of each link by subflows without a new rate.
    open: Vec<u32>,
    /// Links whose other subflows are examined.
    is_examined: MarkSet,
    /// The crossed links by share, lowest first. Shares are not negative, so their bits have the same order.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// The entry of each link in the queue, or [`NOT_QUEUED`]. Other entries of the link are outdated.
    queued: Vec<u64>,
}

impl MaxMin {
    pub(super) fn new(flows: &RoutedFlows, capacity: f64) -> Self {
        let (subflows, links) = (flows.subflow_count(), flows.link_count());
        Self {
            capacity,
            link_subflows: LinkSubflows::new(flows),
            bottleneck: vec![0; subflows],
            moving: Vec::new(),
            is_moving: MarkSet::new(subflows),
            fresh: vec![0.0; subflows],
            slowed: Vec::new(),
            is_crossed: MarkSet::new(links),
            free: vec![0.0; links],
            open: vec![0; links],
            is_examined: MarkSet::new(links),
            queue: BinaryHeap::new(),
            queued: vec![NOT_QUEUED; links],
        }
    }

    /// Removes ended subflows, adds started ones, and lists each subflow whose rate changes with its new rate.
    ///
    /// `rate` holds the current rates, 0 for subflows that start. Each subflow crosses at least one link.
    pub(super) fn update(
        &mut self,
        flows: &RoutedFlows,
        rate: &[f64],
        ended: &[u32],
        started: &[u32],
        changes: &mut Vec<(u32, f64)>,
    ) {
        self.moving.clear();
        self.is_moving.clear();
        self.is_crossed.clear();
        self.is_examined.clear();
        for &subflow in ended {
            flows.links(subflow).iter().for_each(|&link| self.link_subflows.remove(link, subflow));
        }
        for &subflow in started {
            flows.links(subflow).iter().for_each(|&link| self.link_subflows.add(link, subflow));
        }
        for &subflow in started {
            self.begin(flows, rate, subflow);
        }
        for &subflow in ended {
            self.free_neighbours(flows, rate, subflow);
        }
        while let Some(Reverse((share, link))) = self.queue.pop() {
            if self.queued[link as usize] != share {
                continue;
            }
            self.queued[link as usize] = NOT_QUEUED;
            if self.open[link as usize] == 0 {
                continue;
            }
            // Shares grow while subflows stop, so the link is inserted again.
            let now = self.share(link);
            if now > share {
                self.enqueue(link, now);
                continue;
            }
            let level = f64::from_bits(now);
            if !self.begin_faster(flows, rate, link, level) {
                self.stop_all(flows, rate, link, level);
            }
        }
        let moved = self.moving.iter().map(|&subflow| (subflow, self.fresh[subflow as usize]));
        changes.extend(moved.filter(|&(subflow, fresh)| fresh.to_bits() != rate[subflow as usize].to_bits()));
    }

    /// Starts to move a subflow, unless it is moving.
    fn begin(&mut self, flows: &RoutedFlows, rate: &[f64], subflow: u32) {
        if !self.is_moving.add(subflow) {
            return;
        }
        self.moving.push(subflow);
        self.fresh[subflow as usize] = OPEN;
        for &link in flows.links(subflow) {
            let place = link as usize;
            if self.is_crossed.add(link) {
                let used: f64 = self.link_subflows.of(link).iter().map(|&subflow| rate[subflow as usize]).sum();
                self.free[place] = self.capacity * flows.link_capacity(link) - used;
                self.open[place] = 0;
            }
            self.free[place] += rate[subflow as usize];
            self.open[place] += 1;
        }
        for &link in flows.links(subflow) {
            let share = self.share(link);
            if share < self.queued[link as usize] {
                self.enqueue(link, share);
            }
        }
    }

    /// Inserts a link into the queue.
    fn enqueue(&mut self, link: u32, share: u64) {
        self.queued[link as usize] = share;
        self.queue.push(Reverse((share, link)));
    }

    /// Returns the bits of the share of a link: remaining capacity per crossing without a rate.
    fn share(&self, link: u32) -> u64 {
        (self.free[link as usize] / f64::from(self.open[link as usize].max(1))).max(0.0).to_bits()
    }

    /// Starts to move the subflows whose bottleneck is a link of this subflow.
    fn free_neighbours(&mut self, flows: &RoutedFlows, rate: &[f64], subflow: u32) {
        for &link in flows.links(subflow) {
            // Once is sufficient: bottlenecks change only for moving subflows.
            if !self.is_examined.add(link) {
                continue;
            }
            for place in 0..self.link_subflows.of(link).len() {
                let other = self.link_subflows.of(link)[place];
                if self.bottleneck[other as usize] == link {
                    self.begin(flows, rate, other);
                }
            }
        }
    }

    /// Starts to move the subflows of a link that are faster than its level. Returns true if there are any.
    fn begin_faster(&mut self, flows: &RoutedFlows, rate: &[f64], link: u32, level: f64) -> bool {
        let earlier = self.moving.len();
        for place in 0..self.link_subflows.of(link).len() {
            let subflow = self.link_subflows.of(link)[place];
            if rate[subflow as usize] > level * (1.0 + TOLERANCE) {
                self.begin(flows, rate, subflow);
            }
        }
        self.moving.len() > earlier
    }

    /// Stops all subflows of a link without a new rate at its level.
    fn stop_all(&mut self, flows: &RoutedFlows, rate: &[f64], link: u32, level: f64) {
        for place in 0..self.link_subflows.of(link).len() {
            let subflow = self.link_subflows.of(link)[place];
            let (fresh, old) = (&mut self.fresh[subflow as usize], rate[subflow as usize]);
            if !self.is_moving.contains(subflow) || *fresh >= 0.0 {
                continue;
            }
            *fresh = if (level - old).abs() <= old * TOLERANCE { old } else { level };
            if *fresh < old {
                self.slowed.push(subflow);
            }
            self.bottleneck[subflow as usize] = link;
            for &crossed in flows.links(subflow) {
                self.free[crossed as usize] -= *fresh;
                self.open[crossed as usize] -= 1;
            }
        }
        while let Some(subflow) = self.slowed.pop() {
            self.free_neighbours(flows, rate, subflow);
        }
    }
}
