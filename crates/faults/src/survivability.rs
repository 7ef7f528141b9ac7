//! Whether all terminals can still talk to each other.

use std::cmp::Reverse;

use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::Transport;
use crate::list::beginning;
use crate::multi_source_bfs::{Direction, WIDTH, Waves, mask};

/// Whether every terminal that is left still has a legal path to every other one.
///
/// ```
/// use lockstep_faults::{FaultSet, Survivability, Transport};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let broken = FaultSet::new().node("01").link("00", "10").apply_to(&mesh)?;
/// let answer = Survivability::of(&broken, Transport::Direct);
/// assert_eq!(answer.words(&broken), "terminal 00 is cut off: there is no path from 00 to 02");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Survivability {
    /// Every pair is connected.
    Connected,
    /// Nobody is left to talk to.
    TooFewTerminals {
        /// Number of terminals left: 0 or 1.
        terminals: usize,
    },
    /// Some pair is not connected.
    CutOff(CutOff),
}

/// What is not connected any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CutOff {
    /// The terminals that are cut off, ascending: without them, all others are connected with each other. Where messages
    /// may cross all terminals, these others are a largest group of terminals of which each reaches each.
    pub terminals: Vec<NodeId>,
    /// Two terminals, of which the first has no path to the second one: the first such [pair](disconnected_pairs).
    pub witness: [NodeId; 2],
    /// Number of such pairs, in order.
    pub pairs: u64,
}

impl Survivability {
    /// The answer for a network.
    ///
    /// Takes two searches where a node that connects all others is found at once, else one for every 64 terminals; if some
    /// are cut off, two more for every 64, and two for every other terminal that messages may not cross. Memory: about 60
    /// bytes a node.
    pub fn of(topology: &Topology, transport: Transport) -> Self {
        let terminals = topology.terminal_count();
        if terminals < 2 {
            return Self::TooFewTerminals { terminals };
        }
        let mut searches = Searches::new(topology, transport);
        if searches.have_hub() {
            return Self::Connected;
        }
        let Some(witness) = disconnected_pairs(topology, transport).next() else { return Self::Connected };
        let (partners, pairs) = searches.partners();
        Self::CutOff(CutOff { terminals: searches.cut_off(&partners), witness, pairs })
    }

    /// Whether every pair of two and more terminals is connected.
    pub fn is_connected(&self) -> bool {
        matches!(self, Self::Connected)
    }

    /// The answer in one sentence, by the names of nodes: `terminals 3 and 7 are cut off: there is no path from 0 to 3`.
    ///
    /// # Panics
    ///
    /// If it is the answer for a network of more nodes.
    pub fn words(&self, topology: &Topology) -> String {
        match self {
            Self::Connected => "every pair of terminals is connected".into(),
            Self::TooFewTerminals { terminals: 0 } => "no terminal is left".into(),
            Self::TooFewTerminals { .. } => "only one terminal is left".into(),
            Self::CutOff(CutOff { terminals, witness, .. }) => {
                let [from, to] = witness.map(|node| topology.node_name(node));
                let names = beginning(terminals.iter().map(|&node| topology.node_name(node)));
                let [noun, verb] = if terminals.len() == 1 { ["terminal", "is"] } else { ["terminals", "are"] };
                format!("{noun} {names} {verb} cut off: there is no path from {from} to {to}")
            }
        }
    }
}

/// Searches from and to terminals.
struct Searches<'a> {
    topology: &'a Topology,
    transport: Transport,
    from: Waves<'a>,
    to: Waves<'a>,
}

impl<'a> Searches<'a> {
    fn new(topology: &'a Topology, transport: Transport) -> Self {
        let [from, to] =
            [Direction::Forwards, Direction::Backwards].map(|direction| Waves::new(topology, transport, direction));
        Self { topology, transport, from, to }
    }

    fn run(&mut self, sources: &[NodeId]) {
        self.from.run(sources);
        self.to.run(sources);
    }

