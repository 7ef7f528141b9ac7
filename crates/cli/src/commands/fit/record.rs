//! The report of a fit as JSON.

use lockstep::{ChannelId, Topology};
use lockstep_measure::{
    ClassFit, Constant, Evidence, Fit, KindFit, LatencyPart, MixedClass, Probe, Repeats, SizeLine, SlowLink,
    SlowTransfer,
};
use serde::Serialize;

use super::sheet::flows;

/// The fit of a network to measurements.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct FitRecord<'a> {
    network: &'a str,
    /// The bandwidth of one unit of capacity of the fitted network.
    unit_bytes_per_second: Option<u64>,
    /// The greatest relative error of a bandwidth by rounding to whole capacities.
    rounding: f64,
    /// The kinds of transfers; the first one gives the numbers of the network.
    kinds: Vec<KindRecord<'a>>,
    /// The times of collectives over their sizes.
    collectives: Vec<LineRecord<'a>>,
    /// The constants of all-reduces with forced algorithms.
    algorithms: Option<ModelRecord>,
    notes: &'a [String],
}

/// The bandwidths of one kind of transfer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct KindRecord<'a> {
    kind: String,
    /// The number of measured rates.
    tests: usize,
    /// The standard deviation of a rate, as a part of it.
    noise: f64,
    classes: Vec<ClassRecord<'a>>,
    slow: Vec<SlowRecord<'a>>,
    slow_transfers: Vec<TransferRecord>,
    /// Transfers to measure again, if more values would tell slow links apart.
    repeats: Option<RepeatsRecord>,
    /// Classes whose links have two different bandwidths.
    mixed: Vec<MixedRecord<'a>>,
    /// What the times of small messages determine.
    latencies: Vec<LatencyRecord>,
}

/// A class of channels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ClassRecord<'a> {
    name: &'a str,
    channels: usize,
    bytes_per_second: u64,
    /// How the bandwidth is known: identified, nominal, not-limiting, lower-limit or assumed.
    evidence: &'static str,
    lower_limit: u64,
    upper_limit: Option<u64>,
    /// What both directions of a link carry together, if they share it.
    half_duplex: Option<u64>,
    tests: u64,
    /// The number of channels whose slowness a test would show.
    visible: u32,
    /// Transfers at the same time that would show the slowness of other links.
    probes: Vec<ProbeRecord<'a>>,
}

/// Transfers at the same time that would show the bandwidth of a link.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ProbeRecord<'a> {
    link: &'a str,
    transfers: String,
    /// The number of times to measure them, so that noise hardly changes the bandwidth of the class.
    times: u32,
}

/// Transfers to measure again, each alone.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RepeatsRecord {
    transfers: String,
    times: u32,
}

/// A link that is slower than its class.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SlowRecord<'a> {
    link: &'a str,
    channels: &'a [ChannelId],
    class: &'a str,
    bytes_per_second: u64,
    /// The bandwidth as a part of that of the class.
    part: f64,
    tests: u32,
    /// The number of tests that may use the link: it is on some of their shortest paths.
    possible_tests: u32,
    /// The number of slow links among this one and those of `or`.
    count: u32,
    /// Other links that explain the same tests.
    or: Vec<&'a str>,
}

/// Transfers that are slower than their path.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TransferRecord {
    transfers: String,
    bytes_per_second: u64,
    /// What the classes on the path allow.
    expected: u64,
    part: f64,
    /// True if a slow link cannot be named, because there are several shortest paths.
    has_several_paths: bool,
}

/// A class whose links have two different bandwidths.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MixedRecord<'a> {
    class: &'a str,
    /// The slower links.
    links: Vec<&'a str>,
    bytes_per_second: u64,
}

/// A sum of latencies that the tests determine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LatencyRecord {
    terms: String,
    picoseconds: u64,
}

/// The time of a collective as a line over its size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LineRecord<'a> {
    collective: &'a str,
    ranks: Option<u32>,
    algorithm: Option<&'a str>,
    in_place: bool,
    from_bytes: u64,
    to_bytes: u64,
    start_up_ps: f64,
    byte_ps: f64,
}

/// The constants of all-reduces in picoseconds; null if the times do not determine one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ModelRecord {
    /// Of a message without its bytes.
    step: Option<ConstantRecord>,
    /// Of a byte that is sent.
    byte: Option<ConstantRecord>,
    /// Of a byte that is reduced.
    reduced_byte: Option<ConstantRecord>,
}

/// A constant with its interval of 90 %.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ConstantRecord {
    value: f64,
    interval: [f64; 2],
}

