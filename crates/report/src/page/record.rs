//! The texts and small tables of a page, as JSON.

use lockstep_schedule::{CollectiveSize, Pattern, Ports, Problem, Schedule};
use lockstep_topology::Topology;
use serde::Serialize;

use super::facts::PlanFacts;
use super::groups::{Groups, groups};
use super::network::UNITS_PER_PIXEL;
use super::phases::phases;
use crate::colouring::Colouring;
use crate::labels;
use crate::palette;
use crate::scene::Scene;

/// Maximum number of different colours.
const MAX_COLOURS: usize = 256;
/// Maximum length of the name of a node, in letters.
const NAME_LETTERS: usize = 80;
/// The size of a collective for which the page shows times at first: 64 MiB.
const BYTES: u64 = 64 << 20;

/// All texts and small tables of a page.
#[derive(Debug, Serialize)]
pub(super) struct PageRecord {
    network: String,
    network_size: String,
    collective: String,
    model: String,
    pattern: &'static str,
    nodes: Vec<String>,
    /// Width and height of the picture in pixels.
    size: [f64; 2],
    units_per_pixel: f64,
    marks: usize,
    channels: usize,
    resources: usize,
    messages: usize,
    chunks: u32,
    /// The number of messages that a terminal sends, and receives, at a time; `null` for all.
    ports: Option<u32>,
    groups: Option<Groups>,
    colours: ColourRecord,
    #[serde(flatten)]
    pub(super) schedule: ScheduleRecord,
    /// The sets of faults of a recovery book; the first one is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) faults: Vec<FaultRecord>,
}

/// The texts and tables of one schedule.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct ScheduleRecord {
    /// `optimal`, `gap`, `invalid` or `unknown`.
    verdict: &'static str,
    verdict_words: String,
    bound: String,
    details: Vec<[String; 2]>,
    pub(super) notes: Vec<String>,
    /// The number of transfers of each step.
    pub(super) transfers: Vec<usize>,
    /// The width of each step; empty if all are 1.
    widths: Vec<u32>,
    /// The bits of each step of an all-reduce: 1 reduces, 2 broadcasts. Otherwise empty.
    phases: Vec<u8>,
    time: Option<TimeRecord>,
    /// The bytes of the network, of the messages, and of each step.
    pub(super) parts: Vec<usize>,
}

/// A set of faults, with the schedule after them.
#[derive(Debug, Serialize)]
pub(super) struct FaultRecord {
    pub(super) fault: String,
    pub(super) summary: String,
    pub(super) failed_channels: Vec<u32>,
    pub(super) failed_nodes: Vec<u32>,
    /// The bytes between the messages and the first step.
    pub(super) skip: usize,
    #[serde(flatten)]
    pub(super) schedule: ScheduleRecord,
}

/// The colours of messages.
#[derive(Debug, Serialize)]
struct ColourRecord {
    heading: &'static str,
    by_source: bool,
    /// The messages or sources that have a colour of their own; `null` if they share colours.
    keys: Option<Vec<u32>>,
    light: Vec<String>,
    dark: Vec<String>,
}

/// What the times of steps and transfers depend on. The synchronous time of a step is its latency, and a transmission per width.
#[derive(Clone, Debug, Serialize)]
struct TimeRecord {
    unit_bytes_per_second: u64,
    /// The number of messages whose sizes add up to the size of the collective.
    messages_per_size: u64,
    bytes: u64,
    /// The greatest latency of a path in each step.
    latency_ps: Vec<u64>,
    /// The different latencies of channels, ascending.
    channel_latencies_ps: Vec<u64>,
    /// The place of the latency of each channel; empty if all are equal.
    channel_latency: Vec<usize>,
}

/// Returns the names of all nodes, shortened to fit.
pub(super) fn node_names(topology: &Topology) -> Vec<String> {
    topology.nodes().map(|node| labels::visible(&labels::clip(topology.node_name(node), NAME_LETTERS))).collect()
}

