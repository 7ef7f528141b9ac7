//! Which sets take in more than they can.

use fixedbitset::FixedBitSet;
use lockstep_paths::FlowNetwork;

use super::region::Spread;

/// Units of flow that stand for one copy.
const UNIT: u32 = 1 << 20;

/// One step as a flow: from the terminals that get the message back over channels to those that hold it.
pub(super) struct StepFlow {
    network: FlowNetwork,
    /// What limits each arc.
    limits: Vec<Limit>,
    node_count: usize,
    /// Where the flow begins, and where it ends.
    ends: [usize; 2],
}

/// The copies that an arc can carry.
#[derive(Clone, Copy, Debug)]
enum Limit {
    /// One.
    Channel,
    /// So many, for a terminal that holds the message; without a place, for the source.
    Holder(Option<usize>, u64),
    /// One, for a terminal that gets the message.
    Receiver(usize),
}

impl StepFlow {
    pub(super) fn new(spread: &Spread<'_>) -> Self {
        let topology = spread.topology;
        let node_count = topology.node_count();
        // Nodes, then terminals as senders, then channels. Each of a sender's channels carries its message once at most.
        let (sender, carrier) = (node_count, 2 * node_count);
        let ends = [0, 1].map(|end| carrier + topology.channel_bound() + end);
        let place = |node| spread.others.binary_search(&node).ok();
        let mut network = FlowNetwork::new(ends[1] + 1);
        let mut limits = Vec::new();
        let mut arc = |tail, head, limit| {
            network.add_arc(tail, head, 0);
            limits.push(limit);
        };
        for channel in spread.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            arc(head.index(), carrier + channel.index(), Limit::Channel);
            if spread.is_passed(tail) {
                arc(carrier + channel.index(), tail.index(), Limit::Channel);
            }
            if topology.is_terminal(tail) {
                arc(carrier + channel.index(), sender + tail.index(), Limit::Holder(place(tail), 1));
            }
        }
        for &terminal in topology.terminals() {
            let limit = Limit::Holder(place(terminal), spread.send_limit(terminal));
            arc(sender + terminal.index(), ends[1], limit);
        }
        for (place, terminal) in spread.others.iter().enumerate() {
            arc(ends[0], terminal.index(), Limit::Receiver(place));
        }
        Self { network, limits, node_count, ends }
    }

    /// A smallest set that takes in more than it can, if there is one. Each of the other terminals holds the parts
    /// `before` and `after` of a message before and after the step.
    pub(super) fn overfull(&mut self, before: &[f64], after: &[f64]) -> Option<FixedBitSet> {
        let new = |place: usize| units(after[place] - before[place]);
        let limits = &self.limits;
        self.network.reset(|arc| match limits[arc.index()] {
            Limit::Channel => UNIT,
            Limit::Holder(None, limit) => units(limit as f64),
            Limit::Holder(Some(place), limit) => units(limit as f64 * before[place]),
            Limit::Receiver(place) => new(place),
        });
        let wanted: u64 = (0..after.len()).map(|place| u64::from(new(place))).sum();
        let possible = self.network.max_flow(self.ends[0], self.ends[1]);
        (possible < wanted).then(|| {
            let mut nodes = FixedBitSet::with_capacity(self.node_count);
            nodes.extend((0..self.node_count).filter(|&node| self.network.is_on_source_side(node)));
            nodes
        })
    }
}

/// The units of so many copies.
#[expect(clippy::cast_sign_loss, reason = "there are no fewer copies than none")]
fn units(copies: f64) -> u32 {
    (copies.max(0.0) * f64::from(UNIT)).round().min(f64::from(u32::MAX)) as u32
}
