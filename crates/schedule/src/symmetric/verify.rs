//! The verifier of symmetric schedules. It checks the base only.

use super::sums::Sums;
use super::{BasePlace, BaseSchedule, BaseTransfer, SymmetricSchedule, SymmetricViolation};
use crate::bit_set::BitSet;
use crate::model::{CommunicationModel, Ports, Routing, Switching};
use crate::name::CollectiveName;
use crate::verify::Verification;

/// Maximum number of elements of a graph: element numbers have 32 bits.
const MAX_ELEMENTS: u64 = 1 << 32;

/// Verifies a symmetric schedule and returns its report, with the counts of all translates together.
///
/// The translates are not generated. They form a valid schedule by [`verify`](crate::verify) if and only if the base
/// satisfies five rules:
///
/// 1. A path has at least one generator and visits no element twice. Under store-and-forward, it has exactly one
///    generator. Under minimal routing, no shorter path leads to the same element.
/// 2. The sender holds the message when the step begins. Source 0 always holds it, another element from the step after
///    its arrival. A direct scatter goes from 0 to the receiver in one transfer.
/// 3. In each step, no generator is used twice, by one transfer or by several.
/// 4. With k ports, a step has at most k transfers.
/// 5. After the last step, every element holds the message of an all-gather, and element `y` holds message `y` of an
///    all-to-all.
///
/// Proof for rule 3: let a transfer of the base use generator `g` at element `v`. Its translate by `s` uses the channel
/// of `g` at `v + s`. As `s` runs through the group, each channel of `g` is used once. A second use of `g` in the step
/// uses each of these channels again. Channels of different generators are different.
///
/// Proof for rule 4: each transfer of the base makes every node start one transfer and finish one. Proof for the other
/// rules: a translation is an automorphism of the graph, so a translate satisfies them if the base does.
///
/// O(t log t) for t transfers in the base, about 100 ns per transfer. If paths of several channels must be minimal, one
/// breadth-first search of the graph is added. Memory: at most 16 bytes per transfer of the base and 1 bit per element;
/// the search takes 8 bytes per element.
///
/// # Source
///
/// The translation principle for Cayley graphs of abelian groups, as used by the all-gather in the hypercube by
/// rotation classes.
///
/// # Errors
///
/// The first [`SymmetricViolation`]. Paths, generators and ports are checked first, in the order of the transfers. The
/// holders of each message follow, message by message. Minimality is checked last, in the order of the transfers.
pub fn verify_symmetric(
    schedule: &SymmetricSchedule,
    model: CommunicationModel,
) -> Result<Verification, SymmetricViolation> {
    let verifier = BaseVerifier::new(schedule)?;
    verifier.check_network(model)?;
    let redundant = verifier.check_holdings(model)?;
    verifier.check_detours(model)?;
    Ok(verifier.verification(redundant))
}

/// The state of the verifier: the base and the group.
pub(super) struct BaseVerifier<'a> {
    base: &'a BaseSchedule,
    elements: u64,
    generators: usize,
    sums: Sums,
    /// True if every message has one receiver.
    scatter: bool,
}

impl<'a> BaseVerifier<'a> {
    /// Returns the verifier, or an error if the collective or the size of the group is not supported.
    pub(super) fn new(schedule: &'a SymmetricSchedule) -> Result<Self, SymmetricViolation> {
        let (graph, collective) = (schedule.graph(), schedule.collective());
        let scatter = match collective {
            CollectiveName::AllGather => false,
            CollectiveName::AllToAll => true,
            _ => return Err(SymmetricViolation::Collective { collective }),
        };
        let elements = graph.node_count();
        if !(2..=MAX_ELEMENTS).contains(&elements) {
            return Err(SymmetricViolation::Elements { elements });
        }
        Ok(Self { base: schedule.base(), elements, generators: graph.degree(), sums: Sums::new(graph), scatter })
    }

    /// Returns the transfers in time order, with their places.
    fn transfers(&self) -> impl Iterator<Item = (BasePlace, BaseTransfer<'a>)> {
        self.base.steps().enumerate().flat_map(|(step, transfers)| {
            transfers.enumerate().map(move |(transfer, moved)| {
                let at = BasePlace { step, transfer, message: moved.message };
                (at, moved)
            })
        })
    }

    /// Checks that the message, sender and generators of every transfer exist.
    pub(super) fn check_known(&self) -> Result<(), SymmetricViolation> {
        self.transfers().try_for_each(|(at, moved)| self.check_transfer(at, moved))
    }

