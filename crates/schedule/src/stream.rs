//! The judge of broadcasts too large to write down: it looks at one transfer after the other and keeps none.

use std::fmt;

use lockstep_topology::CayleyGraph;

use crate::model::{CommunicationModel, Ports, Routing, Switching};

/// A straight piece of a path: channels of one generator, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The place of the generator in its graph.
    pub generator: u16,
    /// Number of channels.
    pub hops: u64,
}

/// What a valid broadcast amounts to. Only [`BroadcastJudge::finish`] makes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BroadcastCounts {
    /// Number of rounds, empty ones included.
    pub rounds: usize,
    /// Number of transfers.
    pub transfers: u64,
    /// Number of channels of all paths together.
    pub channel_uses: u64,
    /// Number of channels of the longest path.
    pub longest_path: u64,
    /// Transfers to nodes that hold the message already; legal, but nobody needs them.
    pub redundant: u64,
}

/// Why a broadcast cannot be judged round by round.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastJudgeError {
    /// The tables of the judge would be too large.
    #[error("{graph} has {nodes} nodes of degree {degree}; a broadcast is judged on up to 2^30 channels")]
    TooLarge {
        /// Name of the network.
        graph: String,
        /// Number of nodes.
        nodes: u64,
        /// Number of channels that leave a node.
        degree: usize,
    },
    /// A root that is no node.
    #[error("the root {root} is no node of {graph}; the nodes are 0 to {}", .nodes - 1)]
    UnknownRoot {
        /// The root.
        root: u64,
        /// Name of the network.
        graph: String,
        /// Number of nodes.
        nodes: u64,
    },
}

/// The first rule that a broadcast breaks, and where. The words count rounds and transfers from 1, the fields from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastViolation {
    /// A transfer before the first round.
    #[error("there is a transfer before the first round")]
    NoRound,
    /// A transfer that breaks a rule.
    #[error("round {}, transfer {} (from {sender}): {fault}", .round + 1, .transfer + 1)]
    Transfer {
        /// The round.
        round: usize,
        /// The place of the transfer in its round.
        transfer: u64,
        /// The sender in words.
        sender: ElementName,
        /// What is wrong.
        fault: TransferFault,
    },
    /// Nodes that never get the message.
    #[error("after the last round {missing} node(s) do not hold the message, {first} is the first")]
    Undelivered {
        /// Number of nodes.
        missing: u64,
        /// The lowest of them.
        first: ElementName,
    },
}

/// What is wrong with a transfer of a broadcast.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferFault {
    /// A sender that is no node.
    #[error("there is no such node")]
    UnknownSender,
    /// A sender without the message.
    #[error("the sender does not hold the message when the round begins")]
    NotHeld,
    /// A path without a channel.
    #[error("the path is empty; it needs at least one channel")]
    EmptyPath,
    /// A generator that the graph does not have.
    #[error("there is no generator {generator}; the network has {degree}, counted from 0")]
    UnknownGenerator {
        /// Its place.
        generator: u16,
        /// Number of generators.
        degree: usize,
    },
    /// A store-and-forward transfer over several channels.
    #[error("the path has several channels; a store-and-forward transfer crosses exactly 1")]
    NotOneChannel,
    /// Two transfers on one channel in one round.
    #[error("channel {tail}->{head} is already used in the round")]
    ChannelBusy {
        /// Where the channel begins.
        tail: ElementName,
        /// Where it ends.
        head: ElementName,
    },
    /// A path that comes back.
    #[error("the path visits {node} twice")]
    NodeTwice {
        /// The node.
        node: ElementName,
    },
    /// A detour where routing is minimal.
    #[error("the path to {receiver} has {hops} channels, the shortest has {shortest}")]
    NotMinimal {
        /// Where the path ends.
        receiver: ElementName,
        /// Number of channels of the path.
        hops: u64,
        /// Number of channels of the shortest path.
        shortest: u64,
    },
    /// A node that starts too many transfers in a round.
    #[error("the sender starts more than {limit} transfer(s) in the round, its number of ports")]
    SendPorts {
        /// Transfers it may start in a round.
        limit: u32,
    },
    /// A node that finishes too many transfers in a round.
    #[error("{receiver} finishes more than {limit} transfer(s) in the round, its number of ports")]
    ReceivePorts {
        /// The receiver.
        receiver: ElementName,
        /// Transfers it may finish in a round.
        limit: u32,
    },
}

