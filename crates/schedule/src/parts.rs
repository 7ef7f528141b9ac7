//! The parts of a network between which no channel leads.

use std::fmt;

use lockstep_topology::{NodeId, Topology};

/// The most parts that a message names.
const MAX_NAMED: usize = 4;

/// The parts of a network that have terminals. No channel joins two parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// The name of the first terminal of each part and the number of its terminals, at most the first four parts.
    pub named: Vec<(String, usize)>,
    /// The number of parts.
    pub count: usize,
}

impl Parts {
    /// Returns the parts of a network in the order of their first terminals; `None` if all terminals are in one part. Takes
    /// O(channels) time.
    pub(crate) fn of(topology: &Topology) -> Option<Box<Self>> {
        let mut is_seen = vec![false; topology.node_count()];
        let mut parts = Self { named: Vec::new(), count: 0 };
        for &first in topology.terminals() {
            if is_seen[first.index()] {
                continue;
            }
            let terminals = mark(topology, first, &mut is_seen);
            if parts.count < MAX_NAMED {
                parts.named.push((topology.node_name(first).to_owned(), terminals));
            }
            parts.count += 1;
        }
        (parts.count > 1).then(|| Box::new(parts))
    }
}

/// Marks all nodes of the part of a node, and returns the number of terminals among them.
fn mark(topology: &Topology, first: NodeId, is_seen: &mut [bool]) -> usize {
    is_seen[first.index()] = true;
    let (mut stack, mut terminals) = (vec![first], 0);
    while let Some(node) = stack.pop() {
        terminals += usize::from(topology.is_terminal(node));
        let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
        let tails = topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
        for neighbor in heads.chain(tails) {
            if !std::mem::replace(&mut is_seen[neighbor.index()], true) {
                stack.push(neighbor);
            }
        }
    }
    terminals
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} parts: ", self.count)?;
        for (place, (first, terminals)) in self.named.iter().enumerate() {
            let separator = match place {
                0 => "",
                _ if place + 1 == self.count => " and ",
                _ => ", ",
            };
            write!(f, "{separator}'{first}'")?;
            match terminals - 1 {
                0 => {}
                1 => f.write_str(" with another terminal")?,
                more => write!(f, " with {more} more terminals")?,
            }
        }
        match self.count - self.named.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
