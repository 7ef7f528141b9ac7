//! Incidence lists of channels.

use std::sync::Arc;

use crate::{ChannelId, NodeId};

/// The working channels at each node in compressed sparse row form, ascending within a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Adjacency {
    start: Arc<[u32]>,
    channels: Arc<[ChannelId]>,
}

impl Adjacency {
    /// Groups the working channels, which are ascending, by the node in the table `end`.
    pub(crate) fn new(node_count: usize, working: &[ChannelId], end: &[NodeId]) -> Self {
        let mut start = vec![0u32; node_count + 1];
        for channel in working {
            start[end[channel.index()].index() + 1] += 1;
        }
        for node in 0..node_count {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut channels: Arc<[ChannelId]> = working.into();
        let sorted = Arc::get_mut(&mut channels).expect("nothing shares the new table");
        for &channel in working {
            let place = &mut next[end[channel.index()].index()];
            sorted[*place as usize] = channel;
            *place += 1;
        }
        Self { start: start.into(), channels }
    }

    pub(crate) fn row(&self, node: NodeId) -> &[ChannelId] {
        &self.channels[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }
}
