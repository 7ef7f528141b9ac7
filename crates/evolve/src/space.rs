//! The search space: which deliveries a schedule makes, and which candidate paths each of them has.

use std::ops::Range;

use lockstep_paths::{PathId, PathTable};
use lockstep_schedule::{MessageId, NotFound, Phase, Problem, Schedule, Switching};

use crate::paths::{CandidatePaths, capacities, rank};

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
///
/// Memory: 20 bytes a path and 4 bytes a resource of it, 28 bytes a delivery; for broadcast 4 bytes for each pair of
/// message and terminal.
#[derive(Debug)]
pub struct SearchSpace<'a> {
    problem: Problem<'a>,
    step_count: u32,
    paths: CandidatePaths<'a>,
    /// Users that each resource carries in one step without a conflict.
    capacity: Box<[u16]>,
    /// First delivery of each message; one entry more than messages.
    message_start: Box<[u32]>,
    message_of: Box<[u32]>,
    /// Rank of the source of each message.
    source: Box<[u32]>,
    /// Rank of the receiver of each delivery.
    receiver: Box<[u32]>,
    /// The candidate paths of each delivery, a range of [`CandidatePaths::shortest_first`].
    candidates: Box<[[u32; 2]]>,
    /// Those of them that leave the source of its message, a range of [`CandidatePaths::legal`].
    from_source: Box<[[u32; 2]]>,
    /// For broadcast messages, the delivery to each terminal: `message * terminals + rank`.
    delivery_to: Box<[u32]>,
    /// Transfers from the source to the receiver of each delivery at least.
    hops: Box<[u32]>,
    /// The largest number of those over the deliveries of each message.
    depth: Box<[u32]>,
    broadcast: bool,
}

impl<'a> SearchSpace<'a> {
    /// What [`delivery_to`](Self::delivery_to) gives for the source of a message.
    pub(crate) const AT_SOURCE: u32 = u32::MAX;
    /// What [`delivery_to`](Self::delivery_to) gives for a terminal that never gets the message.
    pub(crate) const NEVER: u32 = u32::MAX - 1;

    /// The space of schedules of `step_count` steps that solve `problem` along paths of `table`, which are legal paths of
    /// its network and under store-and-forward switching single channels, see [`candidate_paths`](crate::candidate_paths).
    ///
    /// Takes time in proportion to the paths and to the square of the receivers of a message, for each message.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`] for what the encoding cannot say: collecting phases, store-and-forward scatter,
    /// receivers whom only terminals that are no receivers can reach, and more than [`MAX_DELIVERIES`] deliveries.
    /// [`NotFound::TooLong`] if some receiver is more transfers from the source than there are steps.
    pub fn new(problem: Problem<'a>, table: &'a PathTable, step_count: u32) -> Result<Self, NotFound> {
        let (capacity, ports) = capacities(&problem, MAX_DELIVERIES as u16);
        check_encoding(&problem)?;
        check_size(&problem, capacity.len(), step_count)?;
        let (topology, messages) = (problem.topology(), problem.messages());
        let paths = CandidatePaths::new(&problem, table, ports);
        let mut space = Self {
            problem,
            step_count,
            capacity: capacity.into(),
            message_start: Box::default(),
            message_of: Box::default(),
            source: messages.ids().map(|message| rank(topology, messages.source(message))).collect(),
            receiver: Box::default(),
            candidates: Box::default(),
            from_source: Box::default(),
            delivery_to: Box::default(),
            hops: Box::default(),
            depth: Box::default(),
            broadcast: !messages.is_scatter(),
            paths,
        };
        space.add_deliveries();
        space.add_hops()?;
        let deepest = space.depth.iter().copied().max().unwrap_or(1);
        if deepest > step_count { Err(NotFound::TooLong { steps: step_count, reached: deepest }) } else { Ok(space) }
    }

    /// Numbers the deliveries and finds the candidate paths of each.
    fn add_deliveries(&mut self) {
        let (topology, messages) = (self.problem.topology(), self.problem.messages());
        let terminals = topology.terminal_count();
        let (mut message_start, mut message_of, mut receiver) = (vec![0], Vec::new(), Vec::new());
        let (mut candidates, mut from_source) = (Vec::new(), Vec::new());
        let mut delivery_to = if self.broadcast { vec![Self::NEVER; messages.len() * terminals] } else { Vec::new() };
        let ends = |range: Range<usize>| [range.start as u32, range.end as u32];
        for message in messages.ids() {
            let from = messages.source(message);
            let row = message.index() * terminals;
            if self.broadcast {
                delivery_to[row + rank(topology, from) as usize] = Self::AT_SOURCE;
            }
            for to in messages.receivers_iter(message) {
                let to_rank = rank(topology, to);
                if self.broadcast {
                    delivery_to[row + to_rank as usize] = receiver.len() as u32;
                }
                from_source.push(ends(self.paths.between(from, to)));
                candidates.push(ends(self.paths.towards(to)));
                message_of.push(message.number());
                receiver.push(to_rank);
            }
            message_start.push(receiver.len() as u32);
        }
        self.message_start = message_start.into();
        self.message_of = message_of.into();
        self.receiver = receiver.into();
        self.candidates = candidates.into();
        self.from_source = from_source.into();
        self.delivery_to = delivery_to.into();
    }

