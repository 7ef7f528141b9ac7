//! Max-min fair rates, kept up to date where they change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Marks, Occupants, Rates};
use crate::traffic::Traffic;

/// How much, relatively, rates differ that are not the same but for rounding.
const TOLERANCE: f64 = 1e-12;

/// The rate of a moving part that has none yet.
const OPEN: f64 = -1.0;

/// Rates are max-min fair if and only if every part has a *bottleneck*: a full link on which no part is faster.
///
/// So a change is followed only as far as it goes. Parts that start, and those that may have lost their bottleneck, *move*:
/// their shares of what the others leave them are filled up from zero, lowest link first, and a part stops at the first of
/// its links that is full. Others begin to move on the way, where a link that is full would leave them faster than those
/// that stop at it, and where a part stops below its former rate, so that their bottleneck is full no more. In both cases
/// their former rates are not below the level that has been reached, so one pass is enough.
pub(crate) struct MaxMin {
    capacity: f64,
    occupants: Occupants,
    bottleneck: Vec<u32>,
    moving: Vec<u32>,
    is_moving: Marks,
    /// New rates of moving parts, or [`OPEN`].
    fresh: Vec<f64>,
    /// Parts that have stopped below their former rates, whose neighbours have not been looked at.
    slowed: Vec<u32>,
    /// Links that moving parts cross: what is left of each, and how many times parts without a rate cross it.
    is_crossed: Marks,
    free: Vec<f64>,
    open: Vec<u32>,
    /// Those links by share, lowest first. Shares are not negative, so they are in the order of their bits.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Rates for MaxMin {
    fn new(traffic: &Traffic, capacity: f64) -> Self {
        let (parts, links) = (traffic.part_count(), traffic.link_count());
        Self {
            capacity,
            occupants: Occupants::new(traffic),
            bottleneck: vec![0; parts],
            moving: Vec::new(),
            is_moving: Marks::new(parts),
            fresh: vec![0.0; parts],
            slowed: Vec::new(),
            is_crossed: Marks::new(links),
            free: vec![0.0; links],
            open: vec![0; links],
            queue: BinaryHeap::new(),
        }
    }

    fn update(
        &mut self,
        traffic: &Traffic,
        rate: &[f64],
        ended: &[u32],
        started: &[u32],
        changes: &mut Vec<(u32, f64)>,
    ) {
        self.moving.clear();
        self.is_moving.clear();
        self.is_crossed.clear();
        for &part in ended {
            traffic.links(part).iter().for_each(|&link| self.occupants.leave(link, part));
        }
        for &part in started {
            traffic.links(part).iter().for_each(|&link| self.occupants.enter(link, part));
        }
        for &part in started {
            self.begin(traffic, rate, part);
        }
        for &part in ended {
            self.free_neighbours(traffic, rate, part);
        }
        while let Some(Reverse((share, link))) = self.queue.pop() {
            // Shares grow while others stop, so a link that comes too early comes again.
            let now = self.share(link);
            if self.open[link as usize] == 0 {
                continue;
            }
            if now > share {
                self.queue.push(Reverse((now, link)));
                continue;
            }
            let level = f64::from_bits(now);
            if !self.let_faster_begin(traffic, rate, link, level) {
                self.stop_all(traffic, rate, link, level);
            }
        }
        let moved = self.moving.iter().map(|&part| (part, self.fresh[part as usize]));
        changes.extend(moved.filter(|&(part, fresh)| fresh.to_bits() != rate[part as usize].to_bits()));
    }
}

impl MaxMin {
    /// Lets a part move, if it does not yet.
    fn begin(&mut self, traffic: &Traffic, rate: &[f64], part: u32) {
        if !self.is_moving.add(part) {
            return;
        }
        self.moving.push(part);
        self.fresh[part as usize] = OPEN;
        for &link in traffic.links(part) {
            let place = link as usize;
            if self.is_crossed.add(link) {
                let used: f64 = self.occupants.of(link).iter().map(|&part| rate[part as usize]).sum();
                self.free[place] = self.capacity - used;
                self.open[place] = 0;
            }
            self.free[place] += rate[part as usize];
            self.open[place] += 1;
        }
        for &link in traffic.links(part) {
            self.queue.push(Reverse((self.share(link), link)));
        }
    }

    /// The bits of the share of parts without a rate in what is left of a link.
    fn share(&self, link: u32) -> u64 {
        (self.free[link as usize] / f64::from(self.open[link as usize].max(1))).max(0.0).to_bits()
    }

    /// Lets those move whose bottleneck is a link of this part.
    fn free_neighbours(&mut self, traffic: &Traffic, rate: &[f64], part: u32) {
        for &link in traffic.links(part) {
            for place in 0..self.occupants.of(link).len() {
                let other = self.occupants.of(link)[place];
                if self.bottleneck[other as usize] == link {
                    self.begin(traffic, rate, other);
                }
            }
        }
    }

    /// Lets those move that are faster on a link than its level; whether there are any.
    fn let_faster_begin(&mut self, traffic: &Traffic, rate: &[f64], link: u32, level: f64) -> bool {
        let before = self.moving.len();
        for place in 0..self.occupants.of(link).len() {
            let part = self.occupants.of(link)[place];
            if rate[part as usize] > level * (1.0 + TOLERANCE) {
                self.begin(traffic, rate, part);
            }
        }
        self.moving.len() > before
    }

    /// Gives all parts without a rate on a link its level.
    fn stop_all(&mut self, traffic: &Traffic, rate: &[f64], link: u32, level: f64) {
        for place in 0..self.occupants.of(link).len() {
            let part = self.occupants.of(link)[place];
            let (fresh, old) = (&mut self.fresh[part as usize], rate[part as usize]);
            if !self.is_moving.has(part) || *fresh >= 0.0 {
                continue;
            }
            *fresh = if (level - old).abs() <= old * TOLERANCE { old } else { level };
            if *fresh < old {
                self.slowed.push(part);
            }
            self.bottleneck[part as usize] = link;
            for &crossed in traffic.links(part) {
                self.free[crossed as usize] -= *fresh;
                self.open[crossed as usize] -= 1;
            }
        }
        while let Some(part) = self.slowed.pop() {
            self.free_neighbours(traffic, rate, part);
        }
    }
}
