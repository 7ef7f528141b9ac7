//! The construction for networks that are recognised as tori or meshes.

use lockstep_schedule::{Budget, CollectiveName, MessageId, Problem, Schedule, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::axis_tours::Move;
use super::blocks::Blocks;
use crate::Construction;
use crate::kit::grid::Grid;

/// The largest number of channel uses of a stored schedule.
const MAX_CHANNEL_USES: u64 = 1 << 31;

/// Wormhole all-to-all on tori and meshes of any sides, with all ports and full-duplex links, under any numbering.
///
/// For the idea, the number of steps and the source see the [module](super).
pub(crate) const TOURS: Construction = Construction {
    name: "tours",
    about: "tori and meshes of any sides: wormhole all-to-all along tours of the axes",
    construct: |problem, _, budget| construct(problem, budget),
};

fn construct(problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    let is_exchange = problem.collective().name() == Some(CollectiveName::AllToAll);
    if !is_exchange || model.switching != Switching::Wormhole {
        return None;
    }
    let degree = topology.nodes().map(|node| topology.out_channels(node).len()).max()?;
    if model.ports.of_degree(degree) < degree {
        return None;
    }
    let grid = Grid::of(topology, budget)?;
    let nodes = topology.node_count() as u64;
    // The mean distance of two positions is at most a third of a line, or a quarter of a ring.
    let part = if grid.is_torus { 4 } else { 3 };
    let hops: u64 = grid.sides.iter().map(|&side| u64::from(side)).sum::<u64>().div_ceil(part);
    if nodes.checked_pow(2)?.checked_mul(hops)? > MAX_CHANNEL_USES {
        return None;
    }
    let blocks = Blocks::new(&grid.sides, grid.is_torus, budget)?;
    let mut writer = Writer::new(topology, &grid, hops);
    for step in blocks.steps() {
        if budget.interruption().is_some() {
            return None;
        }
        writer.schedule.begin_step();
        for block in step {
            let tours: Vec<&[Move]> = block.iter().map(|&tour| blocks.tour(tour)).collect();
            writer.write(&tours);
        }
    }
    Some(writer.schedule)
}

/// Writes the messages of blocks.
struct Writer<'a> {
    grid: &'a Grid,
    /// By node, axis and direction: the channel, and the node at its head.
    hops: Vec<(ChannelId, NodeId)>,
    /// The number of places between two positions of each axis.
    strides: Vec<usize>,
    schedule: Schedule,
    moves: Vec<Move>,
    path: Vec<ChannelId>,
}

impl<'a> Writer<'a> {
    /// `mean` is at least the mean number of channels of a path.
    fn new(topology: &Topology, grid: &'a Grid, mean: u64) -> Self {
        let mut strides = vec![1; grid.sides.len()];
        for axis in (1..strides.len()).rev() {
            strides[axis - 1] = strides[axis] * grid.sides[axis] as usize;
        }
        let pairs = topology.node_count().pow(2);
        Self {
            grid,
            hops: grid.hops(topology),
            strides,
            schedule: Schedule::with_capacity(pairs, pairs * mean as usize),
            moves: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Writes one message for each list of one move per tour.
    fn write(&mut self, tours: &[&[Move]]) {
        let total: usize = tours.iter().map(|tour| tour.len()).product();
        for mut number in 0..total {
            self.moves.clear();
            for tour in tours {
                self.moves.push(tour[number % tour.len()]);
                number /= tour.len();
            }
            if self.moves.iter().any(|moved| moved.hops != 0) {
                self.write_message();
            }
        }
    }

    fn write_message(&mut self) {
        let starts = self.moves.iter().zip(&self.strides).map(|(moved, stride)| moved.start as usize * stride);
        let source = self.grid.node_at(starts.sum());
        let mut node = source;
        self.path.clear();
        let directions = 2 * self.moves.len();
        for (axis, moved) in self.moves.iter().enumerate() {
            let direction = 2 * axis + usize::from(moved.hops < 0);
            for _ in 0..moved.hops.unsigned_abs() {
                let (channel, head) = self.hops[node.index() * directions + direction];
                self.path.push(channel);
                node = head;
            }
        }
        let (source, receiver) = (source.index(), node.index());
        let message = source * (self.grid.node_count() - 1) + receiver - usize::from(receiver > source);
        self.schedule.push(MessageId::from_index(message), &self.path);
    }
}
