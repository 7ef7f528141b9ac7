//! The graph that all readers except `json` collect while they read.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::channel_rates::RatesBuilder;
use crate::format::attributes::{
    EdgeAttributes, EdgeDirection, LINK_SPEED, Label, NodeAttributes, may_be_rate, quantity,
};
use crate::format::edges::are_symmetric;
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::notes::ReadNote;
use crate::quantity::Quantity;
use crate::text::excerpt;
use crate::{ChannelId, NodeId, TopologyBuilder};

/// The nodes and edges of a file.
#[derive(Debug, Default)]
pub(super) struct ParsedGraph<'a> {
    index: BTreeMap<Cow<'a, str>, NodeId>,
    nodes: Vec<NodeAttributes>,
    ends: Vec<[NodeId; 2]>,
    labels: BTreeMap<Cow<'a, str>, Label>,
    /// The channels of each label of a resource.
    labelled: Vec<Vec<ChannelId>>,
    rates: RatesBuilder,
    hosts: BTreeMap<Cow<'a, str>, Label>,
    /// What has an attribute that is not understood, and the name of the attribute.
    ignored: BTreeSet<String>,
    /// The attributes among them that may be bandwidths or latencies.
    possible_rates: BTreeSet<String>,
    /// The number of edges from a node to itself, and the first such node.
    loops: Option<(usize, NodeId)>,
    speeds: Speeds,
    /// Assumptions, and what is left out, in the order of the reader.
    notes: Vec<ReadNote>,
}

/// Bandwidths by an attribute of other programs, which need not be on all edges.
#[derive(Debug, Default)]
struct Speeds {
    /// The channels of an edge and their bandwidth in bytes per second.
    speeds: Vec<(Range<usize>, u64)>,
    /// Number of edges without such an attribute and without a bandwidth.
    unknown: usize,
}

impl Speeds {
    fn add(&mut self, channels: Range<usize>, attributes: &EdgeAttributes) {
        match (attributes.bandwidth, attributes.speed.filter(|_| attributes.capacity.is_none())) {
            (Some(_), _) => {}
            (None, Some(speed)) => self.speeds.push((channels, speed)),
            (None, None) => self.unknown += 1,
        }
    }
}

impl<'a> ParsedGraph<'a> {
    /// Returns the node with this name, and true if it is new.
    pub(super) fn node(&mut self, name: Cow<'a, str>) -> (NodeId, bool) {
        match self.index.entry(name) {
            Entry::Occupied(entry) => (*entry.get(), false),
            Entry::Vacant(entry) => {
                let node = *entry.insert(NodeId::from_index(self.nodes.len()));
                self.nodes.push(NodeAttributes::default());
                (node, true)
            }
        }
    }

    /// Returns the number of nodes so far.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node with a new name.
    pub(super) fn declare(&mut self, name: Cow<'a, str>, attributes: NodeAttributes) -> Result<(), FileFault> {
        let quoted = excerpt(&name);
        let (node, new) = self.node(name);
        if !new {
            return Err(FileFault::DuplicateNode { name: quoted });
        }
        self.set_attributes(node, attributes)
    }

    /// Returns the existing node with this name.
    pub(super) fn find(&self, name: &str) -> Result<NodeId, FileFault> {
        self.index.get(name).copied().ok_or_else(|| FileFault::UnknownNode { name: excerpt(name) })
    }

    /// Sets attributes of a node. Later values override earlier ones.
    pub(super) fn set_attributes(&mut self, node: NodeId, attributes: NodeAttributes) -> Result<(), FileFault> {
        let merged = self.nodes[node.index()].overridden_by(attributes);
        if merged.terminal.is_some() && merged.terminal == merged.switch {
            return Err(FileFault::Role { name: self.quoted(node) });
        }
        self.nodes[node.index()] = merged;
        Ok(())
    }

