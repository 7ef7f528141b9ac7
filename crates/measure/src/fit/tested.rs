//! How far tests load each wire: whether they show that it is slow, and which transfers would show more.

use super::bandwidth::{Bandwidths, TOLERANCE, scaled};
use super::limits::{Limits, Unknown};
use super::possible::Possible;
use super::probe;
use super::result::Probe;
use super::slow::{SlowWire, rate_of};
use super::trials::{Share, Trials};
use super::wires::Wires;

/// A slow wire beside other paths is shown if this number of trials should use it: one of them does with a probability of 95 %.
pub(super) const ENOUGH: f64 = 3.0;

/// The other wires must let this part of the bandwidth of a class through, so that rates show the class alone.
const SOLE: f64 = 1.1;

/// The most links of a class for which probes are sought.
const MAX_PROBED: usize = 64;

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
                continue;
            }
            if is_seen {
                continue;
            }
            let has_one_path = probes[1].is_some();
            let lanes = Share { resource: 0, flows: 1, lanes: wires.wire(wire).lanes };
            let full = lanes.of_transfer(scaled(resource.bandwidth, 1.0 - found.slow_part()));
            let is_used = resource.is_identified && possible.expected_above(wire, full) >= ENOUGH;
            tested.is_not_limiting &= has_one_path;
            if has_one_path || is_used {
                tested.visible.push(wire);
            } else if resource.is_identified {
                tested.unseen.push(wire);
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
