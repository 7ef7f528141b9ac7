//! The facts about a broadcast that all attempts share.

use std::sync::OnceLock;

use lockstep_model::{Slots, port_limit};
use lockstep_schedule::Receivers;
use lockstep_topology::ChannelId;

use super::holdings::Holdings;
use super::tight_sets::{TightSet, TightSets};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::task::SchedulingTask;

/// The maximum size of the table of terminals and messages: 4 GiB per thread.
pub(super) const MAX_HOLDINGS_BYTES: u64 = 4 << 30;

/// There are few messages if there are more than this number of terminals per message.
const FEW_MESSAGES: u64 = 64;

/// Maximum number of channels that the searches of one step visit without a limit, if there are few messages.
const MAX_SEARCH_VISITS: u64 = 1 << 28;

/// The facts that all attempts at one broadcast share.
#[derive(Debug)]
pub(super) struct BroadcastContext<'a> {
    task: &'a SchedulingTask<'a>,
    fixed: Option<FixedTransfers<'a>>,
    slots: Slots,
    is_to_all: bool,
    searches_far: bool,
    /// The holdings before the first step. Only terminals on shortest paths to receivers relay a message.
    holdings: OnceLock<Holdings>,
    /// The holdings before the first step if every terminal relays; `None` if that makes no difference or is too large.
    relayed_holdings: Option<Holdings>,
    /// The end of each terminal's row in `incoming`.
    incoming_end: Vec<u32>,
    incoming: Vec<IncomingChannel>,
    /// The maximum number of messages that each terminal receives per step.
    reception_rate: Vec<u32>,
    /// The tight sets of an all-gather of which a schedule is known.
    tight_sets: Option<TightSets>,
}

/// A channel from one terminal to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct IncomingChannel {
    pub(super) channel: ChannelId,
    /// The rank of the terminal at its tail.
    pub(super) neighbour: u32,
}

impl<'a> BroadcastContext<'a> {
    /// `has_schedule` is true if a schedule is known, so that shorter ones are worth the time for the tight sets.
    pub(super) fn new(task: &'a SchedulingTask<'a>, fixed: Option<FixedTransfers<'a>>, has_schedule: bool) -> Self {
        let (topology, messages) = (task.topology(), task.messages());
        let (mut incoming_end, mut incoming, mut reception_rate) = (Vec::new(), Vec::new(), Vec::new());
        for &node in topology.terminals() {
            let channels = topology.in_channels(node);
            incoming.extend(channels.iter().filter_map(|&channel| {
                let neighbour = topology.terminal_rank(topology.tail(channel))? as u32;
                Some(IncomingChannel { channel, neighbour })
            }));
            incoming_end.push(incoming.len() as u32);
            reception_rate.push(port_limit(topology, task.model().ports, channels).max(1));
        }
        let is_to_all = messages.ids().all(|message| messages.receivers(message) == Receivers::AllOthers);
        // Under wormhole switching, a message passes intermediate terminals without being received there.
        let may_relay = task.stores_and_forwards() && !is_to_all && Holdings::bytes(task) <= MAX_HOLDINGS_BYTES / 4;
        let tight_sets = (is_to_all && has_schedule).then(|| TightSets::new(task)).flatten();
        Self {
            task,
            fixed,
            is_to_all,
            searches_far: searches_far(task),
            tight_sets,
            slots: task.slots(),
            holdings: OnceLock::new(),
            relayed_holdings: may_relay.then(|| Holdings::with_all_relays(task, fixed)),
            incoming_end,
            incoming,
            reception_rate,
        }
    }

    pub(super) fn task(&self) -> &'a SchedulingTask<'a> {
        self.task
    }

    pub(super) fn fixed(&self) -> Option<FixedTransfers<'a>> {
        self.fixed
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Returns true if every message goes to all other terminals.
    pub(super) fn is_to_all(&self) -> bool {
        self.is_to_all
    }

    /// Returns true if messages are few and the network is large: then no neighbour of most terminals holds a message, and
    /// the searches of these terminals visit the whole network in each step.
    pub(super) fn searches_far(&self) -> bool {
        self.searches_far
    }

    pub(super) fn holdings(&self) -> &Holdings {
        self.holdings.get_or_init(|| Holdings::new(self.task, self.fixed))
    }

    pub(super) fn relayed_holdings(&self) -> Option<&Holdings> {
        self.relayed_holdings.as_ref()
    }

    /// Returns true if some terminal has a channel from another terminal.
    pub(super) fn has_neighbours(&self) -> bool {
        !self.incoming.is_empty()
    }

    /// Returns the channels from other terminals into a terminal.
    pub(super) fn incoming(&self, terminal: usize) -> &[IncomingChannel] {
        let start = terminal.checked_sub(1).map_or(0, |before| self.incoming_end[before]);
        &self.incoming[start as usize..self.incoming_end[terminal] as usize]
    }

    /// Returns the maximum number of messages that a terminal receives per step.
    #[inline]
    pub(super) fn reception_rate(&self, terminal: usize) -> u32 {
        self.reception_rate[terminal]
    }

    /// Returns the tight set of a terminal, if it has other terminals.
    #[inline]
    pub(super) fn tight_set(&self, terminal: usize) -> Option<&TightSet> {
        self.tight_sets.as_ref()?.of(terminal)
    }

    /// Returns the other terminals of the receiver's tight set if a message from the sender enters the set.
    #[inline]
    pub(super) fn entered(&self, sender: usize, receiver: usize) -> &[u32] {
        let others = self.tight_set(receiver).map_or(&[][..], |set| &set.others);
        if others.binary_search(&(sender as u32)).is_ok() { &[] } else { others }
    }

    /// Returns true if a message goes to at least a quarter of all terminals on average.
    pub(super) fn is_dense(&self) -> bool {
        let messages = self.task.messages();
        let all = messages.len() as u64 * self.task.topology().terminal_count() as u64;
        messages.delivery_count() >= all / 4
    }
}

/// See [`BroadcastContext::searches_far`].
fn searches_far(task: &SchedulingTask<'_>) -> bool {
    let (terminals, channels) = (task.topology().terminal_count() as u64, task.topology().channel_count() as u64);
    let is_far = task.messages().len() as u64 * FEW_MESSAGES < terminals;
    !task.stores_and_forwards() && is_far && terminals.saturating_mul(channels) > MAX_SEARCH_VISITS
}
