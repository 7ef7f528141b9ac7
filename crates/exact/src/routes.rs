//! The legal paths of a small network.

use std::collections::BTreeSet;

use lockstep_schedule::{Problem, Routing, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::error::ExactError;

/// Channels that the walks along all paths may cross.
const MAX_CROSSINGS: u32 = 1 << 16;

/// A legal path between two terminals, by their ranks.
#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) sender: usize,
    pub(crate) receiver: usize,
    pub(crate) path: Vec<ChannelId>,
    /// The resources of the path, one bit each.
    pub(crate) resources: u128,
}

/// Returns the smallest number of transfers by sender and receiver.
pub(crate) fn distances(terminals: usize, routes: &[Route]) -> Vec<u32> {
    let mut distance = vec![u32::MAX; terminals * terminals];
    for sender in 0..terminals {
        let from = &mut distance[sender * terminals..][..terminals];
        from[sender] = 0;
        for _ in 0..terminals {
            for route in routes {
                from[route.receiver] = from[route.receiver].min(from[route.sender].saturating_add(1));
            }
        }
    }
    distance
}

/// Returns the legal paths: simple paths through nodes that route, which use no resource twice. Under minimal routing,
/// those with the fewest channels between their ends. Of paths between the same ends, those whose resources contain all
/// resources of another one are left out. If all messages are direct, the paths begin at their sources.
pub(crate) fn routes(problem: &Problem<'_>) -> Result<Vec<Route>, ExactError> {
    let (topology, model) = (problem.topology(), problem.model());
    let messages = problem.messages();
    let senders: BTreeSet<NodeId> = if messages.is_scatter() && model.is_direct() {
        messages.ids().map(|message| messages.source(message)).collect()
    } else {
        topology.terminals().iter().copied().collect()
    };
    let mut routes = Vec::new();
    let mut walk = Walk {
        topology,
        is_wormhole: model.switching == Switching::Wormhole,
        longest: 0,
        is_cut: false,
        visited: Vec::new(),
        path: Vec::new(),
        crossings_left: MAX_CROSSINGS,
        routes: Vec::new(),
    };
    // Under minimal routing, the walks become longer until they reach all terminals.
    let first = if model.routing == Routing::Minimal { 1 } else { topology.node_count() };
    for sender in senders {
        for longest in first..=topology.node_count() {
            walk.routes.clear();
            (walk.longest, walk.is_cut, walk.visited) = (longest, false, vec![sender]);
            walk.extend(0)?;
            if !walk.is_cut || walk.reaches_all() {
                break;
            }
        }
        routes.append(&mut walk.routes);
    }
    routes.sort_by_key(|route| (route.sender, route.receiver, route.resources.count_ones(), route.resources));
    let mut kept: Vec<Route> = Vec::new();
    for alike in routes.chunk_by(|one, next| [one.sender, one.receiver] == [next.sender, next.receiver]) {
        let fewest = alike.iter().map(|route| route.path.len()).min();
        let first = kept.len();
        for route in alike {
            let is_legal = model.routing == Routing::Any || Some(route.path.len()) == fewest;
            if is_legal && !kept[first..].iter().any(|other| other.resources & !route.resources == 0) {
                kept.push(route.clone());
            }
        }
    }
    Ok(kept)
}

/// A walk along all paths from a terminal.
struct Walk<'a> {
    topology: &'a Topology,
    is_wormhole: bool,
    /// The largest number of channels of a path.
    longest: usize,
    /// Whether this number has cut off a path.
    is_cut: bool,
    /// The nodes of the path, from the sender on.
    visited: Vec<NodeId>,
    path: Vec<ChannelId>,
    crossings_left: u32,
    routes: Vec<Route>,
}

impl Walk<'_> {
    /// Returns true if paths lead to all terminals.
    fn reaches_all(&self) -> bool {
        let receivers: BTreeSet<usize> = self.routes.iter().map(|route| route.receiver).collect();
        receivers.len() + 1 == self.topology.terminal_count()
    }

    fn extend(&mut self, resources: u128) -> Result<(), ExactError> {
        let topology = self.topology;
        for &channel in topology.out_channels(self.visited[self.visited.len() - 1]) {
            self.crossings_left = self.crossings_left.checked_sub(1).ok_or(ExactError::TooLarge)?;
            let (next, resource) = (topology.head(channel), 1 << topology.resource(channel).index());
            if self.visited.contains(&next) || resources & resource != 0 {
                continue;
            }
            let resources = resources | resource;
            self.path.push(channel);
            if let Some(receiver) = topology.terminal_rank(next) {
                let sender = topology.terminal_rank(self.visited[0]).expect("paths begin at terminals");
                self.routes.push(Route { sender, receiver, path: self.path.clone(), resources });
            }
            let continues = self.is_wormhole && topology.routes(next);
            self.is_cut |= continues && self.path.len() == self.longest;
            if continues && self.path.len() < self.longest {
                self.visited.push(next);
                self.extend(resources)?;
                self.visited.pop();
            }
            self.path.pop();
        }
        Ok(())
    }
}
