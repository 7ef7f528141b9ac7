//! The fit of the transfers of one kind.

use lockstep_topology::ChannelId;

use super::bandwidth::{self, Bandwidths, TOLERANCE, scaled};
use super::result::{ClassFit, Evidence, KindFit, MixedClass, Probe, SlowLink, SlowTransfer};
use super::routes::Profiles;
use super::slow::{self, SlowWire, SlowWires};
use super::trials::{Share, Trial, Trials};
use super::wires::Wires;
use super::{latency, probe};
use crate::TransferKind;

/// Both directions of a link share a resource if they carry less than this part of twice one direction.
const FULL_DUPLEX: f64 = 0.95;

/// A class is mixed if this part of its measured wires, and at least two, have one lower bandwidth.
const MIXED: [usize; 2] = [1, 3];

/// The most links of a class for which probes are sought.
const MAX_PROBED: usize = 64;

/// Fits the transfers of one kind.
pub(super) fn fit(wires: &Wires<'_>, kind: TransferKind, trials: &Trials, profiles: &Profiles) -> KindFit {
    let found = bandwidth::fit(trials, wires.classes.len());
    let SlowWires { wires: slow, unexplained } = slow::find(wires, trials, &found);
    let classes = classes(wires, trials, &found, &slow);
    let mut slow: Vec<SlowLink> = slow.iter().map(|slow| slow_link(wires, &classes, slow)).collect();
    slow.sort_by(|one, other| one.part.total_cmp(&other.part).then_with(|| one.channels.cmp(&other.channels)));
    let mixed = split_mixed(wires, trials, found.slow_part(), &mut slow);
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
    KindFit { kind, trials: trials.list.len(), deviation, classes, slow, slow_transfers, mixed, latency }
}

/// Returns what the trials show of each class.
fn classes(wires: &Wires<'_>, trials: &Trials, found: &Bandwidths, slow: &[SlowWire]) -> Vec<ClassFit> {
    let count = wires.classes.len();
    let widest = (0..count)
        .map(|class| found.resources[class].bandwidth / u64::from(wires.capacity(class as u32).max(1)))
        .max()
        .unwrap_or(0);
    let mut classes: Vec<ClassFit> = (0..count)
        .map(|class| {
            let (own, both) = (found.resources[class], found.resources[count + class]);
            let nominal = wires.nominal(class as u32);
            let reaches = |nominal: &u64| *nominal as f64 >= own.bandwidth as f64 * (1.0 - TOLERANCE);
            let (bandwidth, evidence) = if own.is_identified {
                (own.bandwidth, Evidence::Identified)
            } else if let Some(nominal) = nominal.filter(reaches) {
                (nominal, Evidence::Nominal)
            } else if own.bandwidth > 0 {
                (own.bandwidth, Evidence::LowerLimit)
            } else {
                (widest.saturating_mul(wires.capacity(class as u32).into()), Evidence::Assumed)
            };
            let upper_limit = match evidence {
                Evidence::Identified => Some(scaled(own.bandwidth, 1.0 + found.tolerance()).max(own.carried)),
                Evidence::Nominal => nominal,
                Evidence::LowerLimit | Evidence::Assumed => None,
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
                visible: 0,
                probes: Vec::new(),
            }
        })
        .collect();
    let is_visible = visible(wires, trials, found, slow);
    let known: Vec<u64> = (0..count).map(|class| found.resources[class].bandwidth.max(1)).collect();
    for (class, fit) in classes.iter_mut().enumerate().filter(|_| !trials.list.is_empty()) {
        let (seen, unseen): (Vec<u32>, Vec<u32>) =
            wires.classes[class].wires.iter().partition(|&&wire| is_visible[wire as usize]);
        fit.visible = seen.iter().map(|&wire| wires.wire(wire).channels.len() as u32).sum();
        let probes = unseen
            .into_iter()
            .take(MAX_PROBED)
            .filter_map(|wire| Some(Probe { link: wires.wire_name(wire), flows: probe::probe(wires, wire, &known)? }));
        fit.probes = probes.collect();
    }
    classes
}

fn channels_of(wires: &Wires<'_>, class: usize) -> Vec<ChannelId> {
    let of_class = wires.classes[class].wires.iter();
    let mut channels: Vec<_> = of_class.flat_map(|&wire| wires.wire(wire).channels.iter().copied()).collect();
    channels.sort_unstable();
    channels
}

/// Returns true for each wire that fills up in some trial, so that the trial shows if it is slow.
fn visible(wires: &Wires<'_>, trials: &Trials, found: &Bandwidths, slow: &[SlowWire]) -> Vec<bool> {
    let mut is_visible = vec![false; wires.list.len()];
    for slow in slow {
        is_visible[slow.wire as usize] = true;
    }
    for trial in &trials.list {
        let signature = &trials.signatures[trial.signature as usize];
        for load in trial.loads.iter().filter(|_| signature.is_exact) {
            let wire = wires.wire(load.wire);
            let resource = found.resources[wire.class as usize];
            let share = Share { resource: 0, flows: load.flows, lanes: wire.lanes };
            let expected = share.of_lane(found.expected[trial.signature as usize]);
            is_visible[load.wire as usize] |=
                resource.is_identified && expected as f64 >= resource.bandwidth as f64 * (1.0 - TOLERANCE);
        }
    }
    is_visible
}

/// Takes the slow links of mixed classes away.
fn split_mixed(wires: &Wires<'_>, trials: &Trials, tolerance: f64, slow: &mut Vec<SlowLink>) -> Vec<MixedClass> {
    let mut is_measured = vec![false; wires.list.len()];
    let loads = trials.list.iter().flat_map(|trial| &trial.loads);
    loads.for_each(|load| is_measured[load.wire as usize] = true);
    let mut mixed = Vec::new();
    for class in 0..wires.classes.len() {
        let measured = wires.classes[class].wires.iter().filter(|&&wire| is_measured[wire as usize]).count();
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
        or: slow
            .alternatives
            .iter()
            .map(|&other| (wires.wire_name(other), wires.wire(other).channels.clone()))
            .collect(),
    }
}
