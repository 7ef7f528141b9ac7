//! Properties of a network in words and as JSON.

use std::fmt::Display;

use lockstep::design::Network;
use lockstep::paths::ShortestPaths;
use lockstep::topology::{Quantity, distance_sum_bound};
use lockstep::{NodeId, Topology};
use lockstep_report::NetworkFacts;
use serde::Serialize;

use crate::command_line::command_line;
use crate::metrics::{self, Metric, Wanted};
use crate::text::Sheet;

/// Maximum work for distances, in channels times terminals: a few seconds.
const MAX_DISTANCE_WORK: u64 = 1 << 32;

/// Maximum memory for distances, in terminals times nodes: 12 bytes each.
const MAX_DISTANCE_PAIRS: u64 = 1 << 26;

/// Returns the properties and the fast metrics of a network in words.
pub(crate) fn network_facts(topology: &Topology) -> NetworkFacts {
    let metrics = metrics::measure(&mut Network::of(topology), &Wanted::Fast);
    let mut properties = Properties::new(topology, None).sheet();
    if let Some(simplification) = metrics::simplification(topology) {
        properties.line("metrics", simplification);
    }
    properties.line("command", command_line());
    NetworkFacts { properties: properties.into_rows(), metrics: metrics::to_rows(&metrics), marks: Vec::new() }
}

/// Properties of a network.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Properties {
    name: String,
    terminals: usize,
    switches: usize,
    channels: usize,
    /// Number of resources: fewer than channels if some share a wire.
    wires: usize,
    /// Least and greatest capacity of a channel, if one is not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    capacities: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_bytes_per_second: Option<u64>,
    /// Least and greatest latency of a channel, if one is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    latencies_ps: Option<[u64; 2]>,
    /// Minimum and maximum numbers of channels out of a terminal and into it.
    terminal_degrees: Option<Degrees>,
    switch_degrees: Option<Degrees>,
    /// Distances between terminals; `None` for large networks.
    distances: Option<Distances>,
    /// Metrics, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metrics: Option<Vec<Metric>>,
}

#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Degrees {
    out: [usize; 2],
    into: [usize; 2],
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Distances {
    /// Length of the longest shortest path, in channels.
    diameter: u32,
    /// Mean length of a shortest path over ordered pairs, in channels.
    average: f64,
    /// Sum of the lengths of shortest paths over all connected ordered pairs, in channels.
    sum: u64,
    /// Lower bound on the sum for full-duplex links and this maximum degree. `None` if there are switches, one-way
    /// channels, or disconnected pairs.
    sum_bound: Option<u64>,
    /// Names of two disconnected terminals.
    unreachable: Option<[String; 2]>,
}