    #[inline]
    fn check_transfer(&self, at: BasePlace, moved: BaseTransfer<'_>) -> Result<(), SymmetricViolation> {
        let Self { elements, generators, .. } = *self;
        let (first, last) = if self.scatter { (1, elements - 1) } else { (0, 0) };
        if !(first..=last).contains(&moved.message.into()) {
            return Err(SymmetricViolation::UnknownMessage { at, first, last });
        }
        let element = u64::from(moved.from);
        if element >= elements {
            return Err(SymmetricViolation::UnknownElement { at, element, elements });
        }
        match moved.path.iter().find(|&&generator| usize::from(generator) >= generators) {
            Some(&generator) => Err(SymmetricViolation::UnknownGenerator { at, generator, generators }),
            None => Ok(()),
        }
    }

    /// Checks rules 1, 3 and 4, except minimal routing.
    fn check_network(&self, model: CommunicationModel) -> Result<(), SymmetricViolation> {
        let limit = match model.ports {
            Ports::All => u32::MAX,
            Ports::Limit(limit) => limit.get(),
        };
        let mut last_use: Vec<Option<BasePlace>> = vec![None; self.generators];
        let mut visited: Vec<u64> = Vec::new();
        for (at, moved) in self.transfers() {
            self.check_transfer(at, moved)?;
            let channels = moved.path.len();
            if channels == 0 {
                return Err(SymmetricViolation::EmptyPath { at });
            }
            if channels > 1 && model.switching == Switching::StoreAndForward {
                return Err(SymmetricViolation::NotOneChannel { at, channels });
            }
            for &generator in moved.path {
                let before = last_use[usize::from(generator)].replace(at);
                if let Some(BasePlace { transfer: other, .. }) = before.filter(|before| before.step == at.step) {
                    return Err(SymmetricViolation::GeneratorBusy { at, generator, other });
                }
            }
            if channels > 1 {
                self.check_simple(at, moved, &mut visited)?;
            }
            if at.transfer >= limit as usize {
                return Err(SymmetricViolation::Ports { at, limit });
            }
        }
        Ok(())
    }

