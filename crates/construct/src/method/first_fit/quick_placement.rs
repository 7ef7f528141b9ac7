//! The placement of messages without a search, for a quick schedule.

use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId};
use rand::Rng;

use super::arrivals::{Arrival, Arrivals};
use super::fixed_part::RelayStop;
use super::placer::FirstFitPlacer;
use crate::kit::distances::UNREACHED;
use crate::kit::method_error::MethodError;

impl<R: Rng> FirstFitPlacer<'_, R> {
    /// Adds the transfers of a message along one shortest path over the least used resources, in the earliest free
    /// steps. Time: the degrees along the path plus the blocks in which it is crowded.
    pub(super) fn place_quickly(&mut self, message: MessageId) -> Result<(), MethodError> {
        let (source, target) = self.shared.ends(message);
        let stop = self.fixed.stops(message).next_back();
        let stop = stop.unwrap_or(RelayStop { terminal: source, ready: 0 });
        if self.shared.task().bus_paths().is_some() {
            return self.place_from(message, stop, target);
        }
        let RelayStop { terminal: mut holder, mut ready } = stop;
        if self.search.distances_from(holder)[target.index()] != UNREACHED {
            return self.send(message, (holder, target), ready).map(|_| ());
        }
        for next in self.relay_stops(holder, target) {
            ready = self.send(message, (holder, next), ready)?;
            holder = next;
        }
        Ok(())
    }

    /// Sends a message from step `ready` on in one transfer, or hop by hop under store-and-forward. Returns the step
    /// after its arrival.
    fn send(&mut self, message: MessageId, ends: (NodeId, NodeId), ready: u32) -> Result<u32, MethodError> {
        self.find_least_used_path(ends);
        let path = std::mem::take(&mut self.path);
        let task = self.shared.task();
        let arrival = if task.stores_and_forwards() {
            path.chunks(1).try_fold(ready, |ready, hop| self.transfer(message, hop, ready))?
        } else {
            self.transfer(message, &path, ready)?
        };
        self.path = path;
        Ok(arrival)
    }

    /// Adds a transfer in the first free step from `ready` on, and returns the step after it.
    fn transfer(&mut self, message: MessageId, path: &[ChannelId], ready: u32) -> Result<u32, MethodError> {
        let step = self.partial.table().first_free(self.shared.slots().of_path(path), ready);
        self.partial.add(message, step, path)?;
        Ok(step + 1)
    }

    /// Finds a shortest path that uses the least used resource at each node, seen from the target; leaves it in `path`.
    fn find_least_used_path(&mut self, (source, target): (NodeId, NodeId)) {
        let Self { shared, partial, search, path, arrivals, .. } = self;
        if arrivals.is_empty() {
            *arrivals = Arrivals::of(shared.task(), shared.slots());
        }
        let distance = search.distances_from(source);
        path.clear();
        let mut node = target;
        while node != source {
            let before = distance[node.index()] - 1;
            let is_before = |arrival: &&Arrival| {
                distance[arrival.tail.index()] == before && (arrival.is_crossed || arrival.tail == source)
            };
            let arrival = arrivals.at(node).iter().filter(is_before).min_by_key(|arrival| partial.load(arrival.slot));
            let arrival = arrival.expect("a reached node has a predecessor");
            path.push(arrival.channel);
            node = arrival.tail;
        }
        path.reverse();
    }
}
