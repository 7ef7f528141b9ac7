//! The page of a network.

use std::cmp::Reverse;

use lockstep_topology::{ChannelId, Quantity, Topology};
use serde::Serialize;

use super::body::{CANVASES, CORNER, DIALOG, SAVE, ZOOM};
use super::coder::{Encoder, NumberModel};
use super::groups::{Groups, hosts};
use super::limits::PageLimits;
use super::network::{UNITS_PER_PIXEL, encode_network};
use super::record::node_names;
use super::shell::{interactive_page, refusal, to_json};
use crate::labels;
use crate::palette;
use crate::scene::{LabelPlacement, Scene};

/// The elements of the page. The script writes all texts into them.
const BODY: [&str; 9] = [
    include_str!("body/network-1.html"),
    CORNER,
    include_str!("body/network-2.html"),
    ZOOM,
    SAVE,
    "</div>\n",
    CANVASES,
    include_str!("body/network-3.html"),
    DIALOG,
];
/// One script: the files share the names that they declare.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("script/decoder.js"),
    include_str!("script/record.js"),
    include_str!("script/network.js"),
    include_str!("script/words.js"),
    include_str!("script/svg.js"),
    include_str!("script/svg_layer.js"),
    include_str!("script/colours.js"),
    include_str!("script/network_view.js"),
    include_str!("script/state.js"),
    include_str!("script/picture.js"),
    include_str!("script/pointer.js"),
    include_str!("script/rows.js"),
    include_str!("script/common_controls.js"),
    include_str!("script/save.js"),
    include_str!("script/save_picture.js"),
    include_str!("script/layout.js"),
    include_str!("script/network_page.js"),
);
/// Maximum number of different colours of links.
const MAX_COLOURS: usize = 64;

/// Facts about a network that its page shows, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NetworkFacts {
    /// Properties: names and values.
    pub properties: Vec<[String; 2]>,
    /// Metrics, in the order of the page.
    pub metrics: Vec<MetricRow>,
    /// Channels that are red.
    pub marks: Vec<LinkMark>,
}

/// Channels that stand out on the page of a network, such as a slow link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkMark {
    /// The channels.
    pub channels: Vec<ChannelId>,
    /// Why, in words.
    pub text: String,
}

/// A metric of a network, in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MetricRow {
    /// The name.
    pub name: String,
    /// The score; `-` if there is none.
    pub score: String,
    /// The better direction of the score. Can be empty.
    pub better: String,
    /// What the score measures, or the reason why there is none.
    pub about: String,
}

impl MetricRow {
    /// Returns the row without hidden characters.
    fn visible(&self) -> Self {
        let [name, score, better, about] =
            [&self.name, &self.score, &self.better, &self.about].map(|text| labels::visible(text));
        Self { name, score, better, about }
    }
}

/// All texts and small tables of the page.
#[derive(Debug, Serialize)]
struct NetworkRecord {
    network: String,
    network_size: String,
    properties: Vec<[String; 2]>,
    metrics: Vec<MetricRow>,
    notes: Vec<String>,
    nodes: Vec<String>,
    /// Width and height of the picture in pixels.
    size: [f64; 2],
    units_per_pixel: f64,
    marks: usize,
    channels: usize,
    resources: usize,
    groups: Option<Groups>,
    has_capacities: bool,
    unit_bytes_per_second: Option<u64>,
    /// The facts of each class of links: names and values.
    classes: Vec<Vec<[String; 2]>>,
    colours: ColourTable,
    /// The bytes of the network, and of the classes of its channels.
    parts: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct ColourTable {
    light: Vec<String>,
    dark: Vec<String>,
}

/// Draws a network as a self-contained HTML page with its properties and metrics.
///
/// Hovering shows the name, host, capacity and latency of a node or link; a click isolates a node and its links. The page
/// can be used with a keyboard alone. It loads no other file: a Content-Security-Policy allows its own script and style
/// only. Names are shown and never executed. Takes `O(N^2 + N M)` time for the layout.
///
/// ```
/// use lockstep_report::{NetworkFacts, PageLimits, network_html};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let page = network_html(&ring, &NetworkFacts::default(), &PageLimits::BROWSER);
/// assert!(page.contains("<title>ring:4 · 4 nodes, 8 channels"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn network_html(topology: &Topology, facts: &NetworkFacts, limits: &PageLimits) -> String {
    let title = [labels::name(topology), labels::size(topology)];
    if let Some(reason) = limits.refuse_network(topology) {
        return refusal(&title, &reason);
    }
    let scene = Scene::new(topology, LabelPlacement::Inside);
    let classes = LinkClasses::new(topology, &facts.marks);
    let parts = [encode_network(topology, &scene), classes.encode(topology)];
    let count = classes.of.len().clamp(1, MAX_COLOURS);
    let marked = classes.of.iter().take_while(|class| class.mark.is_some()).count().min(count);
    let colours = |red: &str, colour: fn(usize, usize) -> String| {
        let others = (0..count - marked).map(|place| colour(place, count - marked));
        std::iter::repeat_n(red.to_owned(), marked).chain(others).collect()
    };
    let visible = |[name, value]: &[String; 2]| [labels::visible(name), labels::visible(value)];
    let record = NetworkRecord {
        network: labels::visible(&title[0]),
        network_size: title[1].clone(),
        properties: facts.properties.iter().map(visible).collect(),
        metrics: facts.metrics.iter().map(MetricRow::visible).collect(),
        notes: Vec::new(),
        nodes: node_names(topology),
        size: [scene.size.x, scene.size.y],
        units_per_pixel: UNITS_PER_PIXEL,
        marks: scene.marks.len(),
        channels: topology.channel_bound(),
        resources: topology.resource_count(),
        groups: hosts(topology),
        has_capacities: classes.has_capacities,
        unit_bytes_per_second: topology.unit_bytes_per_second(),
        classes: classes.words(topology),
        colours: ColourTable {
            light: colours(palette::MARKED, palette::colour),
            dark: colours(palette::MARKED_ON_DARK, palette::colour_on_dark),
        },
        parts: parts.iter().map(Vec::len).collect(),
    };
    interactive_page(&title, &BODY, SCRIPT, &to_json(&record), &parts.concat())
}

