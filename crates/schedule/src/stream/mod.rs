//! The verifier of broadcasts that are too large to store. It reads the transfers one by one and stores none.

mod cayley_position;
mod violation;

use lockstep_topology::CayleyGraph;

use crate::bit_set::BitSet;
use crate::model::{CommunicationModel, Ports, Routing, Switching};
use cayley_position::CayleyPosition;
pub use violation::{BroadcastVerifierError, BroadcastViolation, ElementName, TransferFault};

/// A straight segment of a path: consecutive channels of one generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The index of the generator in its graph.
    pub generator: u16,
    /// Number of channels.
    pub hops: u64,
}

/// The report on a valid broadcast, returned by [`BroadcastVerifier::finish`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BroadcastCounts {
    /// Number of rounds, including empty rounds.
    pub rounds: usize,
    /// Number of transfers.
    pub transfers: u64,
    /// Number of channel uses: the lengths of all paths together.
    pub channel_uses: u64,
    /// Number of channels of the longest path.
    pub longest_path: u64,
    /// Number of transfers to nodes that already hold the message. They are legal.
    pub redundant: u64,
}

/// Verifies a broadcast on a full-duplex [`CayleyGraph`] transfer by transfer, without the network in memory.
///
/// The rules are those of [`verify`](crate::verify):
///
/// - A sender holds the message when the round begins.
/// - A path crosses at least one channel, and exactly one under store-and-forward. It visits no node twice.
/// - Under minimal routing, no other path is shorter.
/// - No channel is used twice in a round.
/// - No node starts or finishes more transfers in a round than it has ports.
/// - After the last round, every node holds the message.
///
/// A redundant delivery is legal and counted.
///
/// O(channel uses) time; under minimal routing, one breadth-first search of the network is added. Memory: 1 bit per
/// channel and 3 bits per node. Minimal routing adds 4 bytes per node, limited ports add 8 bytes per node.
///
/// ```
/// use lockstep_schedule::{BroadcastVerifier, CommunicationModel, Run};
/// use lockstep_topology::CayleyGraph;
///
/// let ring: CayleyGraph = "ring:5".parse()?;
/// let mut verifier = BroadcastVerifier::new(&ring, 2, CommunicationModel::wormhole())?;
/// verifier.begin_round();
/// verifier.transfer(2, [Run { generator: 0, hops: 2 }]);
/// verifier.transfer(2, [Run { generator: 1, hops: 2 }]);
/// verifier.begin_round();
/// verifier.transfer(2, [Run { generator: 0, hops: 1 }]);
/// verifier.transfer(2, [Run { generator: 1, hops: 1 }]);
/// let counts = verifier.finish()?;
/// assert_eq!((counts.rounds, counts.transfers, counts.channel_uses), (2, 4, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BroadcastVerifier<'a> {
    graph: &'a CayleyGraph,
    model: CommunicationModel,
    position: CayleyPosition<'a>,
    /// The distance from element 0 to each element, under minimal routing.
    distance: Option<Vec<u32>>,
    /// The nodes that hold the message when the round begins.
    informed: BitSet,
    /// The nodes that hold the message when the round ends.
    arrived: BitSet,
    /// The channels used in the round, `degree` per node.
    busy: BitSet,
    /// The nodes of the current path.
    on_path: BitSet,
    path: Vec<u64>,
    /// The number of ports, and the transfers started and finished by each node in the round; `None` without a limit.
    ports: Option<(u32, Vec<[u32; 2]>)>,
    in_round: u64,
    counts: BroadcastCounts,
    violation: Option<BroadcastViolation>,
}

/// Maximum number of channels; more would need gigabytes of memory.
const MAX_CHANNELS: u64 = 1 << 30;