    /// Counts the transfers to every receiver, message by message: a breadth-first search over its receivers alone.
    fn add_hops(&mut self) -> Result<(), NotFound> {
        let mut hops = vec![0; self.delivery_count()];
        let mut depth = Vec::with_capacity(self.message_count());
        let terminals = self.problem.topology().terminals();
        let joined =
            |from: u32, to: u32| !self.paths.between(terminals[from as usize], terminals[to as usize]).is_empty();
        for message in 0..self.message_count() as u32 {
            let mut unreached: Vec<usize> = self.deliveries_of(message).collect();
            let mut holders = vec![self.source(message)];
            let mut distance = 0;
            while let Some(&delivery) = unreached.first() {
                if holders.is_empty() {
                    return Err(self.unreachable(delivery));
                }
                distance += 1;
                let (reached, rest) = unreached
                    .iter()
                    .partition::<Vec<usize>, _>(|&&to| holders.iter().any(|&from| joined(from, self.receiver(to))));
                holders.clear();
                for delivery in reached {
                    hops[delivery] = distance;
                    holders.push(self.receiver(delivery));
                }
                unreached = rest;
            }
            depth.push(distance);
        }
        self.hops = hops.into();
        self.depth = depth.into();
        Ok(())
    }

    fn unreachable(&self, delivery: usize) -> NotFound {
        let topology = self.problem.topology();
        let name = |rank: u32| topology.node_name(topology.terminals()[rank as usize]);
        let (from, to) = (name(self.source(self.message(delivery))), name(self.receiver(delivery)));
        unsupported(format!(
            "a message from '{from}' reaches '{to}' only if terminals that are not its receivers pass it on"
        ))
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

    /// The paths that genes choose from.
    pub(crate) fn table(&self) -> &'a PathTable {
        self.paths.table()
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
        self.paths.resources(path)
    }

    /// The rank of the terminal a path leaves.
    #[inline]
    pub(crate) fn sender(&self, path: u32) -> u32 {
        self.paths.sender(path)
    }

    /// How many users a resource carries in one step without a conflict.
    pub(crate) fn capacity(&self, resource: usize) -> u16 {
        self.capacity[resource]
    }