/// A node of a [`CayleyGraph`] with its name; written `'name'`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementName {
    /// The node.
    pub element: u64,
    /// Its name, or its number if there is no such node.
    pub name: Box<str>,
}

impl fmt::Display for ElementName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name)
    }
}

/// Judges a one-to-all broadcast on a full-duplex [`CayleyGraph`] while it is read, without the network in memory.
///
/// The rules are those of [`verify`](crate::verify): a sender holds the message when the round begins; a path crosses
/// one channel or more (exactly one under store-and-forward), visits no node twice, and no other path is shorter where
/// routing is minimal; no channel is used twice in a round; no node starts or finishes more transfers in a round than it
/// has ports; in the end every node holds the message. A second delivery is legal, and counted.
///
/// Takes some nanoseconds a channel of a path, and under minimal routing one search of the network. Memory: a bit a
/// channel and 3 bits a node; 4 bytes a node more under minimal routing, 8 where ports are limited.
///
/// ```
/// use lockstep_schedule::{BroadcastJudge, CommunicationModel, Run};
/// use lockstep_topology::CayleyGraph;
///
/// let ring: CayleyGraph = "ring:5".parse()?;
/// let mut judge = BroadcastJudge::new(&ring, 2, CommunicationModel::wormhole())?;
/// judge.begin_round();
/// judge.transfer(2, [Run { generator: 0, hops: 2 }]);
/// judge.transfer(2, [Run { generator: 1, hops: 2 }]);
/// judge.begin_round();
/// judge.transfer(2, [Run { generator: 0, hops: 1 }]);
/// judge.transfer(2, [Run { generator: 1, hops: 1 }]);
/// let counts = judge.finish()?;
/// assert_eq!((counts.rounds, counts.transfers, counts.channel_uses), (2, 4, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BroadcastJudge<'a> {
    graph: &'a CayleyGraph,
    model: CommunicationModel,
    walker: Walker<'a>,
    /// The length of the shortest path from element 0, under minimal routing.
    distance: Option<Vec<u32>>,
    /// Who holds the message when the round begins, and who when it ends.
    informed: Bits,
    arrived: Bits,
    /// The channels used in the round, `degree` a node.
    busy: Bits,
    on_path: Bits,
    path: Vec<u64>,
    /// Transfers started and finished by each node in the round, where ports are limited.
    ports: Option<(u32, Vec<[u32; 2]>)>,
    in_round: u64,
    counts: BroadcastCounts,
    violation: Option<BroadcastViolation>,
}

/// More channels than this would need gigabytes of tables.
const MAX_CHANNELS: u64 = 1 << 30;

impl<'a> BroadcastJudge<'a> {
    /// A judge of broadcasts from `root`, before the first round.
    ///
    /// # Errors
    ///
    /// [`BroadcastJudgeError`].
    pub fn new(graph: &'a CayleyGraph, root: u64, model: CommunicationModel) -> Result<Self, BroadcastJudgeError> {
        let (nodes, degree) = (graph.node_count(), graph.degree());
        let Some(channels) = nodes.checked_mul(degree.max(1) as u64).filter(|&channels| channels <= MAX_CHANNELS)
        else {
            return Err(BroadcastJudgeError::TooLarge { graph: graph.name().to_owned(), nodes, degree });
        };
        if root >= nodes {
            return Err(BroadcastJudgeError::UnknownRoot { root, graph: graph.name().to_owned(), nodes });
        }
        let mut walker = Walker::new(graph);
        let distance = (model.routing == Routing::Minimal).then(|| walker.distances());
        let ports = match model.ports {
            Ports::All => None,
            Ports::Limit(limit) => Some((limit.get(), vec![[0; 2]; nodes as usize])),
        };
        let mut informed = Bits::new(nodes);
        informed.insert(root);
        Ok(Self {
            graph,
            model,
            walker,
            distance,
            arrived: informed.clone(),
            informed,
            busy: Bits::new(channels),
            on_path: Bits::new(nodes),
            path: Vec::new(),
            ports,
            in_round: 0,
            counts: BroadcastCounts { rounds: 0, transfers: 0, channel_uses: 0, longest_path: 0, redundant: 0 },
            violation: None,
        })
    }

