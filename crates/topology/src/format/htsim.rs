//! The format `htsim`: the fat tree of a `.topo` file of htsim, with two or three tiers of switches.
//!
//! # Grammar
//!
//! `Nodes 8`, `Tiers 2` and `Podsize 8` come first. `Tier 0` begins the switches above the hosts, with `Radix_Down`, `Radix_Up`,
//! `Downlink_speed_Gbps`, `Downlink_Latency_ns`, and optionally `Oversubscribed` and `Bundle`; `Tier 1` and `Tier 2` follow.
//! Words are in any case. `#` begins a comment line.
//!
//! # Source
//!
//! `FatTreeTopology::load`, `set_custom_params` and `init_network` of `sim/datacenter/fat_tree_topology.cpp` in
//! github.com/Broadcom/csg-htsim.

use std::borrow::Cow;

use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

/// Maximum number of hosts and of links: their number is not limited by the length of the file.
const MAX_SIZE: u64 = 1 << 18;

const TOO_LARGE: FileFault =
    FileFault::Unsupported("the network has more than 2^18 links between switches; choose smaller numbers");

/// The longest latency: a second.
const MAX_LATENCY_NS: u64 = 1_000_000_000;

/// Bytes per second of 1 Gbit/s.
const GBIT_PER_S: u64 = 125_000_000;

const EXPECTED: &str = "a line such as 'Radix_Down 8'";

/// A tier of switches. Numbers that are 0 are not in the file.
#[derive(Clone, Copy)]
struct Tier {
    line: usize,
    radix_down: u64,
    radix_up: u64,
    gbit_per_s: u64,
    latency_ns: u64,
    oversubscribed: u64,
    bundle: u64,
}

impl Default for Tier {
    fn default() -> Self {
        Self { line: 0, radix_down: 0, radix_up: 0, gbit_per_s: 0, latency_ns: 0, oversubscribed: 1, bundle: 1 }
    }
}

/// The numbers of the file.
#[derive(Default)]
struct Numbers {
    nodes: u64,
    tiers: u64,
    pod_size: u64,
    tier: [Tier; 3],
}

/// The numbers of switches.
struct Shape {
    pods: u64,
    tors_per_pod: u64,
    aggs_per_pod: u64,
    cores: u64,
}

/// Returns true if the first words are those of the header.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text.lines().map(words).filter(|words| !words.is_empty());
    let mut header = || lines.next().map(|words| words[0].to_ascii_lowercase());
    let is_first = header().is_some_and(|word| word == "nodes");
    is_first && header().is_some_and(|word| matches!(word.as_str(), "tiers" | "podsize"))
}

/// Reads a fat tree. See [`GraphFormat::Htsim`](crate::GraphFormat::Htsim).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    let mut numbers = Numbers::default();
    let mut current = None;
    for (number, line) in (1..).zip(text.lines()) {
        let read = numbers.read_line(number, line, &mut current, &mut parsed);
        read.map_err(|fault| ReadError::line(number, fault))?;
    }
    let shape = numbers.shape()?;
    numbers.build(&shape, &mut parsed)?;
    parsed
        .assume("the uplinks of a tier have the speed and the latency of the downlinks of the tier above, as in htsim");
    parsed.finish(name, options)
}

/// Returns the words of a line; none for a comment.
fn words(line: &str) -> Vec<&str> {
    if line.trim_start().starts_with('#') { Vec::new() } else { line.split_whitespace().take(3).collect() }
}