    /// The deliveries of a message.
    #[inline]
    pub(crate) fn deliveries_of(&self, message: u32) -> Range<usize> {
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

    /// The candidate paths of a delivery. For broadcast these are all paths into its receiver, whoever sends, the
    /// shortest first.
    #[inline]
    pub(crate) fn candidates(&self, delivery: usize) -> &[u32] {
        if self.broadcast {
            let [start, end] = self.candidates[delivery];
            &self.paths.shortest_first()[start as usize..end as usize]
        } else {
            self.candidates_from_source(delivery)
        }
    }

    /// The candidate paths of a delivery that leave the source of its message.
    #[inline]
    pub(crate) fn candidates_from_source(&self, delivery: usize) -> &[u32] {
        let [start, end] = self.from_source[delivery];
        &self.paths.legal()[start as usize..end as usize]
    }

    /// The delivery of a broadcast message to the terminal of a rank, [`AT_SOURCE`](Self::AT_SOURCE) or
    /// [`NEVER`](Self::NEVER).
    #[inline]
    pub(crate) fn delivery_to(&self, message: u32, rank: u32) -> u32 {
        self.delivery_to[message as usize * self.terminal_count() + rank as usize]
    }

    /// How many transfers the receiver of a delivery is from the source of its message at least.
    #[inline]
    pub(crate) fn hops(&self, delivery: usize) -> u32 {
        self.hops[delivery]
    }

    /// How far the receiver of a delivery is from the source: transfers at least, then resources of the first path that
    /// leads there directly.
    pub(crate) fn distance(&self, delivery: usize) -> (u32, usize) {
        let direct = self.candidates_from_source(delivery).first();
        (self.hops(delivery), direct.map_or(0, |&path| self.resources(path).len()))
    }

    /// The step before which a delivery is made so that terminals behind it can still be reached; at least its
    /// [`hops`](Self::hops).
    #[inline]
    pub(crate) fn deadline(&self, delivery: usize) -> u32 {
        self.step_count - (self.depth[self.message(delivery) as usize] - self.hops(delivery))
    }

    /// Whether genes are a schedule but for conflicts: one gene a delivery, each with a candidate path and a step of the
    /// space, and every sender holds its message when it sends.
    ///
    /// Genes that are admissible and without conflicts are a valid schedule.
    pub fn is_admissible(&self, genes: &[Gene]) -> bool {
        let admits = |delivery: usize, gene: Gene| {
            gene.step < self.step_count && self.is_candidate(delivery, gene.path) && {
                !self.broadcast
                    || match self.delivery_to(self.message(delivery), self.sender(gene.path)) {
                        Self::AT_SOURCE => true,
                        Self::NEVER => false,
                        earlier => genes[earlier as usize].step < gene.step,
                    }
            }
        };
        genes.len() == self.delivery_count() && genes.iter().enumerate().all(|(delivery, &gene)| admits(delivery, gene))
    }

    fn is_candidate(&self, delivery: usize, path: u32) -> bool {
        let terminals = self.problem.topology().terminals();
        self.paths.is_legal(path)
            && self.table().target(PathId::new(path)) == terminals[self.receiver(delivery) as usize]
            && (self.broadcast || self.sender(path) == self.source(self.message(delivery)))
    }

    /// A number that two spaces share only if a search does the same in both, but for an accident of one in 2^64.
    pub(crate) fn fingerprint(&self) -> u64 {
        // FNV-1a over everything that a search reads and that does not follow from the rest.
        let lists = [&self.message_start, &self.source, &self.receiver];
        let numbers = [self.step_count, u32::from(self.broadcast), self.capacity.len() as u32]
            .into_iter()
            .chain(self.capacity.iter().map(|&capacity| u32::from(capacity)))
            .chain(self.paths.numbers())
            .chain(lists.into_iter().flatten().copied());
        numbers
            .flat_map(u32::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    /// The schedule that genes describe, transfers of a step in the order of deliveries. It is valid if the genes are
    /// [admissible](Self::is_admissible) and without [conflicts](crate::Evaluator::conflicts).
    ///
    /// # Panics
    ///
    /// If there are more genes than deliveries, or one names a path that does not exist.
    pub fn schedule(&self, genes: &[Gene]) -> Schedule {
        let mut order: Vec<u32> = (0..genes.len() as u32).collect();
        order.sort_by_key(|&delivery| genes[delivery as usize].step);
        let mut order = order.into_iter().peekable();
        let mut schedule = Schedule::new();
        for step in 0..self.step_count {
            schedule.begin_step();
            while let Some(delivery) = order.next_if(|&delivery| genes[delivery as usize].step == step) {
                let path = PathId::new(genes[delivery as usize].path);
                schedule.push(MessageId::new(self.message(delivery as usize)), self.table().channels(path));
            }
        }
        schedule
    }
}

fn unsupported(why: String) -> NotFound {
    NotFound::Unsupported { engine: ENGINE, why }
}

/// Whether genes can say the problem at all.
fn check_encoding(problem: &Problem) -> Result<(), NotFound> {
    if problem.collective().phases() != [Phase::Distribute] {
        let why = "a collecting phase has no encoding; plan the reversed collective on the reversed network";
        return Err(unsupported(why.to_owned()));
    }
    if problem.model().switching == Switching::StoreAndForward && problem.messages().is_scatter() {
        let why = "a scatter message makes one transfer, which store-and-forward cuts into hops";
        return Err(unsupported(why.to_owned()));
    }
    Ok(())
}

/// Whether the arrays of the search stay within bounds.
fn check_size(problem: &Problem, resources: usize, step_count: u32) -> Result<(), NotFound> {
    let (messages, terminals) = (problem.messages(), problem.topology().terminal_count());
    let deliveries = messages.delivery_count();
    if deliveries > MAX_DELIVERIES {
        return Err(unsupported(format!("{deliveries} deliveries are more than {MAX_DELIVERIES}")));
    }
    if !messages.is_scatter() && messages.len() as u64 * terminals as u64 > MAX_CELLS {
        let why = format!("{} messages among {terminals} terminals are too many", messages.len());
        return Err(unsupported(why));
    }
    let cells = resources.max(terminals) as u64 * u64::from(step_count);
    if cells > MAX_CELLS {
        let why = format!("{cells} cells of resource and step are more than {MAX_CELLS}; plan fewer steps");
        return Err(unsupported(why));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
