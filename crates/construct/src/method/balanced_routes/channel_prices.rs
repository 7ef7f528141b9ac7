//! The price of one more use of a channel with the ports at its ends.

use super::terminal_graph::TerminalGraph;
use crate::kit::congestion_prices::CongestionPrices;

/// The load and the price of every channel. A channel uses up to three slots: its resource and two ports.
#[derive(Debug)]
pub(super) struct ChannelPrices<'a> {
    graph: &'a TerminalGraph,
    pub(super) of_slots: CongestionPrices<'a>,
}

impl<'a> ChannelPrices<'a> {
    pub(super) fn new(graph: &'a TerminalGraph) -> Self {
        Self { graph, of_slots: CongestionPrices::new(graph.capacities()) }
    }

    /// Returns the price of a channel with the ports at its ends.
    #[inline]
    pub(super) fn of(&self, channel: u32) -> u64 {
        self.graph.slots(channel).iter().map(|&slot| self.of_slots.of(slot)).sum()
    }

    /// Adds one use of a channel.
    pub(super) fn add(&mut self, channel: u32) {
        self.graph.slots(channel).iter().for_each(|&slot| self.of_slots.add(slot));
    }

    /// Removes one use of a channel.
    pub(super) fn remove(&mut self, channel: u32) {
        self.graph.slots(channel).iter().for_each(|&slot| self.of_slots.remove(slot));
    }

    /// Returns true if a channel or a port at its ends takes more steps than the limit.
    #[inline]
    pub(super) fn is_congested(&self, channel: u32) -> bool {
        self.graph.slots(channel).iter().any(|&slot| self.of_slots.is_over(slot))
    }
}
