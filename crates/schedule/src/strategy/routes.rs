//! The legal paths of tiny networks, for exhaustive searches.

use std::collections::BTreeMap;

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::model::{CommunicationModel, Ports, Routing, Switching};

/// An exhaustive search did not end within its effort, or the problem does not fit into the tables of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the problem is too large for an exhaustive search")]
pub struct SearchTooLong;

/// A set of resources, one bit each.
pub(super) type Resources = u128;

/// A legal path between two terminals, by their ranks.
pub(super) struct Route {
    pub(super) sender: usize,
    pub(super) receiver: usize,
    pub(super) resources: Resources,
    pub(super) path: Vec<ChannelId>,
}

/// Returns the number of messages that a terminal may send in a step, and that it may receive.
pub(super) fn port_limit(model: CommunicationModel) -> u32 {
    match model.ports {
        Ports::All => u32::MAX,
        Ports::Limit(limit) => limit.get(),
    }
}

/// The resources and ports that are free in a step.
#[derive(Clone)]
pub(super) struct StepRoom {
    pub(super) used: Resources,
    /// The free ports by rank.
    sends: Vec<u32>,
    receives: Vec<u32>,
}

impl StepRoom {
    /// Returns the room of a step without transfers.
    pub(super) fn empty(terminals: usize, ports: u32) -> Self {
        Self { used: 0, sends: vec![ports; terminals], receives: vec![ports; terminals] }
    }

    pub(super) fn fits(&self, route: &Route) -> bool {
        self.used & route.resources == 0 && self.sends[route.sender] > 0 && self.receives[route.receiver] > 0
    }

    /// Adds a transfer that fits.
    pub(super) fn take(&mut self, route: &Route) {
        self.used |= route.resources;
        self.sends[route.sender] -= 1;
        self.receives[route.receiver] -= 1;
    }

    /// Removes a transfer.
    pub(super) fn give_back(&mut self, route: &Route) {
        self.used &= !route.resources;
        self.sends[route.sender] += 1;
        self.receives[route.receiver] += 1;
    }
}

/// Returns the smallest number of transfers by receiver and sender.
pub(super) fn transfers_between(terminals: usize, routes: &[Route]) -> Vec<Vec<usize>> {
    let mut transfers = vec![vec![usize::MAX; terminals]; terminals];
    for (receiver, row) in transfers.iter_mut().enumerate() {
        row[receiver] = 0;
        for _ in 0..terminals {
            for route in routes {
                row[route.sender] = row[route.sender].min(row[route.receiver].saturating_add(1));
            }
        }
    }
    transfers
}

/// Returns all legal paths: simple paths through nodes that route, which use no resource twice. Under minimal routing,
/// those with the fewest channels between their ends.
pub(super) fn legal_routes(
    topology: &Topology,
    model: CommunicationModel,
    effort: &mut u64,
) -> Result<Vec<Route>, SearchTooLong> {
    let mut routes = Vec::new();
    for (sender, &from) in topology.terminals().iter().enumerate() {
        let mut walk = Walk { topology, model, sender, visited: vec![from], path: Vec::new(), resources: 0 };
        walk.extend(&mut routes, effort)?;
    }
    if model.routing == Routing::Minimal {
        let mut shortest: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for Route { sender, receiver, path, .. } in &routes {
            let channels = shortest.entry((*sender, *receiver)).or_insert(usize::MAX);
            *channels = path.len().min(*channels);
        }
        routes.retain(|route| route.path.len() == shortest[&(route.sender, route.receiver)]);
    }
    Ok(routes)
}

/// A path under construction.
struct Walk<'a> {
    topology: &'a Topology,
    model: CommunicationModel,
    sender: usize,
    visited: Vec<NodeId>,
    path: Vec<ChannelId>,
    resources: Resources,
}

impl Walk<'_> {
    fn extend(&mut self, routes: &mut Vec<Route>, effort: &mut u64) -> Result<(), SearchTooLong> {
        *effort = effort.checked_sub(1).ok_or(SearchTooLong)?;
        let topology = self.topology;
        for &channel in topology.out_channels(self.visited[self.visited.len() - 1]) {
            let next = topology.head(channel);
            let resource = 1 << topology.resource(channel).index();
            if self.visited.contains(&next) || self.resources & resource != 0 {
                continue;
            }
            self.path.push(channel);
            self.resources |= resource;
            if let Some(receiver) = topology.terminal_rank(next) {
                let (resources, path) = (self.resources, self.path.clone());
                routes.push(Route { sender: self.sender, receiver, resources, path });
            }
            if self.model.switching == Switching::Wormhole && topology.routes(next) {
                self.visited.push(next);
                self.extend(routes, effort)?;
                self.visited.pop();
            }
            self.resources &= !resource;
            self.path.pop();
        }
        Ok(())
    }
}
