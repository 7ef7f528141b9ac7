//! Max-min fair rates, kept up to date where they change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Marks, Occupants, Rates};
use crate::traffic::Traffic;

/// How much, relatively, rates differ that are not the same but for rounding.
const TOLERANCE: f64 = 1e-12;

/// A link of no part.
const NONE: u32 = u32::MAX;

/// Rates are max-min fair if and only if every part has a *bottleneck*: a full link on which no part is faster.
///
/// So a change is followed as far as it goes: the parts that lose their bottleneck get rates by filling up what all others
/// leave them; parts elsewhere that lose theirs by that, or that are faster than one which now has its bottleneck beside
/// them, join, until there is none.
pub(crate) struct MaxMin {
    capacity: f64,
    occupants: Occupants,
    bottleneck: Vec<u32>,
    /// The parts that get new rates, and the links that they cross.
    moving: Vec<u32>,
    is_moving: Marks,
    affected: Vec<u32>,
    is_affected: Marks,
    /// Rates of moving parts; negative while a part has none yet.
    fresh: Vec<f64>,
    /// What is left of each affected link, and how many times moving parts without rate cross it.
    free: Vec<f64>,
    open: Vec<u32>,
    /// The rate of the moving parts whose bottleneck a link is.
    level: Vec<f64>,
    /// Links by share, lowest first. Shares are not negative, so they are in the order of their bits.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Rates for MaxMin {
    fn new(traffic: &Traffic, capacity: f64) -> Self {
        let (parts, links) = (traffic.part_count(), traffic.link_count());
        Self {
            capacity,
            occupants: Occupants::new(traffic),
            bottleneck: vec![NONE; parts],
            moving: Vec::new(),
            is_moving: Marks::new(parts),
            affected: Vec::new(),
            is_affected: Marks::new(links),
            fresh: vec![0.0; parts],
            free: vec![0.0; links],
            open: vec![0; links],
            level: vec![0.0; links],
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
        self.affected.clear();
        self.is_affected.clear();
        for &part in ended {
            for &link in traffic.links(part) {
                self.occupants.leave(link, part);
            }
        }
        for &part in started {
            for &link in traffic.links(part) {
                self.occupants.enter(link, part);
            }
            self.join(traffic, part);
        }
        for &part in ended {
            for &link in traffic.links(part) {
                for place in 0..self.occupants.of(link).len() {
                    let other = self.occupants.of(link)[place];
                    if self.bottleneck[other as usize] == link {
                        self.join(traffic, other);
                    }
                }
            }
        }
        loop {
            self.fill_up(traffic, rate);
            let before = self.moving.len();
            self.let_join(traffic, rate);
            if self.moving.len() == before {
                break;
            }
        }
        let moved = self.moving.iter().map(|&part| (part, self.fresh[part as usize]));
        changes.extend(moved.filter(|&(part, fresh)| fresh.to_bits() != rate[part as usize].to_bits()));
    }
}

impl MaxMin {
    fn join(&mut self, traffic: &Traffic, part: u32) {
        if self.is_moving.add(part) {
            self.moving.push(part);
            for &link in traffic.links(part) {
                if self.is_affected.add(link) {
                    self.affected.push(link);
                }
            }
        }
    }

    /// Gives all moving parts rates that are max-min fair beside those of the others.
    fn fill_up(&mut self, traffic: &Traffic, rate: &[f64]) {
        for &part in &self.moving {
            self.fresh[part as usize] = -1.0;
        }
        for &link in &self.affected {
            let (mut free, mut open) = (self.capacity, 0);
            for &part in self.occupants.of(link) {
                if self.is_moving.has(part) {
                    open += 1;
                } else {
                    free -= rate[part as usize];
                }
            }
            self.free[link as usize] = free;
            self.open[link as usize] = open;
            self.level[link as usize] = f64::INFINITY;
            self.queue.push(Reverse((self.share(link), link)));
        }
        while let Some(Reverse((share, link))) = self.queue.pop() {
            if self.open[link as usize] == 0 {
                continue;
            }
            // Shares only grow while others are given out, so a link that comes too early comes again.
            let now = self.share(link);
            if now > share {
                self.queue.push(Reverse((now, link)));
                continue;
            }
            let level = f64::from_bits(now);
            self.level[link as usize] = level;
            for place in 0..self.occupants.of(link).len() {
                let part = self.occupants.of(link)[place];
                if !self.is_moving.has(part) || self.fresh[part as usize] >= 0.0 {
                    continue;
                }
                self.fresh[part as usize] = level;
                self.bottleneck[part as usize] = link;
                for &crossed in traffic.links(part) {
                    self.free[crossed as usize] -= level;
                    self.open[crossed as usize] -= 1;
                }
            }
        }
    }

    /// The bits of the share of a link that moving parts without a rate cross.
    fn share(&self, link: u32) -> u64 {
        (self.free[link as usize] / f64::from(self.open[link as usize].max(1))).max(0.0).to_bits()
    }

    /// Lets those join that have no bottleneck any more, or keep one that joined from its own.
    fn let_join(&mut self, traffic: &Traffic, rate: &[f64]) {
        for place in 0..self.affected.len() {
            let link = self.affected[place];
            let rate_of =
                |&part: &u32| if self.is_moving.has(part) { self.fresh[part as usize] } else { rate[part as usize] };
            let fastest = self.occupants.of(link).iter().map(rate_of).fold(0.0, f64::max);
            for occupant in 0..self.occupants.of(link).len() {
                let part = self.occupants.of(link)[occupant];
                if !self.is_moving.has(part) && self.must_join(part, rate[part as usize], link, fastest) {
                    self.join(traffic, part);
                }
            }
        }
    }

    /// Whether a part of this rate is too fast for a link, or has it as its bottleneck no more.
    fn must_join(&self, part: u32, rate: f64, link: u32, fastest: f64) -> bool {
        let (level, free) = (self.level[link as usize], self.free[link as usize]);
        let is_bottleneck = || free <= rate * TOLERANCE && fastest <= rate * (1.0 + TOLERANCE);
        rate > level * (1.0 + TOLERANCE) || (self.bottleneck[part as usize] == link && !is_bottleneck())
    }
}
