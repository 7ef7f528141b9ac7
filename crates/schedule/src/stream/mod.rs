//! The verifier of broadcasts that are too large to store: it reads one transfer after the other and keeps none.

mod violation;
mod walker;

use lockstep_topology::CayleyGraph;

use crate::bit_set::BitSet;
use crate::model::{CommunicationModel, Ports, Routing, Switching};
pub use violation::{BroadcastJudgeError, BroadcastViolation, ElementName, TransferFault};
use walker::Walker;

/// A straight piece of a path: channels of one generator, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The place of the generator in its graph.
    pub generator: u16,
    /// Number of channels.
    pub hops: u64,
}

/// What a valid broadcast amounts to. Only [`BroadcastVerifier::finish`] makes one.
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
/// use lockstep_schedule::{BroadcastVerifier, CommunicationModel, Run};
/// use lockstep_topology::CayleyGraph;
///
/// let ring: CayleyGraph = "ring:5".parse()?;
/// let mut judge = BroadcastVerifier::new(&ring, 2, CommunicationModel::wormhole())?;
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
pub struct BroadcastVerifier<'a> {
    graph: &'a CayleyGraph,
    model: CommunicationModel,
    walker: Walker<'a>,
    /// The length of the shortest path from element 0, under minimal routing.
    distance: Option<Vec<u32>>,
    /// Who holds the message when the round begins, and who when it ends.
    informed: BitSet,
    arrived: BitSet,
    /// The channels used in the round, `degree` a node.
    busy: BitSet,
    on_path: BitSet,
    path: Vec<u64>,
    /// Transfers started and finished by each node in the round, where ports are limited.
    ports: Option<(u32, Vec<[u32; 2]>)>,
    in_round: u64,
    counts: BroadcastCounts,
    violation: Option<BroadcastViolation>,
}

/// More channels than this would need gigabytes of tables.
const MAX_CHANNELS: u64 = 1 << 30;

impl<'a> BroadcastVerifier<'a> {
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
        let mut informed = BitSet::new(nodes);
        informed.insert(root);
        Ok(Self {
            graph,
            model,
            walker,
            distance,
            arrived: informed.clone(),
            informed,
            busy: BitSet::new(channels),
            on_path: BitSet::new(nodes),
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
        let missing = self.graph.node_count() - self.arrived.len();
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

#[cfg(test)]
mod tests;
