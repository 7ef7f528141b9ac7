//! A network as a file names it: what all formats but our own collect while they read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::format::error::{FileFault, ReadError};
use crate::text::excerpt;
use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

/// What a file says about one node, or about all nodes from here on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeAttributes {
    pub(super) terminal: Option<bool>,
    pub(super) switch: Option<bool>,
    pub(super) routes: Option<bool>,
    pub(super) failed: Option<bool>,
    /// To the right.
    pub(super) x: Option<f64>,
    /// Upwards, as Graphviz and networkx draw.
    pub(super) y: Option<f64>,
}

impl NodeAttributes {
    /// Takes an attribute if it is one of ours.
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

    /// The same with everything that `other` says instead.
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

    /// The point to draw it at, y downwards.
    fn position(self) -> Option<[f64; 2]> {
        let (x, y) = (self.x?, self.y?);
        (x.is_finite() && y.is_finite()).then_some([x, upside_down(y)])
    }
}

/// Upwards to downwards and back; never `-0`.
pub(super) fn upside_down(y: f64) -> f64 {
    0.0 - y
}

/// Which channels an edge stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Forward,
    Backward,
    Both,
}

/// The name of a resource, as a number: many edges may have one long name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(usize);

/// Nodes and edges so far.
#[derive(Debug, Default)]
pub(super) struct Draft<'a> {
    index: BTreeMap<Cow<'a, str>, NodeId>,
    nodes: Vec<NodeAttributes>,
    ends: Vec<[NodeId; 2]>,
    labels: BTreeMap<Cow<'a, str>, Label>,
    /// The channels of each label.
    labelled: Vec<Vec<ChannelId>>,
}

impl<'a> Draft<'a> {
    /// The node of this name, and whether it is new.
    pub(super) fn mention(&mut self, name: Cow<'a, str>) -> (NodeId, bool) {
        match self.index.entry(name) {
            Entry::Occupied(entry) => (*entry.get(), false),
            Entry::Vacant(entry) => {
                let node = *entry.insert(NodeId::from_index(self.nodes.len()));
                self.nodes.push(NodeAttributes::default());
                (node, true)
            }
        }
    }

    /// A node of a name that is not there yet.
    pub(super) fn declare(&mut self, name: Cow<'a, str>, attributes: NodeAttributes) -> Result<(), FileFault> {
        let quoted = excerpt(&name);
        let (node, new) = self.mention(name);
        if !new {
            return Err(FileFault::DuplicateNode { name: quoted });
        }
        self.describe(node, attributes)
    }

    /// The node of this name, which must be there.
    pub(super) fn find(&self, name: &str) -> Result<NodeId, FileFault> {
        self.index.get(name).copied().ok_or_else(|| FileFault::UnknownNode { name: excerpt(name) })
    }

    /// Adds to what is known about a node; what is said last counts.
    pub(super) fn describe(&mut self, node: NodeId, attributes: NodeAttributes) -> Result<(), FileFault> {
        let merged = self.nodes[node.index()].overridden_by(attributes);
        if merged.terminal.is_some() && merged.terminal == merged.switch {
            return Err(FileFault::Role { name: self.quoted(node) });
        }
        self.nodes[node.index()] = merged;
        Ok(())
    }

    /// The resource of this name.
    pub(super) fn resource(&mut self, name: Cow<'a, str>) -> Label {
        *self.labels.entry(name).or_insert_with(|| {
            self.labelled.push(Vec::new());
            Label(self.labelled.len() - 1)
        })
    }

    /// Adds the channels of an edge; those of one `resource` occupy it together.
    pub(super) fn join(
        &mut self,
        u: NodeId,
        v: NodeId,
        direction: Direction,
        resource: Option<Label>,
    ) -> Result<(), FileFault> {
        if u == v {
            return Err(FileFault::SelfLoop { name: self.quoted(u) });
        }
        let first = self.ends.len();
        match direction {
            Direction::Forward => self.ends.push([u, v]),
            Direction::Backward => self.ends.push([v, u]),
            Direction::Both => self.ends.extend([[u, v], [v, u]]),
        }
        if let Some(Label(label)) = resource {
            self.labelled[label].extend((first..self.ends.len()).map(ChannelId::from_index));
        }
        Ok(())
    }

    /// The name of a node for an error. Takes time in proportion to the number of nodes.
    pub(super) fn quoted(&self, node: NodeId) -> String {
        let name = self.index.iter().find(|&(_, &other)| other == node).map(|(name, _)| excerpt(name));
        name.unwrap_or_default()
    }

    /// The network.
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

    /// The number that each node's name says, if the names are exactly `0`, `1`, … `N-1`.
    fn numbers_in_names(&self) -> Option<Vec<NodeId>> {
        let mut place = vec![NodeId::new(0); self.nodes.len()];
        for (name, node) in &self.index {
            place[node.index()] = NodeId::new(number_in(name).filter(|&n| (n as usize) < self.nodes.len())?);
        }
        Some(place)
    }
}

/// The number that a name writes in the one usual way, without signs and leading zeros.
pub(super) fn number_in(name: &str) -> Option<u32> {
    let usual = name == "0" || (name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0'));
    if usual { name.parse().ok() } else { None }
}

/// A truth value, as XML, Python and Graphviz write it.
pub(super) fn boolean(attribute: &'static str, value: &str) -> Result<bool, FileFault> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(FileFault::Value { attribute, found: excerpt(value), expected: "true or false" }),
    }
}
