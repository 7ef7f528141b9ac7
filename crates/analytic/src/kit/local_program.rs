//! What one node does, without the others.

use lockstep_schedule::{LocalSend, SymmetricSchedule};

/// The program of one node: what it sends in each round.
///
/// Nodes are numbered by the elements of the network's group (see [`CayleyGraph`](lockstep_topology::CayleyGraph)), links
/// by its generators.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocalProgram {
    node: u64,
    round_end: Vec<u32>,
    source: Vec<u64>,
    receiver: Vec<Option<u64>>,
    path_end: Vec<u32>,
    path: Vec<u16>,
}

impl LocalProgram {
    /// A program without a round.
    pub fn new(node: u64) -> Self {
        Self { node, ..Self::default() }
    }

    /// What a node does in a symmetric schedule.
    ///
    /// # Panics
    ///
    /// If the node does not exist, or past 2^32 - 1 transfers or channel uses.
    pub fn of_symmetric(schedule: &SymmetricSchedule, node: u64) -> Self {
        assert!(node < schedule.graph().node_count(), "node {node} does not exist");
        let mut program = Self::new(node);
        for round in schedule.program_of(node) {
            program.begin_round();
            for LocalSend { source, receiver, path } in round {
                program.push(source, receiver, path);
            }
        }
        program
    }

    /// Opens the next round; what is pushed from now on belongs to it.
    pub fn begin_round(&mut self) {
        self.round_end.push(self.source.len() as u32);
    }

    /// Adds a transfer to the last round.
    ///
    /// # Panics
    ///
    /// Before the first [`begin_round`](Self::begin_round), and past 2^32 - 1 transfers or channel uses.
    pub fn push(&mut self, source: u64, receiver: Option<u64>, path: &[u16]) {
        *self.round_end.last_mut().expect("a round is open") += 1;
        self.source.push(source);
        self.receiver.push(receiver);
        self.path.extend_from_slice(path);
        self.path_end.push(u32::try_from(self.path.len()).expect("fewer than 2^32 channel uses"));
    }

    /// The node whose program it is.
    pub fn node(&self) -> u64 {
        self.node
    }

    /// Number of rounds, those in which the node sends nothing included.
    pub fn round_count(&self) -> usize {
        self.round_end.len()
    }

    /// Number of transfers that the node starts.
    pub fn send_count(&self) -> usize {
        self.source.len()
    }

    /// The transfers of the round at this place, from 0.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn round(&self, round: usize) -> impl ExactSizeIterator<Item = LocalSend<'_>> + Clone {
        let start = if round == 0 { 0 } else { self.round_end[round - 1] as usize };
        (start..self.round_end[round] as usize).map(|index| {
            let from = if index == 0 { 0 } else { self.path_end[index - 1] as usize };
            let path = &self.path[from..self.path_end[index] as usize];
            LocalSend { source: self.source[index], receiver: self.receiver[index], path }
        })
    }
}
