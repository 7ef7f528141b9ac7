//! The network with the fitted bandwidths and latencies, in whole capacities.

use std::collections::BTreeMap;

use lockstep_topology::{
    ChannelId, MAX_CAPACITY, MAX_LATENCY_PS, Measured, MeasuredClass, MeasuredLink, MeasuredSource, Quantity, Topology,
};

use super::bandwidth::{TOLERANCE, scaled};
use super::error::FitError;
use super::latency::{LatencyFit, LatencyPart, LatencyTerm};
use super::measured_file::MeasuredFile;
use super::result::{ClassFit, Evidence, KindFit, SlowLink};
use super::rounding::{rounded, rounded_bandwidth};
use super::wires::Wires;

/// The most names of links in a note.
const MAX_NAMES: usize = 4;

/// The greatest relative error of a bandwidth by rounding: 1 %.
const MAX_ROUNDING: f64 = 0.01;

/// A measured bandwidth above this part of the nominal one is not that of a single channel.
const MAX_NOMINAL: f64 = 1.05;

/// Builds the network with the bandwidths of the first kind, and its measurements.
pub(super) fn build(
    wires: &Wires<'_>,
    kinds: &[KindFit],
    files: &[MeasuredFile],
) -> Result<(Topology, Measured), FitError> {
    let topology = wires.topology;
    let first = &kinds[0];
    let latency = kinds.iter().find_map(|fit| fit.latency.as_ref());
    let has_bandwidths = first.has_bandwidths();
    let bandwidths = bandwidths(wires, first);
    let (unit, rounding) =
        if has_bandwidths { unit(&bandwidths) } else { (topology.unit_bytes_per_second().unwrap_or(0), 0.0) };
    let capacity = |channel: ChannelId| {
        let capacity = bandwidths[channel.index()].saturating_add(unit / 2).checked_div(unit).unwrap_or(1);
        if has_bandwidths { capacity.clamp(1, MAX_CAPACITY) } else { topology.capacity(channel).into() }
    };
    let class_of = class_of_channels(topology, first);
    let latency_ps = |channel: ChannelId| latency_of(topology, channel, latency, class_of[channel.index()]);
    let unit = has_bandwidths.then_some(unit).or(topology.unit_bytes_per_second());
    let network = topology.with_rates(unit, capacity, latency_ps)?;
    let shared = |class: &ClassFit| class.half_duplex.is_some();
    let links: Vec<[ChannelId; 2]> = topology
        .links()
        .into_iter()
        .filter(|[one, _]| class_of[one.index()].is_some_and(|class| has_bandwidths && shared(&first.classes[class])))
        .collect();
    let network = if links.is_empty() { network } else { network.half_duplex_at(&links) };
    let classes = first.classes.iter().enumerate().map(|(place, class)| MeasuredClass {
        name: class.name.clone(),
        channels: class.channels.len() as u32,
        bytes_per_second: class.half_duplex.unwrap_or(class.bandwidth),
        lower_limit: class.lower_limit,
        upper_limit: match class.half_duplex {
            Some(both) => Some(scaled(both, 1.0 + TOLERANCE)),
            None => class.upper_limit,
        },
        identified: class.evidence == Evidence::Identified,
        half_duplex: class.half_duplex.is_some(),
        tests: class.tests,
        latency_ps: latency.and_then(|latency| latency.class_ps[place]),
    });
    let measured = Measured {
        kind: has_bandwidths.then(|| first.kind.to_string()),
        classes: classes.collect(),
        slow: slower_links(first).map(measured_link).collect(),
        start_up_ps: latency.map(|latency| latency.start_up_ps),
        rounding: (rounding * 1e4).round() / 1e4,
        sources: files.iter().map(source).collect(),
    };
    Ok((network, measured))
}

/// Returns all links that are slower than their class.
fn slower_links(fit: &KindFit) -> impl Iterator<Item = &SlowLink> {
    fit.slow.iter().chain(fit.mixed.iter().flat_map(|mixed| &mixed.links))
}

