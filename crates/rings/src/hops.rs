//! All paths that hops can take.

use lockstep_topology::ChannelId;

use crate::problem::RingProblem;
use crate::ring_set::RingKind;

/// Maximum number of paths of hops.
const MAX_HOPS: usize = 1 << 13;

/// Maximum number of beginnings of paths.
const MAX_BEGINNINGS: usize = 1 << 19;

/// The paths of hops between the stops of a problem, the shortest first. Stops have their ranks as numbers.
///
/// Hops from and to the end of a chain have no channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hops {
    from: Vec<u32>,
    to: Vec<u32>,
    /// The channels of all hops, and the end of each hop in them.
    channels: Vec<ChannelId>,
    channel_ends: Vec<u32>,
    /// The resources that each hop uses, one entry per use, and the end of each hop in them.
    resources: Vec<u32>,
    resource_ends: Vec<u32>,
    is_complete: bool,
}

/// A path from a terminal that can be extended.
struct Beginning {
    /// Its last node.
    at: lockstep_topology::NodeId,
    /// The last channel, and the beginning before it; `None` at the terminal.
    last: Option<(ChannelId, u32)>,
    from: u32,
    relays: u32,
}

impl Hops {
    /// Finds the paths in the order of their lengths, up to a limit.
    pub(crate) fn new(problem: &RingProblem<'_>) -> Self {
        let topology = problem.topology();
        let mut hops = Self { is_complete: true, ..Self::default() };
        let start = |(rank, &at): (usize, &lockstep_topology::NodeId)| Beginning {
            at,
            last: None,
            from: rank as u32,
            relays: 0,
        };
        let mut beginnings: Vec<Beginning> = problem.terminals().iter().enumerate().map(start).collect();
        let mut next = 0;
        let mut path = Vec::new();
        'search: while next < beginnings.len() {
            let Beginning { at, last, from, relays } = beginnings[next];
            let relays = relays + u32::from(last.is_some() && topology.is_terminal(at));
            next += 1;
            if last.is_some() && (!topology.routes(at) || relays > problem.relay()) {
                continue;
            }
            path.clear();
            let mut before = last;
            while let Some((channel, place)) = before {
                path.push(channel);
                before = beginnings[place as usize].last;
            }
            path.reverse();
            for &channel in topology.out_channels(at) {
                let head = topology.head(channel);
                let returns = path
                    .iter()
                    .any(|&used| topology.tail(used) == head || topology.resource(used) == topology.resource(channel));
                if returns || problem.resources(channel).is_none() || head == problem.terminals()[from as usize] {
                    continue;
                }
                if hops.from.len() == MAX_HOPS || beginnings.len() == MAX_BEGINNINGS {
                    hops.is_complete = false;
                    break 'search;
                }
                if let Some(to) = problem.rank(head) {
                    path.push(channel);
                    hops.push(problem, [from, to as u32], &path);
                    path.pop();
                }
                if topology.routes(head) {
                    beginnings.push(Beginning { at: head, last: Some((channel, next as u32 - 1)), from, relays });
                }
            }
        }
        if problem.kind() == RingKind::Chain {
            let end = problem.terminals().len() as u32;
            for rank in 0..end {
                hops.push(problem, [rank, end], &[]);
                hops.push(problem, [end, rank], &[]);
            }
        }
        hops
    }

    fn push(&mut self, problem: &RingProblem<'_>, [from, to]: [u32; 2], path: &[ChannelId]) {
        self.from.push(from);
        self.to.push(to);
        self.channels.extend_from_slice(path);
        self.channel_ends.push(self.channels.len() as u32);
        let resources = path.iter().filter_map(|&channel| problem.resources(channel)).flatten();
        self.resources.extend(resources.map(|resource| resource as u32));
        self.resource_ends.push(self.resources.len() as u32);
    }

    pub(crate) fn len(&self) -> usize {
        self.from.len()
    }

    /// Returns true if no path is left out.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub(crate) fn from(&self, hop: usize) -> usize {
        self.from[hop] as usize
    }

    pub(crate) fn to(&self, hop: usize) -> usize {
        self.to[hop] as usize
    }

    pub(crate) fn channels(&self, hop: usize) -> &[ChannelId] {
        of_row(&self.channels, &self.channel_ends, hop)
    }

    /// Returns the resources that a hop uses, one entry per use.
    pub(crate) fn resources(&self, hop: usize) -> &[u32] {
        of_row(&self.resources, &self.resource_ends, hop)
    }

    /// Returns the hops of each stop: those that leave it, and those that enter it.
    pub(crate) fn of_stops(&self, stops: usize) -> [Vec<Vec<usize>>; 2] {
        let mut lists = [vec![Vec::new(); stops], vec![Vec::new(); stops]];
        for hop in 0..self.len() {
            lists[0][self.from(hop)].push(hop);
            lists[1][self.to(hop)].push(hop);
        }
        lists
    }
}

fn of_row<'a, T>(values: &'a [T], ends: &[u32], row: usize) -> &'a [T] {
    let start = row.checked_sub(1).map_or(0, |before| ends[before]);
    &values[start as usize..ends[row] as usize]
}

#[cfg(test)]
mod tests {
    use lockstep_topology::Topology;

    use super::*;

    fn hops(spec: &str, kind: RingKind, relay: u32) -> Hops {
        let topology: Topology = spec.parse().unwrap();
        Hops::new(&RingProblem::new(&topology, kind, None, relay).unwrap())
    }

    #[test]
    fn hops_of_a_direct_network_are_its_channels() {
        let cube = hops("hypercube:3", RingKind::Ring, 0);
        assert_eq!((cube.len(), cube.is_complete()), (24, true));
        // A relay adds the paths of two channels to the nodes at distance two.
        assert_eq!(hops("hypercube:3", RingKind::Ring, 1).len(), 24 + 8 * 6);
    }

    #[test]
    fn the_end_of_a_chain_is_next_to_all() {
        let path = hops("mesh:1x3", RingKind::Chain, 0);
        assert_eq!(path.len(), 4 + 6);
        assert_eq!((path.resources(0).len(), path.resources(4).len()), (2, 0));
    }

    #[test]
    fn many_paths_are_cut_off() {
        let tree = hops("clos:8,16,8", RingKind::Ring, 0);
        assert!(!tree.is_complete() && tree.len() == MAX_HOPS);
    }
}
