//! The broadcast along the diagonals, and its construction.

use lockstep_schedule::{Budget, Problem, Run, Schedule};
use lockstep_topology::CayleyGraph;

use super::broadcast_line::BroadcastLine;
use crate::kit::streamed_broadcast;
use crate::kit::torus::generator;
use crate::{Construction, StreamedBroadcast};

/// Wormhole all-port broadcast on square tori.
///
/// For the idea, the number of rounds and the source see [`DiagonalBroadcast`].
pub(crate) const DIAGONALS: Construction = Construction {
    name: "diagonals",
    about: "square tori of any side: wormhole broadcast, first along a diagonal, then from it",
    construct: |problem, _goal, budget| construct(problem, budget),
};

/// A wormhole all-port one-to-all broadcast on the torus of `n x n` nodes, `n >= 3`, in `2 ceil(log5 n)` rounds: at
/// most one above the optimum.
///
/// In the first half, the message spreads over the diagonal of the root, one holder per row. A holder reaches two rows
/// above through its own column and the next one. Each path ends in the row of the receiver, which no other transfer
/// uses, with a leg to the diagonal. The paths to the rows below are their mirror images. In the second half, the
/// message spreads over the diagonals, as on one line of `n` points: along a row or a column, a node reaches two
/// diagonals on each side, and different holders use different parts of a line. All paths are shortest paths.
///
/// A round takes `O(log n)` time per transfer. Memory: a few bytes, independent of the network.
///
/// ```
/// use lockstep_analytic::{DiagonalBroadcast, StreamedBroadcast};
///
/// let diagonals = DiagonalBroadcast::new(7).expect("a torus of 3 x 3 or more");
/// assert_eq!(diagonals.round_count(), 4);
/// assert_eq!(diagonals.arrival(0), 0);
/// ```
///
/// # Source
///
/// The dilated diagonals of the lecture on hypercubes and tori, after Tvrdík. Its alignment round is not needed,
/// because the last leg is in the row of the receiver.
#[derive(Clone, Debug)]
pub struct DiagonalBroadcast {
    graph: CayleyGraph,
    line: BroadcastLine,
    /// The generators forwards and backwards along the first axis, then the second.
    ports: [[u16; 2]; 2],
}

impl DiagonalBroadcast {
    /// Returns the broadcast on the torus of `side x side` nodes; `None` for sides below 3 and for more than 2^63
    /// nodes.
    pub fn new(side: u32) -> Option<Self> {
        let graph: CayleyGraph = format!("torus:{side}x{side}").parse().ok().filter(|_| side >= 3)?;
        let ports = [0, 1].map(|axis| [false, true].map(|backwards| generator(&graph, axis, backwards)));
        Some(Self { graph, line: BroadcastLine::new(side), ports })
    }

    /// Returns the coordinates of a node as points of a line.
    fn coordinates(&self, offset: u64) -> [i64; 2] {
        let (offset, side) = (offset.cast_signed(), self.line.points);
        [offset / side, offset % side].map(|coordinate| self.line.point(coordinate))
    }

    fn element(&self, coordinates: [i64; 2]) -> u64 {
        let [x, y] = coordinates.map(|coordinate| coordinate.rem_euclid(self.line.points));
        (x * self.line.points + y).cast_unsigned()
    }

    /// Whether a round is in the second half, and its index in its half.
    fn half(&self, round: usize) -> (bool, usize) {
        let second = round >= self.line.rounds;
        (second, if second { round - self.line.rounds } else { round })
    }
}

impl StreamedBroadcast for DiagonalBroadcast {
    fn graph(&self) -> &CayleyGraph {
        &self.graph
    }

    fn round_count(&self) -> usize {
        2 * self.line.rounds
    }

    fn arrival(&self, offset: u64) -> usize {
        let [x, y] = self.coordinates(offset);
        match self.line.point(x - y) {
            0 => self.line.arrival(y),
            diagonal => self.line.rounds + self.line.arrival(diagonal),
        }
    }

    fn senders(&self, round: usize, visit: &mut dyn FnMut(u64)) {
        let (second, round) = self.half(round);
        for point in self.line.points().filter(|&point| self.line.arrival(point) <= round) {
            if second {
                self.line.points().for_each(|y| visit(self.element([point + y, y])));
            } else {
                visit(self.element([point, point]));
            }
        }
    }

    fn sends(&self, offset: u64, round: usize, visit: &mut dyn FnMut(&[Run])) {
        let [x, y] = self.coordinates(offset);
        let (second, round) = self.half(round);
        let point = self.line.point(if second { x - y } else { y });
        let split = self.line.split(self.line.interval(point, round), round);
        for (backwards, cells) in [(false, split.above), (true, split.below)] {
            let along = |axis: usize, backwards: bool, hops: u64| Run {
                generator: self.ports[axis][usize::from(backwards)],
                hops,
            };
            let [near, far] = cells.map(|cell| cell.map(|cell| cell.at.abs_diff(point)));
            let [aside, ahead] = [0, 1].map(|axis| move |hops| along(axis, backwards, hops));
            if let Some(hops) = near {
                if second { visit(&[aside(hops)]) } else { visit(&[ahead(hops), aside(hops)]) }
            }
            if let Some(hops) = far {
                // The number of a diagonal grows with the first coordinate and falls with the second.
                let opposite = along(1, !backwards, hops);
                if second { visit(&[opposite]) } else { visit(&[aside(1), ahead(hops), aside(hops - 1)]) }
            }
        }
    }
}

fn construct(problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
    let axes = streamed_broadcast::axes(problem, budget)?;
    let diagonals = match *axes.sides() {
        [side, other] if side == other => DiagonalBroadcast::new(side)?,
        _ => return None,
    };
    let node_of: Vec<_> = (0..problem.topology().node_count()).map(|place| axes.node_at(place)).collect();
    streamed_broadcast::written(&diagonals, problem, &node_of, budget)
}
