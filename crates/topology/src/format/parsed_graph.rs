//! The graph that all readers except `json` collect while they read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::format::error::{FileFault, ReadError};
use crate::text::excerpt;
use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

/// The attributes of a node in a file, or the defaults for nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeAttributes {
    pub(super) terminal: Option<bool>,
    pub(super) switch: Option<bool>,
    pub(super) routes: Option<bool>,
    pub(super) failed: Option<bool>,
    /// Coordinate to the right.
    pub(super) x: Option<f64>,
    /// Coordinate upwards, as in Graphviz and networkx.
    pub(super) y: Option<f64>,
}

impl NodeAttributes {
    /// Sets an attribute. Unknown attributes are ignored.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), FileFault> {
        match key {
            "terminal" => self.terminal = Some(boolean("terminal", value)?),
            "switch" => self.switch = Some(boolean("switch", value)?),
            "routes" => self.routes = Some(boolean("routes", value)?),
            "failed" => self.failed = Some(boolean("failed", value)?),
            "x" => self.x = value.trim().parse().ok(),
            "y" => self.y = value.trim().parse().ok(),
            _ => {}
        }
        Ok(())
    }

    /// Returns these attributes, overridden by those that are set in `other`.
    fn overridden_by(self, other: Self) -> Self {
        Self {
            terminal: other.terminal.or(self.terminal),
            switch: other.switch.or(self.switch),
            routes: other.routes.or(self.routes),
            failed: other.failed.or(self.failed),
            x: other.x.or(self.x),
            y: other.y.or(self.y),
        }
    }

    fn is_terminal(self) -> bool {
        self.terminal.or(self.switch.map(|switch| !switch)).unwrap_or(true)
    }

    /// Returns the position, y downwards.
    fn position(self) -> Option<[f64; 2]> {
        let (x, y) = (self.x?, self.y?);
        (x.is_finite() && y.is_finite()).then_some([x, flip_y(y)])
    }
}

/// Negates a y coordinate without producing `-0`.
pub(super) fn flip_y(y: f64) -> f64 {
    0.0 - y
}

/// The channels that an edge represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EdgeDirection {
    Forward,
    Backward,
    Both,
}

/// A resource name, replaced by a number to save memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ResourceLabel(usize);

/// The nodes and edges of a file.
#[derive(Debug, Default)]
pub(super) struct ParsedGraph<'a> {
    index: BTreeMap<Cow<'a, str>, NodeId>,
    nodes: Vec<NodeAttributes>,
    ends: Vec<[NodeId; 2]>,
    labels: BTreeMap<Cow<'a, str>, ResourceLabel>,
    /// The channels of each resource label.
    labelled: Vec<Vec<ChannelId>>,
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
    pub(super) fn resource(&mut self, name: Cow<'a, str>) -> ResourceLabel {
        *self.labels.entry(name).or_insert_with(|| {
            self.labelled.push(Vec::new());
            ResourceLabel(self.labelled.len() - 1)
        })
    }

    /// Adds the channels of an edge. All channels of one `resource` share it.
    pub(super) fn add_edge(
        &mut self,
        u: NodeId,
        v: NodeId,
        direction: EdgeDirection,
        resource: Option<ResourceLabel>,
    ) -> Result<(), FileFault> {
        if u == v {
            return Err(FileFault::SelfLoop { name: self.quoted(u) });
        }
        let first = self.ends.len();
        match direction {
            EdgeDirection::Forward => self.ends.push([u, v]),
            EdgeDirection::Backward => self.ends.push([v, u]),
            EdgeDirection::Both => self.ends.extend([[u, v], [v, u]]),
        }
        if let Some(ResourceLabel(label)) = resource {
            self.labelled[label].extend((first..self.ends.len()).map(ChannelId::from_index));
        }
        Ok(())
    }

    /// Returns the name of a node for an error in `O(N)` time.
    pub(super) fn quoted(&self, node: NodeId) -> String {
        let name = self.index.iter().find(|&(_, &other)| other == node).map(|(name, _)| excerpt(name));
        name.unwrap_or_default()
    }

    /// Builds the network.
    pub(super) fn finish(self, name: &str) -> Result<Topology, ReadError> {
        let place = self.numbers_in_names();
        let place = |node: NodeId| place.as_ref().map_or(node, |place| place[node.index()]);
        let mut nodes = vec![("", NodeAttributes::default()); self.nodes.len()];
        for (name, &node) in &self.index {
            nodes[place(node).index()] = (name, self.nodes[node.index()]);
        }
        let mut builder = TopologyBuilder::sized(name, nodes.len() as u64, self.ends.len() as u64)?;
        for (name, attributes) in &nodes {
            let node = builder.node(name, attributes.is_terminal(), attributes.routes);
            if attributes.failed == Some(true) {
                builder.fail_node(node);
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
        Ok(builder.build()?)
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

/// Parses a Boolean value of XML, Python or Graphviz.
pub(super) fn boolean(attribute: &'static str, value: &str) -> Result<bool, FileFault> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(FileFault::Value { attribute, found: excerpt(value), expected: "true or false" }),
    }
}
