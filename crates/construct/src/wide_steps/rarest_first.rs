//! Broadcasts in steps of given widths, by maximum matchings that prefer rare messages.

use std::num::NonZeroU32;

use lockstep_schedule::{Budget, MessageId, Problem, Schedule};
use lockstep_topology::NodeId;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::channel_loads::{ChannelLoads, MAX_CHANNELS};
use super::network::{BroadcastNetwork, Hop, push_all};

/// Returns a broadcast to all terminals in steps of these widths, if the search finds one.
///
/// In every step, each terminal receives the most messages that its neighbours can bring, by a maximum matching of messages
/// and channels; messages that few terminals hold come first, and `seed` breaks ties. `None` also for the problems that
/// [`breadth_first`](super::breadth_first()) does not support, and if the time of the budget ends; evaluations do not count.
/// Takes `O(N M)` time per step for `N` messages and `M` channels if few messages are displaced, in parallel.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use lockstep_construct::in_steps_of;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:8".parse()?;
/// let all_gather = Collective::all_gather().with_chunks(2.try_into()?);
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward())?;
/// let widths = [2, 2, 2, 1].map(|width| NonZeroU32::new(width).unwrap());
/// let schedule = in_steps_of(&problem, &widths, 1, &Budget::unlimited()).ok_or("not found")?;
/// verify(&problem, &schedule)?;
/// assert_eq!(schedule.width_sum(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn in_steps_of(problem: &Problem<'_>, widths: &[NonZeroU32], seed: u64, budget: &Budget) -> Option<Schedule> {
    let network = BroadcastNetwork::new(problem)?;
    let topology = network.topology;
    if topology.terminals().iter().any(|&node| topology.in_channels(node).len() > MAX_CHANNELS) {
        return None;
    }
    let mut holdings = Holdings::new(&network);
    let mut order: Vec<u32> = (0..network.messages as u32).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut schedule = Schedule::new();
    for &width in widths {
        order.shuffle(&mut rng);
        let receive = |&receiver: &NodeId| {
            // Each receiver begins elsewhere, so that not all take the same message.
            let rank = topology.terminal_rank(receiver).unwrap_or(0);
            let is_in_time = budget.interruption().is_none();
            is_in_time.then(|| holdings.receive(&network, receiver, width, &order, rank))
        };
        let received = topology.terminals().par_iter().with_min_len(4).map(receive);
        let received: Vec<Vec<Hop>> = received.collect::<Option<_>>()?;
        schedule.begin_step_of_width(width);
        for hops in &received {
            push_all(&mut schedule, hops);
        }
        for (&receiver, hops) in topology.terminals().iter().zip(&received) {
            for &(message, _) in hops {
                holdings.add(receiver, message);
            }
        }
        if holdings.missing == 0 {
            return Some(schedule);
        }
    }
    None
}

/// The messages that each node holds.
struct Holdings {
    /// Number of words per node.
    words: usize,
    /// One bit per node and message.
    held: Vec<u64>,
    /// The number of terminals that hold each message.
    holders: Vec<u32>,
    /// Number of deliveries still to be made.
    missing: u64,
}

impl Holdings {
    fn new(network: &BroadcastNetwork<'_>) -> Self {
        let words = network.messages.div_ceil(64);
        let terminals = network.topology.terminal_count() as u64;
        let mut holdings = Self {
            words,
            held: vec![0; words * network.topology.node_count()],
            holders: vec![0; network.messages],
            missing: network.messages as u64 * terminals,
        };
        for (node, own) in network.of_source.iter().enumerate() {
            for &message in own {
                holdings.add(NodeId::from_index(node), message);
            }
        }
        holdings
    }

    fn add(&mut self, node: NodeId, message: MessageId) {
        self.held[node.index() * self.words + message.index() / 64] |= 1 << (message.index() % 64);
        self.holders[message.index()] += 1;
        self.missing -= 1;
    }

    fn row(&self, node: NodeId) -> &[u64] {
        &self.held[node.index() * self.words..(node.index() + 1) * self.words]
    }

    /// Returns the transfers to a terminal in a step. `order` is a permutation of the messages.
    fn receive(
        &self,
        network: &BroadcastNetwork<'_>,
        receiver: NodeId,
        width: NonZeroU32,
        order: &[u32],
        rank: usize,
    ) -> Vec<Hop> {
        let channels: Vec<_> = network.channels_to(receiver).collect();
        let own = self.row(receiver);
        let mut useful: Vec<u32> = Vec::new();
        for (place, &mine) in own.iter().enumerate() {
            let offered = channels.iter().fold(0, |bits, &(_, tail, _)| bits | self.row(tail)[place]);
            let mut new = offered & !mine;
            while new != 0 {
                useful.push(place as u32 * 64 + new.trailing_zeros());
                new &= new - 1;
            }
        }
        let turn = |message: u32| (order[message as usize] as usize + rank) % order.len();
        useful.sort_unstable_by_key(|&message| (self.holders[message as usize], turn(message)));
        let room = channels.iter().map(|&(_, _, capacity)| u64::from(capacity) * u64::from(width.get()));
        let mut left: u64 = room.clone().sum();
        let mut loads = ChannelLoads::default();
        loads.begin(room);
        let mut added = Vec::new();
        for message in useful {
            if left == 0 {
                break;
            }
            let holds = |&(_, &(_, tail, _)): &(usize, &(_, NodeId, u32))| {
                self.row(tail)[message as usize / 64] >> (message % 64) & 1 == 1
            };
            let from = channels.iter().enumerate().filter(holds).fold(0u64, |bits, (place, _)| bits | 1 << place);
            if loads.add(from) {
                added.push(MessageId::new(message));
                left -= 1;
            }
        }
        loads.assigned().map(|(place, number)| (added[number], channels[place].0)).collect()
    }
}
