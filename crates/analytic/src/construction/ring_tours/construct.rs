//! The construction for networks that are recognised as tori.

use lockstep_schedule::{Budget, CollectiveName, MessageId, Problem, Schedule, Switching};
use lockstep_topology::ChannelId;

use super::blocks::Blocks;
use super::ring::Move;
use crate::{Construction, GroupLabelling, TorusAxes};

/// The largest number of channel uses of a stored schedule.
const MAX_CHANNEL_USES: u64 = 1 << 31;

/// Wormhole all-to-all on tori of any sides, with all ports and full-duplex links, under any numbering.
///
/// For the idea, the number of steps and the source see the [module](super).
pub(crate) const RING_TOURS: Construction = Construction {
    name: "ring-tours",
    about: "tori of any sides: wormhole all-to-all along tours of the rings",
    construct: |problem, _, budget| construct(problem, budget),
};

fn construct(problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    let is_exchange = problem.collective().name() == Some(CollectiveName::AllToAll);
    if !is_exchange || model.switching != Switching::Wormhole || topology.resource_count() != topology.channel_count() {
        return None;
    }
    let labelling = GroupLabelling::of(topology, budget)?;
    let axes = labelling.axes().filter(|_| model.ports.of_degree(labelling.degree()) == labelling.degree())?;
    let nodes = topology.node_count() as u64;
    // Half of a side is the mean distance of two positions, twice.
    let hops: u64 = axes.sides().iter().map(|&side| u64::from(side)).sum::<u64>().div_ceil(4);
    if nodes.checked_pow(2)?.checked_mul(hops)? > MAX_CHANNEL_USES {
        return None;
    }
    let blocks = Blocks::new(axes.sides(), budget)?;
    let mut writer = Writer::new(&labelling, &axes);
    for step in blocks.steps() {
        if budget.stop_after(0).is_some() {
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
    labelling: &'a GroupLabelling,
    axes: &'a TorusAxes,
    /// The number of places between two positions of each axis.
    strides: Vec<usize>,
    schedule: Schedule,
    moves: Vec<Move>,
    path: Vec<ChannelId>,
}

impl<'a> Writer<'a> {
    fn new(labelling: &'a GroupLabelling, axes: &'a TorusAxes) -> Self {
        let mut strides = vec![1; axes.sides().len()];
        for axis in (1..strides.len()).rev() {
            strides[axis - 1] = strides[axis] * axes.sides()[axis] as usize;
        }
        Self { labelling, axes, strides, schedule: Schedule::new(), moves: Vec::new(), path: Vec::new() }
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
        let source = self.axes.node_at(starts.sum());
        let mut node = source;
        self.path.clear();
        for (axis, moved) in self.moves.iter().enumerate() {
            let forward = self.axes.forward(axis);
            let generator = if moved.hops < 0 { self.labelling.opposite(forward) } else { forward };
            for _ in 0..moved.hops.unsigned_abs() {
                self.path.push(self.labelling.channel(node, generator));
                node = self.labelling.next(node, generator);
            }
        }
        let (source, receiver) = (source.index(), node.index());
        let message = source * (self.labelling.node_count() - 1) + receiver - usize::from(receiver > source);
        self.schedule.push(MessageId::from_index(message), &self.path);
    }
}
