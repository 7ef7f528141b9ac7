//! The groups of terminals that wide channels connect.

use lockstep_topology::{ChannelId, NodeId, Topology};

/// The maximum number of widths above which channels may belong to groups.
const MAX_WIDTHS: usize = 8;

/// Groups of terminals of one size, and columns of corresponding members.
///
/// The members of a column have channels to the same nodes outside of their groups.
#[derive(Debug)]
pub(super) struct Groups {
    /// The terminals: one row per group, with its members by column.
    members: Vec<NodeId>,
    /// Number of members of a group.
    size: usize,
    /// The place of each node in `members`; [`NONE`] for nodes that are not terminals.
    place: Vec<u32>,
    /// Whether each channel stays inside of a group.
    is_inner: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl Groups {
    /// Finds groups whose inner channels are wider than the other ones. `None` if there are none.
    ///
    /// Channels count by their width, the capacity of all channels with the same ends. For each of the largest widths, two
    /// nodes are in one group if channels of at least this width connect them. All groups must have the same number of
    /// terminals, at least two, and the same columns.
    pub(super) fn find(topology: &Topology) -> Option<Self> {
        let width = channel_widths(topology);
        let mut widths: Vec<u64> = topology.channels().map(|channel| width[channel.index()]).collect();
        widths.sort_unstable_by(|one, other| other.cmp(one));
        widths.dedup();
        widths.pop()?;
        widths.into_iter().take(MAX_WIDTHS).find_map(|least| {
            Self::of_components(topology, &components(topology, |channel| width[channel.index()] >= least))
        })
    }

    /// Returns the groups with these components of nodes.
    fn of_components(topology: &Topology, component: &[u32]) -> Option<Self> {
        let is_inner: Vec<bool> = topology
            .channel_numbers()
            .map(|channel| component[topology.tail(channel).index()] == component[topology.head(channel).index()])
            .collect();
        let columns = Columns::new(topology, &is_inner);
        let mut members = topology.terminals().to_vec();
        members.sort_by_key(|&node| (component[node.index()], columns.of(node), node));
        let rows: Vec<&[NodeId]> =
            members.chunk_by(|one, other| component[one.index()] == component[other.index()]).collect();
        let size = rows[0].len();
        let has_columns_of_first = |row: &&[NodeId]| {
            row.len() == size && row.iter().zip(rows[0]).all(|(&one, &other)| columns.of(one) == columns.of(other))
        };
        if rows.len() < 2 || size < 2 || !rows.iter().all(has_columns_of_first) {
            return None;
        }
        let mut place = vec![NONE; topology.node_count()];
        for (at, node) in (0..).zip(&members) {
            place[node.index()] = at;
        }
        Some(Self { members, size, place, is_inner })
    }

    /// Returns the number of groups.
    pub(super) fn count(&self) -> usize {
        self.members.len() / self.size
    }

    /// Returns the number of members of each group.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the member of a group in a column.
    #[inline]
    pub(super) fn member(&self, group: usize, column: usize) -> NodeId {
        self.members[group * self.size + column]
    }

    /// Returns the group and the column of a terminal; `None` for other nodes.
    #[inline]
    pub(super) fn place(&self, node: NodeId) -> Option<(usize, usize)> {
        let place = self.place[node.index()];
        (place != NONE).then_some((place as usize / self.size, place as usize % self.size))
    }

    /// Returns true if the channel stays inside of a group.
    #[inline]
    pub(super) fn is_inner(&self, channel: ChannelId) -> bool {
        self.is_inner[channel.index()]
    }
}

/// Calls `visit` with all channels from one node to another, ascending, for every pair of nodes with any. Takes `O(M log d)`
/// time for nodes of degree `d`.
pub(super) fn for_each_pair(topology: &Topology, mut visit: impl FnMut(&[ChannelId])) {
    let mut row = Vec::new();
    for node in topology.nodes() {
        row.clear();
        row.extend_from_slice(topology.out_channels(node));
        row.sort_by_key(|&channel| topology.head(channel));
        row.chunk_by(|&one, &other| topology.head(one) == topology.head(other)).for_each(&mut visit);
    }
}

/// Returns the capacity of all channels with the same ends as each channel.
fn channel_widths(topology: &Topology) -> Vec<u64> {
    let mut width = vec![0; topology.channel_bound()];
    for_each_pair(topology, |parallel| {
        let sum = parallel.iter().map(|&channel| u64::from(topology.capacity(channel))).sum();
        for channel in parallel {
            width[channel.index()] = sum;
        }
    });
    width
}

/// Returns the number of the component of each node under the selected channels, regardless of their directions.
fn components(topology: &Topology, is_selected: impl Fn(ChannelId) -> bool) -> Vec<u32> {
    let mut component = vec![NONE; topology.node_count()];
    let mut queue = Vec::new();
    for (number, start) in (0..).zip(topology.nodes()) {
        if component[start.index()] != NONE {
            continue;
        }
        component[start.index()] = number;
        queue.push(start);
        while let Some(node) = queue.pop() {
            let out = topology.out_channels(node).iter().map(|&channel| (channel, topology.head(channel)));
            let into = topology.in_channels(node).iter().map(|&channel| (channel, topology.tail(channel)));
            for (channel, other) in out.chain(into) {
                if is_selected(channel) && component[other.index()] == NONE {
                    component[other.index()] = number;
                    queue.push(other);
                }
            }
        }
    }
    component
}

/// The classes of terminals with channels to the same nodes outside of their groups.
struct Columns {
    /// The class of each terminal, by node.
    class: Vec<u32>,
}

impl Columns {
    fn new(topology: &Topology, is_inner: &[bool]) -> Self {
        let outer_heads = |&node: &NodeId| {
            let out = topology.out_channels(node).iter().filter(|channel| !is_inner[channel.index()]);
            let mut heads: Vec<NodeId> = out.map(|&channel| topology.head(channel)).collect();
            heads.sort_unstable();
            (heads, node)
        };
        let mut sorted: Vec<(Vec<NodeId>, NodeId)> = topology.terminals().iter().map(outer_heads).collect();
        sorted.sort_unstable();
        let mut class = vec![NONE; topology.node_count()];
        for (number, terminals) in (0..).zip(sorted.chunk_by(|one, other| one.0 == other.0)) {
            for (_, node) in terminals {
                class[node.index()] = number;
            }
        }
        Self { class }
    }

    fn of(&self, node: NodeId) -> u32 {
        self.class[node.index()]
    }
}
