//! The figures of a ring set: its bandwidth, its bound, and its times.

use std::num::NonZeroU64;

use lockstep::schedule::Picoseconds;
use lockstep::topology::ChannelId;
use lockstep::{Budget, CollectiveName, Topology};
use lockstep_report::Table;
use lockstep_rings::{Rational, RingBound, RingCost, RingCount, RingKind, RingLoad, RingSet, RingVerdict};
use serde::Serialize;

use super::{Found, library, optimum};
use crate::text::{Sheet, counted};

/// Most channels that are named as busiest.
const MAX_NAMED: usize = 4;

/// Most names of terminals that are printed for people.
const MAX_NAMES: usize = 1024;

/// The size of the collective in the table of times: 1 GiB.
const BYTES: u64 = 1 << 30;

/// A ring set on its network, with its bound.
pub(in crate::commands) struct Figures<'a> {
    pub(in crate::commands) topology: &'a Topology,
    pub(in crate::commands) kind: RingKind,
    pub(in crate::commands) found: Option<(&'a RingSet, &'a RingLoad)>,
    /// The bandwidth of a unit of capacity in bytes per second.
    pub(in crate::commands) unit: Option<u64>,
    /// The greatest bus bandwidth that the bound of rings allows, with its rule.
    pub(in crate::commands) limit: Option<(Rational, &'static str)>,
    pub(in crate::commands) verdict: Option<RingVerdict>,
    /// The numbers of rings that the bound and the verdict concern.
    pub(in crate::commands) count: RingCount,
    /// The certificate of the bound, if it is printed.
    pub(in crate::commands) certificate: Option<&'a RingBound>,
    /// The greatest bus bandwidth of an all-gather of any kind.
    pub(in crate::commands) optimum: Option<Rational>,
}

impl<'a> Figures<'a> {
    /// Returns the figures of a set without a bound.
    pub(in crate::commands) fn of_set(
        topology: &'a Topology,
        found: (&'a RingSet, &'a RingLoad),
        unit: Option<u64>,
    ) -> Self {
        let kind = found.0.kind();
        let count = RingCount::Exactly(found.0.len() as u32);
        Self {
            topology,
            kind,
            found: Some(found),
            unit,
            limit: None,
            verdict: None,
            count,
            certificate: None,
            optimum: None,
        }
    }

    /// Returns the figures of the result of a search.
    pub(in crate::commands) fn of_search(
        topology: &'a Topology,
        Found { answer, kind, count, rule }: &'a Found,
        unit: Option<u64>,
        budget: &Budget,
    ) -> Self {
        let kind = *kind;
        let found = answer.set.as_ref().map(|(set, load)| (set, load));
        let terminals = found.map_or(topology.terminals(), |(set, _)| set.terminals());
        let factor = bus_factor(kind, terminals.len());
        let limit = answer.limit.checked_scale(factor[0], factor[1]).unwrap_or(answer.limit);
        let is_ring = kind == RingKind::Ring;
        let optimum = is_ring.then(|| optimum::bus_bandwidth(topology, terminals, budget)).flatten();
        let limit = Some((limit, *rule));
        let verdict = Some(answer.verdict());
        Self { topology, kind, found, unit, limit, verdict, count: *count, certificate: None, optimum }
    }

    /// Returns the bandwidth, the number of rings and the verdict in words.
    pub(in crate::commands) fn summary(&self) -> String {
        match self.found {
            Some((set, load)) => {
                let rings = counted(set.len(), self.kind.name());
                format!("{} in {rings}; {}", self.bandwidth(load.bus_bandwidth()), self.verdict_text())
            }
            None => self.verdict_text(),
        }
    }

    /// Returns a bandwidth in words: in GB/s, or in units of the capacities.
    pub(in crate::commands) fn bandwidth(&self, units: Rational) -> String {
        match self.unit {
            Some(unit) => gigabytes(units, unit),
            None => format!("{units} {}", if units <= Rational::from(1) { "unit" } else { "units" }),
        }
    }

    /// Returns the bandwidth of all rings and of each in words.
    pub(in crate::commands) fn bandwidth_of(&self, load: &RingLoad) -> String {
        let share = self.bandwidth(load.rho().reciprocal().unwrap_or(Rational::ZERO));
        format!("{}; {share} per {}", self.bandwidth(load.bus_bandwidth()), self.kind.name())
    }

