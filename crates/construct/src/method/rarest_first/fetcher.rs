//! The transfers that a terminal plans for itself in one step.

use lockstep_schedule::Routing;
use lockstep_topology::ChannelId;
use rand::{Rng, RngExt};

use super::broadcast_context::{BroadcastContext, IncomingChannel};
use super::holdings::Holdings;
use super::sender_search::{SenderQuery, SenderSearch};
use super::service_queue::ServiceQueue;
use super::step_plan::StepPlan;
use super::strategy::FetchMode;

/// The maximum price of a channel and a port that other terminals use. Each change of hands raises a price by one.
const MAX_PRICE: u32 = 4;

/// The same for a path of several channels.
pub(super) const MAX_PATH_PRICE: u32 = 8;

/// The number of useful messages at a neighbour above which more do not count.
const WIDE_CHOICE: u32 = 32;

/// Units of work of a search for a message, in addition to its words.
const SEARCH_WORK: u64 = 16;

/// The planned transfers of the current step, and the terminals that still want more.
///
/// A terminal whose transfer is cancelled returns to the queue.
#[derive(Debug)]
pub(super) struct Fetcher<'a> {
    shared: &'a BroadcastContext<'a>,
    pub(super) plan: StepPlan<'a>,
    pub(super) queue: ServiceQueue,
    search: SenderSearch,
    selector: MessageSelector<'a>,
    /// Scratch space: the offers of all neighbours of one terminal.
    offers: Vec<NeighbourOffer>,
    /// Scratch space: the path of one transfer.
    path: Vec<ChannelId>,
}

/// The offer of a neighbour to a terminal. The smallest offer is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct NeighbourOffer {
    price: u32,
    /// Number of useful messages, up to [`WIDE_CHOICE`]. Neighbours with few of them come first.
    choice: u32,
    tie: u32,
    channel: ChannelId,
    neighbour: u32,
}

/// Selects the message that one terminal sends to another.
#[derive(Debug)]
struct MessageSelector<'a> {
    shared: &'a BroadcastContext<'a>,
    /// Units of work, see [`AttemptContext::count`](crate::kit::request::AttemptContext::count).
    work: u64,
}

impl MessageSelector<'_> {
    /// A message that enters a tight set should be new to all its terminals.
    fn select(&mut self, holdings: &Holdings, from: usize, to: usize, salt: u32, mode: FetchMode) -> Option<u32> {
        let entered = self.shared.entered(from, to);
        self.work += SEARCH_WORK + holdings.words_per_search(entered.len()) as u64;
        match mode {
            FetchMode::Thorough => holdings.rarest(from, to, entered, salt),
            FetchMode::Quick => holdings.any(from, to, salt),
        }
    }
}

