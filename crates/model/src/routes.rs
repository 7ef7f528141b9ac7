//! Paths, with the slots that transfers along them use.

use lockstep_topology::ChannelId;

use crate::slots::{SlotId, Slots};

/// A list of paths between terminals: each is a row of channels, and a row of the slots that a transfer along it uses.
///
/// Memory: 16 bytes per path, and 4 bytes per channel and slot of a path.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// The ranks of the terminals where each path starts and ends.
    ends: Vec<[u32; 2]>,
    /// The end of each path in `channels` and in `slots`.
    row_end: Vec<[u32; 2]>,
    channels: Vec<ChannelId>,
    slots: Vec<SlotId>,
}

impl Routes {
    /// Returns a list without paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the list of these paths.
    pub fn of_paths<P: AsRef<[ChannelId]>>(slots: &Slots, paths: impl IntoIterator<Item = P>) -> Self {
        let mut routes = Self::new();
        for path in paths {
            routes.push(slots, path.as_ref());
        }
        routes
    }

    /// Adds a path and returns its number.
    pub fn push(&mut self, slots: &Slots, path: &[ChannelId]) -> u32 {
        self.ends.push(slots.ends(path));
        self.channels.extend_from_slice(path);
        self.slots.extend(slots.of_path(path));
        self.row_end.push([self.channels.len() as u32, self.slots.len() as u32]);
        self.ends.len() as u32 - 1
    }

    /// Removes all paths but the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.row_end.truncate(len);
        let [channels, slots] = self.row_end.last().copied().unwrap_or_default();
        self.channels.truncate(channels as usize);
        self.slots.truncate(slots as usize);
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no paths.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of channels of all paths.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Returns the ranks of the terminals where a path starts and ends.
    #[inline]
    pub fn ends(&self, route: u32) -> [u32; 2] {
        self.ends[route as usize]
    }

    /// Returns the ends of the rows of the path before this one.
    #[inline]
    fn row_start(&self, route: u32) -> [u32; 2] {
        route.checked_sub(1).map_or([0; 2], |before| self.row_end[before as usize])
    }

    /// Returns the channels of a path in order.
    #[inline]
    pub fn path(&self, route: u32) -> &[ChannelId] {
        &self.channels[self.row_start(route)[0] as usize..self.row_end[route as usize][0] as usize]
    }

    /// Returns the slots that a transfer along a path uses, see [`Slots::of_path`].
    #[inline]
    pub fn slots(&self, route: u32) -> &[SlotId] {
        &self.slots[self.row_start(route)[1] as usize..self.row_end[route as usize][1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::Ports;
    use lockstep_topology::Topology;

    use super::*;

    #[test]
    fn rows_are_those_of_the_paths_that_remain() {
        let ring: Topology = "ring:6".parse().unwrap();
        let slots = Slots::new(&ring, Ports::limit(1).unwrap());
        let first = ring.out_channels(ring.terminals()[0])[0];
        let onward = ring.out_channels(ring.head(first)).iter().copied();
        let second = onward.clone().find(|&channel| ring.head(channel) != ring.tail(first)).unwrap();
        let paths: [&[ChannelId]; 3] = [&[first], &[first, second], &[second]];
        let mut routes = Routes::new();
        assert_eq!(paths.map(|path| routes.push(&slots, path)), [0, 1, 2]);
        routes.truncate(2);
        assert_eq!((routes.len(), routes.channel_count(), routes.push(&slots, paths[0])), (2, 3, 2));
        for (route, path) in [(0, paths[0]), (1, paths[1]), (2, paths[0])] {
            assert_eq!((routes.path(route), routes.ends(route)), (path, slots.ends(path)));
            assert_eq!(routes.slots(route), slots.of_path(path).collect::<Vec<_>>());
        }
        routes.truncate(0);
        assert!(routes.is_empty() && routes.channel_count() == 0);
    }
}
