//! The deliveries of a schedule, and the candidate paths of each.

use std::ops::Range;

use lockstep_paths::{PathId, PathTable};
use lockstep_schedule::{MessageId, NotFound, Problem, Schedule};

use super::candidate_paths::{CandidatePaths, capacities};
use super::deliveries::Deliveries;
use super::gene::Gene;
use super::limits::{MAX_DELIVERIES, check_encoding, check_size, unsupported};
use super::relay_depths::RelayDepths;

/// The constants of a search, in flat arrays.
///
/// A *delivery* is one message reaching one receiver, and has one gene. Deliveries are numbered by message, then by
/// receiver. Terminals are identified by their rank. Resources `0..` are those of the network. Where the model limits
/// ports, they are followed by one sending and one receiving port set per terminal.
///
/// Memory: 20 bytes per path and 4 bytes per resource of it, 28 bytes per delivery; for broadcasts, 4 bytes per pair of
/// message and terminal.
///
/// ```
/// use lockstep_evolve::{SearchSpace, candidate_paths};
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole())?;
/// let paths = candidate_paths(&problem)?;
/// let space = SearchSpace::new(problem, &paths, 7)?;
/// assert_eq!((space.delivery_count(), space.step_count()), (8 * 7, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SearchSpace<'a> {
    problem: Problem<'a>,
    step_count: u32,
    paths: CandidatePaths<'a>,
    /// The number of users per step that each resource carries without a conflict.
    capacity: Box<[u16]>,
    deliveries: Deliveries,
    /// The candidate paths of each delivery, a range of [`CandidatePaths::shortest_first`].
    candidates: Box<[[u32; 2]]>,
    /// Its candidate paths from the source of its message, a range of [`CandidatePaths::legal`].
    from_source: Box<[[u32; 2]]>,
    depths: RelayDepths,
    broadcast: bool,
}

impl<'a> SearchSpace<'a> {
    /// Returned by [`delivery_to`](Self::delivery_to) for the source of a message.
    pub(crate) const AT_SOURCE: u32 = Deliveries::AT_SOURCE;
    /// Returned by [`delivery_to`](Self::delivery_to) for a terminal that never receives the message.
    pub(crate) const NEVER: u32 = Deliveries::NEVER;

    /// Creates the space of schedules of `step_count` steps that solve `problem` along paths of `table`.
    ///
    /// The paths must be legal in the network of the problem and, under store-and-forward switching, single channels.
    /// See [`candidate_paths`](crate::candidate_paths). Takes time proportional to the number of paths and, for each
    /// message, to the square of its receivers.
    ///
    /// # Errors
    ///
    /// - [`NotFound::Unsupported`] for problems without an encoding: collecting phases, store-and-forward scatter,
    ///   receivers that only terminals that are no receivers can reach, and more than [`MAX_DELIVERIES`] deliveries.
    /// - [`NotFound::TooLong`] if some receiver is more transfers from the source than there are steps.
    pub fn new(problem: Problem<'a>, table: &'a PathTable, step_count: u32) -> Result<Self, NotFound> {
        let (capacity, ports) = capacities(&problem, MAX_DELIVERIES as u16);
        check_encoding(&problem)?;
        check_size(&problem, capacity.len(), step_count)?;
        let paths = CandidatePaths::new(&problem, table, ports);
        let (mut candidates, mut from_source) = (Vec::new(), Vec::new());
        let ends = |range: Range<u32>| [range.start, range.end];
        let deliveries = Deliveries::new(&problem, |from, to| {
            from_source.push(ends(paths.between(from, to)));
            candidates.push(ends(paths.towards(to)));
        });
        let terminals = problem.topology().terminals();
        let joined = |from: u32, to: u32| !paths.between(terminals[from as usize], terminals[to as usize]).is_empty();
        let depths = RelayDepths::new(&deliveries, joined)
            .map_err(|delivery| unreachable_receiver(&problem, &deliveries, delivery))?;
        let deepest = depths.deepest();
        if deepest > step_count {
            return Err(NotFound::TooLong { steps: step_count, reached: deepest });
        }
        let broadcast = !problem.messages().is_scatter();
        let (capacity, candidates, from_source) = (capacity.into(), candidates.into(), from_source.into());
        Ok(Self { problem, step_count, paths, capacity, deliveries, candidates, from_source, depths, broadcast })
    }

