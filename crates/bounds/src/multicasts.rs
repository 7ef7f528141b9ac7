//! Messages with the same source and the same receivers.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use crate::demand::Demand;
use crate::request::BoundRequest;

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
    /// Collects the messages of a problem, ascending by source; `None` once the time of the request is over. Memory: 8 bytes
    /// per receiver.
    pub(crate) fn all(problem: &Problem<'_>, demand: &Demand<'_>, request: &BoundRequest<'_>) -> Option<Vec<Self>> {
        let topology = problem.topology();
        let rank = |node: NodeId| topology.terminal_rank(node).expect("ends of messages are terminals");
        let chunks = f64::from(problem.messages().chunks());
        let mut all: Vec<Self> = Vec::new();
        for node in demand.sources() {
            if request.is_over() {
                return None;
            }
            let of_source = demand.from(node).map(|multicast| {
                let receivers = multicast.receivers.iter().copied().filter(|&receiver| receiver != node);
                let mut receivers: Vec<usize> = receivers.map(rank).collect();
                receivers.sort_unstable();
                receivers
            });
            let mut of_source: Vec<Vec<usize>> = of_source.collect();
            of_source.sort_unstable();
            let (source, first) = (rank(node), all.len());
            for receivers in of_source {
                match all[first..].last_mut().filter(|last| last.receivers == receivers) {
                    Some(alike) => alike.count += chunks,
                    None => all.push(Self { source, receivers, count: chunks }),
                }
            }
        }
        Some(all)
    }
}
