//! The network of a problem, as far as a formula needs it.

use lockstep_schedule::{Ports, Problem};
use lockstep_topology::{ChannelId, NodeId};

use crate::error::ExactError;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::routes::{Route, distances, routes};

/// Maximum number of terminals, and of resources.
const MAX_BITS: usize = 128;

/// The tables of a network. Terminals have their ranks as numbers.
pub(crate) struct Network {
    pub(crate) terminals: usize,
    /// By sender and receiver.
    pub(crate) routes: Vec<Route>,
    /// The fewest transfers by sender and receiver.
    distance: Vec<u32>,
    /// The room of each resource in one step.
    room: Vec<u32>,
    /// The transfers that each terminal can send in one step, and that it can receive.
    sends: Vec<u32>,
    receives: Vec<u32>,
}

impl Network {
    pub(crate) fn new(problem: &Problem<'_>) -> Result<Self, ExactError> {
        let topology = problem.topology();
        let terminals = topology.terminal_count();
        if terminals.max(topology.resource_count()) > MAX_BITS {
            return Err(ExactError::TooLarge);
        }
        let routes = routes(problem)?;
        let mut room = vec![0; topology.resource_count()];
        for channel in topology.channels() {
            let resource = topology.resource(channel);
            room[resource.index()] = topology.resource_capacity(resource);
        }
        let limit = match problem.model().ports {
            Ports::All => u32::MAX,
            Ports::Limit(limit) => limit.get(),
        };
        let of_channels = |channels: &[ChannelId]| {
            let mut resources: Vec<usize> =
                channels.iter().map(|&channel| topology.resource(channel).index()).collect();
            resources.sort_unstable();
            resources.dedup();
            resources.into_iter().map(|resource| room[resource]).fold(0, u32::saturating_add).min(limit)
        };
        let nodes = topology.terminals().iter();
        let sends = nodes.clone().map(|&node| of_channels(topology.out_channels(node))).collect();
        let receives = nodes.map(|&node| of_channels(topology.in_channels(node))).collect();
        let distance = distances(terminals, &routes);
        Ok(Self { terminals, routes, distance, room, sends, receives })
    }

    /// Returns the fewest transfers from a terminal to another one.
    pub(crate) fn distance(&self, from: usize, to: usize) -> u32 {
        self.distance[from * self.terminals + to]
    }

    /// Returns the number of transfers that a terminal can send in one step.
    pub(crate) fn sends(&self, rank: usize) -> usize {
        self.sends[rank] as usize
    }

    /// Returns the number of transfers that a terminal can receive in one step.
    pub(crate) fn receives(&self, rank: usize) -> usize {
        self.receives[rank] as usize
    }

    /// States that the transfers of one step, as routes and literals, fit the resources and the ports of their senders.
    pub(crate) fn limit(&self, formula: &mut Formula, transfers: &[(usize, Literal)]) {
        let mut limit = |most: u32, is_limited: &dyn Fn(&Route) -> bool| {
            let limited = transfers.iter().filter(|&&(route, _)| is_limited(&self.routes[route]));
            let limited: Vec<Literal> = limited.map(|&(_, literal)| literal).collect();
            formula.at_most(&limited, most as usize);
        };
        for (resource, &room) in self.room.iter().enumerate() {
            limit(room, &|route| route.resources >> resource & 1 == 1);
        }
        for (rank, &ports) in self.sends.iter().enumerate() {
            limit(ports, &|route| route.sender == rank);
        }
    }
}

/// Returns the rank of a source or receiver.
pub(crate) fn rank(problem: &Problem<'_>, node: NodeId) -> usize {
    problem.topology().terminal_rank(node).expect("the ends of messages are terminals")
}
