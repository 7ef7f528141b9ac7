//! The format `simgrid`: a platform file of SimGrid, version 4 or 4.1.
//!
//! # Grammar
//!
//! `<zone>` contains `<host>`, `<router>`, `<link id= bandwidth= latency= sharing_policy=>`, and `<route src= dst=>` with a
//! `<link_ctn id= direction=>` per link. `<zoneRoute>` joins zones at `gw_src` and `gw_dst`. `<cluster>` has hosts of a
//! `radical` around a router, with or without a backbone.
//!
//! A link of SimGrid has no ends; its routes tell where it lies. A link that only serves routes of one link becomes a channel
//! for each of them. Any other link becomes a channel between two junctions, `ID.in` and `ID.out`; a junction with one
//! neighbor is that neighbor.
//!
//! # Source
//!
//! The reference of platform files in the documentation of SimGrid, simgrid.org.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;
use roxmltree::Node;

use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, boolean, quantity};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::host_list;
use crate::format::parsed_graph::ParsedGraph;
use crate::format::xml::{self, at, elements, parse, root, without_document_type};
use crate::quantity::Quantity;
use crate::text::excerpt;

/// The attributes of each element that the reader uses.
const USED: [(&str, &[&str]); 12] = [
    ("platform", &["version"]),
    ("zone", &["id", "routing"]),
    ("AS", &["id", "routing"]),
    ("host", &["id"]),
    ("router", &["id"]),
    ("link", &["id", "bandwidth", "latency", "sharing_policy"]),
    ("route", &["src", "dst", "symmetrical"]),
    ("zoneRoute", &["src", "dst", "gw_src", "gw_dst", "symmetrical"]),
    ("ASroute", &["src", "dst", "gw_src", "gw_dst", "symmetrical"]),
    ("link_ctn", &["id", "direction"]),
    (
        "cluster",
        &[
            "id",
            "prefix",
            "suffix",
            "radical",
            "bw",
            "lat",
            "sharing_policy",
            "bb_bw",
            "bb_lat",
            "topology",
            "router_id",
        ],
    ),
    ("config", &[]),
];

/// One direction of a link, or both if they share its bandwidth.
struct Wire {
    name: String,
    /// Bytes per second.
    bandwidth: u64,
    latency_ps: Option<u64>,
    /// True if every flow has the whole bandwidth.
    is_fat_pipe: bool,
    line_of: usize,
}

/// A place before or behind a wire on a route.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Node(NodeId),
    Wire(usize),
}

#[derive(Default)]
struct Platform {
    parsed: ParsedGraph<'static>,
    wires: Vec<Wire>,
    /// The wires of each link: one, or two for a split duplex link.
    links: BTreeMap<String, Vec<usize>>,
    /// The places before and behind each wire.
    before: Vec<BTreeSet<Place>>,
    behind: Vec<BTreeSet<Place>>,
    /// The ends of the routes of one wire.
    direct: Vec<BTreeSet<(NodeId, NodeId)>>,
    /// True if a wire is on a longer route.
    is_on_path: Vec<bool>,
    /// The number of hosts of all clusters.
    cluster_hosts: usize,
}

/// Reads a platform. See [`GraphFormat::SimGrid`](crate::GraphFormat::SimGrid).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let text = without_document_type(text);
    let document = parse(&text)?;
    let root = root(&document, "platform", "<platform> as the root element")?;
    let mut platform = Platform::default();
    for element in root.descendants().filter(Node::is_element) {
        platform.note_unused(element);
        let declared = match element.tag_name().name() {
            "host" => platform.node(element, false),
            "router" => platform.node(element, true),
            "link" => platform.link(element),
            "cluster" => platform.cluster(element),
            "peer" | "cabinet" | "host_link" | "backbone" | "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => {
                Err(FileFault::Unsupported(
                    "this element is not supported; describe it by <host>, <router>, <link> and <route>",
                ))
            }
            _ => Ok(()),
        };
        declared.map_err(at(element))?;
    }
    for element in root.descendants().filter(Node::is_element) {
        let routed = match element.tag_name().name() {
            "route" => platform.route(element, ["src", "dst"]),
            "zoneRoute" | "ASroute" => platform.route(element, ["gw_src", "gw_dst"]),
            _ => Ok(()),
        };
        routed.map_err(at(element))?;
    }
    platform.build(name, options)
}

