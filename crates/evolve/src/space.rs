//! The search space: which deliveries a schedule makes, and which candidate paths each of them has.

use lockstep_paths::{PathId, PathTable};
use lockstep_schedule::{MessageId, NotFound, Phase, Ports, Problem, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};

/// Name of the engine in messages.
pub(crate) const ENGINE: &str = "umda";

/// The most deliveries of a problem: cells of the occupancy count their users in 16 bits.
pub const MAX_DELIVERIES: u64 = i16::MAX as u64;

/// The most cells, resources times steps, of the occupancy.
const MAX_CELLS: u64 = 1 << 26;

/// One gene: how and when one delivery is made.
///
/// The sender is the node that the path leaves, so a gene holds all that the document's encodings hold: (path, step)
/// for scatter, (source, path, step) for broadcast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Gene {
    /// Number of the path in the [`PathTable`], or [`Gene::UNPLACED`].
    pub path: u32,
    /// Step from 0.
    pub step: u32,
}

impl Gene {
    /// The path of a delivery that is not made for the moment.
    pub const UNPLACED: u32 = u32::MAX;
}

/// Everything about a problem that stays the same during a search, in flat arrays.
///
/// A *delivery* is one message reaching one receiver, and has one gene. Deliveries are numbered by message, then by
/// receiver. Terminals are known by their rank. Resources `0..` are those of the network; behind them stand, where the
/// model limits ports, one sending and one receiving port set a terminal.
#[derive(Debug)]
pub struct SearchSpace<'a> {
    problem: Problem<'a>,
    table: &'a PathTable,
    step_count: u32,
    /// Where each path's resources start; one entry more than paths.
    path_start: Box<[u32]>,
    path_resources: Box<[u32]>,
    /// Rank of the terminal each path leaves.
    path_sender: Box<[u32]>,
    /// Users that each resource carries in one step without a conflict.
    capacity: Box<[u16]>,
    /// First delivery of each message; one entry more than messages.
    message_start: Box<[u32]>,
    message_of: Box<[u32]>,
    /// Rank of the source of each message.
    source: Box<[u32]>,
    /// Rank of the receiver of each delivery.
    receiver: Box<[u32]>,
    /// The candidate paths of each delivery, a range of `shortest_first`.
    candidates: Box<[[u32; 2]]>,
    /// All paths, grouped as the table groups them, the shortest of each group first.
    shortest_first: Box<[u32]>,
    /// For broadcast messages, the delivery to each terminal: `message * terminals + rank`.
    delivery_to: Box<[u32]>,
    /// For broadcast messages, transfers from the source to each terminal at least: `message * terminals + rank`.
    hops: Box<[u16]>,
    /// The largest number of those over the receivers of each message.
    depth: Box<[u16]>,
    broadcast: bool,
}

impl<'a> SearchSpace<'a> {
    /// What [`delivery_to`](Self::delivery_to) gives for the source of a message.
    pub(crate) const AT_SOURCE: u32 = u32::MAX;
    /// What [`delivery_to`](Self::delivery_to) gives for a terminal that never gets the message.
    pub(crate) const NEVER: u32 = u32::MAX - 1;