impl<'a> BroadcastVerifier<'a> {
    /// Returns the verifier of a broadcast from `root`, before the first round.
    ///
    /// # Errors
    ///
    /// [`BroadcastVerifierError`] if the network has more than 2^30 channels, or if `root` is not a node.
    pub fn new(graph: &'a CayleyGraph, root: u64, model: CommunicationModel) -> Result<Self, BroadcastVerifierError> {
        let (nodes, degree) = (graph.node_count(), graph.degree());
        let Some(channels) = nodes.checked_mul(degree.max(1) as u64).filter(|&channels| channels <= MAX_CHANNELS)
        else {
            return Err(BroadcastVerifierError::TooLarge { graph: graph.name().to_owned(), nodes, degree });
        };
        if root >= nodes {
            return Err(BroadcastVerifierError::UnknownRoot { root, graph: graph.name().to_owned(), nodes });
        }
        let mut position = CayleyPosition::new(graph);
        let distance = (model.routing == Routing::Minimal).then(|| position.distances());
        let ports = match model.ports {
            Ports::All => None,
            Ports::Limit(limit) => Some((limit.get(), vec![[0; 2]; nodes as usize])),
        };
        let mut informed = BitSet::new(nodes);
        informed.insert(root);
        Ok(Self {
            graph,
            model,
            position,
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

    /// Begins the next round. The receivers of earlier rounds can now send.
    pub fn begin_round(&mut self) {
        self.counts.rounds += 1;
        self.informed.clone_from(&self.arrived);
        self.busy.clear();
        self.in_round = 0;
        if let Some((_, counts)) = &mut self.ports {
            counts.fill([0; 2]);
        }
    }

    /// Verifies a transfer of the current round, from `sender` along `path`. O(path length).
    ///
    /// After the first violation, later transfers are ignored; [`finish`](Self::finish) returns the violation.
    pub fn transfer(&mut self, sender: u64, path: impl IntoIterator<Item = Run>) {
        if self.violation.is_some() {
            return;
        }
        if self.counts.rounds == 0 {
            self.violation = Some(BroadcastViolation::NoRound);
        } else if let Err(fault) = self.check_transfer(sender, path) {
            let (round, transfer) = (self.counts.rounds - 1, self.in_round);
            self.violation = Some(BroadcastViolation::Transfer { round, transfer, sender: self.name(sender), fault });
        }
        self.in_round += 1;
        self.counts.transfers += 1;
    }

    /// Returns true if a violation was found.
    pub fn is_refused(&self) -> bool {
        self.violation.is_some()
    }

    /// Ends the broadcast and returns its counts.
    ///
    /// # Errors
    ///
    /// The first [`BroadcastViolation`], including nodes that did not receive the message.
    pub fn finish(self) -> Result<BroadcastCounts, BroadcastViolation> {
        if let Some(violation) = self.violation {
            return Err(violation);
        }
        let missing = self.graph.node_count() - self.arrived.len();
        if missing == 0 {
            return Ok(self.counts);
        }
        let first = (0..self.graph.node_count()).find(|&node| !self.arrived.contains(node));
        Err(BroadcastViolation::Undelivered { missing, first: self.name(first.unwrap_or(0)) })
    }

    fn check_transfer(&mut self, sender: u64, path: impl IntoIterator<Item = Run>) -> Result<(), TransferFault> {
        if sender >= self.graph.node_count() {
            return Err(TransferFault::UnknownSender);
        }
        if !self.informed.contains(sender) {
            return Err(TransferFault::NotHeld);
        }
        self.position.start(sender);
        self.on_path.insert(sender);
        self.path.push(sender);
        let result = path.into_iter().try_for_each(|run| self.follow_run(run));
        let hops = self.path.len() as u64 - 1;
        for node in self.path.drain(..) {
            self.on_path.remove(node);
        }
        result?;
        let receiver = self.position.element;
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

    /// Extends the path by a run. Even a very long run ends early, because a path cannot visit a node twice.
    fn follow_run(&mut self, run: Run) -> Result<(), TransferFault> {
        let degree = self.graph.degree();
        if usize::from(run.generator) >= degree {
            return Err(TransferFault::UnknownGenerator { generator: run.generator, degree });
        }
        for _ in 0..run.hops {
            let tail = self.position.element;
            self.position.step(run.generator);
            let head = self.position.element;
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
