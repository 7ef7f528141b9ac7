//! The channels between terminals, and sets of terminals as bits.

use lockstep_schedule::Problem;

use crate::transfer_rules::TransferRules;
use crate::transfers::TransferNetwork;

/// The largest number of terminals: one bit each.
const MAX_TERMINALS: usize = 128;

/// The largest number of channels.
const MAX_CHANNELS: usize = 1 << 10;

/// A set of terminals, one bit per rank.
pub(super) type Terminals = u128;

/// A channel between two terminals, by their ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) tail: usize,
    pub(super) head: usize,
    /// The resource, the send port and the receive port, as places of [`TransferNetwork::capacity`].
    pub(super) places: [usize; 3],
}

/// The channels that packets cross, one per step.
pub(super) struct PacketNetwork {
    pub(super) terminals: usize,
    /// The number of resources. Their places come first, then the send ports, then the receive ports.
    pub(super) resources: usize,
    /// By place: the number of transfers per step, 0 where a length would prove nothing.
    pub(super) capacity: Vec<u64>,
    pub(super) hops: Vec<Hop>,
    /// By start and end: the smallest number of channels, [`u32::MAX`] if there is no way.
    distance: Vec<u32>,
    /// By terminal: the heads of its channels.
    next: Vec<Terminals>,
}

impl PacketNetwork {
    /// `None` if the network is too large.
    pub(super) fn new(problem: &Problem<'_>) -> Option<Self> {
        let (topology, rules) = (problem.topology(), TransferRules::new(problem));
        let (terminals, resources) = (topology.terminal_count(), topology.resource_count());
        if terminals > MAX_TERMINALS || topology.channel_count() > MAX_CHANNELS {
            return None;
        }
        let rank = |node| topology.terminal_rank(node).expect("packets are sent and received by terminals");
        let hops = topology.channels().filter(|&channel| rules.carries(channel)).map(|channel| {
            let [tail, head] = [topology.tail(channel), topology.head(channel)].map(rank);
            let places = [topology.resource(channel).index(), resources + tail, resources + terminals + head];
            Hop { tail, head, places }
        });
        let hops: Vec<Hop> = hops.collect();
        let mut next = vec![0; terminals];
        for hop in &hops {
            next[hop.tail] |= 1 << hop.head;
        }
        let capacity = TransferNetwork::new(problem).capacity;
        let mut network = Self { terminals, resources, capacity, hops, distance: Vec::new(), next };
        network.distance = (0..terminals).flat_map(|start| network.distances_from(start)).collect();
        Some(network)
    }

    fn distances_from(&self, start: usize) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.terminals];
        let (mut all, mut last) = (0, 1 << start);
        for steps in 0.. {
            last &= !all;
            if last == 0 {
                break;
            }
            ranks(last).for_each(|rank| distance[rank] = steps);
            all |= last;
            last = ranks(last).fold(0, |heads, rank| heads | self.next[rank]);
        }
        distance
    }

    pub(super) fn distance(&self, start: usize, end: usize) -> u32 {
        self.distance[start * self.terminals + end]
    }

    /// Returns the terminals that a message gets to from a terminal without entering a class.
    pub(super) fn reached(&self, start: usize, class: Terminals) -> Terminals {
        spread_from(1 << start, |rank| if class >> rank & 1 == 1 { self.next[rank] } else { self.next[rank] & !class })
    }

    /// Returns the classes, ascending by their first terminal: from each terminal of a class to each other one lead channels
    /// that are free.
    pub(super) fn classes(&self, is_free: impl Fn(&Hop) -> bool) -> Vec<Terminals> {
        let [mut heads, mut tails] = [vec![0; self.terminals], vec![0; self.terminals]];
        for hop in self.hops.iter().filter(|hop| is_free(hop)) {
            heads[hop.tail] |= 1 << hop.head;
            tails[hop.head] |= 1 << hop.tail;
        }
        let (mut classes, mut all) = (Vec::new(), 0);
        for start in 0..self.terminals {
            if all >> start & 1 == 0 {
                let class = spread_from(1 << start, |rank| heads[rank]) & spread_from(1 << start, |rank| tails[rank]);
                all |= class;
                classes.push(class);
            }
        }
        classes
    }

    /// Returns the places of the channels that lead into a class, in [`hops`](Self::hops).
    pub(super) fn into(&self, class: Terminals) -> impl Iterator<Item = usize> {
        self.crossing(move |hop| class >> hop.head & 1 == 1 && class >> hop.tail & 1 == 0)
    }

    /// Returns the places of the channels that lead out of a class.
    pub(super) fn out_of(&self, class: Terminals) -> impl Iterator<Item = usize> {
        self.crossing(move |hop| class >> hop.tail & 1 == 1 && class >> hop.head & 1 == 0)
    }

    fn crossing(&self, crosses: impl Fn(&Hop) -> bool) -> impl Iterator<Item = usize> {
        self.hops.iter().enumerate().filter(move |(_, hop)| crosses(hop)).map(|(place, _)| place)
    }
}

/// Returns the ranks of the terminals of a set, ascending.
pub(super) fn ranks(mut set: Terminals) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let rank = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(rank)
    })
}

/// Returns a set with all terminals that follow, directly or not.
fn spread_from(start: Terminals, next: impl Fn(usize) -> Terminals) -> Terminals {
    let (mut all, mut last) = (start, start);
    while last != 0 {
        last = ranks(last).fold(0, |heads, rank| heads | next(rank)) & !all;
        all |= last;
    }
    all
}