impl Numbers {
    fn read_line<'a>(
        &mut self,
        line: usize,
        text: &'a str,
        current: &mut Option<usize>,
        parsed: &mut ParsedGraph<'a>,
    ) -> Result<(), FileFault> {
        let (key, value) = match words(text)[..] {
            [] => return Ok(()),
            [key, value] => (key, value),
            _ => return Err(unexpected(text, EXPECTED)),
        };
        let keyword = key.to_ascii_lowercase();
        let number = |attribute| whole_number(attribute, value, 1..=MAX_SIZE, "a whole number from 1 to 262144");
        match (keyword.as_str(), *current) {
            ("nodes", None) => self.nodes = number("Nodes")?,
            ("tiers", None) => self.tiers = whole_number("Tiers", value, 2..=3, "2 or 3")?,
            ("podsize", None) => self.pod_size = number("Podsize")?,
            ("tier", _) => {
                let place = whole_number("Tier", value, 0..=2, "0, 1 or 2")? as usize;
                self.tier[place].line = line;
                *current = Some(place);
            }
            ("downlink_latency_ns" | "switch_latency_ns", Some(place)) => {
                let range = "a whole number from 0 to 1000000000";
                let latency = whole_number("latency", value, 0..=MAX_LATENCY_NS, range)?;
                if keyword == "downlink_latency_ns" {
                    self.tier[place].latency_ns = latency;
                } else if latency > 0 {
                    parsed.leave_out("Switch_Latency_ns; add it to the latencies of the links to take it into account");
                }
            }
            (keyword, Some(place)) => {
                let tier = &mut self.tier[place];
                let (field, slot) = match keyword {
                    "radix_down" => ("Radix_Down", &mut tier.radix_down),
                    "radix_up" => ("Radix_Up", &mut tier.radix_up),
                    "downlink_speed_gbps" => ("Downlink_speed_Gbps", &mut tier.gbit_per_s),
                    "oversubscribed" => ("Oversubscribed", &mut tier.oversubscribed),
                    "bundle" => ("Bundle", &mut tier.bundle),
                    _ => {
                        parsed.ignore("tier", key);
                        return Ok(());
                    }
                };
                *slot = number(field)?;
            }
            (_, None) => return Err(unexpected(text, "'Nodes', 'Tiers' and 'Podsize' before the first 'Tier'")),
        }
        Ok(())
    }

    /// Returns the tiers in use.
    fn tiers(&self) -> &[Tier] {
        &self.tier[..self.tiers as usize]
    }

    /// Returns the numbers of switches, if they fit together in the way that htsim checks.
    fn shape(&self) -> Result<Shape, ReadError> {
        let fault = |line, attribute: &'static str, value: u64, expected| {
            let found = if value == 0 { "missing".to_owned() } else { value.to_string() };
            ReadError::line(line, FileFault::Value { attribute, found, expected })
        };
        let header = [("Nodes", self.nodes), ("Tiers", self.tiers), ("Podsize", self.pod_size)];
        if let Some((field, _)) = header.into_iter().find(|&(_, value)| value == 0) {
            return Err(fault(1, field, 0, "a line such as 'Nodes 8' before the first tier"));
        }
        for (place, tier) in self.tiers().iter().enumerate() {
            let radix_up = if place + 1 == self.tiers().len() { 1 } else { tier.radix_up };
            let needed =
                [("Radix_Down", tier.radix_down), ("Downlink_speed_Gbps", tier.gbit_per_s), ("Radix_Up", radix_up)];
            if let Some((field, _)) = needed.into_iter().find(|&(_, value)| value == 0) {
                return Err(fault(tier.line.max(1), field, 0, "a number in every tier"));
            }
        }
        let [tor, agg, core] = self.tier;
        if tor.bundle != 1 {
            return Err(fault(tor.line, "Bundle", tor.bundle, "1 in tier 0, because a host has one link"));
        }
        let pods = exact(self.nodes, self.pod_size).filter(|&pods| self.tiers == 3 || pods == 1);
        let divisor = "a divisor of the number of nodes, and this number itself in two tiers";
        let pods = pods.ok_or_else(|| fault(1, "Podsize", self.pod_size, divisor))?;
        let tors_per_pod = exact(self.pod_size, tor.radix_down);
        let tors_per_pod = tors_per_pod
            .ok_or_else(|| fault(tor.line, "Radix_Down", tor.radix_down, "a divisor of Podsize in tier 0"))?;
        if tor.radix_down / tor.radix_up != tor.oversubscribed {
            let expected = "the ratio of Radix_Down to Radix_Up in tier 0";
            return Err(fault(tor.line, "Oversubscribed", tor.oversubscribed, expected));
        }
        let fit = "a number that fits the speeds, Oversubscribed and Radix_Up of the tier below, and Bundle";
        let uplinks = exact(self.nodes * tor.gbit_per_s, agg.gbit_per_s * tor.oversubscribed);
        let aggs_per_pod = uplinks.and_then(|uplinks| exact(uplinks, pods * agg.radix_down));
        let aggs_per_pod = aggs_per_pod.filter(|aggs| aggs * agg.bundle == tor.radix_up);
        let aggs_per_pod = aggs_per_pod.ok_or_else(|| fault(agg.line, "Radix_Down", agg.radix_down, fit))?;
        let mut cores = 0;
        if self.tiers == 3 {
            let uplinks = uplinks.map(|uplinks| uplinks * agg.gbit_per_s);
            let uplinks = uplinks.and_then(|uplinks| exact(uplinks, core.gbit_per_s * agg.oversubscribed));
            let found = uplinks.and_then(|uplinks| exact(uplinks, core.radix_down));
            let found = found.filter(|cores| Some(agg.radix_up) == exact(cores * core.bundle, aggs_per_pod));
            let found = found.filter(|cores| cores.is_multiple_of(aggs_per_pod));
            cores = found.ok_or_else(|| fault(core.line, "Radix_Down", core.radix_down, fit))?;
        }
        let aggs_up = if self.tiers == 3 { pods * aggs_per_pod * agg.radix_up } else { 0 };
        if pods * tors_per_pod * tor.radix_up > MAX_SIZE || aggs_up > MAX_SIZE {
            return Err(ReadError::line(1, TOO_LARGE));
        }
        Ok(Shape { pods, tors_per_pod, aggs_per_pod, cores })
    }

    fn build(&self, shape: &Shape, parsed: &mut ParsedGraph<'_>) -> Result<(), ReadError> {
        for host in 0..self.nodes {
            parsed.node(Cow::Owned(host.to_string()));
        }
        let mut switches = |kind: &str, count: u64| -> Result<Vec<NodeId>, ReadError> {
            let attributes = NodeAttributes { switch: Some(true), ..NodeAttributes::default() };
            (0..count)
                .map(|number| {
                    let (node, _) = parsed.node(Cow::Owned(format!("{kind}{number}")));
                    parsed.set_attributes(node, attributes).map_err(|fault| ReadError::line(1, fault))?;
                    Ok(node)
                })
                .collect()
        };
        let tors = switches("tor", shape.pods * shape.tors_per_pod)?;
        let aggs = switches("agg", shape.pods * shape.aggs_per_pod)?;
        let cores = switches("core", shape.cores)?;
        let mut link = |lower: NodeId, upper: NodeId, tier: &Tier| {
            let latency_ps = (tier.latency_ns > 0).then_some(tier.latency_ns * 1000);
            let bandwidth = Some(tier.gbit_per_s * GBIT_PER_S);
            let attributes = EdgeAttributes { bandwidth, latency_ps, ..EdgeAttributes::default() };
            for _ in 0..tier.bundle {
                parsed.add_edge(lower, upper, EdgeDirection::Both, attributes);
            }
        };
        let [tor_tier, agg_tier, core_tier] = &self.tier;
        for host in 0..self.nodes {
            let tor = tors[(host / tor_tier.radix_down) as usize];
            link(NodeId::from_index(host as usize), tor, tor_tier);
        }
        for (number, &tor) in (0..).zip(&tors) {
            let first = number / shape.tors_per_pod * shape.aggs_per_pod;
            for agg in first..first + shape.aggs_per_pod {
                link(tor, aggs[agg as usize], agg_tier);
            }
        }
        for (number, &agg) in (0..).zip(&aggs).take_while(|_| !cores.is_empty()) {
            let place = number % shape.aggs_per_pod;
            for core in (place..shape.cores).step_by(shape.aggs_per_pod as usize) {
                link(agg, cores[core as usize], core_tier);
            }
        }
        Ok(())
    }
}

/// Returns the quotient of two numbers, if it is a whole number from 1 on.
fn exact(number: u64, divisor: u64) -> Option<u64> {
    (divisor > 0 && number > 0 && number.is_multiple_of(divisor)).then(|| number / divisor)
}

fn unexpected(found: &str, expected: &'static str) -> FileFault {
    FileFault::Unexpected { found: format!("'{}'", excerpt(found.trim())), expected }
}
