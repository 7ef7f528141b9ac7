//! Messages of an all-reduce with the same members.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

/// Messages of an all-reduce with the same members: the source and the receivers, which all contribute to them.
#[derive(Debug)]
pub(crate) struct Members {
    /// The ranks of the members, ascending.
    pub(crate) ranks: Vec<usize>,
    /// Number of messages.
    pub(crate) count: u64,
}

impl Members {
    /// Collects the messages of an all-reduce. Memory: 8 bytes per listed member.
    pub(crate) fn all(problem: &Problem<'_>) -> Vec<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let Some(listed) = problem.collective().listed() else {
            return vec![Self { ranks: (0..topology.terminal_count()).collect(), count: messages.len() as u64 }];
        };
        let rank = |node: NodeId| topology.terminal_rank(node).expect("members of messages are terminals");
        let members = listed.iter().map(|message| {
            let members = message.receivers.iter().copied().chain([message.source]);
            let mut ranks: Vec<usize> = members.map(rank).collect();
            ranks.sort_unstable();
            ranks
        });
        let mut members: Vec<Vec<usize>> = members.collect();
        members.sort_unstable();
        let count = |alike: &[_]| alike.len() as u64 * u64::from(messages.chunks());
        members.chunk_by(|a, b| a == b).map(|alike| Self { ranks: alike[0].clone(), count: count(alike) }).collect()
    }
}