    /// The sources that both reach a node and are reached from it.
    fn exchange(&self, node: NodeId) -> u64 {
        self.from.seen(node) & self.to.seen(node)
    }

    /// Whether the first terminal, or the node beside it, may be crossed, reaches all terminals and is reached from all.
    /// `false` proves nothing.
    fn have_hub(&mut self) -> bool {
        let Self { topology, transport, .. } = *self;
        let first = topology.terminals()[0];
        let beside = topology.out_channels(first).first().map(|&channel| topology.head(channel));
        [Some(first), beside].into_iter().flatten().any(|hub| {
            transport.touches(topology, hub) && transport.crosses(topology, hub) && {
                self.run(&[hub]);
                topology.terminals().iter().all(|&terminal| self.exchange(terminal) == 1)
            }
        })
    }

    /// With how many others each terminal exchanges messages, and how many pairs are not connected.
    fn partners(&mut self) -> (Vec<u32>, u64) {
        let terminals = self.topology.terminals();
        let mut partners = Vec::with_capacity(terminals.len());
        let mut pairs = 0;
        for batch in terminals.chunks(WIDTH) {
            self.run(batch);
            let all = mask(batch.len());
            let mut missing = [0; WIDTH];
            for &terminal in terminals {
                pairs += u64::from((all & !self.from.seen(terminal)).count_ones());
                let mut bits = all & !self.exchange(terminal);
                while bits != 0 {
                    missing[bits.trailing_zeros() as usize] += 1;
                    bits &= bits - 1;
                }
            }
            partners.extend(missing[..batch.len()].iter().map(|missing| terminals.len() as u32 - 1 - missing));
        }
        (partners, pairs)
    }

    /// The terminals outside a group of which each reaches each: it takes in one terminal after the other, those with the
    /// most partners first.
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
                let is_partner = self.exchange(terminal) == 1;
                is_inside[other] &= is_partner;
                // Terminals that messages cross have the same partners, if they are partners.
                is_settled[other] |= crosses && is_partner && transport.crosses(topology, terminal);
            }
        }
        terminals.iter().zip(is_inside).filter(|(_, is_inside)| !is_inside).map(|(&terminal, _)| terminal).collect()
    }
}

/// All ordered pairs of different terminals without a legal path from the first to the second one, by source and then by
/// receiver. Takes one search for every 64 sources, as far as the pairs are asked for.
///
/// ```
/// use lockstep_faults::{FaultSet, Transport, disconnected_pairs};
/// use lockstep_topology::Topology;
///
/// // In an Omega network each pair has one path: a channel in the middle serves two sources and two receivers, and here
/// // one terminal is both.
/// let omega: Topology = "omega:4".parse()?;
/// let ends = |channel| [omega.tail(channel), omega.head(channel)];
/// let middle = omega.channels().find(|&channel| !ends(channel).iter().any(|&node| omega.is_terminal(node)));
/// let broken = omega.with_failures([], middle);
/// assert_eq!(disconnected_pairs(&broken, Transport::Direct).count(), 2 * 2 - 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn disconnected_pairs(topology: &Topology, transport: Transport) -> impl Iterator<Item = [NodeId; 2]> {
    let mut waves = Waves::new(topology, transport, Direction::Forwards);
    let terminals = topology.terminals();
    terminals.chunks(WIDTH).flat_map(move |batch| {
        waves.run(batch);
        let all = mask(batch.len());
        let unreached: Vec<(NodeId, u64)> = terminals
            .iter()
            .map(|&terminal| (terminal, all & !waves.seen(terminal)))
            .filter(|&(_, missing)| missing != 0)
            .collect();
        (0..).zip(batch).flat_map(move |(bit, &source)| {
            let is_unreached = |&&(_, missing): &&(NodeId, u64)| missing >> bit & 1 == 1;
            unreached.iter().filter(is_unreached).map(|&(terminal, _)| [source, terminal]).collect::<Vec<_>>()
        })
    })
}
