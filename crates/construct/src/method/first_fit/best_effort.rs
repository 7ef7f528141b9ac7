//! The rest of a schedule when the time is over.

use lockstep_schedule::MessageId;
use lockstep_topology::NodeId;
use rand::Rng;

use super::{FirstFitPlacer, RelayStop};
use crate::kit::capacities::{PortPair, SlotId, resource_slot};
use crate::kit::distances::UNREACHED;
use crate::kit::method_error::MethodError;
use crate::kit::reservation_table::{BLOCK_STEPS, ReservationTable, StepMask};

impl<R: Rng> FirstFitPlacer<'_, R> {
    /// Sends a message on its way along one shortest path, over the least used wires, in the earliest steps that are free
    /// there. Takes time in proportion to the degrees along the path and to the blocks in which it is crowded.
    pub(super) fn place_quickly(&mut self, message: MessageId) -> Result<(), MethodError> {
        let (source, target) = self.scatter.ends(message);
        let stop = self.start.stops(message).next_back();
        let RelayStop { terminal: mut holder, mut ready } = stop.unwrap_or(RelayStop { terminal: source, ready: 0 });
        if self.scatter.distances.from(holder, &mut self.row)[target.index()] != UNREACHED {
            return self.send(message, (holder, target), ready).map(|_| ());
        }
        for next in self.stops(holder, target) {
            ready = self.send(message, (holder, next), ready)?;
            holder = next;
        }
        Ok(())
    }

    /// Sends a message from step `ready` on to where one transfer can go, or many hops; the step after it is there.
    fn send(&mut self, message: MessageId, ends: (NodeId, NodeId), ready: u32) -> Result<u32, MethodError> {
        self.find_path(ends);
        let task = self.scatter.task;
        if !task.stores_and_forwards() && task.repeats_a_resource(&self.path) {
            self.restrict_to(ends.0, ends.1);
            let step = self.find_leg(ready)?;
            self.take_leg(message, step)?;
            return Ok(step + 1);
        }
        let Self { scatter, slots, path, log, .. } = self;
        let topology = task.topology();
        let mut transfer = |(from, to), path: &[_], ready| {
            let ports = PortPair::new(task, &scatter.capacities, from, to);
            let taken = || path.iter().map(|&channel| resource_slot(task, channel)).chain(ports.iter());
            let step = first_free(slots, taken, ready);
            taken().for_each(|slot| slots.reserve(step, slot));
            log.push(message, step, path)?;
            Ok(step + 1)
        };
        if task.stores_and_forwards() {
            let hops = path.chunks(1);
            hops.map(|hop| (topology.tail(hop[0]), topology.head(hop[0]), hop))
                .try_fold(ready, |ready, (from, to, hop)| transfer((from, to), hop, ready))
        } else {
            transfer(ends, path, ready)
        }
    }

    /// Leaves a shortest path in `path`.
    fn find_path(&mut self, (source, target): (NodeId, NodeId)) {
        let Self { scatter, slots, row, path, .. } = self;
        let (task, topology) = (scatter.task, scatter.task.topology());
        let distance = scatter.distances.from(source, row);
        path.clear();
        let mut node = target;
        while node != source {
            let is_before = |tail: NodeId| {
                let is_nearer = distance[tail.index()].checked_add(1) == Some(distance[node.index()]);
                is_nearer && (tail == source || task.crosses(tail))
            };
            let channels = topology.in_channels(node).iter().copied();
            let channel = channels
                .filter(|&channel| is_before(topology.tail(channel)))
                .min_by_key(|&channel| slots.load(resource_slot(task, channel)))
                .expect("a node that is reached has a way in");
            path.push(channel);
            node = topology.tail(channel);
        }
        path.reverse();
    }
}

/// The first step from `ready` on in which all these slots are free.
fn first_free<I: Iterator<Item = SlotId>>(slots: &ReservationTable<'_>, taken: impl Fn() -> I, ready: u32) -> u32 {
    let mut block = taken().map(|slot| slots.first_open_block(slot)).fold(ready / BLOCK_STEPS, u32::max);
    loop {
        let both = |open: StepMask, slot| Some(open & slots.free_steps(block, slot)).filter(|&open| open != 0);
        if let Some(open) = taken().try_fold(ReservationTable::steps_from(block, ready), both) {
            return block * BLOCK_STEPS + open.trailing_zeros();
        }
        block += 1;
    }
}
