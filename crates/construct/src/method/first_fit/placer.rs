//! The placement of one message after the other.

use lockstep_schedule::{MessageId, Transfer};
use lockstep_topology::{ChannelId, NodeId};
use rand::Rng;

use super::arrivals::Arrivals;
use super::fixed_part::{FixedPart, RelayStop};
use super::hop_search::{add_hops, earliest_hops};
use super::partial_schedule::PartialSchedule;
use super::path_search::PathSearch;
use super::scatter_context::ScatterContext;
use crate::kit::method_error::MethodError;
use crate::kit::relay_tree::RelayTree;
use crate::kit::transfer_log::TransferLog;

/// A partial schedule to which messages are added one by one.
pub(super) struct FirstFitPlacer<'a, R> {
    pub(super) shared: &'a ScatterContext<'a>,
    pub(super) fixed: &'a FixedPart<'a>,
    pub(super) partial: PartialSchedule<'a>,
    pub(super) search: PathSearch<'a>,
    rng: &'a mut R,
    /// The source of the last relayed message, and its relay tree.
    relays: Option<(NodeId, RelayTree)>,
    /// Scratch space: the path of one message that is placed without a search.
    pub(super) path: Vec<ChannelId>,
    /// The channels into all nodes; empty before the first message that is placed without a search.
    pub(super) arrivals: Arrivals,
}

impl<'a, R: Rng> FirstFitPlacer<'a, R> {
    pub(super) fn new(shared: &'a ScatterContext<'a>, fixed: &'a FixedPart<'a>, goal: u32, rng: &'a mut R) -> Self {
        let partial = PartialSchedule::new(shared.slots());
        Self {
            shared,
            fixed,
            partial,
            search: PathSearch::new(shared, goal),
            rng,
            relays: None,
            path: Vec::new(),
            arrivals: Arrivals::default(),
        }
    }

    /// Returns the units of work since the last call.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.search.work)
    }

    pub(super) fn step_count(&self) -> u32 {
        self.partial.step_count()
    }

    pub(super) fn into_log(self) -> TransferLog {
        self.partial.into_log()
    }

    /// Adds the fixed transfers.
    pub(super) fn place_fixed(&mut self) -> Result<(), MethodError> {
        let mut transfers = self.fixed.transfers();
        transfers.try_for_each(|(step, Transfer { message, path })| self.partial.add(message, step, path))
    }

    /// Adds the transfers of a message from the terminal with the earliest arrival; ties go to the last terminal.
    pub(super) fn place(&mut self, message: MessageId) -> Result<(), MethodError> {
        let (fixed, (source, target)) = (self.fixed, self.shared.ends(message));
        let mut best = RelayStop { terminal: source, ready: 0 };
        if fixed.stops(message).len() > 0 {
            let mut least = None;
            for stop in fixed.stops(message).rev().chain([best]) {
                let arrival = self.arrival(stop, target);
                if least.is_none_or(|least| arrival < least) {
                    (least, best) = (Some(arrival), stop);
                }
            }
        }
        self.place_from(message, best, target)
    }

    /// Returns the step after the arrival of a message without relays other than hops; `u32::MAX` if there is no path.
    fn arrival(&mut self, from: RelayStop, target: NodeId) -> u32 {
        let Self { shared, partial, search, rng, .. } = self;
        if !search.select_pair(from.terminal, target) {
            return u32::MAX;
        }
        if shared.task().stores_and_forwards() {
            return earliest_hops(search, partial, from.ready, rng);
        }
        let arrival = search.earliest_transfer(partial, from.ready, rng) + 1;
        if shared.may_hop() { arrival.min(earliest_hops(search, partial, from.ready, rng)) } else { arrival }
    }

    pub(super) fn place_from(
        &mut self,
        message: MessageId,
        from: RelayStop,
        target: NodeId,
    ) -> Result<(), MethodError> {
        let RelayStop { terminal: mut holder, mut ready } = from;
        let Self { shared, partial, search, rng, .. } = self;
        if search.select_pair(holder, target) {
            if shared.task().stores_and_forwards() {
                earliest_hops(search, partial, ready, rng);
                return add_hops(search, partial, message);
            }
            let step = search.earliest_transfer(partial, ready, rng);
            if shared.may_hop() && earliest_hops(search, partial, ready, rng) <= step + 1 {
                return add_hops(search, partial, message);
            }
            return partial.add(message, step, search.path());
        }
        for next in self.relay_stops(holder, target) {
            ready = self.place_leg(message, (holder, next), ready)?;
            holder = next;
        }
        Ok(())
    }

    /// Adds the earliest transfer between two terminals from step `ready` on, and returns the step after it.
    fn place_leg(&mut self, message: MessageId, (from, to): (NodeId, NodeId), ready: u32) -> Result<u32, MethodError> {
        let Self { partial, search, rng, .. } = self;
        search.select_pair(from, to);
        let step = search.earliest_transfer(partial, ready, rng);
        partial.add(message, step, search.path())?;
        Ok(step + 1)
    }

    /// Returns the terminals that receive a relayed message one after the other; the target is the last.
    pub(super) fn relay_stops(&mut self, source: NodeId, target: NodeId) -> Vec<NodeId> {
        let relays = self.relays.take().filter(|(root, _)| *root == source);
        let new_tree = || (source, RelayTree::new(self.shared.task(), source));
        let (_, tree) = self.relays.insert(relays.unwrap_or_else(new_tree));
        tree.route(target)
    }
}