impl Platform {
    fn node(&mut self, element: Node<'_, '_>, is_switch: bool) -> Result<(), FileFault> {
        let attributes = NodeAttributes { switch: is_switch.then_some(true), ..NodeAttributes::default() };
        self.parsed.declare(Cow::Owned(required(element, "id")?.to_owned()), attributes)
    }

    fn add_wire(&mut self, name: String, element: Node<'_, '_>, is_fat_pipe: bool) -> Result<usize, FileFault> {
        let bandwidth = quantity("bandwidth", Quantity::Bandwidth, required(element, "bandwidth")?)?;
        let latency = element.attribute("latency").map(|latency| quantity("latency", Quantity::Time, latency));
        let line_of = element.document().text_pos_at(element.range().start).row as usize;
        self.wires.push(Wire { name, bandwidth, latency_ps: latency.transpose()?, is_fat_pipe, line_of });
        self.before.push(BTreeSet::new());
        self.behind.push(BTreeSet::new());
        self.direct.push(BTreeSet::new());
        self.is_on_path.push(false);
        Ok(self.wires.len() - 1)
    }

    fn link(&mut self, element: Node<'_, '_>) -> Result<(), FileFault> {
        let id = required(element, "id")?;
        let wires = match element.attribute("sharing_policy").unwrap_or("SHARED") {
            "SHARED" => vec![self.add_wire(id.to_owned(), element, false)?],
            "FATPIPE" => vec![self.add_wire(id.to_owned(), element, true)?],
            "SPLITDUPLEX" | "FULLDUPLEX" => {
                let [up, down] = ["UP", "DOWN"].map(|direction| format!("{id}_{direction}"));
                vec![self.add_wire(up, element, false)?, self.add_wire(down, element, false)?]
            }
            found => {
                let (attribute, expected) = ("sharing_policy", "SHARED, SPLITDUPLEX or FATPIPE");
                return Err(FileFault::Value { attribute, found: excerpt(found), expected });
            }
        };
        match self.links.insert(id.to_owned(), wires) {
            None => Ok(()),
            Some(_) => Err(FileFault::DuplicateNode { name: excerpt(id) }),
        }
    }