    /// Returns the problem that is searched.
    pub fn problem(&self) -> &Problem<'a> {
        &self.problem
    }

    /// Returns the number of steps of every schedule of the space.
    pub fn step_count(&self) -> u32 {
        self.step_count
    }

    /// Returns the number of deliveries, which is the number of genes.
    pub fn delivery_count(&self) -> usize {
        self.deliveries.count()
    }

    /// Returns the number of resources, port sets included.
    pub fn resource_count(&self) -> usize {
        self.capacity.len()
    }

    /// Returns true if receivers may forward messages, so that a gene also selects its sender.
    pub fn is_broadcast(&self) -> bool {
        self.broadcast
    }

    /// Returns the table of all candidate paths.
    pub(crate) fn table(&self) -> &'a PathTable {
        self.paths.table()
    }

    /// Returns the number of terminals.
    pub(crate) fn terminal_count(&self) -> usize {
        self.problem.topology().terminal_count()
    }

    /// Returns the number of messages.
    pub(crate) fn message_count(&self) -> usize {
        self.deliveries.message_count()
    }

    /// Returns the resources that a path uses, each once.
    #[inline]
    pub(crate) fn resources(&self, path: u32) -> &[u32] {
        self.paths.resources(path)
    }

    /// Returns the rank of the first terminal of a path.
    #[inline]
    pub(crate) fn sender(&self, path: u32) -> u32 {
        self.paths.sender(path)
    }

    /// Returns the number of users that a resource carries in one step without a conflict.
    pub(crate) fn capacity(&self, resource: usize) -> u16 {
        self.capacity[resource]
    }

    /// Returns the deliveries of a message.
    #[inline]
    pub(crate) fn deliveries_of(&self, message: u32) -> Range<usize> {
        self.deliveries.of_message(message)
    }

    /// Returns the message of a delivery.
    #[inline]
    pub(crate) fn message(&self, delivery: usize) -> u32 {
        self.deliveries.message(delivery)
    }

    /// Returns the rank of the source of a message.
    #[inline]
    pub(crate) fn source(&self, message: u32) -> u32 {
        self.deliveries.source(message)
    }

    /// Returns the rank of the terminal that a delivery reaches.
    #[inline]
    pub(crate) fn receiver(&self, delivery: usize) -> u32 {
        self.deliveries.receiver(delivery)
    }

    /// Returns the candidate paths of a delivery. For a broadcast these are all paths to its receiver, from any sender,
    /// the shortest first.
    #[inline]
    pub(crate) fn candidates(&self, delivery: usize) -> &[u32] {
        if self.broadcast {
            let [start, end] = self.candidates[delivery];
            &self.paths.shortest_first()[start as usize..end as usize]
        } else {
            self.candidates_from_source(delivery)
        }
    }

    /// Returns the candidate paths of a delivery from the source of its message.
    #[inline]
    pub(crate) fn candidates_from_source(&self, delivery: usize) -> &[u32] {
        let [start, end] = self.from_source[delivery];
        &self.paths.table_order()[start as usize..end as usize]
    }

    /// Returns the delivery of a broadcast message to the terminal of a rank, [`AT_SOURCE`](Self::AT_SOURCE) or
    /// [`NEVER`](Self::NEVER).
    #[inline]
    pub(crate) fn delivery_to(&self, message: u32, rank: u32) -> u32 {
        self.deliveries.to(message, rank)
    }

    /// Returns the fewest transfers from the source of a message to the receiver of a delivery.
    #[inline]
    pub(crate) fn hops(&self, delivery: usize) -> u32 {
        self.depths.hops(delivery)
    }

    /// Returns the distance of the receiver from the source: the fewest transfers, then the number of resources of the
    /// first direct path.
    pub(crate) fn distance(&self, delivery: usize) -> (u32, usize) {
        let direct = self.candidates_from_source(delivery).first();
        (self.hops(delivery), direct.map_or(0, |&path| self.resources(path).len()))
    }

    /// Returns the step before which a delivery must take place so that the receivers behind it can still be reached;
    /// at least its [`hops`](Self::hops).
    #[inline]
    pub(crate) fn deadline(&self, delivery: usize) -> u32 {
        self.step_count - (self.depths.depth(self.message(delivery)) - self.hops(delivery))
    }

    /// Returns true if genes are a schedule except for conflicts.
    ///
    /// There must be one gene per delivery, each with a candidate path and a step of the space, and every sender must
    /// hold its message when it sends. Admissible genes without conflicts are a valid schedule.
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
        path < self.table().path_count() as u32
            && self.table().target(PathId::new(path)) == terminals[self.receiver(delivery) as usize]
            && (self.broadcast || self.sender(path) == self.source(self.message(delivery)))
    }

    /// Returns a hash of everything that a search reads. Two spaces in which a search differs have the same hash with
    /// probability 2^-64.
    pub(crate) fn fingerprint(&self) -> u64 {
        // FNV-1a over everything that a search reads and that does not follow from the rest.
        let numbers = [self.step_count, u32::from(self.broadcast), self.capacity.len() as u32]
            .into_iter()
            .chain(self.capacity.iter().map(|&capacity| u32::from(capacity)))
            .chain(self.paths.numbers())
            .chain(self.deliveries.numbers());
        numbers
            .flat_map(u32::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    /// Returns the schedule that genes describe, with the transfers of a step in the order of deliveries.
    ///
    /// It is valid if the genes are [admissible](Self::is_admissible) and without
    /// [conflicts](crate::Evaluator::conflicts). Takes `O(n log n)` time for `n` genes.
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

/// Returns the error for a receiver that the receivers of its message do not reach.
fn unreachable_receiver(problem: &Problem<'_>, deliveries: &Deliveries, delivery: usize) -> NotFound {
    let topology = problem.topology();
    let name = |rank: u32| topology.node_name(topology.terminals()[rank as usize]);
    let from = name(deliveries.source(deliveries.message(delivery)));
    let to = name(deliveries.receiver(delivery));
    unsupported(format!(
        "a message from '{from}' reaches '{to}' only if terminals that are not its receivers pass it on"
    ))
}
