//! The report of a fit for people.

use lockstep::topology::Quantity;
use lockstep::{NodeId, Topology};
use lockstep_measure::{
    Constant, Evidence, Fit, KindFit, SizeLine, SlowLink, SlowTransfer, TimeModel, rounded_bandwidth,
};
use lockstep_report::Table;

use crate::commands::size_ranges;
use crate::text::{self, Sheet};

/// The most slow links, slow transfers, and probes of a class that are listed.
const MAX_LISTED: usize = 20;

/// The most links that are named where one of several is slow.
const MAX_NAMES: usize = 8;

/// Slow transfers are alike if their parts differ by less.
const ALIKE: f64 = 0.03;

/// The most probes of a class that are listed.
const MAX_PROBES: usize = 2;

/// Returns the lines of a report.
pub(super) fn report(topology: &Topology, fit: &Fit) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
    for (place, kind) in fit.kinds.iter().enumerate().filter(|(_, kind)| kind.has_bandwidths()) {
        let use_of = if place == 0 { "" } else { ", not used for the network" };
        let source = match kind.trials {
            0 => "lower limits from collectives".to_owned(),
            count => format!("{}, noise {:.1} %", text::counted(count, "measured rate"), 100.0 * kind.deviation),
        };
        sheet.line("kind", format!("{}: {source}{use_of}", kind.kind));
    }
    if let Some(unit) = fit.network.unit_bytes_per_second() {
        let rounding = 100.0 * fit.measured.rounding;
        let rounded = if rounding > 0.0 {
            format!("rounding changes bandwidths by at most {rounding:.2} %")
        } else {
            "no bandwidth is rounded".to_owned()
        };
        sheet.line("unit", format!("{}; {rounded}", Quantity::Bandwidth.format(unit)));
    }
    let several = fit.kinds.len() > 1;
    for kind in &fit.kinds {
        let suffix = if several { format!(" ({})", kind.kind) } else { String::new() };
        add_slow(&mut sheet, topology, kind, &suffix);
    }
    if let Some(kind) = fit.kinds.iter().find(|kind| kind.latency.is_some()) {
        let parts = kind.latency.iter().flat_map(|latency| &latency.parts);
        for part in parts {
            let together = if part.terms.len() > 1 { " together" } else { "" };
            sheet.line("latency", format!("{}: {}{together}", part.terms_text(&kind.classes), part.sum_text()));
        }
    }
    for line in &fit.collectives {
        sheet.line("collective", collective(line));
    }
    if let Some(model) = &fit.algorithms {
        add_algorithms(&mut sheet, model);
    }
    if let Some(kind) = fit.kinds.first() {
        for class in &kind.classes {
            for probe in class.probes.iter().take(MAX_PROBES) {
                let together = if probe.flows.len() > 1 { " at the same time" } else { "" };
                let times = times(probe.times);
                let transfers = flows(topology, &probe.flows);
                let link = if transfers == probe.link { String::new() } else { format!("{}: ", probe.link) };
                sheet.line("to measure", format!("{link}transfer {transfers}{together}{times}"));
            }
            let more = class.probes.len().saturating_sub(MAX_PROBES);
            if more > 0 {
                sheet.line("", format!("and {more} more of this class; see --json"));
            }
        }
        if let Some(repeats) = &kind.repeats {
            let (count, first) = (repeats.pairs.len(), flows(topology, &repeats.pairs[..1]));
            let transfers = text::counted(count, "transfer");
            let times = times(repeats.times);
            sheet.line(
                "to measure",
                format!("again {transfers} such as {first}, each alone{times}, to tell links apart; see --json"),
            );
        }
    }
    sheet
}

fn times(times: u32) -> String {
    if times > 1 { format!(", {times} times") } else { String::new() }
}

/// Returns transfers with the names of their ends.
pub(super) fn flows(topology: &Topology, flows: &[[NodeId; 2]]) -> String {
    let name = |&[from, to]: &[NodeId; 2]| format!("{}->{}", topology.node_name(from), topology.node_name(to));
    flows.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn add_slow(sheet: &mut Sheet, topology: &Topology, kind: &KindFit, suffix: &str) {
    for link in kind.slow.iter().take(MAX_LISTED) {
        sheet.line("slow", format!("{}{suffix}", slow_link(link)));
    }
    let is_alike = |one: &SlowTransfer, other: &SlowTransfer| {
        let rest = (one.flows.len(), one.expected, one.has_several_paths);
        rest == (other.flows.len(), other.expected, other.has_several_paths) && part(other) - part(one) < ALIKE
    };
    let groups: Vec<&[SlowTransfer]> = kind.slow_transfers.chunk_by(is_alike).collect();
    for alike in groups.iter().take(MAX_LISTED) {
        sheet.line("slow", format!("{}{suffix}", slow_transfers(topology, alike)));
    }
    let more = kind.slow.len().saturating_sub(MAX_LISTED) + groups.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        sheet.line("", format!("and {more} more; see --json"));
    }
}

