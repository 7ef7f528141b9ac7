//! `lockstep judge` for the rings and trees of NCCL and RCCL: graph files, variables and logs.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};
use lockstep::files::{decode_text, message_line, one_line, to_json_line};
use lockstep::{Budget, NodeId, Topology};
use lockstep_rings::format::nccl_graph::GraphId;
use lockstep_rings::format::{self, Devices, Format, Order, Tree, environment, nccl_graph, nccl_log};
use lockstep_rings::{MAX_RINGS, Rational, RingCount, RingError, RingKind, RingLoad, RingSet, route_orders, verify};
use serde::Serialize;

use super::rings::{Figures, Found, RingRecord, search_within};
use crate::args::{JudgeArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::{input, output, problem_input};

/// The least number of rings up to which our own set is searched.
const OUR_RINGS: u32 = 16;

/// A text with rings, and its format.
pub(super) struct RingText {
    format: Format,
    text: String,
}

impl RingText {
    /// Returns the text if the file has one of the formats.
    pub(super) fn detect(bytes: &[u8]) -> Option<Self> {
        let text = decode_text(bytes.to_vec()).ok()?;
        Some(Self { format: format::detect(&text)?, text })
    }

    fn read(&self, communicator: usize) -> Result<Orders, format::FormatError> {
        let (orders, notes) = match self.format {
            Format::NcclGraph => {
                let (graphs, notes) = nccl_graph::read(&self.text)?;
                let channels = |id| graphs.graph(id).map_or_else(Vec::new, |graph| graph.channels.clone());
                let (rings, chains) = (channels(GraphId::Ring), channels(GraphId::Tree));
                (Orders { rings, trees: chains.iter().map(Tree::of_chain).collect(), notes: Vec::new() }, notes)
            }
            Format::RcclEnvironment => {
                let (environment, notes) = environment::read(&self.text)?;
                (Orders { rings: environment.rings, trees: environment.trees, notes: Vec::new() }, notes)
            }
            Format::NcclLog => {
                let (communicator, notes) = nccl_log::read(&self.text, communicator)?;
                let rings = communicator.rings.into_iter().map(Order::inside).collect();
                (Orders { rings, trees: communicator.trees, notes: Vec::new() }, notes)
            }
        };
        Ok(Orders { notes, ..orders })
    }
}

/// The rings and trees of a file, by the numbers of devices.
struct Orders {
    rings: Vec<Order>,
    trees: Vec<Tree>,
    notes: Vec<String>,
}

pub(super) fn run(
    args: &JudgeArgs,
    file: &RingText,
    network: Option<Topology>,
    budget: &Budget,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    ensure!(args.size.is_none(), "--size: rings have the table of times of lockstep rings; remove the option");
    let mut orders = file.read(args.communicator).with_context(|| input::name(&args.program.file))?;
    let Some(topology) = network else {
        return print(args, file.format, &orders, None, verbosity);
    };
    let terminals = match &args.ranks {
        Some(list) => problem_input::node_list(&topology, "--ranks", list)?,
        None => topology.terminals().to_vec(),
    };
    let devices = match args.ranks {
        Some(_) => Devices::from_order(terminals.clone()),
        None => match servers(&topology, &terminals, &orders) {
            Some(servers) => orders.join(file.format, &servers),
            None => Devices::new(&topology, &terminals),
        },
    };
    if file.format == Format::RcclEnvironment {
        orders.leave_out_other_sizes(devices.len());
    }
    let of_network = OnNetwork::new(args, &topology, &devices, &orders);
    let judged = match of_network {
        Ok(judged) => judged,
        Err(violation) => return wrong(args, file.format, &violation),
    };
    let progress = Progress::new(verbosity, budget);
    let unfinished = cancel_on_signal(budget, "the search", &progress)?;
    let most = OUR_RINGS.max(orders.rings.len() as u32).min(MAX_RINGS as u32);
    let search = |count| {
        let (kind, options) = ((RingKind::Ring, count), (args.relay, args.program.seed));
        search_within(&topology, &terminals, kind, options, budget)
    };
    let mut found = vec![search(RingCount::AtMost(most))?];
    let same = orders.rings.len() as u32;
    if same > 0 && found[0].answer.set.as_ref().is_some_and(|(set, _)| set.len() as u32 != same) {
        found.push(search(RingCount::Exactly(same))?);
    }
    drop(unfinished);
    drop(progress);
    print(args, file.format, &orders, Some((&judged, &found, budget)), verbosity)
}

/// Returns the devices of each server, if the rings of a file pass over network cards and the network has several servers with the GPUs
/// of the file.
fn servers(topology: &Topology, terminals: &[NodeId], orders: &Orders) -> Option<Vec<Devices>> {
    let gpus = orders.rings.iter().find(|ring| ring.nics.is_some())?.gpus.len();
    let mut of_hosts: Vec<(&str, Vec<NodeId>)> = Vec::new();
    for &node in terminals {
        let host = topology.host(node)?;
        match of_hosts.iter_mut().find(|(known, _)| *known == host) {
            Some((_, nodes)) => nodes.push(node),
            None => of_hosts.push((host, vec![node])),
        }
    }
    let is_whole = of_hosts.len() > 1 && of_hosts.iter().all(|(_, nodes)| nodes.len() == gpus);
    is_whole.then(|| of_hosts.iter().map(|(_, nodes)| Devices::new(topology, nodes)).collect())
}

impl Orders {
    /// Joins the rings of a server to rings over several servers: the exit of a server sends to the entry of the next one. RCCL
    /// reverses the rings of variables on every second server. Returns the devices of all servers.
    fn join(&mut self, format: Format, servers: &[Devices]) -> Devices {
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
        if !self.trees.is_empty() {
            self.notes.push("trees over several servers are not compared".to_owned());
            self.trees.clear();
        }
        Devices::from_order(servers.iter().flat_map(|server| server.nodes().iter().copied()).collect())
    }

    /// Leaves out the rings that RCCL skips, because they have another number of devices.
    fn leave_out_other_sizes(&mut self, devices: usize) {
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
struct OnNetwork<'a> {
    topology: &'a Topology,
    unit: Option<u64>,
    rings: Option<(RingSet, RingLoad)>,
    /// The bus bandwidth of an all-reduce over the trees.
    trees: Option<Rational>,
}

impl<'a> OnNetwork<'a> {
    /// Gives the hops their paths. The error says what is wrong with the file on this network.
    fn new(args: &JudgeArgs, topology: &'a Topology, devices: &Devices, orders: &Orders) -> Result<Self, String> {
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
            let set =
                route_orders(topology, RingKind::Ring, &rings, args.relay).map_err(|error| no_path("ring", &error))?;
            let load = verify(topology, &set).map_err(|error| error.to_string())?;
            Some((set, load))
        };
        let trees = if trees.is_empty() {
            None
        } else {
            let bandwidth = format::tree_bus_bandwidth(topology, &trees, args.relay);
            Some(bandwidth.map_err(|error| no_path("edge of the trees", &error))?)
        };
        let unit = args.changes.unit().or(topology.unit_bytes_per_second());
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

/// Reports a file that does not fit the network.
fn wrong(args: &JudgeArgs, format: Format, violation: &str) -> anyhow::Result<ExitStatus> {
    let text = if args.json {
        to_json_line(&RingJudgement { violation: Some(violation.to_owned()), ..RingJudgement::of(format, false) })
    } else {
        format!("wrong: {format}: {}\n", message_line(violation))
    };
    output::print(&text)?;
    Ok(ExitStatus::Negative)
}

fn print(
    args: &JudgeArgs,
    format: Format,
    orders: &Orders,
    judged: Option<(&OnNetwork<'_>, &[Found], &Budget)>,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let mut judgement = RingJudgement::of(format, true);
    (judgement.rings, judgement.trees) = (orders.rings.len(), orders.trees.len());
    let mut sheet = Sheet::default();
    let trees =
        if orders.trees.is_empty() { String::new() } else { format!(", {}", counted(orders.trees.len(), "tree")) };
    sheet.line("file", format!("{format}: {}{trees}", counted(orders.rings.len(), "ring")));
    if let Some((OnNetwork { topology, unit, rings, trees }, found, budget)) = judged {
        sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
        let ours: Vec<Figures<'_>> =
            found.iter().map(|found| Figures::of_search(topology, found, *unit, budget)).collect();
        let best = &ours[0];
        if let Some((set, load)) = rings {
            let figures =
                Figures { limit: best.limit, optimum: best.optimum, ..Figures::of_set(topology, (set, load), *unit) };
            figures.describe(&mut sheet);
            let gap =
                100.0 * (best.limit.map_or(0.0, |(limit, _)| limit.to_f64()) / load.bus_bandwidth().to_f64() - 1.0);
            let gap = if gap > 0.0 {
                format!("{gap:.1} % to the bound")
            } else {
                "0: no rings have more bandwidth".to_owned()
            };
            sheet.line("gap", gap);
            judgement.figures = Some(RingRecord::new(&figures));
        }
        if let Some(bandwidth) = trees {
            sheet.line("trees", format!("{} in an all-reduce", best.bandwidth(*bandwidth)));
            judgement.tree_bandwidth = Some(bandwidth.to_string());
        }
        for (place, figures) in ours.iter().enumerate() {
            sheet.line(if place == 0 { "our rings" } else { "" }, figures.summary());
        }
        judgement.best = Some(RingRecord::new(best));
        judgement.best_of_number = ours.get(1).map(RingRecord::new);
    } else {
        for (place, ring) in orders.rings.iter().enumerate() {
            let numbers: Vec<String> = ring.gpus.iter().map(u32::to_string).collect();
            sheet.line(if place == 0 { "orders" } else { "" }, numbers.join(" "));
        }
        let of = if orders.rings.iter().any(|ring| ring.nics.is_some()) { "all servers" } else { "the server" };
        sheet.line("bandwidth", format!("not known: give the network of {of} with --network"));
    }
    judgement.notes.clone_from(&orders.notes);
    output::print(&if args.json { to_json_line(&judgement) } else { sheet.to_text() })?;
    if !args.json {
        for note in &orders.notes {
            output::note(verbosity, note);
        }
    }
    Ok(ExitStatus::Success)
}

/// The result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RingJudgement {
    right: bool,
    /// `nccl-graph`, `rccl-environment` or `nccl-log`.
    format: &'static str,
    /// What is wrong with the file on the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    /// The number of rings, without copies.
    rings: usize,
    /// The number of trees or chains.
    trees: usize,
    /// What the library does with the file.
    notes: Vec<String>,
    /// The figures of the rings on the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    figures: Option<RingRecord>,
    /// The bus bandwidth of an all-reduce over the trees, in units of the capacities.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree_bandwidth: Option<String>,
    /// Our own rings.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<RingRecord>,
    /// Our own rings in the number of the file, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_of_number: Option<RingRecord>,
}

impl RingJudgement {
    fn of(format: Format, right: bool) -> Self {
        let format = format.name();
        Self {
            right,
            format,
            violation: None,
            rings: 0,
            trees: 0,
            notes: Vec::new(),
            figures: None,
            tree_bandwidth: None,
            best: None,
            best_of_number: None,
        }
    }
}