impl<'a> FitRecord<'a> {
    pub(super) fn new(topology: &'a Topology, fit: &'a Fit) -> Self {
        Self {
            network: topology.name(),
            unit_bytes_per_second: fit.network.unit_bytes_per_second(),
            rounding: fit.measured.rounding,
            kinds: fit.kinds.iter().map(|kind| kind_record(topology, kind)).collect(),
            collectives: fit.collectives.iter().map(line).collect(),
            algorithms: fit.algorithms.as_ref().map(|model| ModelRecord {
                step: constant(model.step),
                byte: constant(model.byte),
                reduced_byte: constant(model.reduced_byte),
            }),
            notes: &fit.notes,
        }
    }
}

fn kind_record<'a>(topology: &Topology, fit: &'a KindFit) -> KindRecord<'a> {
    let name = |class: usize| &fit.classes[class].name[..];
    let latencies = fit.latency.iter().flat_map(|latency| &latency.parts);
    let latency =
        |part: &LatencyPart| LatencyRecord { terms: part.terms_text(&fit.classes), picoseconds: part.picoseconds };
    let mixed = |mixed: &'a MixedClass| MixedRecord {
        class: name(mixed.class),
        links: mixed.links.iter().map(|link| &link.name[..]).collect(),
        bytes_per_second: mixed.bandwidth,
    };
    KindRecord {
        kind: fit.kind.to_string(),
        tests: fit.trials,
        noise: rounded(fit.deviation),
        classes: fit.classes.iter().map(|class| class_record(topology, class)).collect(),
        slow: fit.slow.iter().map(|link| slow(link, name(link.class))).collect(),
        slow_transfers: fit.slow_transfers.iter().map(|slow| transfer(topology, slow)).collect(),
        repeats: fit
            .repeats
            .as_ref()
            .map(|Repeats { pairs, times }| RepeatsRecord { transfers: flows(topology, pairs), times: *times }),
        mixed: fit.mixed.iter().map(mixed).collect(),
        latencies: latencies.map(latency).collect(),
    }
}

fn class_record<'a>(topology: &Topology, class: &'a ClassFit) -> ClassRecord<'a> {
    let probe = |probe: &'a Probe| ProbeRecord {
        link: &probe.link,
        transfers: flows(topology, &probe.flows),
        times: probe.times,
    };
    ClassRecord {
        name: &class.name,
        channels: class.channels.len(),
        bytes_per_second: class.bandwidth,
        evidence: match class.evidence {
            Evidence::Identified => "identified",
            Evidence::Nominal => "nominal",
            Evidence::NotLimiting => "not-limiting",
            Evidence::LowerLimit => "lower-limit",
            Evidence::Assumed => "assumed",
        },
        lower_limit: class.lower_limit,
        upper_limit: class.upper_limit,
        half_duplex: class.half_duplex,
        tests: class.tests,
        visible: class.visible,
        probes: class.probes.iter().map(probe).collect(),
    }
}

fn slow<'a>(link: &'a SlowLink, class: &'a str) -> SlowRecord<'a> {
    SlowRecord {
        link: &link.name,
        channels: &link.channels,
        class,
        bytes_per_second: link.bandwidth,
        part: rounded(link.part),
        tests: link.tests,
        possible_tests: link.possible_tests,
        count: link.count,
        or: link.or.iter().map(|(name, _)| &name[..]).collect(),
    }
}

fn transfer(topology: &Topology, slow: &SlowTransfer) -> TransferRecord {
    TransferRecord {
        transfers: flows(topology, &slow.flows),
        bytes_per_second: slow.rate,
        expected: slow.expected,
        part: rounded(slow.rate as f64 / slow.expected.max(1) as f64),
        has_several_paths: slow.has_several_paths,
    }
}

fn line(line: &SizeLine) -> LineRecord<'_> {
    LineRecord {
        collective: line.collective.word(),
        ranks: line.ranks,
        algorithm: line.algorithm.as_deref(),
        in_place: line.in_place,
        from_bytes: line.sizes[0],
        to_bytes: line.sizes[1],
        start_up_ps: line.start_up_ps.round(),
        byte_ps: line.byte_ps,
    }
}

fn constant(constant: Constant) -> Option<ConstantRecord> {
    let Constant { value, interval, is_identified } = constant;
    is_identified.then_some(ConstantRecord { value, interval })
}

/// Returns a part with four decimals.
fn rounded(part: f64) -> f64 {
    (part * 1e4).round() / 1e4
}