impl Properties {
    pub(crate) fn new(topology: &Topology, metrics: Option<Vec<Metric>>) -> Self {
        let terminals = topology.terminal_count();
        Self {
            name: topology.name().to_owned(),
            terminals,
            switches: topology.switch_count(),
            channels: topology.channel_count(),
            wires: topology.resource_count(),
            capacities: extremes(topology.channels().map(|channel| topology.capacity(channel)))
                .filter(|ends| *ends != [1, 1]),
            unit_bytes_per_second: topology.unit_bytes_per_second(),
            latencies_ps: extremes(topology.channels().map(|channel| topology.latency_ps(channel)))
                .filter(|ends| *ends != [0, 0]),
            terminal_degrees: Degrees::new(topology, true),
            switch_degrees: Degrees::new(topology, false),
            distances: Distances::new(topology),
            metrics,
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let sheet = self.sheet();
        match &self.metrics {
            None => sheet.to_text(),
            Some(metrics) => format!("{}\n{}", sheet.to_text(), metrics::to_text(metrics)),
        }
    }

    /// Returns the properties in words, without the metrics.
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.line("network", &self.name);
        sheet.line("terminals", self.terminals.to_string());
        sheet.line("switches", self.switches.to_string());
        let channels = match self.wires {
            wires if wires < self.channels => format!("{} on {wires} wires", self.channels),
            _ => self.channels.to_string(),
        };
        sheet.line("channels", channels);
        let unit = self.unit_bytes_per_second.map(|unit| Quantity::Bandwidth.format(unit));
        match (self.capacities, unit) {
            (Some(ends), Some(unit)) => sheet.line("capacity", format!("{}, in units of {unit}", range(ends))),
            (Some(ends), None) => sheet.line("capacity", range(ends)),
            (None, Some(unit)) => sheet.line("bandwidth", unit),
            (None, None) => {}
        }
        if let Some(ends) = self.latencies_ps {
            sheet.line("latency", range(ends.map(|latency| Quantity::Time.format(latency))));
        }
        let degrees = [("terminal degree", self.terminal_degrees), ("switch degree", self.switch_degrees)];
        for (name, degrees) in degrees {
            if let Some(Degrees { out, into }) = degrees {
                sheet.line(name, format!("{} out, {} in", range(out), range(into)));
            }
        }
        match &self.distances {
            None => sheet.line("diameter", "not computed: too many pairs of terminals"),
            Some(Distances { diameter, average, sum, sum_bound, unreachable }) => {
                sheet.line("diameter", diameter.to_string());
                sheet.line("average distance", format!("{average:.3}"));
                if let (Some(bound), Some(Degrees { out: [_, most], .. })) = (sum_bound, self.terminal_degrees) {
                    sheet.line("distance sum", format!("{sum}, at least {bound} with degree {most}"));
                }
                if let Some([from, to]) = unreachable {
                    sheet.line("unreachable", format!("no path leads from {from} to {to}"));
                }
            }
        }
        sheet
    }
}

fn range<T: PartialEq + Display>([least, most]: [T; 2]) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// Returns the least and the greatest of some numbers; `None` if there are none.
fn extremes<T: Ord + Copy>(numbers: impl Iterator<Item = T> + Clone) -> Option<[T; 2]> {
    Some([numbers.clone().min()?, numbers.max()?])
}

impl Degrees {
    /// Returns the degrees of the terminals, or of the switches; `None` if there are none.
    fn new(topology: &Topology, terminals: bool) -> Option<Self> {
        let is_it = |node: &NodeId| topology.is_terminal(*node) == terminals && !topology.has_failed(*node);
        let nodes = || topology.nodes().filter(is_it);
        let out = nodes().map(|node| topology.out_channels(node).len());
        let into = nodes().map(|node| topology.in_channels(node).len());
        Some(Self { out: extremes(out)?, into: extremes(into)? })
    }
}

impl Distances {
    fn new(topology: &Topology) -> Option<Self> {
        let [terminals, nodes, channels] =
            [topology.terminal_count(), topology.node_count(), topology.channel_count()].map(|count| count as u64);
        if terminals * channels > MAX_DISTANCE_WORK || terminals * nodes > MAX_DISTANCE_PAIRS {
            return None;
        }
        let paths = ShortestPaths::all_pairs(topology).ok()?;
        let (mut diameter, mut sum, mut reached, mut unreachable) = (0, 0u64, 0u64, None);
        for &from in topology.terminals() {
            for &to in topology.terminals().iter().filter(|&&to| to != from) {
                match paths.distance(from, to) {
                    Some(distance) => {
                        diameter = diameter.max(distance);
                        sum += u64::from(distance);
                        reached += 1;
                    }
                    None => {
                        unreachable.get_or_insert_with(|| [from, to].map(|node| topology.node_name(node).to_owned()));
                    }
                }
            }
        }
        let average = if reached == 0 { 0.0 } else { sum as f64 / reached as f64 };
        let sum_bound = if unreachable.is_none() { sum_bound(topology) } else { None };
        Some(Self { diameter, average, sum, sum_bound, unreachable })
    }
}

/// Returns a lower bound on the sum of distances for the maximum degree, if every node is a terminal and every link is
/// full duplex.
fn sum_bound(topology: &Topology) -> Option<u64> {
    if !topology.is_direct() || 2 * topology.links().len() < topology.channel_count() {
        return None;
    }
    let degree = topology.nodes().map(|node| topology.out_channels(node).len()).max()?;
    distance_sum_bound(topology.terminal_count() as u64, degree as u64)
}
