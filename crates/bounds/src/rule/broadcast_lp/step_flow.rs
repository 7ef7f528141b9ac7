//! Maximum flows that find node sets which receive too many copies.

use fixedbitset::FixedBitSet;
use lockstep_paths::FlowNetwork;

use super::node_region::BroadcastNetwork;

/// The units of flow per copy.
const UNIT: u32 = 1 << 20;

/// One step as a flow network: from the terminals that receive the message, backwards over channels, to those that hold
/// it.
pub(super) struct StepFlow {
    network: FlowNetwork,
    /// The limit of each arc.
    limits: Vec<ArcLimit>,
    node_count: usize,
    /// The source and the sink of the flow.
    ends: [usize; 2],
}

/// The number of copies that an arc can carry.
#[derive(Clone, Copy, Debug)]
enum ArcLimit {
    /// As many copies as the capacity of a channel.
    Channel(u32),
    /// A number of copies, times the part of the message that a terminal holds. Without a place, the source.
    Holder(Option<usize>, u64),
    /// The part of the message that a terminal receives.
    Receiver(usize),
}

impl StepFlow {
    pub(super) fn new(broadcast: &BroadcastNetwork<'_>) -> Self {
        let topology = broadcast.topology;
        let node_count = topology.node_count();
        // The vertices: nodes, then terminals as senders, then channels. A channel carries the message as often as its capacity allows.
        let (sender, carrier) = (node_count, 2 * node_count);
        let ends = [0, 1].map(|end| carrier + topology.channel_bound() + end);
        let place = |node| broadcast.others.binary_search(&node).ok();
        let mut network = FlowNetwork::new(ends[1] + 1);
        let mut limits = Vec::new();
        let mut arc = |tail, head, limit| {
            network.add_arc(tail, head, 0);
            limits.push(limit);
        };
        for channel in broadcast.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let capacity = topology.capacity(channel);
            arc(head.index(), carrier + channel.index(), ArcLimit::Channel(capacity));
            if broadcast.is_passed(tail) {
                arc(carrier + channel.index(), tail.index(), ArcLimit::Channel(capacity));
            }
            if topology.is_terminal(tail) {
                let limit = ArcLimit::Holder(place(tail), capacity.into());
                arc(carrier + channel.index(), sender + tail.index(), limit);
            }
        }
        for &terminal in topology.terminals() {
            let limit = ArcLimit::Holder(place(terminal), broadcast.send_limit(terminal));
            arc(sender + terminal.index(), ends[1], limit);
        }
        for (place, terminal) in broadcast.others.iter().enumerate() {
            arc(ends[0], terminal.index(), ArcLimit::Receiver(place));
        }
        Self { network, limits, node_count, ends }
    }

    /// Returns a smallest set that receives more copies than it can, if there is one. `before` and `after` are the
    /// parts of the message that the other terminals hold before and after the step.
    pub(super) fn overfull(&mut self, before: &[f64], after: &[f64]) -> Option<FixedBitSet> {
        let new = |place: usize| units(after[place] - before[place]);
        let limits = &self.limits;
        self.network.reset(|arc| match limits[arc.index()] {
            ArcLimit::Channel(capacity) => capacity.saturating_mul(UNIT),
            ArcLimit::Holder(None, limit) => units(limit as f64),
            ArcLimit::Holder(Some(place), limit) => units(limit as f64 * before[place]),
            ArcLimit::Receiver(place) => new(place),
        });
        let required: u64 = (0..after.len()).map(|place| u64::from(new(place))).sum();
        let possible = self.network.max_flow(self.ends[0], self.ends[1]);
        (possible < required).then(|| {
            let mut nodes = FixedBitSet::with_capacity(self.node_count);
            nodes.extend((0..self.node_count).filter(|&node| self.network.is_on_source_side(node)));
            nodes
        })
    }
}

/// Returns the units of a number of copies.
#[expect(clippy::cast_sign_loss, reason = "the number of copies is not negative")]
fn units(copies: f64) -> u32 {
    (copies.max(0.0) * f64::from(UNIT)).round().min(f64::from(u32::MAX)) as u32
}
