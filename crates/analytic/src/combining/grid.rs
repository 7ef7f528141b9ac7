//! Coordinates of ranks: of a torus, and of hosts whose terminals have one rail each.

use std::collections::BTreeSet;

use lockstep_schedule::{Budget, Problem};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::GroupLabelling;

/// The coordinates of ranks. Ranks whose coordinates differ along one axis can send to each other.
pub(super) struct Grid {
    /// The number of ranks along each axis, at least 2.
    pub(super) sides: Vec<u32>,
    /// By axis: the number of transfers that a rank can send and receive along it in a step of width 1, at least 1.
    pub(super) ports: Vec<u32>,
    /// The rank at each place. A place is the number whose digits are the coordinates, the last axis fastest.
    pub(super) rank_at: Vec<u32>,
    /// True if the ranks along an axis are a cycle of neighbours, and false if they are behind one switch.
    pub(super) is_torus: bool,
}

impl Grid {
    /// Returns the coordinates of the terminals, or `None` if the network is neither a torus nor hosts with rails.
    pub(super) fn of(problem: &Problem<'_>) -> Option<Self> {
        let topology = problem.topology();
        if topology.switch_count() > 0 {
            return Self::of_rails(problem);
        }
        let axes = GroupLabelling::of(topology, &Budget::unlimited())?.axes()?;
        let sides = axes.sides().to_vec();
        let ports = sides.iter().map(|&side| problem.model().ports.of_degree(if side == 2 { 1 } else { 2 }) as u32);
        Some(Self {
            ports: ports.collect(),
            rank_at: (0..topology.terminal_count()).map(|place| rank(topology, axes.node_at(place))).collect(),
            sides,
            is_torus: true,
        })
    }

    /// Returns the coordinates of terminals that are connected to two fabrics each: that of their host, and a rail.
    ///
    /// A fabric is a connected part of the switches. Each host and rail must have one terminal in common. The first axis has
    /// the smaller capacity. O(channels).
    fn of_rails(problem: &Problem<'_>) -> Option<Self> {
        let topology = problem.topology();
        let fabric = fabrics(topology);
        // The fabrics of each terminal, as a graph with one edge per terminal.
        let mut edges: Vec<[usize; 2]> = Vec::with_capacity(topology.terminal_count());
        let mut terminals_of: Vec<Vec<usize>> = vec![Vec::new(); topology.node_count()];
        for (place, &terminal) in topology.terminals().iter().enumerate() {
            let channels = topology.out_channels(terminal).iter().map(|&channel| topology.head(channel));
            let found: BTreeSet<usize> = channels.filter_map(|node| fabric[node.index()]).collect();
            let [first, second] = *Vec::from_iter(found) else { return None };
            edges.push([first, second]);
            terminals_of[first].push(place);
            terminals_of[second].push(place);
        }
        // The two classes: the axis and the coordinate of each fabric.
        let mut position: Vec<Option<(usize, u32)>> = vec![None; topology.node_count()];
        let mut sides = [0_u32; 2];
        let mut queue = vec![(edges.first()?[0], 0)];
        while let Some((fabric, axis)) = queue.pop() {
            match position[fabric] {
                Some((known, _)) if known != axis => return None,
                Some(_) => continue,
                None => {
                    position[fabric] = Some((axis, sides[axis]));
                    sides[axis] += 1;
                }
            }
            let ends = terminals_of[fabric].iter().flat_map(|&place| edges[place]);
            queue.extend(ends.filter(|&end| end != fabric).map(|end| (end, 1 - axis)));
        }
        if sides.iter().any(|&side| side < 2) || sides[0] as usize * sides[1] as usize != edges.len() {
            return None;
        }
        let mut ports = [u32::MAX; 2];
        for &terminal in topology.terminals() {
            for (axis, ports) in ports.iter_mut().enumerate() {
                // The terminals of a fabric have its coordinate in common: it connects them along the other axis.
                let is_along = |&&channel: &&ChannelId| {
                    fabric[topology.head(channel).index()]
                        .and_then(|fabric| position[fabric])
                        .is_some_and(|at| at.0 == 1 - axis)
                };
                let channels = topology.out_channels(terminal).iter().filter(is_along);
                let capacity: usize = channels.map(|&channel| topology.capacity(channel) as usize).sum();
                *ports = (*ports).min(problem.model().ports.of_degree(capacity).try_into().unwrap_or(u32::MAX));
            }
        }
        let order = if ports[0] <= ports[1] { [0, 1] } else { [1, 0] };
        let mut rank_at = vec![None; edges.len()];
        for (rank, edge) in (0..).zip(&edges) {
            let mut coordinates = [0; 2];
            for fabric in edge {
                let (axis, coordinate) = position[*fabric]?;
                coordinates[axis] = coordinate;
            }
            let [slow, fast] = order.map(|axis| coordinates[axis]);
            rank_at[(slow * sides[order[1]] + fast) as usize] = Some(rank);
        }
        Some(Self {
            sides: order.map(|axis| sides[axis]).to_vec(),
            ports: order.map(|axis| ports[axis].max(1)).to_vec(),
            rank_at: rank_at.into_iter().collect::<Option<_>>()?,
            is_torus: false,
        })
    }

