//! What the wires of some transfers let through a wire.

use super::bandwidth::Bandwidths;
use super::slow::SlowWire;
use super::trials::{Load, Share};
use super::wires::Wires;

/// What the wires of a class that are not known let through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unknown {
    /// What they carried.
    Limited,
    /// Everything.
    Unlimited,
}

/// What the wires of some transfers let through.
pub(super) struct Limits<'a> {
    pub(super) wires: &'a Wires<'a>,
    found: &'a Bandwidths,
    /// The bandwidth of a lane of each wire that may be slow.
    slow: Vec<Option<u64>>,
    unknown: Unknown,
}

impl<'a> Limits<'a> {
    pub(super) fn new(wires: &'a Wires<'a>, found: &'a Bandwidths, slow: &[SlowWire], unknown: Unknown) -> Self {
        let mut limits = Self { wires, found, slow: vec![None; wires.list.len()], unknown };
        for SlowWire { wire, bandwidth, alternatives, .. } in slow {
            for &other in alternatives.iter().chain([wire]) {
                let known = &mut limits.slow[other as usize];
                *known = Some(known.map_or(*bandwidth, |known| known.min(*bandwidth)));
            }
        }
        limits
    }

    fn is_identified(&self, class: u32) -> bool {
        self.found.resources[class as usize].is_identified
    }

    /// Returns false for two wires of a class that is not identified: then nothing tells which one limits a transfer.
    pub(super) fn tells_apart(&self, one: u32, other: u32) -> bool {
        let class = self.wires.wire(one).class;
        self.is_identified(class) || self.wires.wire(other).class != class
    }

    /// Returns the bandwidth of a lane of a class; `u64::MAX` if it is unlimited.
    fn of_class(&self, class: u32) -> u64 {
        let resource = self.found.resources[class as usize];
        let is_limited = resource.is_identified || self.unknown == Unknown::Limited;
        if is_limited { resource.bandwidth.max(1) } else { u64::MAX }
    }

    /// Returns the rate of a transfer that a wire with this load lets through.
    pub(super) fn of_load(&self, load: Load) -> u64 {
        let wire = self.wires.wire(load.wire);
        let class = self.of_class(wire.class);
        let bandwidth = self.slow[load.wire as usize].map_or(class, |slow| slow.min(class));
        Share { resource: 0, flows: load.flows, lanes: wire.lanes }.of_transfer(bandwidth)
    }

    /// Returns the rate of a lane of each loaded wire that the other wires let through. `shares` are the greatest ones of the classes.
    ///
    /// Other wires of its class count if the class is identified and they have a greater load.
    pub(super) fn let_through(&self, loads: &[Load], shares: &[Share]) -> Vec<u64> {
        let classes = self.wires.classes.len();
        let shares = shares.iter().filter(|share| (share.resource as usize) < classes);
        let by_class =
            TwoLeast::of(shares.map(|share| (share.of_transfer(self.of_class(share.resource)), share.resource)));
        let slow = loads.iter().filter(|load| self.slow[load.wire as usize].is_some());
        let by_wire = TwoLeast::of(slow.map(|&load| (self.of_load(load), load.wire)));
        let through = |load: &Load| {
            let wire = self.wires.wire(load.wire);
            let class = wire.class;
            let own = Share { resource: class, flows: load.flows, lanes: wire.lanes }.of_transfer(self.of_class(class));
            let is_greater = self.is_identified(class) && by_class.least < own;
            let of_classes = if is_greater { by_class.least } else { by_class.without(class) };
            let rate = of_classes.min(by_wire.without(load.wire));
            Share { resource: 0, flows: load.flows, lanes: wire.lanes }.of_lane(rate)
        };
        loads.iter().map(through).collect()
    }
}

/// The least of some rates, and the least one of other owners.
struct TwoLeast {
    least: u64,
    owner: Option<u32>,
    other: u64,
}

impl TwoLeast {
    fn of(rates: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut found = Self { least: u64::MAX, owner: None, other: u64::MAX };
        for (rate, owner) in rates {
            if rate < found.least {
                found = Self { least: rate, owner: Some(owner), other: found.least };
            } else {
                found.other = found.other.min(rate);
            }
        }
        found
    }

    /// Returns the least rate of other owners.
    fn without(&self, owner: u32) -> u64 {
        if self.owner == Some(owner) { self.other } else { self.least }
    }
}