    /// Opens the next round: what has arrived can be sent on.
    pub fn begin_round(&mut self) {
        self.counts.rounds += 1;
        self.informed.clone_from(&self.arrived);
        if self.in_round > 0 {
            self.busy.clear();
            self.in_round = 0;
        }
        if let Some((_, counts)) = &mut self.ports {
            counts.fill([0; 2]);
        }
    }

    /// Takes in a transfer of the last round, from `sender` along `path`. After the first violation it looks at nothing
    /// more; [`finish`](Self::finish) reports it.
    pub fn transfer(&mut self, sender: u64, path: impl IntoIterator<Item = Run>) {
        if self.violation.is_some() {
            return;
        }
        if self.counts.rounds == 0 {
            self.violation = Some(BroadcastViolation::NoRound);
        } else if let Err(fault) = self.walk(sender, path) {
            let (round, transfer) = (self.counts.rounds - 1, self.in_round);
            self.violation = Some(BroadcastViolation::Transfer { round, transfer, sender: self.name(sender), fault });
        }
        self.in_round += 1;
        self.counts.transfers += 1;
    }

    /// Whether a rule is broken already.
    pub fn is_refused(&self) -> bool {
        self.violation.is_some()
    }

    /// The counts of a valid broadcast.
    ///
    /// # Errors
    ///
    /// The first [`BroadcastViolation`].
    pub fn finish(self) -> Result<BroadcastCounts, BroadcastViolation> {
        if let Some(violation) = self.violation {
            return Err(violation);
        }
        let missing = self.graph.node_count() - self.arrived.count();
        match (0..self.graph.node_count()).find(|&node| missing > 0 && !self.arrived.contains(node)) {
            Some(first) => Err(BroadcastViolation::Undelivered { missing, first: self.name(first) }),
            None => Ok(self.counts),
        }
    }

    fn walk(&mut self, sender: u64, path: impl IntoIterator<Item = Run>) -> Result<(), TransferFault> {
        if sender >= self.graph.node_count() {
            return Err(TransferFault::UnknownSender);
        }
        if !self.informed.contains(sender) {
            return Err(TransferFault::NotHeld);
        }
        self.walker.start(sender);
        self.on_path.insert(sender);
        self.path.push(sender);
        let walked = path.into_iter().try_for_each(|run| self.walk_run(run));
        let hops = self.path.len() as u64 - 1;
        for node in self.path.drain(..) {
            self.on_path.remove(node);
        }
        walked?;
        let receiver = self.walker.element;
        if hops == 0 {
            return Err(TransferFault::EmptyPath);
        }
        if let Some(distance) = &self.distance {
            let shortest = u64::from(distance[self.graph.subtract(receiver, sender) as usize]);
            if hops > shortest {
                return Err(TransferFault::NotMinimal { receiver: self.name(receiver), hops, shortest });
            }
        }
        if let Some((limit, counts)) = &mut self.ports {
            let limit = *limit;
            counts[sender as usize][0] += 1;
            counts[receiver as usize][1] += 1;
            if counts[sender as usize][0] > limit {
                return Err(TransferFault::SendPorts { limit });
            }
            if counts[receiver as usize][1] > limit {
                return Err(TransferFault::ReceivePorts { receiver: self.name(receiver), limit });
            }
        }
        self.counts.channel_uses += hops;
        self.counts.longest_path = self.counts.longest_path.max(hops);
        self.counts.redundant += u64::from(!self.arrived.insert(receiver));
        Ok(())
    }

    /// Goes on along a run. It ends where it meets its own path, if not before, so its length is no danger.
    fn walk_run(&mut self, run: Run) -> Result<(), TransferFault> {
        let degree = self.graph.degree();
        if usize::from(run.generator) >= degree {
            return Err(TransferFault::UnknownGenerator { generator: run.generator, degree });
        }
        for _ in 0..run.hops {
            let tail = self.walker.element;
            self.walker.step(run.generator);
            let head = self.walker.element;
            if self.model.switching == Switching::StoreAndForward && self.path.len() > 1 {
                return Err(TransferFault::NotOneChannel);
            }
            if !self.on_path.insert(head) {
                return Err(TransferFault::NodeTwice { node: self.name(head) });
            }
            self.path.push(head);
            if !self.busy.insert(tail * degree as u64 + u64::from(run.generator)) {
                return Err(TransferFault::ChannelBusy { tail: self.name(tail), head: self.name(head) });
            }
        }
        Ok(())
    }

