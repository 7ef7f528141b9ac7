//! Transfers to measure again, because which of their paths is slow is not decided.

use std::collections::{BTreeMap, BTreeSet};

use super::bandwidth::{Bandwidths, scaled};
use super::possible::Possible;
use super::result::Repeats;
use super::slow::{SlowWire, SlowWires};
use super::tested::ENOUGH;
use super::trials::{Share, Trials};
use super::wires::Wires;

/// Trials tell the paths of transfers apart if this number of them should use each slow wire.
const DECISIVE: f64 = 24.0;

/// The most times that transfers are measured again.
const MAX_TIMES: u32 = 16;

/// Returns the transfers that may use slow wires beside other shortest paths, or wires whose slowness no test shows.
///
/// `unseen` are these wires. `None` if enough trials should use each of them.
pub(super) fn repeats(
    wires: &Wires<'_>,
    (trials, possible): (&Trials, &Possible),
    found: &Bandwidths,
    slow: &SlowWires,
    unseen: &[u32],
) -> Option<Repeats> {
    let is_full = 1.0 - found.slow_part();
    // The number of trials that should use each wire, and the rate of a lane above which they count.
    let mut wanted: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
    for &wire in unseen {
        wanted.insert(wire, (ENOUGH, found.resources[wires.wire(wire).class as usize].bandwidth));
    }
    let is_open = |slow: &&SlowWire| !slow.alternatives.is_empty() && !is_settled(wires, possible, slow, is_full);
    for slow in slow.wires.iter().filter(is_open) {
        for &wire in slow.alternatives.iter().chain([&slow.wire]) {
            wanted.insert(wire, (DECISIVE, slow.bandwidth));
        }
    }
    for &trial in &slow.unexplained {
        for chance in possible.of_trial(trial) {
            wanted.entry(chance.wire).or_insert((DECISIVE, trials.list[trial as usize].rate));
        }
    }
    let mut pairs = BTreeSet::new();
    let mut times = 0;
    for (wire, (uses, bandwidth)) in wanted.into_iter().filter(|&(wire, _)| possible.has(wire)) {
        let full = scaled(of_transfer(wires, wire, bandwidth), is_full);
        let missing = uses - possible.expected_above(wire, full);
        let own: Vec<_> = possible.pairs_above(wire, full).collect();
        if missing > 0.0 && !own.is_empty() {
            let once: f64 = own.iter().map(|&(_, part)| part).sum();
            times = times.max(whole(missing / once).min(MAX_TIMES));
            pairs.extend(own.into_iter().map(|(pair, _)| pair));
        }
    }
    (times > 0).then(|| Repeats { pairs: pairs.into_iter().collect(), times })
}

/// Returns the rate of a transfer at this bandwidth of a lane of a wire.
fn of_transfer(wires: &Wires<'_>, wire: u32, bandwidth: u64) -> u64 {
    Share { resource: 0, flows: 1, lanes: wires.wire(wire).lanes }.of_transfer(bandwidth)
}

/// Returns true if no values of single transfers tell the wires apart, and the number of slow trials is that of one of them.
fn is_settled(wires: &Wires<'_>, possible: &Possible, slow: &SlowWire, is_full: f64) -> bool {
    let expected = possible.expected_above(slow.wire, scaled(of_transfer(wires, slow.wire, slow.bandwidth), is_full));
    let is_expected = f64::from(slow.trials) >= ENOUGH.max(expected / 2.0);
    is_expected && slow.alternatives.iter().all(|&other| possible.is_alike(slow.wire, other))
}

/// Returns a number rounded up.
#[expect(clippy::cast_sign_loss, reason = "the number is positive")]
fn whole(number: f64) -> u32 {
    number.ceil() as u32
}
