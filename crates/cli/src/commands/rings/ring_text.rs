//! Rings and trees of NCCL and RCCL in files, and their costs on a network.

use std::collections::BTreeSet;

use lockstep::files::{decode_text, one_line};
use lockstep::{NodeId, Topology};
use lockstep_rings::format::nccl_graph::{GraphId, NcclGraph};
use lockstep_rings::format::{self, Devices, Format, Order, Tree, environment, nccl_graph, nccl_log};
use lockstep_rings::{RingCost, RingError, RingKind, RingLoad, RingSet, joined_chains, route_orders, verify};
use lockstep_tune::algorithm::tree::{nccl_child_places, nccl_double_tree};

use crate::text::counted;

/// A text with rings, and its format.
pub(in crate::commands) struct RingText {
    pub(in crate::commands) format: Format,
    text: String,
}

impl RingText {
    /// Returns the text if the file has one of the formats.
    pub(in crate::commands) fn detect(bytes: &[u8]) -> Option<Self> {
        let text = decode_text(bytes.to_vec()).ok()?;
        Some(Self { format: format::detect(&text)?, text })
    }

    /// Returns the rings and trees of a communicator of a log, from 1 on. Other files have one.
    pub(in crate::commands) fn read(&self, communicator: usize) -> Result<Orders, format::FormatError> {
        let (orders, notes) = match self.format {
            Format::NcclGraph => {
                let (graphs, notes) = nccl_graph::read(&self.text)?;
                let channels = |id| graphs.graph(id).map_or_else(Vec::new, |graph| graph.channels.clone());
                let (rings, chains) = (channels(GraphId::Ring), channels(GraphId::Tree));
                let trees = chains.iter().map(Tree::of_chain).collect();
                let child_places = graphs.graph(GraphId::Tree).map_or([0; 2], NcclGraph::child_places);
                (Orders { child_places, ..Orders::new(rings, trees) }, notes)
            }
            Format::RcclEnvironment => {
                let (environment, notes) = environment::read(&self.text)?;
                (Orders::new(environment.rings, environment.trees), notes)
            }
            Format::NcclLog => {
                let (communicator, notes) = nccl_log::read(&self.text, communicator)?;
                let rings = communicator.rings.into_iter().map(Order::inside).collect();
                (Orders::new(rings, communicator.trees), notes)
            }
        };
        Ok(Orders { notes, ..orders })
    }
}

/// The rings and trees of a file, by the numbers of devices.
pub(in crate::commands) struct Orders {
    pub(in crate::commands) rings: Vec<Order>,
    pub(in crate::commands) trees: Vec<Tree>,
    /// The places in a chain to which the chains of the first and of the second child server attach.
    child_places: [usize; 2],
    pub(in crate::commands) notes: Vec<String>,
}

impl Orders {
    fn new(rings: Vec<Order>, trees: Vec<Tree>) -> Self {
        Self { rings, trees, child_places: [0; 2], notes: Vec::new() }
    }

    /// Joins the rings of a server to rings over several servers: the exit of a server sends to the entry of the next one. RCCL
    /// reverses the rings of variables on every second server. Returns the devices of all servers.
    pub(in crate::commands) fn join(&mut self, format: Format, servers: &[Devices]) -> Devices {
        let is_reversed = format == Format::RcclEnvironment;
        for ring in &mut self.rings {
            let gpus = std::mem::take(&mut ring.gpus);
            let mut first = 0;
            for (place, server) in servers.iter().enumerate() {
                let of_server = gpus.iter().map(|gpu| first + gpu);
                if is_reversed && place % 2 == 1 {
                    ring.gpus.extend(of_server.rev());
                } else {
                    ring.gpus.extend(of_server);
                }
                first += server.len() as u32;
            }
        }
        self.notes.push(format!(
            "the rings of a server are joined over {}, from the exit of each to the entry of the next one",
            counted(servers.len(), "server")
        ));
        if is_reversed {
            if !self.trees.is_empty() {
                self.notes.push("the trees of RCCL_TREES are those of one server; they are not compared".to_owned());
            }
            self.trees.clear();
        } else if !self.trees.is_empty() {
            self.trees = self.trees.iter().flat_map(|chain| self.over_servers(chain, servers)).collect();
            self.notes.push("the chains of the servers are joined in NCCL's double binary tree".to_owned());
        }
        Devices::from_order(servers.iter().flat_map(|server| server.nodes().iter().copied()).collect())
    }