/// Returns a sentence on a slow link, or on several that the tests do not tell apart.
fn slow_link(link: &SlowLink) -> String {
    let (part, median) = (percent(link.part), rounded_bandwidth(link.bandwidth));
    let tests = if link.or.is_empty() {
        text::counted(link.tests as usize, "test")
    } else {
        format!("{} of {}", link.tests, text::counted(link.possible_tests as usize, "test"))
    };
    let (link_word, verb) =
        (if link.or.is_empty() { "link " } else { "" }, if link.count == 1 { "gives" } else { "give" });
    let subject = format!("{link_word}{} {verb}", link.subject(MAX_NAMES));
    format!("{subject} {part} of its class ({tests}, median {median})")
}

/// Returns the part of its path that a transfer gives.
fn part(transfer: &SlowTransfer) -> f64 {
    transfer.rate as f64 / transfer.expected.max(1) as f64
}

/// Returns a sentence on transfers that are alike.
fn slow_transfers(topology: &Topology, alike: &[SlowTransfer]) -> String {
    let first = &alike[0];
    let name = flows(topology, &first.flows);
    let [rate, expected] = [first.rate, first.expected].map(rounded_bandwidth);
    let subject = match (alike.len(), first.flows.len()) {
        (1, 1) => format!("transfer {name} gives"),
        (1, _) => format!("transfers {name} at the same time give"),
        (count, _) => format!("{count} transfers such as {name} give"),
    };
    let (path, why) = if first.has_several_paths {
        ("shortest paths", "a link on one of the paths, another route, or software")
    } else {
        ("shortest path", "another route, or software")
    };
    format!("{subject} {} of the {path} ({rate} of {expected}): {why}", percent(part(first)))
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

fn collective(line: &SizeLine) -> String {
    let ranks = line.ranks.map_or_else(String::new, |ranks| format!(" of {ranks} ranks"));
    let algorithm = line.algorithm.as_deref().map_or_else(String::new, |algorithm| format!(" by {algorithm}"));
    let in_place = if line.in_place { " in place" } else { "" };
    let [from, to] = line.sizes.map(size_ranges::size);
    let bandwidth = bandwidth(line.byte_ps);
    let start_up = time(line.start_up_ps);
    format!(
        "{}{ranks}{algorithm}{in_place}: {start_up} + size / {bandwidth} from {from} to {to}",
        line.collective.word()
    )
}

/// Returns the bandwidth at which a byte takes this time.
fn bandwidth(byte_ps: f64) -> String {
    rounded_bandwidth(whole(1e12 / byte_ps.max(1e-6)))
}

/// Returns the nearest whole number, at least 0.
#[expect(clippy::cast_sign_loss, reason = "at least 0")]
fn whole(number: f64) -> u64 {
    number.round().max(0.0) as u64
}

fn time(picoseconds: f64) -> String {
    let number = whole(picoseconds);
    let step = 10u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(2));
    Quantity::Time.format((number + step / 2) / step * step)
}

fn add_algorithms(sheet: &mut Sheet, model: &TimeModel) {
    let mut add = |name: &str, constant: Constant, written: &dyn Fn(f64) -> String, ends: fn([f64; 2]) -> [f64; 2]| {
        let [low, high] = ends(constant.interval).map(written);
        let text = if constant.is_identified {
            format!("{name}: {} (90 % interval {low} to {high})", written(constant.value))
        } else {
            format!("{name}: not identified; force another algorithm, or measure other sizes")
        };
        sheet.line("all-reduce", text);
    };
    // A long time of a byte is a small bandwidth.
    let reversed = |[low, high]: [f64; 2]| [high, low];
    add("time of a step", model.step, &time, |ends| ends);
    add("bandwidth of a rank", model.byte, &bandwidth, reversed);
    add("reduction", model.reduced_byte, &bandwidth, reversed);
}

/// Returns the table of the classes, for each kind; empty without bandwidths.
pub(super) fn tables(fit: &Fit) -> String {
    let kinds: Vec<&KindFit> = fit.kinds.iter().filter(|kind| kind.has_bandwidths()).collect();
    if kinds.is_empty() {
        return String::new();
    }
    let several = kinds.len() > 1;
    let columns = ["class of channels", "bandwidth", "known by", "at least", "at most", "tests", "slowness visible"];
    let mut table = Table::new(several.then_some("kind").into_iter().chain(columns));
    for kind in kinds {
        for (place, class) in kind.classes.iter().enumerate() {
            let limit = |limit: Option<u64>| limit.map_or("-".to_owned(), rounded_bandwidth);
            let evidence = match class.evidence {
                Evidence::Identified if class.half_duplex.is_some() => "tests, half duplex",
                Evidence::Identified => "tests",
                Evidence::Nominal => "nominal",
                Evidence::NotLimiting => "not limiting",
                Evidence::LowerLimit => "lower limit",
                Evidence::Assumed => "assumption",
            };
            let row = [
                class.name.clone(),
                rounded_bandwidth(class.bandwidth),
                evidence.to_owned(),
                limit((class.lower_limit > 0).then_some(class.lower_limit)),
                limit(class.upper_limit),
                class.tests.to_string(),
                format!("{} of {}", class.visible, class.channels.len()),
            ];
            let name = if place == 0 { kind.kind.to_string() } else { String::new() };
            table.push(several.then_some(name).into_iter().chain(row));
        }
    }
    format!("\n{}", table.to_text())
}
