//! The transfers of which a message needs one, each with the steps in which it can take place.

use std::ops::Range;

use super::packet_network::{PacketNetwork, Terminals, ranks};
use super::spread::Spread;

/// A transfer over a channel, not in the first steps and not in the last steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The place of the channel.
    pub(super) hop: usize,
    /// Number of steps that come before.
    pub(super) before: u32,
    /// Number of steps that come after.
    pub(super) after: u32,
}

impl Window {
    /// Returns the steps in which the transfer can take place, counted from 0.
    pub(super) fn steps(&self, all: usize) -> Range<usize> {
        self.before as usize..all.saturating_sub(self.after as usize)
    }
}

/// Returns the pairs of a source and a receiver for which every path enters a class.
pub(super) fn separated(
    network: &PacketNetwork,
    spread: &Spread,
    class: Terminals,
) -> impl Iterator<Item = (usize, usize)> {
    ranks(spread.sources).flat_map(move |source| {
        let missed = spread.receivers & !network.reached(source, class);
        ranks(missed).map(move |receiver| (source, receiver))
    })
}

/// Returns the transfers into a class that are on a path from a source to a receiver.
pub(super) fn entries(
    network: &PacketNetwork,
    class: Terminals,
    [source, receiver]: [usize; 2],
) -> impl Iterator<Item = Window> {
    let windows = network.into(class).map(move |place| {
        let hop = network.hops[place];
        let [before, after] = [network.distance(source, hop.tail), network.distance(hop.head, receiver)];
        Window { hop: place, before, after }
    });
    windows.filter(|window| window.before != u32::MAX && window.after != u32::MAX)
}

/// What an all-reduce needs of a class with members, unless it is the class that is complete first.
pub(super) struct ClassNeeds {
    /// The steps until the last contribution of another class can be in the class.
    pub(super) filled: u32,
    /// The transfers out of the class, of which one brings the contributions of the class to the first one.
    pub(super) departures: Vec<Window>,
    /// The transfers into the class, of which one completes it.
    pub(super) completions: Vec<Window>,
}

impl ClassNeeds {
    /// Returns the needs of all classes with members.
    pub(super) fn all(network: &PacketNetwork, classes: &[Terminals], members: Terminals) -> Vec<Self> {
        let joined: Vec<Terminals> = classes.iter().copied().filter(|class| class & members != 0).collect();
        let farthest = |set: Terminals, steps: &dyn Fn(usize) -> Option<u32>| ranks(set).filter_map(steps).max();
        let spread = |class: Terminals| {
            let from_entry = |rank| network.into(class).map(|hop| network.distance(network.hops[hop].head, rank)).min();
            farthest(class & members, &from_entry).unwrap_or(0)
        };
        let most_spread = joined.iter().map(|&class| spread(class)).max().unwrap_or(0);
        let needs = joined.iter().map(|&class| {
            let to_entry = |rank| network.into(class).map(|hop| network.distance(rank, network.hops[hop].head)).min();
            let to_exit = |rank| network.out_of(class).map(|hop| network.distance(rank, network.hops[hop].tail)).min();
            let filled = farthest(members & !class, &to_entry).unwrap_or(0);
            let gathered = farthest(members & class, &to_exit).unwrap_or(0);
            let (before, after) = (filled.saturating_sub(1), spread(class));
            let departure = |hop| Window { hop, before: gathered, after: most_spread };
            let completion = |hop| Window { hop, before, after };
            let departures = network.out_of(class).map(departure).collect();
            Self { filled, departures, completions: network.into(class).map(completion).collect() }
        });
        needs.collect()
    }
}
