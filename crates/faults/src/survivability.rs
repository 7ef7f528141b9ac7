//! Connectivity of the terminals after faults.

use std::cmp::Reverse;

use lockstep_schedule::Transport;
use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::list::shortened_list;
use crate::multi_source_bfs::{MAX_SOURCES, MultiSourceBfs, SearchDirection, mask};

/// The connectivity of a network: all terminals have legal paths to all others, or some are cut off.
///
/// ```
/// use lockstep_faults::{FaultSet, Survivability};
/// use lockstep_schedule::Transport;
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let broken = FaultSet::new().node("01").link("00", "10").apply_to(&mesh)?;
/// let survivability = Survivability::of(&broken, Transport::Direct);
/// assert_eq!(survivability.describe(&broken), "terminal 00 is cut off: there is no path from 00 to 02");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Survivability {
    /// Each terminal has a path to each other one.
    Connected,
    /// Fewer than two terminals remain.
    TooFewTerminals {
        /// Number of remaining terminals: 0 or 1.
        terminals: usize,
    },
    /// Some terminal has no path to another one.
    CutOff(CutOff),
}

/// The terminals that are cut off.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CutOff {
    /// The terminals that are cut off, ascending. All other terminals are connected with each other. If messages can
    /// cross all terminals, these others are a largest connected group.
    pub terminals: Vec<NodeId>,
    /// The first [pair](disconnected_pairs) of terminals without a path from the first to the second.
    pub witness: [NodeId; 2],
    /// Number of such ordered pairs.
    pub pairs: u64,
}

impl Survivability {
    /// Determines the survivability of a network.
    ///
    /// Takes two to four breadth-first searches if one of two nodes reaches all terminals and is reached from all, and
    /// the network has no [buses](Topology::has_buses). Otherwise it takes one search per 64 terminals. If terminals are cut off, it takes two more per 64 terminals,
    /// and two for each other terminal that messages cannot cross. Memory: about 60 bytes per node.
    pub fn of(topology: &Topology, transport: Transport) -> Self {
        let terminals = topology.terminal_count();
        if terminals < 2 {
            return Self::TooFewTerminals { terminals };
        }
        let mut search = BidirectionalSearch::new(topology, transport);
        if search.has_hub() {
            return Self::Connected;
        }
        let Some(witness) = disconnected_pairs(topology, transport).next() else { return Self::Connected };
        let (partners, pairs) = search.partners();
        Self::CutOff(CutOff { terminals: search.cut_off(&partners), witness, pairs })
    }

    /// Returns true if there are two or more terminals and all of them are connected.
    pub fn is_connected(&self) -> bool {
        matches!(self, Self::Connected)
    }

    /// Describes the result in one sentence: `terminals 3 and 7 are cut off: there is no path from 0 to 3`.
    ///
    /// # Panics
    ///
    /// If a cut-off terminal is not a node of `topology`.
    pub fn describe(&self, topology: &Topology) -> String {
        match self {
            Self::Connected => "every pair of terminals is connected".into(),
            Self::TooFewTerminals { terminals: 0 } => "no terminal is left".into(),
            Self::TooFewTerminals { .. } => "only one terminal is left".into(),
            Self::CutOff(CutOff { terminals, witness, .. }) => {
                let [from, to] = witness.map(|node| topology.node_name(node));
                let names = shortened_list(terminals.iter().map(|&node| topology.node_name(node)));
                let [noun, verb] = if terminals.len() == 1 { ["terminal", "is"] } else { ["terminals", "are"] };
                format!("{noun} {names} {verb} cut off: there is no path from {from} to {to}")
            }
        }
    }
}

/// Searches from and to terminals.
struct BidirectionalSearch<'a> {
    topology: &'a Topology,
    transport: Transport,
    from: MultiSourceBfs<'a>,
    to: MultiSourceBfs<'a>,
}

impl<'a> BidirectionalSearch<'a> {
    fn new(topology: &'a Topology, transport: Transport) -> Self {
        let [from, to] = [SearchDirection::Forward, SearchDirection::Backward]
            .map(|direction| MultiSourceBfs::new(topology, transport, direction));
        Self { topology, transport, from, to }
    }

    fn run(&mut self, sources: &[NodeId]) {
        self.from.run(sources);
        self.to.run(sources);
    }

    /// Returns the sources that reach a node and are reached from it.
    fn mutually_reachable(&self, node: NodeId) -> u64 {
        self.from.reached_from(node) & self.to.reached_from(node)
    }

