//! Trials: the measured rates and times of transfers, with the wires that they use.

use std::collections::BTreeMap;

use lockstep_schedule::CollectiveName;
use lockstep_topology::NodeId;

use super::devices;
use super::error::FitError;
use super::routes::{Profiles, Route, routes};
use super::wires::Wires;
use crate::{Figure, Flow, Run, Sample, TransferKind, Workload};

/// Times of messages up to this size are latencies: 1 KiB.
const MAX_LATENCY_BYTES: u64 = 1 << 10;

/// A rate counts if half of the size or less reaches this part of it: then the size hardly matters.
const SATURATED: [u64; 2] = [9, 10];

/// Greater rates in bytes per second are no measurements: about 1 PB/s.
const MAX_RATE: u64 = 1 << 50;

/// The greatest rate of a lane, so that sums of two do not overflow.
const MAX_LANE_RATE: u64 = 1 << 62;

/// The load of a wire by a trial: the number of transfers that cross it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Load {
    pub(super) wire: u32,
    pub(super) flows: u32,
}

/// Transfers at the same time with equal rates.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// The sender and the receiver of each transfer.
    pub(super) flows: Vec<[NodeId; 2]>,
    /// The loads of the wires that are on all shortest paths, by wire.
    pub(super) loads: Box<[Load]>,
    /// The place of its signature in [`Trials::signatures`].
    pub(super) signature: u32,
    /// True if each transfer has one shortest path.
    pub(super) has_unique_paths: bool,
    /// The rate of each transfer in bytes per second.
    pub(super) rate: u64,
}

/// The load of a resource as a fraction of its lanes: transfers per lane.
///
/// The resources are the classes, and behind them the two directions of a link of each class together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Share {
    pub(super) resource: u32,
    pub(super) flows: u32,
    pub(super) lanes: u32,
}

impl Share {
    /// Returns the rate of a lane at this rate of a transfer.
    pub(super) fn of_lane(self, rate: u64) -> u64 {
        let rate = u128::from(rate) * u128::from(self.flows) / u128::from(self.lanes.max(1));
        u64::try_from(rate).unwrap_or(MAX_LANE_RATE).min(MAX_LANE_RATE)
    }

    /// Returns the rate of a transfer at this bandwidth of a lane.
    pub(super) fn of_transfer(self, bandwidth: u64) -> u64 {
        let rate = u128::from(bandwidth) * u128::from(self.lanes) / u128::from(self.flows.max(1));
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

/// The greatest share of each resource of a trial.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Signature {
    /// Ascending by resource.
    pub(super) shares: Vec<Share>,
    /// False if transfers have several shortest paths and may share more wires than the loads say.
    pub(super) is_exact: bool,
}

/// The time of a small message.
#[derive(Clone, Debug)]
pub(super) struct Ping {
    /// The classes of its path, by [`Profiles`].
    pub(super) profile: u32,
    pub(super) picoseconds: u64,
}

/// All trials of one kind of transfer.
#[derive(Clone, Debug, Default)]
pub(super) struct Trials {
    pub(super) list: Vec<Trial>,
    pub(super) signatures: Vec<Signature>,
    /// The rate of a lane of each class that collectives show; 0 without one. Empty if there are none.
    pub(super) limits: Vec<u64>,
    pub(super) pings: Vec<Ping>,
}

/// What the runs say about transfers.
#[derive(Debug)]
pub(super) struct Gathered {
    /// By the kind of the transfers.
    pub(super) kinds: Vec<(TransferKind, Trials)>,
    pub(super) profiles: Profiles,
    pub(super) notes: Vec<String>,
}

/// The routes between pairs of terminals.
struct Routes<'a, 'b> {
    wires: &'b Wires<'a>,
    profiles: Profiles,
    of_source: BTreeMap<NodeId, BTreeMap<NodeId, Option<Route>>>,
}

impl Routes<'_, '_> {
    /// Finds the routes of these pairs that are not known yet.
    fn find(&mut self, pairs: impl IntoIterator<Item = [NodeId; 2]>) {
        let mut wanted: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for [from, to] in pairs {
            if !self.of_source.get(&from).is_some_and(|row| row.contains_key(&to)) {
                wanted.entry(from).or_default().push(to);
            }
        }
        for (source, mut targets) in wanted {
            targets.sort_unstable();
            targets.dedup();
            let found = routes(self.wires, &mut self.profiles, source, &targets);
            self.of_source.entry(source).or_default().extend(targets.into_iter().zip(found));
        }
    }