    /// Checks that a path visits no element twice. `visited` is scratch space.
    fn check_simple(
        &self,
        at: BasePlace,
        moved: BaseTransfer<'_>,
        visited: &mut Vec<u64>,
    ) -> Result<(), SymmetricViolation> {
        visited.clear();
        visited.push(moved.from.into());
        for &generator in moved.path {
            visited.push(self.sums.add(visited[visited.len() - 1], generator.into()));
        }
        visited.sort_unstable();
        match visited.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(&[element, _]) => Err(SymmetricViolation::ElementTwice { at, element }),
            _ => Ok(()),
        }
    }

    /// Checks rules 2 and 5, message by message. Returns the number of redundant transfers.
    fn check_holdings(&self, model: CommunicationModel) -> Result<u64, SymmetricViolation> {
        let direct = self.scatter && model.is_direct();
        // Sorted by message, then by time.
        let mut order: Vec<u64> = Vec::with_capacity(self.base.transfer_count());
        order.extend(self.transfers().zip(0..).map(|((at, _), index)| u64::from(at.message) << 32 | index));
        order.sort_unstable();

        let mut redundant = 0;
        let mut expected = u64::from(self.scatter);
        let mut holders = Holders::new(self.elements);
        for group in order.chunk_by(|a, b| a >> 32 == b >> 32) {
            let message = group[0] >> 32;
            if message != expected {
                break;
            }
            expected += 1;
            let mut step_end = 0;
            for index in group.iter().map(|&entry| entry as u32 as usize) {
                if index >= step_end {
                    redundant += holders.begin_step();
                    step_end = self.base.step_range(self.base.step_of(index)).end;
                }
                let moved = self.base.transfer(index);
                let (from, to) = (u64::from(moved.from), self.sums.path_end(moved.from.into(), moved.path));
                if direct && (from, to) != (0, message) {
                    return Err(SymmetricViolation::NotDirect { at: self.place(index), from, to });
                }
                if !holders.hold(from) {
                    return Err(SymmetricViolation::NotHeld { at: self.place(index), sender: from });
                }
                holders.receive(to);
            }
            redundant += holders.begin_step();
            let goals = if self.scatter { message..message + 1 } else { 1..self.elements };
            if let Some(element) = goals.into_iter().find(|&goal| !holders.hold(goal)) {
                return Err(SymmetricViolation::Undelivered { message, element });
            }
            holders.clear();
        }
        let messages_end = if self.scatter { self.elements } else { 1 };
        if expected < messages_end {
            return Err(SymmetricViolation::Undelivered { message: expected, element: expected.max(1) });
        }
        Ok(redundant)
    }

    #[cold]
    fn place(&self, index: usize) -> BasePlace {
        let step = self.base.step_of(index);
        let transfer = index - self.base.step_range(step).start;
        BasePlace { step, transfer, message: self.base.transfer(index).message }
    }

    /// Checks minimal routing. Called last: a base that passed all other checks is at least as large as the tables
    /// here.
    fn check_detours(&self, model: CommunicationModel) -> Result<(), SymmetricViolation> {
        if model.routing == Routing::Any || self.base.channel_use_count() == self.base.transfer_count() {
            return Ok(());
        }
        let distance = self.distances();
        for (at, moved) in self.transfers().filter(|(_, moved)| moved.path.len() > 1) {
            // The graph is vertex-transitive: the distance is that from 0 to the sum of the generators.
            let (channels, sum) = (moved.path.len(), self.sums.path_end(0, moved.path));
            let shortest = distance[sum as usize] as usize;
            if channels > shortest {
                let from = u64::from(moved.from);
                let to = self.sums.path_end(from, moved.path);
                return Err(SymmetricViolation::NotMinimal { at, from, to, channels, shortest });
            }
        }
        Ok(())
    }

    /// Returns the distance from 0 to every element, `u32::MAX` for unreachable elements. O(channels).
    fn distances(&self) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.elements as usize];
        distance[0] = 0;
        let mut queue = vec![0u32];
        let mut next = 0;
        while let Some(&element) = queue.get(next) {
            next += 1;
            for generator in 0..self.generators {
                let other = self.sums.add(element.into(), generator) as usize;
                if distance[other] == u32::MAX {
                    distance[other] = distance[element as usize] + 1;
                    queue.push(other as u32);
                }
            }
        }
        distance
    }

    /// Returns the report of a valid base, counted over all translates.
    fn verification(&self, redundant: u64) -> Verification {
        let Self { base, elements, .. } = *self;
        // The product can exceed `usize` on 32-bit targets only.
        let whole = |part: usize| part.saturating_mul(usize::try_from(elements).unwrap_or(usize::MAX));
        let deliveries = elements - 1;
        Verification {
            steps: base.step_count(),
            transfers: whole(base.transfer_count()),
            channel_uses: whole(base.channel_use_count()),
            longest_path: self.transfers().map(|(_, moved)| moved.path.len()).max().unwrap_or(0),
            busiest_step: whole(base.steps().map(|step| step.len()).max().unwrap_or(0)),
            deliveries: elements * deliveries,
            relays: elements * (base.transfer_count() as u64 - deliveries - redundant),
            redundant: elements * redundant,
            width_sum: base.step_count() as u64,
            capacity: elements.saturating_mul(self.generators as u64),
        }
    }
}

/// The elements other than 0 that hold a message. Element 0 always holds it.
struct Holders {
    held: BitSet,
    /// The holders in order of arrival, then the receivers of the current step.
    list: Vec<u64>,
    /// Number of holders in `list`.
    count: usize,
}

impl Holders {
    fn new(elements: u64) -> Self {
        Self { held: BitSet::new(elements), list: Vec::new(), count: 0 }
    }

    /// Returns true if the element held the message when the current step began.
    #[inline]
    fn hold(&self, element: u64) -> bool {
        element == 0 || self.held.contains(element)
    }

    /// Records an arrival, which counts from the next step.
    #[inline]
    fn receive(&mut self, element: u64) {
        self.list.push(element);
    }

    /// Adds the receivers of the last step to the holders. Returns the number of redundant arrivals.
    fn begin_step(&mut self) -> u64 {
        let mut redundant = 0;
        for place in self.count..self.list.len() {
            let element = self.list[place];
            if element == 0 || !self.held.insert(element) {
                redundant += 1;
            } else {
                self.list[self.count] = element;
                self.count += 1;
            }
        }
        self.list.truncate(self.count);
        redundant
    }

    /// Removes all holders, for the next message.
    fn clear(&mut self) {
        for element in self.list.drain(..) {
            self.held.remove(element);
        }
        self.count = 0;
    }
}