    /// Joins a chain of each server in the two trees of servers.
    fn over_servers(&self, chain: &Tree, servers: &[Devices]) -> Vec<Tree> {
        let mut first = 0;
        let mut chains: Vec<Vec<u32>> = Vec::new();
        for server in servers {
            chains.push(chain.gpus().map(|gpu| first + gpu).collect());
            first += server.len() as u32;
        }
        let both = nccl_double_tree(servers.len()).into_iter().zip(nccl_child_places(servers.len()));
        let tree = |(parents, places): (Vec<Option<usize>>, Vec<usize>)| {
            let edges = joined_chains(&chains, &parents, |child| self.child_places[places[child]])?;
            Some(Tree { root: edges.first()?[0], edges })
        };
        both.filter_map(tree).collect()
    }

    /// Leaves out the rings that RCCL skips, because they have another number of devices.
    pub(in crate::commands) fn leave_out_other_sizes(&mut self, devices: usize) {
        let before = self.rings.len();
        if self.rings.iter().any(|ring| ring.gpus.len() == devices) {
            self.rings.retain(|ring| ring.gpus.len() == devices);
        }
        let skipped = before - self.rings.len();
        if skipped > 0 {
            self.notes.push(format!("RCCL skips {} of another number of devices", counted(skipped, "ring")));
        }
    }
}

/// The rings and trees of a file on a network.
pub(in crate::commands) struct OnNetwork<'a> {
    pub(in crate::commands) topology: &'a Topology,
    pub(in crate::commands) unit: Option<u64>,
    pub(in crate::commands) rings: Option<(RingSet, RingLoad)>,
    /// The cost of an all-reduce over the trees.
    pub(in crate::commands) trees: Option<RingCost>,
}

impl<'a> OnNetwork<'a> {
    /// Gives the hops their paths. The error says what is wrong with the file on this network.
    pub(in crate::commands) fn new(
        orders: &Orders,
        topology: &'a Topology,
        devices: &Devices,
        (relay, unit): (u32, Option<u64>),
    ) -> Result<Self, String> {
        let nodes = |what: &str, gpus: &mut dyn Iterator<Item = u32>| -> Result<Vec<NodeId>, String> {
            let gpus: Vec<u32> = gpus.collect();
            let known: BTreeSet<u32> = gpus.iter().copied().collect();
            let count = devices.len();
            let absent = (0..count as u32).find(|gpu| !known.contains(gpu));
            let other = known.range(count as u32..).next();
            match (other, absent) {
                (Some(gpu), _) => Err(format!(
                    "{what} has GPU {gpu}, but the network has {}, numbered from 0; the file is for another machine, or give --ranks",
                    counted(count, "GPU")
                )),
                (_, Some(gpu)) => Err(format!(
                    "{what} lacks GPU {gpu}: it has {} of {}; the file is for another machine, or give --ranks",
                    known.len(),
                    counted(count, "GPU")
                )),
                _ => Ok(gpus.into_iter().filter_map(|gpu| devices.node(gpu)).collect()),
            }
        };
        let rings = (0..).zip(&orders.rings);
        let rings: Vec<Vec<NodeId>> = rings
            .map(|(place, ring): (usize, _)| nodes(&format!("ring {place}"), &mut ring.gpus.iter().copied()))
            .collect::<Result<_, _>>()?;
        let mut trees = Vec::new();
        for (place, tree) in orders.trees.iter().enumerate() {
            nodes(&format!("tree {place}"), &mut tree.gpus())?;
            let edge = |&[parent, child]: &[u32; 2]| Some([devices.node(parent)?, devices.node(child)?]);
            trees.push(tree.edges.iter().filter_map(edge).collect());
        }
        let found = if rings.is_empty() {
            None
        } else {
            let set = route_orders(topology, RingKind::Ring, &rings, relay).map_err(|error| no_path("ring", &error))?;
            let load = verify(topology, &set).map_err(|error| error.to_string())?;
            Some((set, load))
        };
        let trees = if trees.is_empty() {
            None
        } else {
            let cost = format::tree_cost(topology, &trees, relay);
            Some(cost.map_err(|error| no_path("edge of the trees", &error))?)
        };
        Ok(Self { topology, unit, rings: found, trees })
    }
}

/// Returns the message of a hop without a path.
fn no_path(what: &str, error: &RingError) -> String {
    match error {
        RingError::NoPath { ring, from, to, relay } => {
            let [from, to] = [from, to].map(|name| one_line(name));
            let terminals = counted(*relay as usize, "terminal");
            format!(
                "{what} {ring}: no path leads from '{from}' to '{to}' with at most {terminals} inside; the file is for another machine, \
                 or allow more with --relay"
            )
        }
        error => error.to_string(),
    }
}