    fn get(&self, [from, to]: [NodeId; 2]) -> Option<&Route> {
        self.of_source.get(&from)?.get(&to)?.as_ref()
    }
}

/// Gathers the trials of all runs.
///
/// # Errors
///
/// [`FitError`], if a run does not fit the network.
pub(super) fn gather<'r>(
    wires: &Wires<'_>,
    ranks: &[NodeId],
    runs: impl Iterator<Item = &'r Run>,
) -> Result<Gathered, FitError> {
    let mut routes = Routes { wires, profiles: Profiles::new(), of_source: BTreeMap::new() };
    let mut kinds: BTreeMap<TransferKind, (Trials, BTreeMap<Signature, u32>)> = BTreeMap::new();
    let mut notes = Vec::new();
    for run in runs {
        let limits = collective_limits(wires, ranks, run);
        if limits.iter().any(|&limit| limit > 0) {
            let known = &mut kinds.entry(run.kind).or_default().0.limits;
            known.resize(limits.len(), 0);
            known.iter_mut().zip(limits).for_each(|(known, limit)| *known = limit.max(*known));
        }
        let measured = Measured::of(run);
        if measured.rates.is_empty() && measured.times.is_empty() {
            notes.extend(measured.notes(run));
            continue;
        }
        let terminals = devices::terminals_of(wires.topology, ranks, run)?;
        let ends = |flow: &Flow| [terminals[flow.from as usize], terminals[flow.to as usize]];
        let all = measured.rates.iter().chain(&measured.times).flat_map(|(flows, _)| flows.iter().map(ends));
        routes.find(all);
        let (trials, signatures) = kinds.entry(run.kind).or_default();
        let mut unlike = 0;
        let mut without_path: Option<([NodeId; 2], usize)> = None;
        for &(flows, rate) in &measured.rates {
            let flows: Vec<_> = flows.iter().map(ends).collect();
            if let Some(&pair) = flows.iter().find(|&&pair| routes.get(pair).is_none()) {
                without_path.get_or_insert((pair, 0)).1 += 1;
                continue;
            }
            match trial(&routes, &flows) {
                Some((loads, signature, has_unique_paths)) => {
                    let next = trials.signatures.len() as u32;
                    let place = *signatures.entry(signature.clone()).or_insert(next);
                    if place == next {
                        trials.signatures.push(signature);
                    }
                    trials.list.push(Trial { flows, loads, signature: place, has_unique_paths, rate });
                }
                None => unlike += 1,
            }
        }
        for &(flows, picoseconds) in &measured.times {
            let profile = flows.first().and_then(|flow| routes.get(ends(flow))).and_then(|route| route.profile);
            match profile {
                Some(profile) => trials.pings.push(Ping { profile, picoseconds }),
                None => unlike += 1,
            }
        }
        notes.extend(measured.notes(run));
        let test = &run.test;
        if let Some((pair, count)) = without_path {
            let [from, to] = pair.map(|node| wires.topology.node_name(node));
            notes.push(format!(
                "{test}: left out {count} values; the network has no path for their transfers, such as {from} to {to}"
            ));
        }
        if unlike > 0 {
            notes.push(format!(
                "{test}: left out {unlike} values of transfers whose shortest paths differ in their classes of channels"
            ));
        }
    }
    let kinds = kinds.into_iter().map(|(kind, (trials, _))| (kind, trials)).collect();
    Ok(Gathered { kinds, profiles: routes.profiles, notes })
}

/// Returns the rate of a lane of each class that the collectives of a run show: every terminal receives its data in time.
///
/// Only terminals whose channels are of one class count.
fn collective_limits(wires: &Wires<'_>, ranks: &[NodeId], run: &Run) -> Vec<u64> {
    let mut limits = vec![0; wires.classes.len()];
    let received = run.samples.iter().filter_map(|sample| received_per_second(sample, ranks.len() as u64));
    let Some(rate) = received.max().filter(|_| run.ranks.is_some_and(|count| count as usize == ranks.len())) else {
        return limits;
    };
    for &terminal in ranks {
        if let Some((class, lanes)) = wires.entrance(terminal) {
            let limit: &mut u64 = &mut limits[class as usize];
            *limit = (*limit).max(rate / u64::from(lanes.max(1)));
        }
    }
    limits
}

