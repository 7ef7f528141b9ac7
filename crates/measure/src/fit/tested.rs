//! How far tests load each wire: whether they show that it is slow, and which transfers would show more.

use super::bandwidth::{Bandwidths, TOLERANCE, scaled};
use super::possible::Possible;
use super::probe;
use super::result::Probe;
use super::slow::{SlowWire, rate_of};
use super::trials::{Load, Share, Trials};
use super::wires::Wires;

/// A slow wire beside other paths is shown if this number of trials should use it: one of them does with a probability of 95 %.
pub(super) const ENOUGH: f64 = 3.0;

/// The other wires must let this part of the bandwidth of a class through, so that rates show the class alone.
const SOLE: f64 = 1.1;

/// The most links of a class for which probes are sought.
const MAX_PROBED: usize = 64;

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
    fn new(wires: &'a Wires<'a>, found: &'a Bandwidths, slow: &[SlowWire], unknown: Unknown) -> Self {
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

/// What the tests show of the wires of a class.
#[derive(Clone, Debug, Default)]
pub(super) struct Tested {
    /// The wires whose slowness the tests show.
    pub(super) visible: Vec<u32>,
    /// True if each wire carried all that its ends can send.
    pub(super) is_not_limiting: bool,
    /// Wires beside other shortest paths whose slowness more trials of single transfers would show.
    pub(super) unseen: Vec<u32>,
    /// Transfers that would show more, at most one per wire.
    pub(super) probes: Vec<Probe>,
}

/// Returns what the tests show of each class.
pub(super) fn tested(
    wires: &Wires<'_>,
    (trials, possible): (&Trials, &Possible),
    found: &Bandwidths,
    slow: &[SlowWire],
) -> Vec<Tested> {
    let limits = [Unknown::Unlimited, Unknown::Limited].map(|unknown| Limits::new(wires, found, slow, unknown));
    let most = limits.each_ref().map(|limits| most_let_through(limits, trials, found));
    let mut is_named = vec![false; wires.list.len()];
    for slow in slow.iter().filter(|slow| slow.alternatives.is_empty()) {
        is_named[slow.wire as usize] = true;
    }
    let class = |class: usize| {
        if trials.list.is_empty() {
            return Tested::default();
        }
        let mut tested = Tested { is_not_limiting: true, ..Tested::default() };
        let resource = found.resources[class];
        let needed = if resource.is_identified { resource.bandwidth } else { u64::MAX };
        let is_reached = |most: u64, needed: u64, part: f64| most as f64 >= needed as f64 * (1.0 - part);
        // A mean over few rates is not exact.
        let missing = found.needed_rates().saturating_sub(resource.limited);
        let healthy = wires.classes[class].wires.iter().filter(|&&wire| !is_named[wire as usize]).count();
        let times = missing.div_ceil(healthy.max(1) as u64).max(1) as u32;
        let is_rough = resource.is_identified && missing > 0;
        let is_sole = |through: u64| through as f64 >= needed as f64 * SOLE;
        let mut sought = 0;
        for &wire in &wires.classes[class].wires {
            let is_seen = is_named[wire as usize] || is_reached(most[1][wire as usize], needed, TOLERANCE);
            if is_seen {
                tested.visible.push(wire);
                if !is_rough || is_named[wire as usize] {
                    continue;
                }
            }
            sought += 1;
            let probes =
                limits.each_ref().map(|limits| if sought > MAX_PROBED { None } else { probe::probe(limits, wire) });
            let more = probes.iter().zip(&most).find_map(|(probe, most)| {
                let (flows, through) = probe.as_ref()?;
                let most = most[wire as usize];
                let is_enough = is_reached(most, needed, TOLERANCE) || is_reached(most, *through, found.slow_part());
                (!is_enough || (is_rough && is_sole(*through))).then_some(flows)
            });
            if let Some(flows) = more {
                tested.is_not_limiting = false;
                tested.probes.push(Probe { link: wires.wire_name(wire), flows: flows.clone(), times });
            } else if is_seen {
            } else if probes[1].is_some() {
                tested.visible.push(wire);
            } else {
                tested.is_not_limiting = false;
                let lanes = Share { resource: 0, flows: 1, lanes: wires.wire(wire).lanes };
                let full = lanes.of_transfer(scaled(resource.bandwidth, 1.0 - found.slow_part()));
                if resource.is_identified && possible.expected_above(wire, full) >= ENOUGH {
                    tested.visible.push(wire);
                } else if resource.is_identified {
                    tested.unseen.push(wire);
                }
            }
        }
        tested
    };
    (0..wires.classes.len()).map(class).collect()
}

/// Returns the most that the other wires let through each wire in a trial.
fn most_let_through(limits: &Limits<'_>, trials: &Trials, found: &Bandwidths) -> Vec<u64> {
    let mut most = vec![0; limits.wires.list.len()];
    for (trial, &is_slow) in trials.list.iter().zip(&found.is_slow) {
        let signature = &trials.signatures[trial.signature as usize];
        if !signature.is_exact {
            continue;
        }
        let through = limits.let_through(&trial.loads, &signature.shares);
        for (&load, through) in trial.loads.iter().zip(through) {
            // A slow trial shows no more than what went through.
            let through = if is_slow { through.min(rate_of(limits.wires, load, trial)) } else { through };
            let known: &mut u64 = &mut most[load.wire as usize];
            *known = through.max(*known);
        }
    }
    most
}