    /// Returns the verdict in words.
    pub(in crate::commands) fn verdict_text(&self) -> String {
        let kind = self.kind.name();
        match self.verdict {
            Some(RingVerdict::Optimal) => match self.count {
                RingCount::Exactly(1) | RingCount::AtMost(1) => format!("optimal: no {kind} has more bandwidth"),
                RingCount::Exactly(count) => format!("optimal: no set of {count} {kind}s has more bandwidth"),
                RingCount::AtMost(most) => format!("optimal: no set of 1 to {most} {kind}s has more bandwidth"),
            },
            Some(RingVerdict::Gap(percent)) => {
                format!("gap {percent:.1} %: the bound is above the bandwidth by this part")
            }
            Some(RingVerdict::Impossible) => format!("impossible: the network has no {kind}"),
            Some(RingVerdict::Unknown) => {
                format!("unknown: no {kind} was found, and there may be one; give more --budget")
            }
            None => String::new(),
        }
    }

    /// Adds the lines of the set: its rings, bandwidth and busiest channels, and the bound with its verdict.
    pub(in crate::commands) fn describe(&self, sheet: &mut Sheet) {
        let name = self.kind.name();
        let Some((set, load)) = self.found else {
            sheet.line("verdict", self.verdict_text());
            if self.kind == RingKind::Ring && self.verdict == Some(RingVerdict::Impossible) {
                sheet.line("next", "--chains  search for chains, which more networks have");
            }
            return;
        };
        let terminals = counted(set.terminals().len(), "terminal");
        sheet.line(if name == "ring" { "rings" } else { "chains" }, format!("{}, each over {terminals}", set.len()));
        sheet.line("bandwidth", self.bandwidth_of(load));
        sheet.line("busiest", self.busiest(load));
        if let Some((limit, rule)) = &self.limit {
            sheet.line("bound", format!("{} ({rule})", self.bandwidth(*limit)));
        }
        if self.verdict.is_some() {
            sheet.line("verdict", self.verdict_text());
        }
        if let Some((optimum, price)) = self.price(load) {
            let most = self.bandwidth(optimum);
            let text = match price {
                price if price <= 1.0 => format!("{most} is the bound of all schedules, too"),
                price => format!("{most} is the bound of all schedules: {price:.3} times the bandwidth of these rings"),
            };
            sheet.line("price", text);
        }
        if set.len() * set.terminals().len() > MAX_NAMES {
            return;
        }
        for (place, names) in library::names(self.topology, set).enumerate() {
            sheet.line(if place == 0 { "orders" } else { "" }, names);
        }
    }

    /// Returns the bound of all schedules, and its quotient by the bandwidth of the set.
    fn price(&self, load: &RingLoad) -> Option<(Rational, f64)> {
        let optimum = self.optimum?;
        Some((optimum, optimum.to_f64() / load.bus_bandwidth().to_f64()))
    }

    /// Names the channels with the greatest load.
    pub(in crate::commands) fn busiest(&self, load: &RingLoad) -> String {
        let busiest = load.busiest();
        let name = |&channel: &ChannelId| self.topology.channel_name(channel);
        let mut names: Vec<String> = busiest.iter().take(MAX_NAMED).map(name).collect();
        if busiest.len() > names.len() {
            names.push(format!("{} more", busiest.len() - names.len()));
        }
        let count = |channel: &ChannelId| load.resource_loads()[self.topology.resource(*channel).index()];
        let most = busiest.first().map_or(0, count);
        let capacity = busiest.first().map_or(1, |&channel| self.topology.capacity(channel));
        let hops = counted(most as usize, "hop");
        let capacity = if capacity == 1 { String::new() } else { format!(" on capacity {capacity}") };
        format!("{hops}{capacity}: {}", names.join(", "))
    }

