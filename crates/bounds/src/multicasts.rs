//! Messages with the same source and the same receivers.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use crate::demand::Demand;

/// Messages with the same source and the same receivers.
pub(crate) struct Multicasts {
    /// The rank of the source.
    pub(crate) source: usize,
    /// The ranks of the receivers, ascending.
    pub(crate) receivers: Vec<usize>,
    /// Number of messages.
    pub(crate) count: f64,
}

impl Multicasts {
    /// Collects the messages of a problem, ascending by source. Memory: 8 bytes per receiver.
    pub(crate) fn all(problem: &Problem<'_>, demand: &Demand<'_>) -> Vec<Self> {
        let topology = problem.topology();
        let rank = |node: NodeId| topology.terminal_rank(node).expect("ends of messages are terminals");
        let mut ends: Vec<(usize, Vec<usize>)> = Vec::new();
        for source in demand.sources() {
            ends.extend(demand.from(source).map(|multicast| {
                let receivers = multicast.receivers.iter().copied().filter(|&receiver| receiver != source);
                let mut receivers: Vec<usize> = receivers.map(rank).collect();
                receivers.sort_unstable();
                (rank(source), receivers)
            }));
        }
        ends.sort_unstable();
        let chunks = f64::from(problem.messages().chunks());
        let alike = ends.chunk_by(|a, b| a == b).map(|equal| {
            let (source, receivers) = equal[0].clone();
            Self { source, receivers, count: chunks * equal.len() as f64 }
        });
        alike.collect()
    }
}