fn measured_link(link: &SlowLink) -> MeasuredLink {
    MeasuredLink {
        channels: link.channels.clone(),
        bytes_per_second: link.bandwidth,
        part: (link.part * 1e4).round() / 1e4,
        tests: link.tests.into(),
        or: link.or.iter().map(|(_, channels)| channels.clone()).collect(),
    }
}

fn source(file: &MeasuredFile) -> MeasuredSource {
    let mut runs: Vec<String> = file
        .reading
        .runs
        .iter()
        .map(|run| format!("{} {}", run.tool.to_string().trim_start_matches("the "), run.test))
        .collect();
    runs.dedup();
    MeasuredSource { file: file.name.clone(), sha256: file.sha256.clone(), runs, notes: file.reading.notes.clone() }
}

fn class_of_channels(topology: &Topology, fit: &KindFit) -> Vec<Option<usize>> {
    let mut class_of = vec![None; topology.channel_bound()];
    for (place, class) in fit.classes.iter().enumerate() {
        class.channels.iter().for_each(|channel| class_of[channel.index()] = Some(place));
    }
    class_of
}

/// Returns the bandwidth of each channel in bytes per second; that of both directions for half-duplex links.
fn bandwidths(wires: &Wires<'_>, fit: &KindFit) -> Vec<u64> {
    let topology = wires.topology;
    let mut bandwidths = vec![0; topology.channel_bound()];
    for class in &fit.classes {
        let of_class = class.half_duplex.unwrap_or(class.bandwidth).max(1);
        class.channels.iter().for_each(|channel| bandwidths[channel.index()] = of_class);
    }
    for link in slower_links(fit) {
        let class = &fit.classes[link.class];
        let whole = scaled(class.half_duplex.unwrap_or(class.bandwidth), link.part).max(1);
        let own = link.channels.iter().copied();
        // Both directions of a half-duplex link have one capacity.
        let back = |channel: ChannelId| {
            let [tail, head] = [topology.tail(channel), topology.head(channel)];
            let heads = topology.out_channels(head).iter().copied();
            heads.filter(move |&back| class.half_duplex.is_some() && topology.head(back) == tail)
        };
        let all: Vec<ChannelId> = own.clone().chain(own.flat_map(back)).collect();
        for channel in all {
            let known = &mut bandwidths[channel.index()];
            *known = whole.min(*known);
        }
    }
    bandwidths
}

/// Returns a unit of capacity for these bandwidths, and the greatest relative error by rounding to it.
///
/// It is the largest unit with an error of at most 1 %. If capacities get too large for it, it is the smallest possible one.
fn unit(bandwidths: &[u64]) -> (u64, f64) {
    let mut different: Vec<u64> = bandwidths.iter().copied().filter(|&bandwidth| bandwidth > 0).collect();
    different.sort_unstable();
    different.dedup();
    let (Some(&least), Some(&most)) = (different.first(), different.last()) else { return (1, 0.0) };
    let error = |unit: u64| {
        let of = |&bandwidth: &u64| {
            let capacity = bandwidth.saturating_add(unit / 2) / unit;
            capacity.saturating_mul(unit).abs_diff(bandwidth) as f64 / bandwidth as f64
        };
        different.iter().map(of).fold(0.0, f64::max)
    };
    let smallest = most.div_ceil(MAX_CAPACITY);
    let candidates = (1..=100).flat_map(|parts| {
        let unit = least / parts;
        [rounded(unit, 3), rounded(unit, 6), unit]
    });
    let fits = |unit: &u64| *unit >= smallest.max(1) && error(*unit) <= MAX_ROUNDING;
    let unit = candidates.into_iter().find(fits).unwrap_or_else(|| smallest.max(1));
    (unit, error(unit))
}

