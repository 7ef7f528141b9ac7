//! The paths that a search selects from.

use crate::space::SearchSpace;

/// The paths that a moved delivery selects from.
pub(crate) trait PathChoices {
    /// Returns the paths of a delivery, short ones first; at least one.
    fn of(&self, delivery: usize) -> &[u32];

    /// Returns the paths of a delivery from the source of its message, if they are to be sampled separately.
    fn direct(&self, _delivery: usize) -> &[u32] {
        &[]
    }
}

/// All paths of the space.
impl PathChoices for SearchSpace<'_> {
    fn of(&self, delivery: usize) -> &[u32] {
        self.candidates(delivery)
    }

    fn direct(&self, delivery: usize) -> &[u32] {
        self.candidates_from_source(delivery)
    }
}

/// The last channels of all shortest paths of every delivery: channels from a terminal that is one transfer nearer to
/// the source.
///
/// Selecting one channel per delivery selects a shortest path for each pair of source and destination: the path to the
/// channel's tail, then the channel. Paths of one message that share a channel share all channels before it, so every
/// selection is a tree of shortest paths. Memory: 4 bytes per listed channel and 4 bytes per delivery.
#[derive(Debug)]
pub(crate) struct ShortestPathChoices {
    /// The position of each delivery in `channels`; one entry more than deliveries.
    start: Box<[u32]>,
    channels: Box<[u32]>,
}

impl ShortestPathChoices {
    pub(crate) fn new(space: &SearchSpace) -> Self {
        let (mut start, mut channels) = (vec![0], Vec::new());
        for delivery in 0..space.delivery_count() {
            let hops_before = space.hops(delivery) - 1;
            let is_nearer = |path: &u32| match space.delivery_to(space.message(delivery), space.sender(*path)) {
                SearchSpace::AT_SOURCE => hops_before == 0,
                SearchSpace::NEVER => false,
                sender => hops_before == space.hops(sender as usize),
            };
            channels.extend(space.candidates(delivery).iter().copied().filter(is_nearer));
            start.push(channels.len() as u32);
        }
        Self { start: start.into(), channels: channels.into() }
    }
}

impl PathChoices for ShortestPathChoices {
    fn of(&self, delivery: usize) -> &[u32] {
        &self.channels[self.start[delivery] as usize..self.start[delivery + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::{forwarded, in_space};

    proptest! {
        #[test]
        fn every_selected_channel_is_one_transfer_behind_its_sender(instance in forwarded(8)) {
            in_space(&instance, 0, |space| {
                let choices = ShortestPathChoices::new(space);
                for delivery in 0..space.delivery_count() {
                    let hops = |path: &u32| {
                        match space.delivery_to(space.message(delivery), space.sender(*path)) {
                            SearchSpace::AT_SOURCE => Some(1),
                            SearchSpace::NEVER => None,
                            sender => Some(space.hops(sender as usize) + 1),
                        }
                    };
                    let (chosen, nearest) = (choices.of(delivery), Some(space.hops(delivery)));
                    prop_assert!(!chosen.is_empty());
                    for path in space.candidates(delivery) {
                        prop_assert_eq!(chosen.contains(path), hops(path) == nearest);
                    }
                }
                Ok(())
            })?;
        }
    }
}