    /// Returns the label of the resource with this name.
    pub(super) fn resource(&mut self, name: Cow<'a, str>) -> Label {
        *self.labels.entry(name).or_insert_with(|| {
            self.labelled.push(Vec::new());
            Label(self.labelled.len() - 1)
        })
    }

    /// Returns the label of the host with this name.
    pub(super) fn host(&mut self, name: Cow<'a, str>) -> Label {
        let next = Label(self.hosts.len());
        *self.hosts.entry(name).or_insert(next)
    }

    /// Sets an attribute of a node.
    pub(super) fn set_node_attribute(
        &mut self,
        attributes: &mut NodeAttributes,
        key: &str,
        value: Cow<'a, str>,
    ) -> Result<(), FileFault> {
        if key == "host" {
            attributes.host = Some(self.host(value));
        } else if !attributes.set(key, &value)? {
            self.ignore("node", key);
        }
        Ok(())
    }

    /// Sets an attribute of an edge.
    pub(super) fn set_edge_attribute(
        &mut self,
        attributes: &mut EdgeAttributes,
        key: &str,
        value: Cow<'a, str>,
    ) -> Result<(), FileFault> {
        if key == "resource" {
            attributes.resource = Some(self.resource(value));
        } else if !attributes.set(key, &value)? {
            self.ignore("edge", key);
        }
        Ok(())
    }

    /// Sets an attribute of the network. Returns false if it is not understood.
    pub(super) fn set_graph_attribute(&mut self, key: &str, value: &str) -> Result<bool, FileFault> {
        if key == "unit" {
            self.rates.set_unit(quantity("unit", Quantity::Bandwidth, value)?);
        }
        Ok(key == "unit")
    }

    /// Remembers an attribute that is not understood.
    pub(super) fn ignore(&mut self, of: &str, key: &str) {
        let names = if of == "edge" && may_be_rate(key) { &mut self.possible_rates } else { &mut self.ignored };
        names.insert(format!("{of} {key}"));
    }

    /// Remembers what the reader takes for granted.
    pub(super) fn assume(&mut self, text: impl Into<String>) {
        self.note(ReadNote::Assumed { text: text.into() });
    }

    /// Remembers what the reader leaves out, and why.
    pub(super) fn leave_out(&mut self, text: impl Into<String>) {
        self.note(ReadNote::LeftOut { text: text.into() });
    }