/// Returns the latency of a channel: that of its class, and the start-up time for a channel out of a terminal.
fn latency_of(topology: &Topology, channel: ChannelId, fit: Option<&LatencyFit>, class: Option<usize>) -> u64 {
    let measured = fit.zip(class).and_then(|(fit, class)| Some((fit, fit.class_ps[class]?)));
    let Some((fit, own)) = measured else { return topology.latency_ps(channel) };
    let start_up = if topology.is_terminal(topology.tail(channel)) { fit.start_up_ps } else { 0 };
    own.saturating_add(start_up).min(MAX_LATENCY_PS)
}

/// Returns the notes about the numbers of a fitted network.
pub(super) fn notes(wires: &Wires<'_>, fit: &KindFit, measured: &Measured) -> Vec<String> {
    let mut notes = Vec::new();
    for (place, class) in fit.classes.iter().enumerate().filter(|_| fit.has_bandwidths()) {
        let (name, own) = (&class.name, rounded_bandwidth(class.bandwidth));
        match class.evidence {
            Evidence::Identified => {}
            Evidence::Nominal => notes.push(format!("{name}: bandwidth not measured; {own} is the nominal one")),
            Evidence::NotLimiting => notes.push(format!(
                "{name}: at least {own}, which is all that its ends can send at the same time; it limits no transfer"
            )),
            Evidence::LowerLimit => notes.push(format!(
                "{name}: at least {own}; the network has this value, and bounds hold if the class is not wider"
            )),
            Evidence::Assumed => notes.push(format!(
                "{name}: not measured, and no bandwidth is known; {own} is that of the widest measured class per unit of capacity"
            )),
        }
        let nominal = wires.nominal(place as u32);
        if nominal.is_some_and(|nominal| class.lower_limit as f64 > MAX_NOMINAL * nominal as f64) {
            let carried = rounded_bandwidth(class.lower_limit);
            notes.push(format!(
                "{name}: carried {carried}, more than its nominal bandwidth; transfers may use several paths, or the network or a unit is wrong"
            ));
        }
        if let Some(both) = class.half_duplex {
            notes.push(format!(
                "{name}: half duplex; both directions of a link carry {} together",
                rounded_bandwidth(both)
            ));
        }
    }
    for mixed in &fit.mixed {
        let (class, count, slower) = (&fit.classes[mixed.class], mixed.links.len(), rounded_bandwidth(mixed.bandwidth));
        let names: Vec<&str> = mixed.links.iter().take(MAX_NAMES).map(|link| &link.name[..]).collect();
        notes.push(format!(
            "{}: unexplained; {count} links such as {} carry {slower}, the others {}; if they differ by design, give them different bandwidths in the network",
            class.name, names.join(", "), rounded_bandwidth(class.bandwidth)
        ));
    }
    for link in fit.slow.iter().filter(|link| !link.or.is_empty()) {
        notes.push(format!("{}: the network has the lower bandwidth at {}", link.subject(MAX_NAMES), link.name));
    }
    if measured.rounding > MAX_ROUNDING {
        notes.push(format!(
            "capacities are whole numbers up to {MAX_CAPACITY}, so that small bandwidths change by up to {:.1} %",
            100.0 * measured.rounding
        ));
    }
    notes
}

impl LatencyPart {
    /// Returns the part in words, such as `start-up and 2 x terminal to switch`.
    pub fn terms_text(&self, classes: &[ClassFit]) -> String {
        let names: BTreeMap<LatencyTerm, &str> = (classes.iter().enumerate())
            .map(|(place, class)| (LatencyTerm::Class(place), class.name.split(',').next().unwrap_or(&class.name)))
            .collect();
        let word = |&(term, count): &(LatencyTerm, u32)| match term {
            LatencyTerm::StartUp => "start-up".to_owned(),
            LatencyTerm::Class(_) if count == 1 => names.get(&term).copied().unwrap_or("channel").to_owned(),
            LatencyTerm::Class(_) => format!("{count} x {}", names.get(&term).copied().unwrap_or("channel")),
        };
        self.terms.iter().map(word).collect::<Vec<_>>().join(" and ")
    }

    /// Returns the sum as people write it, with three digits.
    pub fn sum_text(&self) -> String {
        Quantity::Time.format(rounded(self.picoseconds, 3))
    }
}