    fn name(&self, element: u64) -> ElementName {
        let known = element < self.graph.node_count();
        let name = if known { self.graph.node_name(element) } else { element.to_string() };
        ElementName { element, name: name.into() }
    }
}

/// A node that moves along generators, with its coordinates at hand so that a step divides nothing.
#[derive(Clone, Debug)]
struct Walker<'a> {
    sides: &'a [u64],
    /// What a generator changes: axis, digit, and the weight of the axis in the number of an element.
    moves: Vec<Vec<(usize, u64, u64)>>,
    coordinates: Vec<u64>,
    element: u64,
}

impl<'a> Walker<'a> {
    fn new(graph: &'a CayleyGraph) -> Self {
        let sides = graph.sides();
        let weight = |axis: usize| sides[axis + 1..].iter().product::<u64>();
        let moves = graph.generators().iter().map(|&generator| {
            let digits = graph.coordinates(generator).into_iter().enumerate();
            digits.filter(|&(_, digit)| digit > 0).map(|(axis, digit)| (axis, digit, weight(axis))).collect()
        });
        Self { sides, moves: moves.collect(), coordinates: vec![0; sides.len()], element: 0 }
    }

    fn start(&mut self, element: u64) {
        let mut rest = element;
        for (coordinate, side) in self.coordinates.iter_mut().zip(self.sides).rev() {
            (*coordinate, rest) = (rest % side, rest / side);
        }
        self.element = element;
    }

    #[inline]
    fn step(&mut self, generator: u16) {
        for &(axis, digit, weight) in &self.moves[usize::from(generator)] {
            let (old, side) = (self.coordinates[axis], self.sides[axis]);
            let new = if digit < side - old { old + digit } else { digit - (side - old) };
            self.coordinates[axis] = new;
            self.element = self.element - old * weight + new * weight;
        }
    }

    fn neighbour(&self, generator: usize) -> u64 {
        self.moves[generator].iter().fold(self.element, |element, &(axis, digit, weight)| {
            let (old, side) = (self.coordinates[axis], self.sides[axis]);
            if digit < side - old { element + digit * weight } else { element - (side - digit) * weight }
        })
    }

    /// Number of channels of the shortest path from element 0 to every element; `u32::MAX` where there is none.
    fn distances(&mut self) -> Vec<u32> {
        let nodes: u64 = self.sides.iter().product();
        let mut distance = vec![u32::MAX; nodes as usize];
        distance[0] = 0;
        let (mut here, mut next, mut hops) = (vec![0u64], Vec::new(), 0);
        while !here.is_empty() {
            hops += 1;
            for &node in &here {
                self.start(node);
                for generator in 0..self.moves.len() {
                    let neighbour = self.neighbour(generator);
                    if distance[neighbour as usize] == u32::MAX {
                        distance[neighbour as usize] = hops;
                        next.push(neighbour);
                    }
                }
            }
            here.clear();
            std::mem::swap(&mut here, &mut next);
        }
        distance
    }
}

