//! The facts about a scatter that all attempts share.

use lockstep_model::Slots;
use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::NodeId;
use rand::{Rng, RngExt};

use super::fixed_part::FixedPart;
use crate::kit::distances::{DistanceScratch, SourceDistances, UNREACHED};
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::task::SchedulingTask;

/// Number of messages between two checks of the budget.
const CHECK_INTERVAL: usize = 256;

/// The facts that all attempts at one scatter share.
#[derive(Debug)]
pub(super) struct ScatterContext<'a> {
    task: &'a SchedulingTask<'a>,
    slots: Slots,
    distances: SourceDistances<'a>,
    may_hop: bool,
}

impl<'a> ScatterContext<'a> {
    /// # Errors
    ///
    /// As [`SchedulingTask::check_time`].
    pub(super) fn new(task: &'a SchedulingTask<'a>) -> Result<Self, MethodError> {
        let (topology, model) = (task.topology(), task.model());
        // A relayed message uses ports at every terminal, so relays only help if ports are no limit.
        let may_hop = !model.is_direct()
            && task.bus_paths().is_none()
            && model.ports == Ports::All
            && topology.nodes().all(|node| topology.is_terminal(node) && topology.routes(node));
        Ok(Self { task, slots: task.slots(), distances: SourceDistances::new(task)?, may_hop })
    }

    pub(super) fn task(&self) -> &'a SchedulingTask<'a> {
        self.task
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    pub(super) fn distances(&self) -> &SourceDistances<'a> {
        &self.distances
    }

    /// Returns true if a wormhole message may also go hop by hop where that is no later.
    pub(super) fn may_hop(&self) -> bool {
        self.may_hop
    }

    /// Returns the messages in the order of placement: longest distance first, ties at random.
    ///
    /// # Errors
    ///
    /// [`MethodError::TooLarge`], if all paths together have more channels than a schedule can hold; otherwise as
    /// [`AttemptContext::check`].
    pub(super) fn placement_order(
        &self,
        fixed: &FixedPart<'_>,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<Vec<u32>, MethodError> {
        let mut scratch = DistanceScratch::default();
        let mut channel_uses = 0;
        let salt: u32 = rng.random();
        let mut ranked = Vec::with_capacity(self.task.messages().len());
        for message in self.task.messages().ids().filter(|&message| !fixed.has_arrived(message)) {
            if message.index() % CHECK_INTERVAL == 0 {
                context.check(0)?;
            }
            let (source, receiver) = self.ends(message);
            let distance = self.distances.from(source, &mut scratch)[receiver.index()];
            // A receiver that only relays reach counts as farthest. Such messages of one source stay together, because
            // they share a relay tree.
            let tie = if distance == UNREACHED { source.number() ^ salt } else { rng.random() };
            ranked.push((!distance, tie, message.number()));
            channel_uses += if distance == UNREACHED { 1 } else { u64::from(distance) };
            if channel_uses > u64::from(u32::MAX) {
                return Err(MethodError::TooLarge);
            }
        }
        ranked.sort_unstable();
        Ok(ranked.into_iter().map(|(_, _, message)| message).collect())
    }

    /// Returns the source and the receiver of a message.
    pub(super) fn ends(&self, message: MessageId) -> (NodeId, NodeId) {
        let messages = self.task.messages();
        let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
        (messages.source(message), receiver)
    }
}