impl PageRecord {
    /// Collects the texts and tables. `drawn` is the number of steps in the page.
    pub(super) fn new(
        problem: &Problem<'_>,
        schedule: &Schedule,
        facts: &PlanFacts,
        scene: &Scene,
        drawn: usize,
    ) -> Self {
        let topology = problem.topology();
        let steps = schedule.step_count();
        let [network, collective, model, _] = labels::title(problem, steps).map(|text| labels::visible(&text));
        Self {
            network,
            network_size: labels::size(topology),
            collective,
            model,
            pattern: match problem.collective().pattern() {
                Pattern::Broadcast => "broadcast",
                Pattern::Scatter => "scatter",
                Pattern::Gather => "gather",
                Pattern::Reduce => "reduce",
                Pattern::ReduceBroadcast => "all-reduce",
                _ => "other",
            },
            nodes: node_names(topology),
            size: [scene.size.x, scene.size.y],
            units_per_pixel: UNITS_PER_PIXEL,
            marks: scene.marks.len(),
            channels: topology.channel_bound(),
            resources: topology.resource_count(),
            messages: problem.messages().len(),
            chunks: problem.messages().chunks(),
            ports: match problem.model().ports {
                Ports::All => None,
                Ports::Limit(limit) => Some(limit.get()),
            },
            groups: groups(problem),
            colours: ColourRecord::new(problem, schedule),
            schedule: ScheduleRecord::new(problem, schedule, facts, drawn),
            faults: Vec::new(),
        }
    }
}

impl ScheduleRecord {
    /// Collects the texts and tables of a schedule. `drawn` is the number of steps in the page.
    pub(super) fn new(problem: &Problem<'_>, schedule: &Schedule, facts: &PlanFacts, drawn: usize) -> Self {
        let steps = schedule.step_count();
        let omitted = format!("The page has the first {drawn} of {steps} steps; the others are omitted.");
        Self {
            notes: (drawn < steps).then_some(omitted).into_iter().collect(),
            transfers: schedule.steps().take(drawn).map(|(_, step)| step.len()).collect(),
            widths: schedule.widths().iter().take(drawn).map(|width| width.get()).collect(),
            phases: phases(problem, schedule).into_iter().take(drawn).collect(),
            time: TimeRecord::new(problem, schedule, drawn),
            ..Self::without_steps(facts)
        }
    }

    /// Collects the facts alone.
    pub(super) fn without_steps(facts: &PlanFacts) -> Self {
        let detail = |[name, value]: &[String; 2]| [labels::visible(name), labels::visible(value)];
        Self {
            verdict: facts.verdict.code(),
            verdict_words: facts.verdict.words(),
            bound: labels::visible(&facts.bound),
            details: facts.details.iter().map(detail).collect(),
            ..Self::default()
        }
    }
}

impl ColourRecord {
    fn new(problem: &Problem<'_>, schedule: &Schedule) -> Self {
        let colouring = Colouring::new(problem, schedule);
        let keys = colouring.keys();
        let count = keys.len().clamp(1, MAX_COLOURS);
        let colours = |colour: fn(usize, usize) -> String| (0..count).map(|place| colour(place, count)).collect();
        Self {
            heading: colouring.heading(),
            by_source: colouring.is_by_source(),
            keys: (keys.len() <= MAX_COLOURS).then(|| keys.to_vec()),
            light: colours(palette::colour),
            dark: colours(palette::colour_on_dark),
        }
    }
}

impl TimeRecord {
    fn new(problem: &Problem<'_>, schedule: &Schedule, drawn: usize) -> Option<Self> {
        let topology = problem.topology();
        let latency = |path: &[lockstep_topology::ChannelId]| {
            let known = path.iter().filter(|&&channel| topology.is_working(channel));
            known.fold(0_u64, |sum, &channel| sum.saturating_add(topology.latency_ps(channel)))
        };
        let slowest = |(_, step): (usize, lockstep_schedule::Step<'_>)| {
            step.iter().map(|transfer| latency(transfer.path)).max().unwrap_or(0)
        };
        let of_channel = |channel| if topology.is_working(channel) { topology.latency_ps(channel) } else { 0 };
        let mut latencies: Vec<u64> = topology.channel_numbers().map(of_channel).collect();
        latencies.sort_unstable();
        latencies.dedup();
        let place = |channel| latencies.binary_search(&of_channel(channel)).expect("every latency is listed");
        let places = if latencies.len() > 1 { topology.channel_numbers().map(place).collect() } else { Vec::new() };
        Some(Self {
            unit_bytes_per_second: topology.unit_bytes_per_second().filter(|&unit| unit > 0)?,
            messages_per_size: CollectiveSize::new(problem, BYTES).messages,
            bytes: BYTES,
            latency_ps: schedule.steps().take(drawn).map(slowest).collect(),
            channel_latency: places,
            channel_latencies_ps: latencies,
        })
    }
}
