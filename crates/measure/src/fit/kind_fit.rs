//! The fit of the transfers of one kind.

use lockstep_topology::ChannelId;

use super::bandwidth::{self, Bandwidths, TOLERANCE, scaled};
use super::possible::Possible;
use super::result::{ClassFit, Evidence, KindFit, MixedClass, SlowLink, SlowTransfer};
use super::routes::Profiles;
use super::slow::{self, SlowWire, SlowWires};
use super::tested::{self, Tested};
use super::trials::{Trial, Trials};
use super::wires::Wires;
use super::{latency, repeats};
use crate::TransferKind;

/// Both directions of a link share a resource if they carry less than this part of twice one direction.
const FULL_DUPLEX: f64 = 0.95;

/// A class is mixed if this part of its measured wires, and at least two, have one lower bandwidth.
const MIXED: [usize; 2] = [1, 3];

/// The most times that bandwidths and slow wires are found again.
const ROUNDS: usize = 3;

/// Fits the transfers of one kind.
pub(super) fn fit(wires: &Wires<'_>, kind: TransferKind, trials: &Trials, profiles: &Profiles) -> KindFit {
    let Settled { found, carried, possible, slow: slow_wires } = settle(wires, trials);
    let tested = tested::tested(wires, (trials, &possible), &found, &slow_wires.wires);
    let unseen: Vec<u32> = tested.iter().flat_map(|tested| tested.unseen.iter().copied()).collect();
    let repeats = repeats::repeats(wires, (trials, &possible), &found, &slow_wires, &unseen);
    let classes = classes(wires, &found, tested);
    let SlowWires { wires: slow, unexplained } = slow_wires;
    let mut slow: Vec<SlowLink> = slow.iter().map(|slow| slow_link(wires, &classes, slow)).collect();
    slow.sort_by(|one, other| one.part.total_cmp(&other.part).then_with(|| one.channels.cmp(&other.channels)));
    let is_measured = |wire: u32| carried[wire as usize] > 0 || possible.has(wire);
    let mixed = split_mixed(wires, &is_measured, found.slow_part(), &mut slow);
    let transfer = |&place: &u32| {
        let Trial { flows, signature, has_unique_paths, rate, .. } = &trials.list[place as usize];
        let expected = found.expected[*signature as usize];
        SlowTransfer { flows: flows.clone(), rate: *rate, expected, has_several_paths: !has_unique_paths }
    };
    let mut slow_transfers: Vec<SlowTransfer> = unexplained.iter().map(transfer).collect();
    let part = |transfer: &SlowTransfer| transfer.rate as f64 / transfer.expected.max(1) as f64;
    slow_transfers.sort_by(|one, other| part(one).total_cmp(&part(other)).then_with(|| one.flows.cmp(&other.flows)));
    let latency = latency::fit(&trials.pings, profiles, wires.classes.len());
    let deviation = found.deviation;
    KindFit { kind, trials: trials.list.len(), deviation, classes, slow, slow_transfers, repeats, mixed, latency }
}

/// The bandwidths and the slow wires that explain the trials together.
struct Settled {
    found: Bandwidths,
    /// See [`slow::carried`].
    carried: Vec<u64>,
    possible: Possible,
    slow: SlowWires,
}

/// Finds the bandwidths and the slow wires by turns: trials that a slow wire limits say nothing about the classes.
fn settle(wires: &Wires<'_>, trials: &Trials) -> Settled {
    let carried = slow::carried(wires, trials);
    let mut is_limited = vec![false; trials.list.len()];
    let mut found = bandwidth::fit(trials, wires.classes.len(), &is_limited);
    // A wire that carried the bandwidth of its class in a transfer with one path is not slow.
    let may_be_slow = |wire: u32| {
        let bandwidth = found.resources[wires.wire(wire).class as usize].bandwidth;
        (carried[wire as usize] as f64) < bandwidth as f64 * (1.0 - found.slow_part())
    };
    let possible = Possible::new(wires, trials, &may_be_slow);
    let mut slow = slow::find(wires, trials, &possible, &found);
    for _ in 0..ROUNDS {
        let now = slow::limited(wires, trials, &slow.wires, 1.0 - found.slow_part());
        if now == is_limited {
            break;
        }
        is_limited = now;
        found = bandwidth::fit(trials, wires.classes.len(), &is_limited);
        slow = slow::find(wires, trials, &possible, &found);
    }
    Settled { found, carried, possible, slow }
}