    /// Returns the number of instances that begin at different axes: one per axis of a torus. Otherwise all begin at the
    /// axis of the smallest capacity, while there is little data.
    pub(super) fn rotations(&self) -> usize {
        if self.is_torus { self.sides.len() } else { 1 }
    }

    /// Returns the place whose coordinate along an axis is changed by a function.
    pub(super) fn moved(&self, place: usize, axis: usize, change: impl Fn(u32) -> u32) -> usize {
        let stride: usize = self.sides[axis + 1..].iter().map(|&side| side as usize).product();
        let side = self.sides[axis];
        let coordinate = (place / stride) as u32 % side;
        place - coordinate as usize * stride + change(coordinate) as usize * stride
    }

    /// Returns the axes with their levels, one per halving of a side, for the instance that begins at an axis. Steps of an
    /// all-gather are in the opposite order. `None` if a side is no power of two.
    ///
    /// On a torus, the axes take turns.
    pub(super) fn levels(&self, first: usize) -> Option<Vec<(usize, u32)>> {
        if !self.sides.iter().all(|side| side.is_power_of_two()) {
            return None;
        }
        let dimension = self.sides.len();
        let levels = |axis: usize| (0..self.sides[axis].ilog2()).map(move |level| (axis, level));
        let mut all: Vec<(usize, u32)> = (0..dimension).flat_map(levels).collect();
        if self.is_torus {
            all.sort_by_key(|&(axis, level)| (level, (axis + dimension - first) % dimension));
        } else {
            all.sort_by_key(|&(axis, level)| (dimension - axis, level));
        }
        Some(all)
    }
}

/// Returns the rank of a terminal.
pub(super) fn rank(topology: &Topology, terminal: NodeId) -> u32 {
    topology.terminal_rank(terminal).expect("the node is a terminal") as u32
}

/// Returns the fabric of each switch, by its first switch: switches with a path over switches are in one fabric.
fn fabrics(topology: &Topology) -> Vec<Option<usize>> {
    let mut fabric = vec![None; topology.node_count()];
    let is_switch = |node: NodeId| topology.routes(node) && !topology.is_terminal(node);
    for first in topology.nodes().filter(|&node| is_switch(node)) {
        if fabric[first.index()].is_some() {
            continue;
        }
        let mut queue = vec![first];
        fabric[first.index()] = Some(first.index());
        while let Some(node) = queue.pop() {
            let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
            let tails = topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
            for other in heads.chain(tails).filter(|&other| is_switch(other)) {
                if fabric[other.index()].is_none() {
                    fabric[other.index()] = Some(first.index());
                    queue.push(other);
                }
            }
        }
    }
    fabric
}