/// Returns the bytes per second that every rank receives at least in a collective. The result of an all-reduce is not known before.
fn received_per_second(sample: &Sample, ranks: u64) -> Option<u64> {
    let (Workload::Collective(collective), Figure::Picoseconds(time), Some(bytes)) =
        (&sample.workload, sample.figure, sample.bytes)
    else {
        return None;
    };
    let parts = match collective {
        CollectiveName::AllReduce => ranks,
        CollectiveName::AllGather | CollectiveName::AllToAll => ranks.saturating_sub(1),
        CollectiveName::ReduceScatter => 1,
        _ => return None,
    };
    let received = u128::from(bytes) * u128::from(parts) / u128::from(ranks.max(1));
    let rate = received.checked_mul(1_000_000_000_000)? / u128::from(time.max(1));
    u64::try_from(rate).ok().filter(|&rate| !sample.is_wrong && ranks > 1 && rate <= MAX_RATE)
}

/// Returns the loads of transfers at the same time, their signature, and whether each has one shortest path. `None` if the classes of a path are not determined.
fn trial(routes: &Routes<'_, '_>, flows: &[[NodeId; 2]]) -> Option<(Box<[Load]>, Signature, bool)> {
    let wires = routes.wires;
    let classes = wires.classes.len() as u32;
    let mut loads: Vec<Load> = Vec::new();
    let mut shares = GreatestShares::default();
    let mut has_unique_paths = true;
    for &pair in flows {
        let route = routes.get(pair)?;
        loads.extend(route.certain.iter().map(|&wire| Load { wire, flows: 1 }));
        for stretch in routes.profiles.get(route.profile?) {
            shares.raise(stretch.class, 1, stretch.lanes);
        }
        has_unique_paths &= route.is_unique();
    }
    add_up(&mut loads);
    let flows_of =
        |wire: u32| loads.binary_search_by_key(&wire, |load| load.wire).map_or(0, |place| loads[place].flows);
    for load in &loads {
        let wire = wires.wire(load.wire);
        shares.raise(wire.class, load.flows, wire.lanes);
        let back = wire.opposite.map_or(0, flows_of);
        if back > 0 {
            shares.raise(classes + wire.class, load.flows + back, wire.lanes);
        }
    }
    let is_exact = flows.len() == 1 || has_unique_paths;
    Some((loads.into(), Signature { shares: shares.into_list(), is_exact }, has_unique_paths))
}

/// Adds the loads of equal wires, and sorts the loads by wire.
pub(super) fn add_up(loads: &mut Vec<Load>) {
    loads.sort_unstable_by_key(|load| load.wire);
    loads.dedup_by(|next, kept| {
        let is_same = next.wire == kept.wire;
        kept.flows += if is_same { next.flows } else { 0 };
        is_same
    });
}

/// The greatest share of each resource.
#[derive(Default)]
pub(super) struct GreatestShares(BTreeMap<u32, [u32; 2]>);

impl GreatestShares {
    /// Raises the share of a resource to this one if it is less.
    pub(super) fn raise(&mut self, resource: u32, flows: u32, lanes: u32) {
        let known = self.0.entry(resource).or_insert([0, 1]);
        if u64::from(flows) * u64::from(known[1]) > u64::from(known[0]) * u64::from(lanes) {
            *known = [flows, lanes];
        }
    }

    /// Returns the shares in lowest terms, ascending by resource.
    pub(super) fn into_list(self) -> Vec<Share> {
        let share = |(resource, [flows, lanes]): (u32, [u32; 2])| {
            let divisor = greatest_common_divisor(flows, lanes);
            Share { resource, flows: flows / divisor, lanes: lanes / divisor }
        };
        self.0.into_iter().map(share).collect()
    }
}

fn greatest_common_divisor(mut one: u32, mut other: u32) -> u32 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