    /// Returns true if messages can cross the first terminal or its first neighbour, and that node reaches all
    /// terminals and is reached from all. Then all terminals are connected. False proves nothing.
    fn has_hub(&mut self) -> bool {
        let Self { topology, transport, .. } = *self;
        if topology.has_buses() {
            return false;
        }
        let first = topology.terminals()[0];
        let neighbour = topology.out_channels(first).first().map(|&channel| topology.head(channel));
        [Some(first), neighbour].into_iter().flatten().any(|hub| {
            transport.touches(topology, hub) && transport.crosses(topology, hub) && {
                self.run(&[hub]);
                topology.terminals().iter().all(|&terminal| self.mutually_reachable(terminal) == 1)
            }
        })
    }

    /// Returns the number of mutually reachable terminals of each terminal, and the number of disconnected ordered
    /// pairs.
    fn partners(&mut self) -> (Vec<u32>, u64) {
        let terminals = self.topology.terminals();
        let mut partners = Vec::with_capacity(terminals.len());
        let mut pairs = 0;
        for batch in terminals.chunks(MAX_SOURCES) {
            self.run(batch);
            let all = mask(batch.len());
            let mut missing = [0; MAX_SOURCES];
            for &terminal in terminals {
                pairs += u64::from((all & !self.from.reached_from(terminal)).count_ones());
                let mut bits = all & !self.mutually_reachable(terminal);
                while bits != 0 {
                    missing[bits.trailing_zeros() as usize] += 1;
                    bits &= bits - 1;
                }
            }
            partners.extend(missing[..batch.len()].iter().map(|missing| terminals.len() as u32 - 1 - missing));
        }
        (partners, pairs)
    }

    /// Returns the terminals outside a connected group. The group is built greedily, terminals with the most partners
    /// first.
    fn cut_off(&mut self, partners: &[u32]) -> Vec<NodeId> {
        let Self { topology, transport, .. } = *self;
        let terminals = topology.terminals();
        let mut order: Vec<usize> = (0..terminals.len()).collect();
        order.sort_by_key(|&rank| (Reverse(partners[rank]), rank));
        let mut is_inside = vec![true; terminals.len()];
        let mut is_settled = vec![false; terminals.len()];
        for rank in order {
            if !is_inside[rank] || is_settled[rank] {
                continue;
            }
            self.run(&[terminals[rank]]);
            let crosses = transport.crosses(topology, terminals[rank]);
            for (other, &terminal) in terminals.iter().enumerate() {
                let is_partner = self.mutually_reachable(terminal) == 1;
                is_inside[other] &= is_partner;
                // Two partners that messages can cross have the same partners.
                is_settled[other] |= crosses && is_partner && transport.crosses(topology, terminal);
            }
        }
        terminals.iter().zip(is_inside).filter(|(_, is_inside)| !is_inside).map(|(&terminal, _)| terminal).collect()
    }
}

/// Returns the ordered pairs of terminals without a legal path from the first to the second, by source, then by
/// receiver.
///
/// The iterator is lazy. It takes one breadth-first search per 64 sources.
///
/// ```
/// use lockstep_faults::{FaultSet, disconnected_pairs};
/// use lockstep_schedule::Transport;
/// use lockstep_topology::Topology;
///
/// // In an Omega network each pair has one path. A middle channel serves two sources and two receivers; here one terminal
/// // is both.
/// let omega: Topology = "omega:4".parse()?;
/// let ends = |channel| [omega.tail(channel), omega.head(channel)];
/// let middle = omega.channels().find(|&channel| !ends(channel).iter().any(|&node| omega.is_terminal(node)));
/// let broken = omega.with_failures([], middle);
/// assert_eq!(disconnected_pairs(&broken, Transport::Direct).count(), 2 * 2 - 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn disconnected_pairs(topology: &Topology, transport: Transport) -> impl Iterator<Item = [NodeId; 2]> {
    let mut search = MultiSourceBfs::new(topology, transport, SearchDirection::Forward);
    let terminals = topology.terminals();
    terminals.chunks(MAX_SOURCES).flat_map(move |batch| {
        search.run(batch);
        let all = mask(batch.len());
        let unreached: Vec<(NodeId, u64)> = terminals
            .iter()
            .map(|&terminal| (terminal, all & !search.reached_from(terminal)))
            .filter(|&(_, missing)| missing != 0)
            .collect();
        (0..).zip(batch).flat_map(move |(bit, &source)| {
            let is_unreached = |&&(_, missing): &&(NodeId, u64)| missing >> bit & 1 == 1;
            unreached.iter().filter(is_unreached).map(|&(terminal, _)| [source, terminal]).collect::<Vec<_>>()
        })
    })
}