    /// The space of schedules of `step_count` steps that solve `problem` along paths of `table`.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`] for what the encoding cannot say: collecting phases, store-and-forward scatter, and
    /// more than [`MAX_DELIVERIES`] deliveries.
    pub fn new(problem: Problem<'a>, table: &'a PathTable, step_count: u32) -> Result<Self, NotFound> {
        let unsupported = |why: String| Err(NotFound::Unsupported { engine: ENGINE, why });
        let (topology, model, messages) = (problem.topology(), problem.model(), problem.messages());
        if problem.collective().phases() != [Phase::Distribute] {
            let why = "a collecting phase has no encoding; plan the reversed collective on the reversed network";
            return unsupported(why.to_owned());
        }
        let broadcast = !messages.is_scatter();
        if model.switching == Switching::StoreAndForward && !broadcast {
            let why = "a scatter message makes one transfer, which store-and-forward cuts into hops; use --engine auto";
            return unsupported(why.to_owned());
        }
        let deliveries = messages.delivery_count();
        if deliveries > MAX_DELIVERIES {
            return unsupported(format!("{deliveries} deliveries are more than {MAX_DELIVERIES}; use --engine auto"));
        }

        let terminals = topology.terminals();
        let rank = |node: NodeId| topology.terminal_rank(node).expect("paths and messages join terminals") as u32;
        let (capacity, [send_port, receive_port]) = capacities(&problem);
        let cells = capacity.len() as u64 * u64::from(step_count);
        if cells > MAX_CELLS {
            return unsupported(format!("{cells} cells of resource and step are more than {MAX_CELLS}; plan fewer steps"));
        }
        let mut path_start = Vec::with_capacity(table.path_count() + 1);
        let (mut path_resources, mut path_sender) = (Vec::new(), Vec::with_capacity(table.path_count()));
        path_start.push(0);
        for number in 0..table.path_count() as u32 {
            let path = PathId::new(number);
            let (sender, receiver) = (rank(table.source(path)), rank(table.target(path)));
            path_resources.extend(table.channels(path).iter().map(|&channel| topology.resource(channel).number()));
            path_resources.extend(send_port.map(|port| port + sender));
            path_resources.extend(receive_port.map(|port| port + receiver));
            path_sender.push(sender);
            path_start.push(path_resources.len() as u32);
        }

        let mut shortest_first: Vec<u32> = (0..table.path_count() as u32).collect();
        if broadcast {
            for &terminal in terminals {
                let group = table.towards(terminal);
                let length = |&path: &u32| table.channels(PathId::new(path)).len();
                shortest_first[group.start as usize..group.end as usize].sort_by_key(length);
            }
        }
        let mut message_start = vec![0];
        let (mut message_of, mut receiver, mut candidates) = (Vec::new(), Vec::new(), Vec::new());
        let mut source = Vec::with_capacity(messages.len());
        let mut delivery_to = Vec::new();
        for message in messages.ids() {
            let from = messages.source(message);
            source.push(rank(from));
            let row = delivery_to.len();
            if broadcast {
                delivery_to.resize(row + terminals.len(), Self::NEVER);
                delivery_to[row + rank(from) as usize] = Self::AT_SOURCE;
            }
            for to in messages.receivers_iter(message) {
                let range = if broadcast { table.towards(to) } else { table.between(from, to) };
                if broadcast {
                    delivery_to[row + rank(to) as usize] = receiver.len() as u32;
                }
                candidates.push([range.start, range.end]);
                message_of.push(message.number());
                receiver.push(rank(to));
            }
            message_start.push(receiver.len() as u32);
        }
        let mut hops = Vec::new();
        let mut depth = Vec::new();
        if broadcast {
            for (message, &from) in source.iter().enumerate() {
                let row = hops_from(topology, table, from);
                let deliveries = message_start[message] as usize..message_start[message + 1] as usize;
                depth.push(receiver[deliveries].iter().map(|&to| row[to as usize]).max().unwrap_or(0));
                hops.extend(row);
            }
        }
        let deepest = depth.iter().copied().max().map_or(1, u32::from);
        if deepest > step_count {
            return Err(NotFound::TooLong { steps: step_count, reached: deepest });
        }
        Ok(Self {
            problem,
            table,
            step_count,
            path_start: path_start.into(),
            path_resources: path_resources.into(),
            path_sender: path_sender.into(),
            capacity: capacity.into(),
            message_start: message_start.into(),
            message_of: message_of.into(),
            source: source.into(),
            receiver: receiver.into(),
            candidates: candidates.into(),
            shortest_first: shortest_first.into(),
            delivery_to: delivery_to.into(),
            hops: hops.into(),
            depth: depth.into(),
            broadcast,
        })
    }