impl<'a> Fetcher<'a> {
    pub(super) fn new(shared: &'a BroadcastContext<'a>) -> Self {
        let (task, topology) = (shared.task(), shared.task().topology());
        Self {
            shared,
            plan: StepPlan::new(task, shared.slots()),
            queue: ServiceQueue::new(topology.terminal_count()),
            search: SenderSearch::new(topology.node_count()),
            selector: MessageSelector { shared, work: 0 },
            offers: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Returns the units of work since the last call of [`take_work`](Self::take_work).
    pub(super) fn work(&self) -> u64 {
        self.selector.work + self.search.work()
    }

    /// Returns the units of work since the last call.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.selector.work) + self.search.take_work()
    }

    /// Fetches a rare message over each channel from a neighbour. Neighbours with few useful messages come first.
    pub(super) fn fetch_from_neighbours(
        &mut self,
        holdings: &mut Holdings,
        terminal: usize,
        mode: FetchMode,
        rng: &mut impl Rng,
    ) {
        let salt = rng.random();
        let mut offers = std::mem::take(&mut self.offers);
        offers.clear();
        let incoming = self.shared.incoming(terminal).iter();
        offers.extend(incoming.filter_map(|&incoming| self.offer(holdings, incoming, terminal, mode, rng)));
        offers.sort_unstable();
        for offer in &offers {
            if !holdings.accepts_more(terminal) || !self.plan.may_receive(terminal) {
                break;
            }
            let neighbour = offer.neighbour as usize;
            // The previous transfer may use the last send port of the same neighbour.
            if self.price(offer.channel, neighbour) > offer.price {
                continue;
            }
            let message = self
                .selector
                .select(holdings, neighbour, terminal, salt, mode)
                .or_else(|| self.exchange(holdings, neighbour, terminal, salt, mode));
            let Some(message) = message else { continue };
            self.transfer(holdings, message, terminal, &[offer.channel], rng);
            // A channel with a capacity above one may have room for more.
            while self.plan.is_free(offer.channel)
                && self.plan.port_price(neighbour) == 0
                && self.plan.may_receive(terminal)
                && holdings.accepts_more(terminal)
                && let Some(message) = self.selector.select(holdings, neighbour, terminal, salt, mode)
            {
                self.transfer(holdings, message, terminal, &[offer.channel], rng);
            }
        }
        self.offers = offers;
    }

    /// Returns the price of a channel and of a send port of its tail.
    fn price(&self, channel: ChannelId, neighbour: usize) -> u32 {
        self.plan.channel_price(channel) + self.plan.port_price(neighbour)
    }

    fn offer(
        &mut self,
        holdings: &Holdings,
        incoming: IncomingChannel,
        terminal: usize,
        mode: FetchMode,
        rng: &mut impl Rng,
    ) -> Option<NeighbourOffer> {
        let IncomingChannel { channel, neighbour } = incoming;
        // A message that the terminal only relays uses free channels only.
        let is_thorough = mode == FetchMode::Thorough;
        let max_price = if is_thorough && holdings.need(terminal) > 0 { MAX_PRICE } else { 0 };
        let price = self.price(channel, neighbour as usize);
        if price > max_price || self.plan.is_full_of_direct(channel) {
            return None;
        }
        let enough = if is_thorough { WIDE_CHOICE } else { 1 };
        self.selector.work += SEARCH_WORK;
        let choice = holdings.useful_count(neighbour as usize, terminal, enough).min(enough);
        let tie = rng.random();
        (choice > 0).then_some(NeighbourOffer { price, choice, tie, channel, neighbour })
    }

    /// Returns a message that is planned over another channel but that `neighbour` holds too. The other channel gets
    /// another message instead.
    fn exchange(
        &mut self,
        holdings: &mut Holdings,
        neighbour: usize,
        terminal: usize,
        salt: u32,
        mode: FetchMode,
    ) -> Option<u32> {
        if mode == FetchMode::Quick {
            return None;
        }
        let Self { shared, plan, selector, .. } = self;
        shared.incoming(terminal).iter().find_map(|incoming| {
            let planned = plan.direct_message(incoming.channel, |planned| holdings.holds(neighbour, planned))?;
            let other = selector.select(holdings, incoming.neighbour as usize, terminal, salt, mode)?;
            holdings.withdraw(terminal, *planned);
            holdings.promise(terminal, other);
            Some(std::mem::replace(planned, other))
        })
    }

    /// Fetches rare messages from the nearest terminals that hold any, while there are paths of at most `max_price`.
    pub(super) fn fetch_from_afar(
        &mut self,
        holdings: &mut Holdings,
        terminal: usize,
        (routing, max_price): (Routing, u32),
        mode: FetchMode,
        rng: &mut impl Rng,
    ) {
        let target = self.shared.task().topology().terminals()[terminal];
        let query = SenderQuery { target, routing, max_price };
        let mut path = std::mem::take(&mut self.path);
        while holdings.need(terminal) > 0 && self.plan.may_receive(terminal) {
            let Self { plan, search, selector, .. } = self;
            let salt = rng.random();
            let value = |sender| {
                let message = selector.select(holdings, sender, terminal, salt, mode)?;
                Some((holdings.served_count(message), message))
            };
            let Some(message) = search.nearest(plan, query, rng, value) else { break };
            path.clear();
            path.extend_from_slice(search.path());
            self.transfer(holdings, message, terminal, &path, rng);
        }
        self.path = path;
    }

    /// Plans a transfer. Conflicting transfers are cancelled, and their receivers return to the queue.
    fn transfer(
        &mut self,
        holdings: &mut Holdings,
        message: u32,
        terminal: usize,
        path: &[ChannelId],
        rng: &mut impl Rng,
    ) {
        let Self { plan, queue, .. } = self;
        let on_cancel = |terminal: usize, message| {
            holdings.withdraw(terminal, message);
            queue.requeue(terminal);
        };
        plan.clear_path(path, |count| rng.random_range(0..count), on_cancel);
        plan.add(message, path);
        holdings.promise(terminal, message);
    }
}
