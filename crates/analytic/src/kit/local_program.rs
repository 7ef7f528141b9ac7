//! The program of one node.

use lockstep_schedule::{LocalSend, SymmetricSchedule};

/// The program of one node: its transfers in each round.
///
/// Nodes are the elements of the network's group (see [`CayleyGraph`](lockstep_topology::CayleyGraph)), links its
/// generators.
///
/// Memory: about 32 bytes per transfer and 2 bytes per channel use.
///
/// ```
/// use lockstep_analytic::LocalProgram;
///
/// let mut program = LocalProgram::new(6);
/// program.begin_round();
/// program.push(6, None, &[0, 1]);
/// assert_eq!((program.round_count(), program.send_count()), (1, 1));
/// ```
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
    /// Creates a program without rounds.
    pub fn new(node: u64) -> Self {
        Self { node, ..Self::default() }
    }

    /// Returns the program of a node in a symmetric schedule. Takes time proportional to its length.
    ///
    /// # Panics
    ///
    /// If the node does not exist, or for 2^32 transfers or channel uses and more.
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

    /// Begins the next round. Later transfers belong to it.
    pub fn begin_round(&mut self) {
        self.round_end.push(self.source.len() as u32);
    }

    /// Adds a transfer to the last round. `receiver` is `None` in broadcasts.
    ///
    /// # Panics
    ///
    /// Before the first [`begin_round`](Self::begin_round), and for 2^32 transfers or channel uses and more.
    pub fn push(&mut self, source: u64, receiver: Option<u64>, path: &[u16]) {
        *self.round_end.last_mut().expect("a round is open") += 1;
        self.source.push(source);
        self.receiver.push(receiver);
        self.path.extend_from_slice(path);
        self.path_end.push(u32::try_from(self.path.len()).expect("fewer than 2^32 channel uses"));
    }

    /// Returns the node that runs the program.
    pub fn node(&self) -> u64 {
        self.node
    }

    /// Returns the number of rounds, including rounds without transfers.
    pub fn round_count(&self) -> usize {
        self.round_end.len()
    }

    /// Returns the number of transfers that the node starts.
    pub fn send_count(&self) -> usize {
        self.source.len()
    }

    /// Returns the transfers of a round, counted from 0.
    ///
    /// # Panics
    ///
    /// If the round does not exist.
    pub fn round(&self, round: usize) -> impl ExactSizeIterator<Item = LocalSend<'_>> + Clone {
        let start = if round == 0 { 0 } else { self.round_end[round - 1] as usize };
        (start..self.round_end[round] as usize).map(|index| {
            let from = if index == 0 { 0 } else { self.path_end[index - 1] as usize };
            let path = &self.path[from..self.path_end[index] as usize];
            LocalSend { source: self.source[index], receiver: self.receiver[index], path }
        })
    }
}