/// The rates and the latencies of one run.
struct Measured<'r> {
    /// In bytes per second.
    rates: Vec<(&'r [Flow], u64)>,
    /// In picoseconds.
    times: Vec<(&'r [Flow], u64)>,
    wrong: usize,
    unsaturated: usize,
    impossible: usize,
}

impl<'r> Measured<'r> {
    /// Takes the best rate of each set of transfers, and the least time of its smallest message.
    fn of(run: &'r Run) -> Self {
        let mut of_flows: BTreeMap<&'r [Flow], Vec<&'r Sample>> = BTreeMap::new();
        let mut measured = Self { rates: Vec::new(), times: Vec::new(), wrong: 0, unsaturated: 0, impossible: 0 };
        for sample in &run.samples {
            match &sample.workload {
                Workload::Flows(_) if sample.is_wrong => measured.wrong += 1,
                Workload::Flows(flows) if flows.iter().all(|flow| flow.from != flow.to) && !flows.is_empty() => {
                    of_flows.entry(flows).or_default().push(sample);
                }
                _ => {}
            }
        }
        for (flows, samples) in of_flows {
            match rates_of(&samples) {
                Rates::All(rates) => {
                    let count = rates.len();
                    let possible = rates.into_iter().filter(|&rate| rate <= MAX_RATE);
                    let before = measured.rates.len();
                    measured.rates.extend(possible.map(|rate| (flows, rate)));
                    measured.impossible += count + before - measured.rates.len();
                }
                Rates::Unsaturated => measured.unsaturated += 1,
                Rates::None => {}
            }
            if let Some(picoseconds) = latency_of(&samples).filter(|_| flows.len() == 1) {
                measured.times.push((flows, picoseconds));
            }
        }
        measured
    }

    fn notes(&self, run: &Run) -> Vec<String> {
        let test = &run.test;
        let wrong = format!("{test}: left out {} values with wrong data", self.wrong);
        let small = format!(
            "{test}: left out the rates of {} transfers, which still grow with the size; measure larger messages",
            self.unsaturated
        );
        let impossible = format!("{test}: left out {} rates above 1PB/s; check the unit", self.impossible);
        let notes = [(self.wrong > 0, wrong), (self.unsaturated > 0, small), (self.impossible > 0, impossible)];
        notes.into_iter().filter_map(|(is_needed, note)| is_needed.then_some(note)).collect()
    }
}

enum Rates {
    /// The repeated measurements of the largest size that counts.
    All(Vec<u64>),
    /// The size still matters.
    Unsaturated,
    None,
}

/// Returns the size and the rate of a sample that is no latency.
fn rate(sample: &Sample) -> Option<(u64, u64)> {
    let is_latency =
        matches!(sample.figure, Figure::Picoseconds(_)) && sample.bytes.is_none_or(|bytes| bytes <= MAX_LATENCY_BYTES);
    let rate = sample.rate().filter(|&rate| rate > 0 && !is_latency)?;
    Some((sample.bytes.unwrap_or(u64::MAX), rate))
}

/// Returns the rates of the size with the best rate. In a sweep, some size of at most half of it must reach nine tenths of the rate.
fn rates_of(samples: &[&Sample]) -> Rates {
    let mut rates: Vec<(u64, u64)> = samples.iter().filter_map(|sample| rate(sample)).collect();
    rates.sort_unstable();
    let Some(&(best_size, best)) = rates.iter().max_by_key(|&&(size, rate)| (rate, size)) else { return Rates::None };
    let is_sweep = rates.first().is_some_and(|&(size, _)| size < best_size);
    let is_enough = |&&(size, rate): &&(u64, u64)| {
        size <= best_size / 2
            && u128::from(rate) * u128::from(SATURATED[1]) >= u128::from(best) * u128::from(SATURATED[0])
    };
    if is_sweep && !rates.iter().any(|entry| is_enough(&entry)) {
        return Rates::Unsaturated;
    }
    Rates::All(rates.iter().filter(|&&(size, _)| size == best_size).map(|&(_, rate)| rate).collect())
}

/// Returns the median time of the smallest message, if it is small enough for a latency.
fn latency_of(samples: &[&Sample]) -> Option<u64> {
    let time = |sample: &&Sample| match sample.figure {
        Figure::Picoseconds(time) => Some((sample.bytes.unwrap_or(0), time)),
        Figure::BytesPerSecond(_) => None,
    };
    let mut times: Vec<(u64, u64)> =
        samples.iter().filter_map(time).filter(|&(bytes, _)| bytes <= MAX_LATENCY_BYTES).collect();
    times.sort_unstable();
    let least = times.first()?.0;
    let of_least = times.partition_point(|&(bytes, _)| bytes == least);
    Some(times[(of_least - 1) / 2].1)
}
