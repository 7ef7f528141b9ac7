//! Ways from neighbour to neighbour, a step a channel.

use lockstep_schedule::MessageId;
use rand::{Rng, RngExt};

use super::{FirstFit, FirstFitPlacer, NodeMark};
use crate::kit::capacities::PortPair;
use crate::kit::method_error::MethodError;
use crate::kit::shortest_path_dag::{DagArc, ShortestPathDag};

impl<R: Rng> FirstFitPlacer<'_, R> {
    /// The step after the earliest in which the message arrives if it is passed on from neighbour to neighbour from step
    /// `ready` on; how, is left in `marks`.
    pub(super) fn find_hops(&mut self, ready: u32) -> u32 {
        let Self { scatter, slots, shortest, marks, rng, .. } = self;
        let FirstFit { task, capacities, .. } = scatter;
        for mark in &mut marks[..shortest.source()] {
            mark.ready = u32::MAX;
        }
        marks[shortest.source()].ready = ready;
        for (via, arc) in shortest.arcs().iter().enumerate().rev() {
            let [tail, head] = [arc.tail, arc.head].map(|place| shortest.nodes()[place as usize]);
            let ports = PortPair::new(task, capacities, tail, head);
            let ready = slots.next_free(arc.wire, ports, marks[arc.tail as usize].ready) + 1;
            let head = &mut marks[arc.head as usize];
            if ready <= head.ready {
                let tie = u64::from(slots.load(arc.wire)) << 32 | u64::from(rng.random::<u32>());
                if (ready, tie) < (head.ready, head.tie) {
                    *head = NodeMark { ready, tie, via: via as u32, ..*head };
                }
            }
        }
        marks[ShortestPathDag::TARGET].ready
    }

    /// Makes the transfers that [`find_hops`](Self::find_hops) has found.
    pub(super) fn take_hops(&mut self, message: MessageId) -> Result<(), MethodError> {
        let Self { scatter, slots, shortest, marks, log, .. } = self;
        let FirstFit { task, capacities, .. } = scatter;
        let mut place = ShortestPathDag::TARGET;
        while place != shortest.source() {
            let NodeMark { ready, via, .. } = marks[place];
            let DagArc { tail, channel, wire, .. } = shortest.arcs()[via as usize];
            let step = ready - 1;
            let ports = PortPair::new(task, capacities, shortest.nodes()[tail as usize], shortest.nodes()[place]);
            for slot in ports.iter() {
                slots.reserve(step, slot);
            }
            slots.reserve(step, wire);
            log.push(message, step, &[channel])?;
            place = tail as usize;
        }
        Ok(())
    }
}
