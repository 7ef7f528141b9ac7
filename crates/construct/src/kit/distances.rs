//! Lengths of legal paths from the terminals that send.

use std::collections::BTreeSet;

use lockstep_topology::{ChannelId, NodeId, Topology};
use rayon::prelude::*;

use super::method_error::MethodError;
use super::task::SchedulingTask;

/// The distance of a node that no legal path reaches.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// The maximum size of the table: 1 GiB. Larger tables are replaced by a search per request.
const MAX_TABLE_BYTES: u64 = 1 << 30;

/// The lengths of legal paths from the sources of all messages to all nodes.
///
/// Memory: 4 bytes per source and node, up to [`MAX_TABLE_BYTES`].
#[derive(Debug)]
pub(crate) struct SourceDistances<'a> {
    task: &'a SchedulingTask<'a>,
    /// The row of each terminal in the table, by rank; `UNREACHED` if it has none.
    row: Vec<u32>,
    table: Vec<u32>,
    /// The channels out of each node, by their heads. The channels of node `v` are from `start[v]` to `start[v + 1]`.
    by_head: Vec<ChannelId>,
    start: Vec<usize>,
}

impl<'a> SourceDistances<'a> {
    /// Computes the table in `O(S (N + M))` time for `S` sources, unless it is too large.
    ///
    /// # Errors
    ///
    /// As [`SchedulingTask::check_time`].
    pub(crate) fn new(task: &'a SchedulingTask<'a>) -> Result<Self, MethodError> {
        let (topology, messages) = (task.topology(), task.messages());
        let nodes = topology.node_count();
        let (by_head, start) = channels_by_head(topology);
        let sources: BTreeSet<NodeId> = messages.ids().map(|message| messages.source(message)).collect();
        let mut row = vec![UNREACHED; topology.terminal_count()];
        if sources.len() as u64 * nodes as u64 * size_of::<u32>() as u64 > MAX_TABLE_BYTES {
            return Ok(Self { task, row, table: Vec::new(), by_head, start });
        }
        let mut table = vec![UNREACHED; sources.len() * nodes];
        let sources: Vec<NodeId> = sources.into_iter().collect();
        let rows = sources.par_iter().zip(table.par_chunks_exact_mut(nodes));
        rows.try_for_each_init(Vec::new, |queue, (&source, distance)| {
            task.check_time()?;
            fill_distances(task, [source], distance, queue);
            Ok(())
        })?;
        for (number, &source) in sources.iter().enumerate() {
            row[task.rank(source)] = number as u32;
        }
        Ok(Self { task, row, table, by_head, start })
    }

    /// Returns the channels from one node to another, in `O(log D)` time for `D` channels out of the node.
    pub(crate) fn channels_between(&self, tail: NodeId, head: NodeId) -> &[ChannelId] {
        let of_tail = &self.by_head[self.start[tail.index()]..self.start[tail.index() + 1]];
        let head_of = |channel: &ChannelId| self.task.topology().head(*channel);
        let first = of_tail.partition_point(|channel| head_of(channel) < head);
        let count = of_tail[first..].iter().take_while(|channel| head_of(channel) == head).count();
        &of_tail[first..first + count]
    }

    /// Returns the distances from one terminal, by node. Without a table, a search fills `scratch`, unless it has them
    /// already.
    pub(crate) fn from<'b>(&'b self, terminal: NodeId, scratch: &'b mut DistanceScratch) -> &'b [u32] {
        let nodes = self.task.topology().node_count();
        match self.row[self.task.rank(terminal)] {
            UNREACHED => {
                if scratch.from != Some(terminal) {
                    scratch.from = Some(terminal);
                    scratch.distance.resize(nodes, UNREACHED);
                    fill_distances(self.task, [terminal], &mut scratch.distance, &mut scratch.queue);
                }
                &scratch.distance
            }
            row => &self.table[row as usize * nodes..(row as usize + 1) * nodes],
        }
    }
}

/// Returns the channels out of all nodes, those of each node by their heads, and the place where those of each node start.
fn channels_by_head(topology: &Topology) -> (Vec<ChannelId>, Vec<usize>) {
    let (mut by_head, mut start) = (Vec::with_capacity(topology.channel_count()), vec![0]);
    for node in topology.nodes() {
        let first = by_head.len();
        by_head.extend_from_slice(topology.out_channels(node));
        by_head[first..].sort_by_key(|&channel| topology.head(channel));
        start.push(by_head.len());
    }
    (by_head, start)
}

/// Scratch space for the distances from a terminal without a row in the table.
#[derive(Debug, Default)]
pub(crate) struct DistanceScratch {
    from: Option<NodeId>,
    distance: Vec<u32>,
    queue: Vec<NodeId>,
}

/// Computes the distance of each node from the nearest of some terminals, in `O(N + M)` time, and in `O(N)` if all
/// nodes are neighbours of one. `queue` is scratch space.
pub(crate) fn fill_distances(
    task: &SchedulingTask<'_>,
    sources: impl IntoIterator<Item = NodeId>,
    distance: &mut [u32],
    queue: &mut Vec<NodeId>,
) {
    let topology = task.topology();
    distance.fill(UNREACHED);
    queue.clear();
    queue.extend(sources);
    for source in &*queue {
        distance[source.index()] = 0;
    }
    let mut next = 0;
    // The channels of the last nodes lead nowhere new.
    while queue.len() < distance.len()
        && let Some(&node) = queue.get(next)
    {
        next += 1;
        if distance[node.index()] > 0 && !task.crosses(node) {
            continue;
        }
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if distance[head.index()] == UNREACHED {
                distance[head.index()] = distance[node.index()] + 1;
                queue.push(head);
            }
        }
    }
}