/// Returns what the trials show of each class.
fn classes(wires: &Wires<'_>, found: &Bandwidths, tested: Vec<Tested>) -> Vec<ClassFit> {
    let count = wires.classes.len();
    let widest = (0..count)
        .map(|class| found.resources[class].bandwidth / u64::from(wires.capacity(class as u32).max(1)))
        .max()
        .unwrap_or(0);
    let class_fit = |(class, tested): (usize, Tested)| {
        let (own, both) = (found.resources[class], found.resources[count + class]);
        let nominal = wires.nominal(class as u32);
        let reaches = |nominal: &u64| *nominal as f64 >= own.bandwidth as f64 * (1.0 - TOLERANCE);
        let (bandwidth, evidence) = if own.is_identified {
            (own.bandwidth, Evidence::Identified)
        } else if let Some(nominal) = nominal.filter(reaches) {
            (nominal, Evidence::Nominal)
        } else if own.bandwidth > 0 {
            let is_known = tested.is_not_limiting;
            (own.bandwidth, if is_known { Evidence::NotLimiting } else { Evidence::LowerLimit })
        } else {
            (widest.saturating_mul(wires.capacity(class as u32).into()), Evidence::Assumed)
        };
        let upper_limit = match evidence {
            Evidence::Identified => Some(scaled(own.bandwidth, 1.0 + found.tolerance()).max(own.carried)),
            Evidence::Nominal => nominal,
            Evidence::NotLimiting | Evidence::LowerLimit | Evidence::Assumed => None,
        };
        let is_shared = both.is_identified && (both.bandwidth as f64) < FULL_DUPLEX * 2.0 * bandwidth as f64;
        ClassFit {
            name: wires.class_name(class as u32),
            channels: channels_of(wires, class),
            bandwidth,
            evidence,
            lower_limit: own.carried,
            upper_limit,
            half_duplex: is_shared.then_some(both.bandwidth),
            tests: own.trials,
            visible: tested.visible.iter().map(|&wire| wires.wire(wire).channels.len() as u32).sum(),
            probes: tested.probes,
        }
    };
    tested.into_iter().enumerate().map(class_fit).collect()
}

fn channels_of(wires: &Wires<'_>, class: usize) -> Vec<ChannelId> {
    let of_class = wires.classes[class].wires.iter();
    let mut channels: Vec<_> = of_class.flat_map(|&wire| wires.wire(wire).channels.iter().copied()).collect();
    channels.sort_unstable();
    channels
}

/// Takes the slow links of mixed classes away.
fn split_mixed(
    wires: &Wires<'_>,
    is_measured: &dyn Fn(u32) -> bool,
    tolerance: f64,
    slow: &mut Vec<SlowLink>,
) -> Vec<MixedClass> {
    let mut mixed = Vec::new();
    for class in 0..wires.classes.len() {
        let measured = wires.classes[class].wires.iter().filter(|&&wire| is_measured(wire)).count();
        let mut rates: Vec<u64> = slow.iter().filter(|link| link.class == class).map(|link| link.bandwidth).collect();
        rates.sort_unstable();
        let Some(bandwidth) = bandwidth::median(&rates) else { continue };
        let is_many = rates.len() >= 2 && rates.len() * MIXED[1] >= measured * MIXED[0];
        if is_many && rates.iter().all(|rate| rate.abs_diff(bandwidth) as f64 <= tolerance * bandwidth as f64) {
            let links = slow.extract_if(.., |link| link.class == class).collect();
            mixed.push(MixedClass { class, links, bandwidth });
        }
    }
    mixed
}

fn slow_link(wires: &Wires<'_>, classes: &[ClassFit], slow: &SlowWire) -> SlowLink {
    let wire = wires.wire(slow.wire);
    let class = wire.class as usize;
    SlowLink {
        name: wires.wire_name(slow.wire),
        channels: wire.channels.clone(),
        class,
        bandwidth: slow.bandwidth,
        part: slow.bandwidth as f64 / classes[class].bandwidth.max(1) as f64,
        tests: slow.trials,
        possible_tests: slow.uses,
        count: slow.count,
        or: slow
            .alternatives
            .iter()
            .map(|&other| (wires.wire_name(other), wires.wire(other).channels.clone()))
            .collect(),
    }
}