    /// The problem that is searched.
    pub fn problem(&self) -> &Problem<'a> {
        &self.problem
    }

    /// Number of steps of every schedule of the space.
    pub fn step_count(&self) -> u32 {
        self.step_count
    }

    /// Number of deliveries, that is, of genes.
    pub fn delivery_count(&self) -> usize {
        self.receiver.len()
    }

    /// Number of resources, port sets included.
    pub fn resource_count(&self) -> usize {
        self.capacity.len()
    }

    /// Whether receivers may pass messages on, so that a gene also chooses its sender.
    pub fn is_broadcast(&self) -> bool {
        self.broadcast
    }

    /// The number of terminals.
    pub(crate) fn terminal_count(&self) -> usize {
        self.problem.topology().terminal_count()
    }

    /// The number of messages.
    pub(crate) fn message_count(&self) -> usize {
        self.source.len()
    }

    /// The resources that a path holds, each once.
    #[inline]
    pub(crate) fn resources(&self, path: u32) -> &[u32] {
        let path = path as usize;
        &self.path_resources[self.path_start[path] as usize..self.path_start[path + 1] as usize]
    }

    /// The rank of the terminal a path leaves.
    #[inline]
    pub(crate) fn sender(&self, path: u32) -> u32 {
        self.path_sender[path as usize]
    }

    /// How many users a resource carries in one step without a conflict.
    pub(crate) fn capacity(&self, resource: usize) -> u16 {
        self.capacity[resource]
    }

    /// The deliveries of a message.
    #[inline]
    pub(crate) fn deliveries_of(&self, message: u32) -> std::ops::Range<usize> {
        let message = message as usize;
        self.message_start[message] as usize..self.message_start[message + 1] as usize
    }

    /// The message of a delivery.
    #[inline]
    pub(crate) fn message(&self, delivery: usize) -> u32 {
        self.message_of[delivery]
    }

    /// The rank of the source of a message.
    #[inline]
    pub(crate) fn source(&self, message: u32) -> u32 {
        self.source[message as usize]
    }

    /// The rank of the terminal that a delivery reaches.
    #[inline]
    pub(crate) fn receiver(&self, delivery: usize) -> u32 {
        self.receiver[delivery]
    }

    /// The candidate paths of a delivery. For broadcast these are all paths into its receiver, whoever sends.
    #[inline]
    pub(crate) fn candidates(&self, delivery: usize) -> &[u32] {
        let [start, end] = self.candidates[delivery];
        &self.shortest_first[start as usize..end as usize]
    }

    /// The candidate paths into a terminal that leave `sender`.
    pub(crate) fn candidates_from(&self, sender: u32, receiver: u32) -> std::ops::Range<u32> {
        let terminals = self.problem.topology().terminals();
        self.table.between(terminals[sender as usize], terminals[receiver as usize])
    }

    /// The delivery of a broadcast message to the terminal of a rank, [`AT_SOURCE`](Self::AT_SOURCE) or
    /// [`NEVER`](Self::NEVER).
    #[inline]
    pub(crate) fn delivery_to(&self, message: u32, rank: u32) -> u32 {
        self.delivery_to[message as usize * self.terminal_count() + rank as usize]
    }

    /// How many transfers a broadcast delivery is from the source at least.
    #[inline]
    pub(crate) fn hops(&self, message: u32, delivery: usize) -> u16 {
        self.hops[message as usize * self.terminal_count() + self.receiver(delivery) as usize]
    }

    /// How far the receiver of a broadcast delivery is from the source: transfers at least, then resources of the first
    /// path that leads there directly.
    pub(crate) fn distance(&self, message: u32, delivery: usize) -> (u16, usize) {
        let direct = self.candidates_from(self.source(message), self.receiver(delivery));
        let length = if direct.is_empty() { 0 } else { self.resources(direct.start).len() };
        (self.hops(message, delivery), length)
    }

    /// The step before which a broadcast delivery is made so that terminals behind it can still be reached.
    #[inline]
    pub(crate) fn deadline(&self, message: u32, delivery: usize) -> u32 {
        self.step_count - u32::from(self.depth[message as usize] - self.hops(message, delivery))
    }

    /// A number that two spaces share only if they have the same problem, paths and steps, for checkpoints.
    pub(crate) fn fingerprint(&self) -> u64 {
        // FNV-1a over everything that a search reads.
        let lists: [&[u32]; 6] = [
            &[self.step_count, self.capacity.len() as u32],
            &self.path_start,
            &self.path_resources,
            &self.message_start,
            &self.source,
            &self.receiver,
        ];
        let capacity = self.capacity.iter().map(|&capacity| u32::from(capacity));
        let numbers = lists.into_iter().flatten().copied().chain(capacity);
        numbers.flat_map(u32::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    }

    /// The schedule that genes describe, transfers of a step in the order of deliveries.
    pub fn schedule(&self, genes: &[Gene]) -> Schedule {
        let mut order: Vec<u32> = (0..genes.len() as u32).collect();
        order.sort_by_key(|&delivery| genes[delivery as usize].step);
        let mut order = order.into_iter().peekable();
        let mut schedule = Schedule::new();
        for step in 0..self.step_count {
            schedule.begin_step();
            while let Some(delivery) = order.next_if(|&delivery| genes[delivery as usize].step == step) {
                let path = PathId::new(genes[delivery as usize].path);
                schedule.push(MessageId::new(self.message(delivery as usize)), self.table.channels(path));
            }
        }
        schedule
    }
}

/// The capacity of every resource, and where the sending and the receiving port sets start, if ports are limited.
fn capacities(problem: &Problem) -> (Vec<u16>, [Option<u32>; 2]) {
    let topology = problem.topology();
    let mut capacity = vec![1; topology.resource_count()];
    let Ports::Limit(limit) = problem.model().ports else { return (capacity, [None, None]) };
    let limit = u16::try_from(limit.get()).unwrap_or(u16::MAX).min(MAX_DELIVERIES as u16);
    let send = capacity.len() as u32;
    let receive = send + topology.terminal_count() as u32;
    capacity.resize(capacity.len() + 2 * topology.terminal_count(), limit);
    (capacity, [Some(send), Some(receive)])
}

/// The least number of transfers along paths of the table from a terminal to every terminal, by rank.
fn hops_from(topology: &Topology, table: &PathTable, source: u32) -> Vec<u16> {
    let terminals = topology.terminals();
    let mut hops = vec![u16::MAX; terminals.len()];
    hops[source as usize] = 0;
    let mut queue = vec![source as usize];
    let mut next = 0;
    while let Some(&from) = queue.get(next) {
        next += 1;
        for (to, &terminal) in terminals.iter().enumerate() {
            if hops[to] == u16::MAX && !table.between(terminals[from], terminal).is_empty() {
                hops[to] = hops[from].saturating_add(1);
                queue.push(to);
            }
        }
    }
    hops
}
