//! Lengths of 0 and 1 of resources and ports in each step, and the certificate that they make.

use lockstep_certificate::Certificate;

use super::cover::Cover;
use super::packet_network::{PacketNetwork, Terminals};
use super::search::Choice;
use super::spread::Spread;
use super::window::{ClassNeeds, Window, entries, separated};
use crate::length_program::without_zeros;

/// More than all lengths of transfers that are possible in time.
const NONE: u64 = 1 << 50;

/// The length of every place in every step.
pub(super) struct TimedLengths {
    steps: usize,
    /// Step by step, 0 or 1 per place.
    lengths: Vec<u32>,
}

impl TimedLengths {
    /// Gives length 1 to a cover of the transfers that are possible in each step.
    pub(super) fn new(network: &PacketNetwork, choice: &Choice) -> Self {
        let steps = choice.steps as usize - 1;
        let places = network.capacity.len();
        let mut lengths = vec![0; steps * places];
        let mut cover = Cover::default();
        for (step, lengths) in lengths.chunks_mut(places).enumerate() {
            let open = choice.windows.iter().filter(|window| window.steps(steps).contains(&step));
            cover.choose(network, &choice.chosen, open.map(|window| window.hop));
            cover.places.iter().for_each(|&place| lengths[place] = 1);
        }
        Self { steps, lengths }
    }

    /// Returns the certificate, or `None` if the lengths do not refute the number of steps.
    pub(super) fn certificate(
        &self,
        network: &PacketNetwork,
        spreads: &[Spread],
        is_gossip: bool,
    ) -> Option<Certificate> {
        let places = network.capacity.len();
        let used = |step: &[u32]| -> u64 {
            step.iter().zip(&network.capacity).map(|(&length, &capacity)| u64::from(length) * capacity).sum()
        };
        let available = self.lengths.chunks(places).map(used).sum();
        let classes = network.classes(|hop| (0..self.steps).all(|step| self.length(hop.places, step) == 0));
        let mut distance: u64 = 0;
        for spread in spreads {
            let mut length = self.of_entries(network, &classes, spread);
            if is_gossip {
                length = length.max(self.of_gossip(network, &classes, spread.sources));
            }
            distance = distance.checked_add(length.min(available + 1).checked_mul(spread.count)?)?;
        }
        let [mut resources, mut sends, mut receptions] = [const { Vec::new() }; 3];
        for step in self.lengths.chunks(places) {
            let (of_resources, ports) = step.split_at(network.resources);
            let (of_sends, of_receptions) = ports.split_at(network.terminals);
            resources.extend_from_slice(of_resources);
            sends.extend_from_slice(of_sends);
            receptions.extend_from_slice(of_receptions);
        }
        let [sends, receptions] = [sends, receptions].map(without_zeros);
        let infeasible = self.steps as u32;
        let certificate = Certificate::TimedLengths { infeasible, resources, sends, receptions, distance, available };
        (distance > available).then_some(certificate)
    }

    /// Returns the length of a transfer over a channel in a step, counted from 0.
    fn length(&self, [resource, send, receive]: [usize; 3], step: usize) -> u64 {
        let lengths = &self.lengths[step * (self.lengths.len() / self.steps)..];
        [resource, send, receive].into_iter().map(|place| u64::from(lengths[place])).sum()
    }

    /// Returns the smallest length of these transfers in their steps.
    fn shortest(&self, network: &PacketNetwork, windows: impl Iterator<Item = Window>) -> u64 {
        let of_window = |window: Window| {
            let steps = window.steps(self.steps);
            steps.map(|step| self.length(network.hops[window.hop].places, step)).min()
        };
        windows.filter_map(of_window).min().unwrap_or(NONE)
    }

    /// Returns the sum over all classes of the smallest length of a transfer that a message needs into the class.
    fn of_entries(&self, network: &PacketNetwork, classes: &[Terminals], spread: &Spread) -> u64 {
        let of_class = |&class: &Terminals| {
            let of_pair = |(source, receiver)| self.shortest(network, entries(network, class, [source, receiver]));
            separated(network, spread, class).map(of_pair).max().unwrap_or(0)
        };
        classes.iter().map(of_class).sum()
    }

    /// Returns the smallest length of the transfers between classes that an all-reduce of these members needs.
    fn of_gossip(&self, network: &PacketNetwork, classes: &[Terminals], members: Terminals) -> u64 {
        let needs = ClassNeeds::all(network, classes, members);
        let shortest = |windows: &[Window]| self.shortest(network, windows.iter().copied());
        let departures: Vec<u64> = needs.iter().map(|needs| shortest(&needs.departures)).collect();
        let without = |first: Option<usize>| -> u64 {
            let filled = first.map_or(0, |first| needs[first].filled);
            let later = |window: &Window| Window { before: window.before.max(filled.saturating_sub(1)), ..*window };
            let others = (0..needs.len()).filter(|&class| Some(class) != first);
            let of_class =
                |class: usize| departures[class] + self.shortest(network, needs[class].completions.iter().map(later));
            others.map(of_class).sum()
        };
        (0..needs.len()).map(Some).chain([None]).map(without).min().unwrap_or(0)
    }
}
