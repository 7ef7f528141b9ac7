//! A list of short paths.

use lockstep_topology::ChannelId;

/// Paths stored one after the other, without an allocation per path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PathList {
    end: Vec<usize>,
    channels: Vec<ChannelId>,
}

impl PathList {
    pub(crate) fn clear(&mut self) {
        self.end.clear();
        self.channels.clear();
    }

    pub(crate) fn push(&mut self, path: impl IntoIterator<Item = ChannelId>) {
        self.channels.extend(path);
        self.end.push(self.channels.len());
    }

    pub(crate) fn get(&self, place: usize) -> &[ChannelId] {
        let start = if place == 0 { 0 } else { self.end[place - 1] };
        &self.channels[start..self.end[place]]
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[ChannelId]> {
        (0..self.end.len()).map(|place| self.get(place))
    }
}