    /// Adds a route, and the reverse one if it is symmetrical.
    fn route(&mut self, element: Node<'_, '_>, ends: [&'static str; 2]) -> Result<(), FileFault> {
        let mut nodes = Vec::new();
        for end in ends {
            let node = self.parsed.find(required(element, end)?)?;
            if end.starts_with("gw") {
                // Routes of other zones pass through a gateway, also if it is a host.
                self.parsed.set_attributes(node, NodeAttributes { routes: Some(true), ..NodeAttributes::default() })?;
            }
            nodes.push(node);
        }
        let (mut forth, mut back) = (Vec::new(), Vec::new());
        for part in elements(element, "link_ctn") {
            let id = required(part, "id")?;
            let wires = self.links.get(id).ok_or_else(|| FileFault::UnknownNode { name: excerpt(id) })?;
            let (wire, reverse) = match (&wires[..], part.attribute("direction").unwrap_or("NONE")) {
                (&[wire], _) => (wire, wire),
                (&[up, down], "UP") => (up, down),
                (&[up, down], "DOWN") => (down, up),
                (_, found) => {
                    let (attribute, expected) = ("direction", "UP or DOWN for a split duplex link");
                    return Err(FileFault::Value { attribute, found: excerpt(found), expected });
                }
            };
            forth.push(wire);
            back.push(reverse);
        }
        back.reverse();
        let mut is_seen = BTreeSet::new();
        if let Some(&twice) = forth.iter().find(|&&wire| !is_seen.insert(wire)) {
            let found = format!("link '{}' twice", excerpt(&self.wires[twice].name));
            return Err(FileFault::Unexpected { found, expected: "every link once in a route" });
        }
        self.add_path(nodes[0], &forth, nodes[1]);
        if boolean_word("symmetrical", element.attribute("symmetrical").unwrap_or("YES"))? {
            self.add_path(nodes[1], &back, nodes[0]);
        }
        Ok(())
    }

    fn add_path(&mut self, from: NodeId, wires: &[usize], to: NodeId) {
        if from == to {
            return self.parsed.leave_out("routes from a node to itself");
        }
        if let &[wire] = wires {
            self.direct[wire].insert((from, to));
        }
        for (place, &wire) in wires.iter().enumerate() {
            self.is_on_path[wire] |= wires.len() > 1;
            let before = if place == 0 { Place::Node(from) } else { Place::Wire(wires[place - 1]) };
            let behind = wires.get(place + 1).map_or(Place::Node(to), |&next| Place::Wire(next));
            self.before[wire].insert(before);
            self.behind[wire].insert(behind);
        }
        if wires.is_empty() {
            self.parsed.leave_out("routes without links");
        }
    }

    /// Adds a flat cluster: hosts around a router, or around a backbone that leads to the router.
    fn cluster(&mut self, element: Node<'_, '_>) -> Result<(), FileFault> {
        if let Some(topology) = element.attribute("topology").filter(|&topology| topology != "FLAT") {
            let (attribute, expected) =
                ("topology", "FLAT; for others use a spec, such as torus:4x4 or dragonfly:4,2,2");
            return Err(FileFault::Value { attribute, found: excerpt(topology), expected });
        }
        let attribute = |name: &str| element.attribute(name).unwrap_or_default();
        let (id, prefix, suffix) = (required(element, "id")?, attribute("prefix"), attribute("suffix"));
        let rates = |bandwidth: &'static str, latency: &'static str| {
            let bandwidth = quantity(bandwidth, Quantity::Bandwidth, required(element, bandwidth)?)?;
            let latency = element.attribute(latency).map(|time| quantity(latency, Quantity::Time, time)).transpose()?;
            let rates = EdgeAttributes { bandwidth: Some(bandwidth), latency_ps: latency, ..EdgeAttributes::default() };
            Ok::<_, FileFault>(rates)
        };
        let private = rates("bw", "lat")?;
        let is_shared = match element.attribute("sharing_policy").unwrap_or("SPLITDUPLEX") {
            "SPLITDUPLEX" | "FULLDUPLEX" => false,
            "SHARED" => true,
            found => {
                let (attribute, expected) = ("sharing_policy", "SHARED or SPLITDUPLEX");
                return Err(FileFault::Value { attribute, found: excerpt(found), expected });
            }
        };
        let default = format!("{prefix}{id}_router{suffix}");
        let router = self.switch(element.attribute("router_id").unwrap_or(&default))?;
        let (mut hub_in, mut hub_out) = (router, router);
        if element.has_attribute("bb_bw") {
            let backbone = rates("bb_bw", "bb_lat")?;
            (hub_in, hub_out) =
                (self.switch(&format!("{id}_backbone.in"))?, self.switch(&format!("{id}_backbone.out"))?);
            self.parsed.add_edge(hub_in, hub_out, EdgeDirection::Forward, backbone);
            let free = EdgeAttributes { latency_ps: None, ..backbone };
            self.parsed.add_edge(hub_out, router, EdgeDirection::Forward, free);
            self.parsed.add_edge(router, hub_in, EdgeDirection::Forward, free);
        }
        let radical = required(element, "radical")?;
        let numbers = host_list::numbers(radical, radical)?;
        self.cluster_hosts += numbers.len();
        if self.cluster_hosts > host_list::MAX_NAMES {
            return Err(FileFault::Unsupported("the clusters have more than 65536 hosts; read a part of the file"));
        }
        for number in numbers {
            host_list::check_length(prefix.len() + id.len() + number.len() + suffix.len())?;
            let name = format!("{prefix}{number}{suffix}");
            self.parsed.declare(Cow::Owned(name.clone()), NodeAttributes::default())?;
            let host = self.parsed.find(&name)?;
            let resource = is_shared.then(|| self.parsed.resource(Cow::Owned(format!("{id}_link_{number}"))));
            let attributes = EdgeAttributes { resource, ..private };
            self.parsed.add_edge(host, hub_in, EdgeDirection::Forward, attributes);
            self.parsed.add_edge(hub_out, host, EdgeDirection::Forward, attributes);
        }
        Ok(())
    }

    fn switch(&mut self, name: &str) -> Result<NodeId, FileFault> {
        let attributes = NodeAttributes { switch: Some(true), ..NodeAttributes::default() };
        self.parsed.declare(Cow::Owned(name.to_owned()), attributes)?;
        self.parsed.find(name)
    }

    fn build(mut self, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
        let junctions = Junctions::new(&self);
        let mut node_of = BTreeMap::new();
        for wire in 0..self.wires.len() {
            let line = self.wires[wire].line_of;
            if self.before[wire].is_empty() {
                self.parsed.leave_out("links without a route");
                continue;
            }
            if self.is_on_path[wire] {
                let added = self.add_path_wire(wire, &junctions, &mut node_of);
                added.map_err(|fault| ReadError::line(line, fault))?;
            } else {
                self.add_direct_wire(wire);
            }
        }
        self.parsed.finish(name, options)
    }

    /// Adds a channel for each route of one link.
    fn add_direct_wire(&mut self, wire: usize) {
        let Wire { name, bandwidth, latency_ps, is_fat_pipe, .. } = &self.wires[wire];
        let is_shared = !is_fat_pipe && self.direct[wire].len() > 1;
        let resource = is_shared.then(|| self.parsed.resource(Cow::Owned(name.clone())));
        let rates =
            EdgeAttributes { bandwidth: Some(*bandwidth), latency_ps: *latency_ps, ..EdgeAttributes::default() };
        for &(from, to) in &self.direct[wire] {
            self.parsed.add_edge(from, to, EdgeDirection::Forward, EdgeAttributes { resource, ..rates });
        }
    }

    /// Adds a channel between the junctions of a wire, and channels between these and other places.
    fn add_path_wire(
        &mut self,
        wire: usize,
        junctions: &Junctions,
        node_of: &mut BTreeMap<usize, NodeId>,
    ) -> Result<(), FileFault> {
        let (start, end) = (junctions.start(wire), junctions.end(wire));
        if start == end {
            return Err(FileFault::Unsupported("the routes lead from the end of this link to its start; correct them"));
        }
        let [tail, head] = [(start, "in"), (end, "out")].map(|(junction, side)| {
            self.junction(junction, junctions, node_of, &format!("{}.{side}", self.wires[wire].name))
        });
        let (tail, head) = (tail?, head?);
        let Wire { bandwidth, latency_ps, is_fat_pipe, .. } = self.wires[wire];
        let flows = if is_fat_pipe { self.before[wire].len() as u64 } else { 1 };
        if is_fat_pipe {
            self.parsed.assume("a FATPIPE link carries one flow per place before it, each with its whole bandwidth");
        }
        let bandwidth = Some(bandwidth.saturating_mul(flows));
        let rates = EdgeAttributes { bandwidth, latency_ps, ..EdgeAttributes::default() };
        self.parsed.add_edge(tail, head, EdgeDirection::Forward, rates);
        let crossing = EdgeAttributes { latency_ps: None, ..rates };
        let mut is_joined = BTreeSet::from([tail]);
        for place in self.before[wire].clone() {
            let from = match place {
                Place::Node(node) => node,
                Place::Wire(other) => {
                    let junction = junctions.end(other);
                    self.junction(junction, junctions, node_of, &format!("{}.out", self.wires[other].name))?
                }
            };
            if is_joined.insert(from) {
                self.parsed.add_edge(from, tail, EdgeDirection::Forward, crossing);
            }
        }
        for place in self.behind[wire].clone() {
            // Wires behind this one add the channels to themselves.
            if let Place::Node(node) = place
                && node != head
            {
                self.parsed.add_edge(head, node, EdgeDirection::Forward, crossing);
            }
        }
        Ok(())
    }

    /// Returns the node of a junction: that of the file, or a new switch.
    fn junction(
        &mut self,
        junction: usize,
        junctions: &Junctions,
        node_of: &mut BTreeMap<usize, NodeId>,
        name: &str,
    ) -> Result<NodeId, FileFault> {
        if let Some(node) = junctions.node(junction).or(node_of.get(&junction).copied()) {
            return Ok(node);
        }
        let node = self.switch(name)?;
        node_of.insert(junction, node);
        Ok(node)
    }

    fn note_unused(&mut self, element: Node<'_, '_>) {
        let name = element.tag_name().name();
        let used = USED.iter().find(|&&(known, _)| known == name);
        let Some((_, used)) = used else { return self.parsed.ignore("element", name) };
        for attribute in element.attributes().filter(|attribute| !used.contains(&attribute.name())) {
            self.parsed.ignore(name, attribute.name());
        }
    }
}

/// The junctions: nodes of the file, and the starts and ends of wires, of which some are the same place.
struct Junctions {
    representative: Vec<usize>,
    /// The node of the file at each representative.
    node: BTreeMap<usize, NodeId>,
    nodes: usize,
}

impl Junctions {
    fn new(platform: &Platform) -> Self {
        let nodes = platform.parsed.node_count();
        let mut sets = UnionFind::new(nodes + 2 * platform.wires.len());
        let end_of = |place: &Place| match place {
            Place::Node(node) => node.index(),
            Place::Wire(wire) => nodes + 2 * wire + 1,
        };
        let start_of = |place: &Place| match place {
            Place::Node(node) => node.index(),
            Place::Wire(wire) => nodes + 2 * wire,
        };
        for wire in 0..platform.wires.len() {
            let only = |places: &BTreeSet<Place>| places.first().copied().filter(|_| places.len() == 1);
            if let Some(place) = only(&platform.before[wire]) {
                sets.union(nodes + 2 * wire, end_of(&place));
            }
            if let Some(place) = only(&platform.behind[wire]) {
                sets.union(nodes + 2 * wire + 1, start_of(&place));
            }
        }
        let representative = sets.into_labeling();
        let node = (0..nodes).map(|node| (representative[node], NodeId::from_index(node))).collect();
        Self { representative, node, nodes }
    }

    fn start(&self, wire: usize) -> usize {
        self.representative[self.nodes + 2 * wire]
    }

    fn end(&self, wire: usize) -> usize {
        self.representative[self.nodes + 2 * wire + 1]
    }

    fn node(&self, junction: usize) -> Option<NodeId> {
        self.node.get(&junction).copied()
    }
}

fn required<'a>(element: Node<'a, '_>, attribute: &'static str) -> Result<&'a str, FileFault> {
    xml::required(element, attribute, "all attributes that SimGrid needs; add it")
}

/// Parses `YES` and `NO`, and other Boolean values of XML.
fn boolean_word(attribute: &'static str, value: &str) -> Result<bool, FileFault> {
    match value {
        "YES" | "yes" => Ok(true),
        "NO" | "no" => Ok(false),
        value => boolean(attribute, value),
    }
}