/// A set of numbers below a limit.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(limit: u64) -> Self {
        Self(vec![0; limit.div_ceil(64) as usize])
    }

    fn contains(&self, number: u64) -> bool {
        self.0[(number / 64) as usize] >> (number % 64) & 1 == 1
    }

    /// Puts a number in; whether it was not there.
    fn insert(&mut self, number: u64) -> bool {
        let word = &mut self.0[(number / 64) as usize];
        let fresh = *word >> (number % 64) & 1 == 0;
        *word |= 1 << (number % 64);
        fresh
    }

    fn remove(&mut self, number: u64) {
        self.0[(number / 64) as usize] &= !(1 << (number % 64));
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Collective, MessageId, Problem, Schedule, verify};
    use lockstep_topology::{NodeId, Topology};

    type Transfers = Vec<Vec<(u64, Vec<Run>)>>;

    fn run(generator: u16, hops: u64) -> Run {
        Run { generator, hops }
    }

    fn judged(
        graph: &CayleyGraph,
        root: u64,
        model: CommunicationModel,
        rounds: &Transfers,
    ) -> Result<BroadcastCounts, BroadcastViolation> {
        let mut judge = BroadcastJudge::new(graph, root, model).unwrap();
        for round in rounds {
            judge.begin_round();
            for (sender, path) in round {
                judge.transfer(*sender, path.iter().copied());
            }
        }
        judge.finish()
    }

    fn ring() -> CayleyGraph {
        "ring:5".parse().unwrap()
    }

    /// A broadcast from 0 on the ring of 5: first to 2 and 3, then to 1 and 4.
    fn valid() -> Transfers {
        vec![vec![(0, vec![run(0, 2)]), (0, vec![run(1, 2)])], vec![(0, vec![run(0, 1)]), (3, vec![run(0, 1)])]]
    }

    fn refusal(model: CommunicationModel, rounds: &Transfers) -> String {
        judged(&ring(), 0, model, rounds).unwrap_err().to_string()
    }

    #[test]
    fn a_valid_broadcast_is_counted() {
        let counts = judged(&ring(), 0, CommunicationModel::wormhole(), &valid()).unwrap();
        let expected = BroadcastCounts { rounds: 2, transfers: 4, channel_uses: 6, longest_path: 2, redundant: 0 };
        assert_eq!(counts, expected);
        let mut twice = valid();
        twice.push(vec![(0, vec![run(0, 1)])]);
        assert_eq!(judged(&ring(), 0, CommunicationModel::wormhole(), &twice).unwrap().redundant, 1);
    }

    #[test]
    fn every_spoiled_broadcast_is_refused_in_words() {
        let wormhole = CommunicationModel::wormhole();
        let any = CommunicationModel { routing: Routing::Any, ..wormhole };
        let spoiled = |round: usize, place: usize, transfer: (u64, Vec<Run>)| {
            let mut rounds = valid();
            rounds[round][place] = transfer;
            rounds
        };
        let cases = [
            (wormhole, vec![], "after the last round 4 node(s) do not hold the message, '1' is the first"),
            (
                wormhole,
                spoiled(1, 1, (3, vec![run(0, 2)])),
                "after the last round 1 node(s) do not hold the message, '4' is the first",
            ),
            (
                wormhole,
                spoiled(0, 1, (2, vec![run(1, 1)])),
                "round 1, transfer 2 (from '2'): the sender does not hold the message when the round begins",
            ),
            (wormhole, spoiled(1, 0, (5, vec![run(0, 1)])), "round 2, transfer 1 (from '5'): there is no such node"),
            (
                wormhole,
                spoiled(1, 0, (0, vec![])),
                "round 2, transfer 1 (from '0'): the path is empty; it needs at least one channel",
            ),
            (
                wormhole,
                spoiled(1, 0, (0, vec![run(0, 0)])),
                "round 2, transfer 1 (from '0'): the path is empty; it needs at least one channel",
            ),
            (
                wormhole,
                spoiled(1, 0, (0, vec![run(2, 1)])),
                "round 2, transfer 1 (from '0'): there is no generator 2; the network has 2, counted from 0",
            ),
            (
                wormhole,
                spoiled(0, 1, (0, vec![run(0, 1)])),
                "round 1, transfer 2 (from '0'): channel '0'->'1' is already used in the round",
            ),
            (
                any,
                spoiled(0, 0, (0, vec![run(0, u64::MAX)])),
                "round 1, transfer 1 (from '0'): the path visits '0' twice",
            ),
            (
                any,
                spoiled(0, 0, (0, vec![run(0, 2), run(1, 1)])),
                "round 1, transfer 1 (from '0'): the path visits '1' twice",
            ),
            (
                wormhole,
                spoiled(0, 0, (0, vec![run(0, 3)])),
                "round 1, transfer 1 (from '0'): the path to '3' has 3 channels, the shortest has 2",
            ),
            (
                CommunicationModel { ports: Ports::limit(1).unwrap(), ..wormhole },
                valid(),
                "round 1, transfer 2 (from '0'): the sender starts more than 1 transfer(s) in the round, its number of \
                 ports",
            ),
            (
                CommunicationModel { ports: Ports::limit(1).unwrap(), ..wormhole },
                vec![vec![(0, vec![run(0, 1)])], vec![(0, vec![run(1, 2)]), (1, vec![run(0, 2)])]],
                "round 2, transfer 2 (from '1'): '3' finishes more than 1 transfer(s) in the round, its number of ports",
            ),
            (
                CommunicationModel::store_and_forward(),
                valid(),
                "round 1, transfer 1 (from '0'): the path has several channels; a store-and-forward transfer crosses \
                 exactly 1",
            ),
        ];
        for (model, rounds, words) in cases {
            assert_eq!(refusal(model, &rounds), words);
        }
    }

    #[test]
    fn a_transfer_needs_a_round() {
        let ring = ring();
        let mut judge = BroadcastJudge::new(&ring, 0, CommunicationModel::wormhole()).unwrap();
        judge.transfer(0, [run(0, 1)]);
        assert!(judge.is_refused());
        assert_eq!(judge.finish(), Err(BroadcastViolation::NoRound));
    }

    #[test]
    fn what_is_too_large_or_has_no_root_is_refused_before_it_is_built() {
        let refusal = |spec: &str, root| {
            let graph: CayleyGraph = spec.parse().unwrap();
            BroadcastJudge::new(&graph, root, CommunicationModel::wormhole()).unwrap_err().to_string()
        };
        assert!(refusal("hypercube:60", 0).contains("judged on up to 2^30 channels"));
        assert_eq!(refusal("ring:5", 5), "the root 5 is no node of ring:5; the nodes are 0 to 4");
    }

    proptest! {
        /// The judge of whole schedules and this one agree on everything that both can read.
        #[test]
        fn both_judges_agree(
            spec in prop::sample::select(vec!["ring:5", "hypercube:3", "torus:3x4", "circulant:9,1,3"]),
            rounds in prop::collection::vec(
                prop::collection::vec((0u64..12, prop::collection::vec((0u16..4, 1u64..3), 1..3)), 0..6), 0..4),
            [ports, minimal, store] in any::<[bool; 3]>(),
        ) {
            let (topology, graph): (Topology, CayleyGraph) = (spec.parse().unwrap(), spec.parse().unwrap());
            let mut model = CommunicationModel::wormhole();
            if ports { model.ports = Ports::limit(2).unwrap(); }
            if !minimal { model.routing = Routing::Any; }
            if store { model.switching = Switching::StoreAndForward; }
            let degree = graph.degree();
            let known: Transfers = rounds.iter().map(|round| {
                let legal = round.iter().filter(|(sender, _)| *sender < graph.node_count());
                legal.map(|(sender, path)| {
                    (*sender, path.iter().map(|&(generator, hops)| run(generator % degree as u16, hops)).collect())
                }).collect()
            }).collect();
            let mut schedule = Schedule::new();
            for round in &known {
                schedule.begin_step();
                for (sender, path) in round {
                    let mut node = *sender;
                    let path: Vec<_> = path.iter().flat_map(|run| std::iter::repeat_n(run.generator, run.hops as usize))
                        .map(|generator| {
                            let channel = topology.out_channels(NodeId::new(node as u32))[usize::from(generator)];
                            node = u64::from(topology.head(channel).number());
                            channel
                        }).collect();
                    schedule.push(MessageId::new(0), &path);
                }
            }
            let broadcast = Collective::one_to_all_broadcast(NodeId::new(0));
            let problem = Problem::new(&topology, &broadcast, model).unwrap();
            let (whole, streamed) = (verify(&problem, &schedule), judged(&graph, 0, model, &known));
            prop_assert_eq!(whole.is_ok(), streamed.is_ok(), "{:?} {:?}", whole, streamed);
            if let (Ok(whole), Ok(streamed)) = (whole, streamed) {
                prop_assert_eq!(whole.transfers as u64, streamed.transfers);
                prop_assert_eq!(whole.channel_uses as u64, streamed.channel_uses);
                prop_assert_eq!(whole.redundant, streamed.redundant);
            }
        }
    }
}
