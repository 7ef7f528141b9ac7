//! Transfers to measure again, because which of their paths is slow is not decided.

use std::collections::{BTreeMap, BTreeSet};

use super::bandwidth::{Bandwidths, scaled};
use super::possible::Possible;
use super::result::Repeats;
use super::slow::SlowWires;
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
    for slow in slow.wires.iter().filter(|slow| !slow.alternatives.is_empty()) {
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
        let lanes = Share { resource: 0, flows: 1, lanes: wires.wire(wire).lanes };
        let full = scaled(lanes.of_transfer(bandwidth), is_full);
        let missing = uses - possible.expected_above(wire, full);
        let own: Vec<_> = possible.pairs_above(wire, full).collect();
        if missing > 0.0 && !own.is_empty() {
            let once: f64 = own.iter().map(|&(_, part)| part).sum();
            times = times.max((missing / once).ceil().min(MAX_TIMES.into()) as u32);
            pairs.extend(own.into_iter().map(|(pair, _)| pair));
        }
    }
    (times > 0).then(|| Repeats { pairs: pairs.into_iter().collect(), times })
}