    /// Returns the table of the times for 1 GiB, if the network has bandwidths.
    pub(in crate::commands) fn times(&self) -> Option<String> {
        let (set, load) = self.found?;
        let unit = NonZeroU64::new(self.unit?)?;
        let mut table = Table::new(["collective", "size", "time", "algbw", "busbw"]);
        for collective in [CollectiveName::AllGather, CollectiveName::AllReduce] {
            let Some(cost) = RingCost::of_rings(self.topology, set, load, collective) else { continue };
            let picoseconds = cost.time_ps(BYTES, unit);
            let algorithm = BYTES as f64 / (picoseconds as f64 / 1e12) / 1e9;
            let [numerator, denominator] = cost.bus_factor.map(|part| part as f64);
            let time = format!("{:.3}", Picoseconds::new(picoseconds));
            let bandwidth = |gigabytes: f64| format!("{gigabytes:.3} GB/s");
            let (name, size) = (collective.word(), "1GiB".to_owned());
            let bus = algorithm * (numerator / denominator);
            table.push([name.to_owned(), size, time, bandwidth(algorithm), bandwidth(bus)]);
        }
        Some(table.to_text())
    }
}

/// Returns the numerator and denominator of the bus bandwidth by the bandwidth.
fn bus_factor(kind: RingKind, terminals: usize) -> [u128; 2] {
    match kind {
        RingKind::Ring => [1, 1],
        RingKind::Chain => [2 * (terminals as u128).saturating_sub(1), terminals.max(1) as u128],
    }
}

/// Returns a bandwidth in GB/s with at most three decimals.
fn gigabytes(units: Rational, unit: u64) -> String {
    let text = format!("{:.3}", units.to_f64() * unit as f64 / 1e9);
    format!("{} GB/s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The figures as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct RingRecord {
    /// The name of the network.
    network: String,
    /// `ring` or `chain`.
    kind: &'static str,
    /// The number of rings or chains; 0 if none was found.
    channels: usize,
    /// The terminals of each ring or chain, in order.
    orders: Vec<Vec<String>>,
    /// The greatest load of a channel divided by its capacity, a fraction.
    rho: Option<String>,
    /// The bus bandwidth in units of the capacities, a fraction.
    bandwidth: Option<String>,
    /// The bus bandwidth in bytes per second, if the network has bandwidths.
    bandwidth_bytes_per_second: Option<u64>,
    /// The channels with the greatest load.
    busiest: Vec<String>,
    /// The greatest bus bandwidth that the bound allows, a fraction.
    bound: Option<String>,
    /// The rule of the bound.
    rule: Option<&'static str>,
    /// `optimal`, `gap`, `impossible` or `unknown`.
    verdict: Option<&'static str>,
    /// The bound of the bus bandwidth of all schedules, a fraction.
    optimum: Option<String>,
    /// The certificate of the bound, with numbers of nodes and resources; only in the output of rings.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<RingBound>,
}

impl RingRecord {
    pub(in crate::commands) fn new(figures: &Figures<'_>) -> Self {
        let Figures { topology, found, .. } = *figures;
        let load = found.map(|(_, load)| load);
        let names =
            |order: &[lockstep::NodeId]| order.iter().map(|&node| topology.node_name(node).to_owned()).collect();
        let bytes = |bandwidth: Rational| {
            let bytes = figures.unit.and_then(|unit| bandwidth.checked_scale(unit.into(), 1));
            bytes.map(|bytes| bytes.floor_of(1))
        };
        Self {
            network: topology.name().to_owned(),
            kind: figures.kind.name(),
            channels: found.map_or(0, |(set, _)| set.len()),
            orders: found.map_or_else(Vec::new, |(set, _)| set.orders().map(names).collect()),
            rho: load.map(|load| load.rho().to_string()),
            bandwidth: load.map(|load| load.bus_bandwidth().to_string()),
            bandwidth_bytes_per_second: load.and_then(|load| bytes(load.bus_bandwidth())),
            busiest: load.map_or_else(Vec::new, |load| {
                load.busiest().iter().map(|&channel| topology.channel_name(channel)).collect()
            }),
            bound: figures.limit.as_ref().map(|(limit, _)| limit.to_string()),
            rule: figures.limit.as_ref().map(|(_, rule)| *rule),
            verdict: figures.verdict.map(|verdict| match verdict {
                RingVerdict::Optimal => "optimal",
                RingVerdict::Gap(_) => "gap",
                RingVerdict::Impossible => "impossible",
                RingVerdict::Unknown => "unknown",
            }),
            optimum: figures.optimum.map(|optimum| optimum.to_string()),
            certificate: figures.certificate.cloned(),
        }
    }
}
