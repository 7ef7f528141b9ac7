//! The candidate paths and the resources that they use.

use std::ops::Range;

use lockstep_paths::{PathId, PathTable};
use lockstep_schedule::{Ports, Problem};
use lockstep_topology::{NodeId, ResourceId, Topology};

/// The data of a [`PathTable`] that the search reads, in flat arrays.
///
/// Memory: 16 bytes per path and 4 bytes per resource of it.
#[derive(Debug)]
pub(crate) struct CandidatePaths<'a> {
    table: &'a PathTable,
    /// The position of each path in `resources`; one entry more than paths.
    start: Box<[u32]>,
    resources: Box<[u32]>,
    /// Rank of the first terminal of each path.
    sender: Box<[u32]>,
    /// All paths in the order of the table: by target, then by source.
    table_order: Box<[u32]>,
    /// All paths in the order of their targets, the shortest of each target first.
    shortest_first: Box<[u32]>,
}

impl<'a> CandidatePaths<'a> {
    /// Reads all paths of the table and adds the port sets of their ends, see [`capacities`].
    pub(crate) fn new(problem: &Problem, table: &'a PathTable, ports: PortSets) -> Self {
        let topology = problem.topology();
        let count = table.path_count();
        let (mut start, mut resources, mut sender) =
            (Vec::with_capacity(count + 1), Vec::new(), Vec::with_capacity(count));
        start.push(0);
        for number in 0..count as u32 {
            let path = PathId::new(number);
            let (from, to) = (rank(topology, table.source(path)), rank(topology, table.target(path)));
            resources.extend(table.channels(path).iter().map(|&channel| topology.resource(channel).number()));
            resources.extend(ports.send.map(|port| port + from));
            resources.extend(ports.receive.map(|port| port + to));
            sender.push(from);
            start.push(resources.len() as u32);
        }
        let table_order: Box<[u32]> = (0..count as u32).collect();
        let mut shortest_first = table_order.clone();
        for &terminal in topology.terminals() {
            let group = table.towards(terminal);
            let length = |&path: &u32| start[path as usize + 1] - start[path as usize];
            shortest_first[group.start as usize..group.end as usize].sort_by_key(length);
        }
        Self {
            table,
            start: start.into(),
            resources: resources.into(),
            sender: sender.into(),
            table_order,
            shortest_first,
        }
    }

    pub(crate) fn table(&self) -> &'a PathTable {
        self.table
    }

    #[inline]
    pub(crate) fn resources(&self, path: u32) -> &[u32] {
        let path = path as usize;
        &self.resources[self.start[path] as usize..self.start[path + 1] as usize]
    }

    #[inline]
    pub(crate) fn sender(&self, path: u32) -> u32 {
        self.sender[path as usize]
    }

    /// Returns the positions in [`table_order`](Self::table_order) of the paths of a pair.
    pub(crate) fn between(&self, from: NodeId, to: NodeId) -> Range<u32> {
        self.table.between(from, to)
    }

    /// Returns the positions in [`shortest_first`](Self::shortest_first) of the paths to a terminal.
    pub(crate) fn towards(&self, to: NodeId) -> Range<u32> {
        self.table.towards(to)
    }

    #[inline]
    pub(crate) fn table_order(&self) -> &[u32] {
        &self.table_order
    }

    #[inline]
    pub(crate) fn shortest_first(&self) -> &[u32] {
        &self.shortest_first
    }

    /// Returns all numbers on which the result of a search depends.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        [&self.start, &self.resources, &self.sender, &self.shortest_first].into_iter().flatten().copied()
    }
}

/// Returns the rank of a terminal that a path or a message names.
pub(crate) fn rank(topology: &Topology, node: NodeId) -> u32 {
    topology.terminal_rank(node).expect("paths and messages join terminals") as u32
}

/// The first sending and the first receiving port set among the resources, if ports are limited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortSets {
    send: Option<u32>,
    receive: Option<u32>,
}

/// Returns the capacity of every resource, including port sets; none exceeds `most`.
pub(crate) fn capacities(problem: &Problem, most: u16) -> (Vec<u16>, PortSets) {
    let topology = problem.topology();
    let at_most = |limit: u32| u16::try_from(limit).unwrap_or(most).min(most);
    let resources = (0..topology.resource_count() as u32).map(ResourceId::new);
    let mut capacity: Vec<u16> = resources.map(|resource| at_most(topology.resource_capacity(resource))).collect();
    let Ports::Limit(limit) = problem.model().ports else {
        return (capacity, PortSets { send: None, receive: None });
    };
    let send = capacity.len() as u32;
    let receive = send + topology.terminal_count() as u32;
    capacity.resize(capacity.len() + 2 * topology.terminal_count(), at_most(limit.get()));
    (capacity, PortSets { send: Some(send), receive: Some(receive) })
}