/// The channels that look alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LinkClass {
    /// The place of its mark.
    mark: Option<u32>,
    capacity: u32,
    latency_ps: u64,
}

/// The different capacities, latencies and marks of the channels of a network.
struct LinkClasses<'a> {
    has_capacities: bool,
    has_latencies: bool,
    marks: &'a [LinkMark],
    /// The place of the mark of each channel.
    mark_of: Vec<Option<u32>>,
    /// Marked ones first, in the order of the marks; capacity and latency descending.
    of: Vec<LinkClass>,
}

impl<'a> LinkClasses<'a> {
    fn new(topology: &Topology, marks: &'a [LinkMark]) -> Self {
        let mut mark_of = vec![None; topology.channel_bound()];
        for (place, mark) in marks.iter().enumerate() {
            for channel in &mark.channels {
                if let Some(entry) = mark_of.get_mut(channel.index()) {
                    *entry = Some(place as u32);
                }
            }
        }
        let mut classes = Self {
            has_capacities: topology.unit_bytes_per_second().is_some(),
            has_latencies: topology.has_latencies(),
            marks,
            mark_of,
            of: Vec::new(),
        };
        classes.of = topology.channels().map(|channel| classes.class(topology, channel)).collect();
        classes.of.sort_unstable_by_key(LinkClass::rank);
        classes.of.dedup();
        classes.has_capacities |= classes.of.iter().any(|class| class.capacity != 1);
        classes
    }

    fn class(&self, topology: &Topology, channel: ChannelId) -> LinkClass {
        LinkClass {
            mark: self.mark_of[channel.index()],
            capacity: topology.capacity(channel),
            latency_ps: topology.latency_ps(channel),
        }
    }

    /// Encodes the class of each channel; 0 for a failed one.
    fn encode(&self, topology: &Topology) -> Vec<u8> {
        let (mut encoder, mut model) = (Encoder::new(), NumberModel::new());
        for channel in topology.channel_numbers() {
            let rank = topology.is_working(channel).then(|| self.class(topology, channel).rank());
            let place = rank.and_then(|rank| self.of.binary_search_by_key(&rank, LinkClass::rank).ok());
            model.put(&mut encoder, place.unwrap_or(0) as u32);
        }
        encoder.finish()
    }

    /// Returns the facts of each class in words.
    fn words(&self, topology: &Topology) -> Vec<Vec<[String; 2]>> {
        let unit = topology.unit_bytes_per_second();
        let fact = |name: &str, value: String| [name.to_owned(), value];
        let words = |class: &LinkClass| {
            let mut facts = Vec::new();
            if self.has_capacities {
                let units = labels::counted(class.capacity as usize, "unit");
                let bandwidth = unit.and_then(|unit| unit.checked_mul(class.capacity.into()));
                facts
                    .push(fact("capacity", bandwidth.map_or(units, |bandwidth| Quantity::Bandwidth.format(bandwidth))));
            }
            if self.has_latencies {
                facts.push(fact("latency", Quantity::Time.format(class.latency_ps)));
            }
            if !self.marks.is_empty() {
                let text = class.mark.map_or("as its class", |mark| &self.marks[mark as usize].text);
                facts.push(fact("measured", labels::visible(text)));
            }
            facts
        };
        self.of.iter().map(words).collect()
    }
}

impl LinkClass {
    /// Returns the key of the order of classes.
    fn rank(&self) -> (bool, Option<u32>, Reverse<(u32, u64)>) {
        (self.mark.is_none(), self.mark, Reverse((self.capacity, self.latency_ps)))
    }
}