    fn note(&mut self, note: ReadNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds the channels of an edge, in `direction` if its attributes say nothing else. All channels of one `resource`
    /// share it. An edge from a node to itself is left out.
    pub(super) fn add_edge(&mut self, u: NodeId, v: NodeId, direction: EdgeDirection, attributes: EdgeAttributes) {
        if u == v {
            self.loops = Some(self.loops.map_or((1, u), |(count, first)| (count + 1, first)));
            return;
        }
        let first = self.ends.len();
        match attributes.direction.unwrap_or(direction) {
            EdgeDirection::Forward => self.ends.push([u, v]),
            EdgeDirection::Backward => self.ends.push([v, u]),
            EdgeDirection::Both => self.ends.extend([[u, v], [v, u]]),
        }
        let channels = (first..self.ends.len()).map(ChannelId::from_index);
        if let Some(Label(label)) = attributes.resource {
            self.labelled[label].extend(channels.clone());
        }
        if let Some(capacity) = attributes.capacity {
            self.rates.set_capacity(channels.clone(), capacity);
        }
        if let Some(bandwidth) = attributes.bandwidth {
            self.rates.set_bandwidth(channels.clone(), bandwidth);
        }
        self.speeds.add(first..self.ends.len(), &attributes);
        if let Some(latency_ps) = attributes.latency_ps {
            self.rates.set_latency(channels, latency_ps);
        }
    }

    /// Remembers that a list of links has each of them in both directions, which makes two parallel links.
    pub(super) fn note_links_in_both_directions(&mut self) {
        let (pairs, rest) = self.ends.as_chunks::<2>();
        let are_links = rest.is_empty() && pairs.iter().all(|[there, back]| back == &[there[1], there[0]]);
        if are_links && are_symmetric(pairs.iter().map(|[there, _]| *there)) {
            self.assume("a line is a link, so a link that is listed in both directions is two links; if it is one, delete a line");
        }
    }

    /// Returns the name of a node for an error in `O(N)` time.
    pub(super) fn quoted(&self, node: NodeId) -> String {
        let name = self.index.iter().find(|&(_, &other)| other == node).map(|(name, _)| excerpt(name));
        name.unwrap_or_default()
    }

    /// Builds the network.
    pub(super) fn finish(mut self, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
        self.note_loops();
        self.use_speeds();
        let place = self.numbers_in_names();
        let place = |node: NodeId| place.as_ref().map_or(node, |place| place[node.index()]);
        let mut nodes = vec![("", NodeAttributes::default()); self.nodes.len()];
        for (name, &node) in &self.index {
            nodes[place(node).index()] = (name, self.nodes[node.index()]);
        }
        let mut hosts = vec![""; self.hosts.len()];
        for (name, &Label(label)) in &self.hosts {
            hosts[label] = name;
        }
        let mut builder = TopologyBuilder::sized(name, nodes.len() as u64, self.ends.len() as u64)?;
        for (name, attributes) in &nodes {
            let node = builder.node(name, attributes.is_terminal(), attributes.routes);
            if attributes.failed == Some(true) {
                builder.fail_node(node);
            }
            if let Some(Label(host)) = attributes.host {
                builder.set_host(node, hosts[host]);
            }
        }
        for &[tail, head] in &self.ends {
            builder.channel(place(tail), place(head));
        }
        for channels in self.labelled {
            builder.share(channels);
        }
        if let Some(positions) = nodes.iter().map(|(_, attributes)| attributes.position()).collect::<Option<Vec<_>>>() {
            builder.positions(positions);
        }
        builder.set_rates(self.rates);
        let names = [ReadNote::possible_rates(&self.possible_rates), ReadNote::ignored_attributes(&self.ignored)];
        GraphFile::build(builder, options, self.notes.into_iter().chain(names.into_iter().flatten()))
    }

    fn note_loops(&mut self) {
        if let Some((count, first)) = self.loops {
            let edges = if count == 1 { "an edge".to_owned() } else { format!("{count} edges") };
            self.leave_out(format!("{edges} from a node to itself, such as '{}'", self.quoted(first)));
        }
    }

    /// Makes speeds bandwidths if every edge has one.
    fn use_speeds(&mut self) {
        let Speeds { speeds, unknown } = std::mem::take(&mut self.speeds);
        if speeds.is_empty() {
            return;
        }
        if unknown > 0 {
            let (known, all) = (speeds.len(), speeds.len() + unknown);
            let reason = "because the other edges have none; give every edge one";
            self.leave_out(format!("the bandwidths '{LINK_SPEED}' of {known} of {all} edges, {reason}"));
            return;
        }
        // The zoo writes every speed twice, with its unit and without.
        self.possible_rates.retain(|name| !name.starts_with("edge LinkSpeed"));
        for (channels, speed) in speeds {
            self.rates.set_bandwidth(channels.map(ChannelId::from_index), speed);
        }
    }

    /// Returns the number in the name of each node if the names are exactly `0`, `1`, … `N-1`.
    fn numbers_in_names(&self) -> Option<Vec<NodeId>> {
        let mut place = vec![NodeId::new(0); self.nodes.len()];
        for (name, node) in &self.index {
            place[node.index()] = NodeId::new(number_in(name).filter(|&n| (n as usize) < self.nodes.len())?);
        }
        Some(place)
    }
}

/// Parses a name as a number without sign and leading zeros.
pub(super) fn number_in(name: &str) -> Option<u32> {
    let is_canonical = name == "0" || (name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0'));
    if is_canonical { name.parse().ok() } else { None }
}
