//! List scheduling from both ends of time: results go out forwards in time, and sums come in backwards.

use std::cmp::Reverse;

use lockstep_model::{Routes, Slots, Timetable};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::negotiation::groups::{Group, Groups};
use crate::negotiation::transfers::{BlockTransfer, Transfers};

/// Number of random lists of meetings from which a search begins.
const STARTS: u32 = 8;

/// Number of changes without progress after which a search begins again.
const MAX_IDLE: u32 = 512;

/// The largest change of the step of a meeting.
const MAX_SHIFT: u32 = 3;

/// The work of a look at a block at a terminal, relative to that of a transfer: 1 to this number.
const LOOKS_PER_TRANSFER: u64 = 32;

/// Maximum size of the table of slots and steps, and of that of terminals and blocks: 64 Mi bits each.
const MAX_BITS: u64 = 1 << 26;

/// The largest margin of random meetings at both ends of time.
const MAX_MARGIN: u32 = 2;

/// Where and when the sum of a block is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Meeting {
    root: u32,
    /// All parts arrive at the root before this step, and the sum leaves it in this step or later.
    step: u32,
}

/// A set of blocks per terminal.
#[derive(Clone)]
struct BlockSets {
    /// 64-bit words per terminal.
    words: usize,
    bits: Vec<u64>,
}

impl BlockSets {
    fn new(terminals: usize, blocks: usize) -> Self {
        let words = blocks.div_ceil(64);
        Self { words, bits: vec![0; terminals * words] }
    }

    fn row(&self, terminal: u32) -> &[u64] {
        &self.bits[terminal as usize * self.words..][..self.words]
    }

    fn contains(&self, terminal: u32, block: u32) -> bool {
        contains(self.row(terminal), block)
    }

    fn insert(&mut self, terminal: u32, block: u32) {
        self.bits[terminal as usize * self.words + block as usize / 64] |= 1 << (block % 64);
    }
}

fn contains(row: &[u64], block: u32) -> bool {
    row[block as usize / 64] >> (block % 64) & 1 == 1
}

/// One direction: sums towards the roots, placed from the last step back, or results away from them, from the first step on.
/// In both, the terminals that hold a block become more.
#[derive(Clone)]
struct Side {
    held: BlockSets,
    /// By block: the number of terminals that lack it.
    lacking: Vec<u32>,
    /// The blocks that a root holds, and that some terminal lacks.
    open: Vec<u32>,
    /// In the order of growth from the roots.
    transfers: Vec<BlockTransfer>,
}

impl Side {
    fn hold(&mut self, terminal: u32, block: u32) {
        self.held.insert(terminal, block);
        self.lacking[block as usize] -= 1;
    }
}

/// Which block a terminal takes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// The one with the fewest holders.
    Rarest,
    /// The one with the fewest holders, but each step since its start counts as two of them.
    RarestAndOldest,
}

/// The meetings of all blocks, and what is missing if they are placed.
#[derive(Clone)]
struct Placement {
    meetings: Vec<Meeting>,
    order: Order,
    /// By block: the terminals without a way to the root, and those without a way from it.
    lacking: Vec<[u32; 2]>,
}

impl Placement {
    fn missing(&self) -> u64 {
        self.lacking.iter().flatten().map(|&count| u64::from(count)).sum()
    }
}

/// A search for the root of every block and the step at which its sum is complete.
///
/// List scheduling places the transfers: in each step, every terminal takes the rarest blocks that its neighbours hold. Results are
/// placed from the first step on, and sums, backwards in time, from the last step on. Both use the same slots. Where a
/// terminal misses a result, the sum of this block was complete too late; where a part does not arrive, too early. The search
/// moves meetings until nothing is missing. Memory: three bits per block and terminal, and one per slot and step.
///
/// # Source
///
/// Forward and backward list scheduling: Kolisch, *Serial and parallel resource-constrained project scheduling methods revisited*,
/// European Journal of Operational Research 90 (1996); here, both at once, with a release date per block.
pub(super) struct TwoSided<'a> {
    routes: &'a Routes,
    groups: &'a Groups,
    /// The blocks in which each terminal takes part, or which it may have to pass on.
    parts: BlockSets,
    /// By block: the number of these terminals.
    part_count: Vec<u32>,
    table: Timetable<'a, u64>,
    /// Towards the roots, and away from them.
    sides: [Side; 2],
    terminal_order: Vec<u32>,
    /// In looks at a block at a terminal.
    work: u64,
}

impl<'a> TwoSided<'a> {
    /// Returns a search for at most this number of steps; `None` if the distances are not known, or the tables are too large.
    pub(super) fn new(routes: &'a Routes, groups: &'a Groups, slots: &'a Slots, steps: u32) -> Option<Self> {
        let (terminals, blocks) = (groups.terminal_count(), groups.block_count());
        let tables = [(slots.len(), steps as usize), (terminals, blocks)];
        if tables.iter().any(|&(rows, columns)| rows as u64 * columns as u64 > MAX_BITS) {
            return None;
        }
        let (mut parts, mut part_count) = (BlockSets::new(terminals, blocks), Vec::with_capacity(blocks));
        let mut last: Option<(&Group, Vec<u32>)> = None;
        for block in 0..blocks as u32 {
            let group = groups.of_block(block);
            if group.centres.is_empty() {
                return None;
            }
            let known = last.take().filter(|(last, _)| std::ptr::eq(*last, group));
            let (_, participants) = last.insert(known.unwrap_or_else(|| (group, participants(groups, routes, group))));
            for &terminal in participants.iter() {
                parts.insert(terminal, block);
            }
            part_count.push(participants.len() as u32);
        }
        let held = BlockSets::new(terminals, blocks);
        let side = Side { held, lacking: Vec::new(), open: Vec::new(), transfers: Vec::new() };
        Some(Self {
            routes,
            groups,
            parts,
            part_count,
            table: Timetable::with_steps(slots, steps),
            sides: [side.clone(), side],
            terminal_order: (0..terminals as u32).collect(),
            work: 0,
        })
    }

    /// Returns the work so far, in transfers placed.
    pub(super) fn evaluations(&self) -> u64 {
        self.work / LOOKS_PER_TRANSFER
    }

    /// Returns a schedule within this number of steps; `None` if none is found before the evaluations so far satisfy `is_over`.
    pub(super) fn plan(&mut self, steps: u32, is_over: impl Fn(u64) -> bool, rng: &mut impl Rng) -> Option<Transfers> {
        let mut current: Option<Placement> = None;
        let (mut starts, mut idle) = (0, 0);
        while !is_over(self.evaluations()) {
            let mut next = match &current {
                Some(current) if starts == STARTS => self.changed(current, steps, rng),
                _ => {
                    starts += 1;
                    let order = if starts % 2 == 1 { Order::RarestAndOldest } else { Order::Rarest };
                    Placement { meetings: self.draw(steps, rng)?, order, lacking: Vec::new() }
                }
            };
            self.place(&mut next, steps, rng);
            let missing = next.missing();
            if missing == 0 {
                return Some(self.pruned());
            }
            let before = current.as_ref().map_or(u64::MAX, Placement::missing);
            idle = if missing < before { 0 } else { idle + 1 };
            if missing <= before {
                current = Some(next);
            }
            if idle == MAX_IDLE {
                (current, starts, idle) = (None, 0, 0);
            }
        }
        None
    }

    /// Returns meetings at the centres in turn, at equal distances in time; `None` if the steps do not suffice.
    fn draw(&self, steps: u32, rng: &mut impl Rng) -> Option<Vec<Meeting>> {
        let blocks = self.groups.block_count() as u32;
        let mut order: Vec<u32> = (0..blocks).collect();
        order.shuffle(rng);
        let (offset, margin) = (rng.next_u32(), rng.random_range(0..=MAX_MARGIN));
        let mut meetings = vec![Meeting { root: 0, step: 0 }; blocks as usize];
        for (number, block) in (0..).zip(order) {
            let group = self.groups.of_block(block);
            let root = group.centres[offset.wrapping_add(number) as usize % group.centres.len()];
            let [earliest, latest] = meeting_steps(group, root, steps)?;
            let margin = margin.min((latest - earliest) / 2);
            let later = u64::from(latest - earliest - 2 * margin) * u64::from(number) / u64::from((blocks - 1).max(1));
            meetings[block as usize] = Meeting { root, step: earliest + margin + later as u32 };
        }
        Some(meetings)
    }

    /// Returns meetings that differ in one or two blocks, mostly such that lack something.
    fn changed(&self, current: &Placement, steps: u32, rng: &mut impl Rng) -> Placement {
        let mut next = current.clone();
        let blocks = 0..current.meetings.len() as u32;
        let is_lacking = |&block: &u32| current.lacking[block as usize] != [0; 2];
        let lacking: Vec<u32> = blocks.clone().filter(is_lacking).collect();
        for _ in 0..rng.random_range(1..=2) {
            let any = rng.random_range(blocks.clone());
            let block = if rng.random_range(0..4) == 0 { any } else { *lacking.choose(rng).unwrap_or(&any) };
            let group = self.groups.of_block(block);
            let other = rng.random_range(blocks.clone());
            if rng.random_range(0..3) == 0 && std::ptr::eq(group, self.groups.of_block(other)) {
                next.meetings.swap(block as usize, other as usize);
            }
            let mut meeting = next.meetings[block as usize];
            match rng.random_range(0..6) {
                0 => meeting.root = *group.centres.choose(rng).unwrap_or(&meeting.root),
                1 => meeting.root = self.neighbour(block, meeting.root, rng),
                _ => {}
            }
            let [parts, results] = current.lacking[block as usize];
            let is_later = if parts == results { rng.random() } else { parts > results };
            let shift = rng.random_range(1..=MAX_SHIFT);
            let step = if is_later { meeting.step + shift } else { meeting.step.saturating_sub(shift) };
            if let Some([earliest, latest]) = meeting_steps(group, meeting.root, steps) {
                next.meetings[block as usize] = Meeting { step: step.clamp(earliest, latest), ..meeting };
            }
        }
        if rng.random_range(0..8) == 0 {
            next.order = if rng.random() { Order::Rarest } else { Order::RarestAndOldest };
        }
        next
    }

    /// Returns a neighbour that takes part in the block, or the terminal itself.
    fn neighbour(&self, block: u32, terminal: u32, rng: &mut impl Rng) -> u32 {
        let graph = &self.groups.graphs[1];
        let Some(&route) = graph.routes_at(terminal).choose(rng) else { return terminal };
        let [_, other] = graph.near_and_far(self.routes, route);
        if self.parts.contains(other, block) { other } else { terminal }
    }

    /// Places the transfers of all blocks, as far as the steps suffice, and counts what is missing.
    fn place(&mut self, placement: &mut Placement, steps: u32, rng: &mut impl Rng) {
        self.table.clear();
        for side in &mut self.sides {
            side.held.bits.fill(0);
            side.lacking.clone_from(&self.part_count);
            side.open.clear();
            side.transfers.clear();
        }
        // By direction: the number of steps before each block starts at its root, and the blocks by this number.
        let start = |direction, meeting: &Meeting| if direction == 0 { steps - meeting.step } else { meeting.step };
        let starts = [0, 1]
            .map(|direction| placement.meetings.iter().map(|meeting| start(direction, meeting)).collect::<Vec<u32>>());
        let mut queues = starts.each_ref().map(|starts| {
            let mut queue: Vec<u32> = (0..starts.len() as u32).collect();
            queue.sort_by_key(|&block| Reverse(starts[block as usize]));
            queue
        });
        for number in 0..steps {
            for turn in 0..2 {
                let direction = (number as usize + turn) % 2;
                let (starts, queue) = (&starts[direction], &mut queues[direction]);
                while let Some(block) = queue.pop_if(|block| starts[*block as usize] == number) {
                    self.sides[direction].hold(placement.meetings[block as usize].root, block);
                    self.sides[direction].open.push(block);
                }
                let step = if direction == 0 { steps - 1 - number } else { number };
                self.place_step(direction, step, (placement.order, starts), rng);
            }
        }
        let [parts, results] = self.sides.each_ref().map(|side| side.lacking.iter().copied());
        placement.lacking = parts.zip(results).map(<[u32; 2]>::from).collect();
    }

    /// Places the transfers of one direction in one step.
    fn place_step(&mut self, direction: usize, step: u32, (order, starts): (Order, &[u32]), rng: &mut impl Rng) {
        let side = &mut self.sides[direction];
        side.open.retain(|&block| side.lacking[block as usize] > 0);
        if side.open.is_empty() {
            return;
        }
        side.open.shuffle(rng);
        // The most terminals that lack a block are the fewest that hold it.
        side.open.sort_by_key(|&block| {
            let age = if order == Order::Rarest { 0 } else { 2 * i64::from(starts[block as usize]) };
            age - i64::from(side.lacking[block as usize])
        });
        self.terminal_order.shuffle(rng);
        let (routes, table) = (self.routes, &mut self.table);
        let to_receivers = &self.groups.graphs[1 - direction];
        let is_free =
            |table: &Timetable<'_, u64>, route: u32| routes.slots(route).iter().all(|&slot| table.is_free(slot, step));
        let first = side.transfers.len();
        // Free routes to a terminal: the number of blocks that may come over it, the route, and the neighbour that sends.
        let mut free: Vec<(u32, u32, u32)> = Vec::new();
        let mut offered = vec![0; side.held.words];
        for &terminal in &self.terminal_order {
            free.clear();
            offered.fill(0);
            for &route in to_receivers.routes_at(terminal) {
                let [_, near] = to_receivers.near_and_far(routes, route);
                self.work += offered.len() as u64;
                if !is_free(table, route) {
                    continue;
                }
                let rows = side.held.row(near).iter().zip(side.held.row(terminal)).zip(self.parts.row(terminal));
                let blocks = rows.map(|((near, own), parts)| near & !own & parts);
                let count = offered.iter_mut().zip(blocks).map(|(offered, blocks)| {
                    *offered |= blocks;
                    blocks.count_ones()
                });
                let count: u32 = count.sum();
                if count > 0 {
                    free.push((count, route, near));
                }
            }
            for &block in &side.open {
                if free.is_empty() {
                    break;
                }
                self.work += 1;
                if !contains(&offered, block) {
                    continue;
                }
                // The neighbour that offers the fewest other blocks.
                let holds = |&(_, &(.., near)): &(usize, &(u32, u32, u32))| side.held.contains(near, block);
                let best = free.iter().enumerate().filter(holds).min_by_key(|(_, (count, ..))| *count);
                let Some((_, &(_, route, _))) = best else { continue };
                routes.slots(route).iter().for_each(|&slot| table.occupy(slot, step));
                side.transfers.push(BlockTransfer { block, route, step });
                self.work += LOOKS_PER_TRANSFER;
                free.retain(|&(_, other, _)| other != route && is_free(table, other));
            }
        }
        for number in first..side.transfers.len() {
            let BlockTransfer { block, route, .. } = side.transfers[number];
            let [terminal, _] = to_receivers.near_and_far(routes, route);
            side.hold(terminal, block);
        }
    }

    /// Returns the transfers of the last placement without those to terminals that neither take part nor pass anything on.
    fn pruned(&self) -> Transfers {
        let mut kept = Vec::new();
        for (side, graph) in self.sides.iter().zip(&self.groups.graphs) {
            let mut is_needed = BlockSets { words: self.parts.words, bits: vec![0; self.parts.bits.len()] };
            for block in 0..self.groups.block_count() as u32 {
                self.groups.of_block(block).members.iter().for_each(|&member| is_needed.insert(member, block));
            }
            for &transfer in side.transfers.iter().rev() {
                let [near, far] = graph.near_and_far(self.routes, transfer.route);
                if is_needed.contains(far, transfer.block) {
                    is_needed.insert(near, transfer.block);
                    kept.push(transfer);
                }
            }
        }
        Transfers(kept)
    }
}

/// Returns the first and the last step at which a sum can be complete at a root; `None` if the steps do not suffice.
fn meeting_steps(group: &Group, root: u32, steps: u32) -> Option<[u32; 2]> {
    let &[from_farthest, to_farthest] = group.eccentricity.get(root as usize)?;
    let latest = steps.checked_sub(to_farthest)?;
    (from_farthest <= latest).then_some([from_farthest, latest])
}

/// Returns the members of a group, and the terminals on a shortest way between them and its centres.
fn participants(groups: &Groups, routes: &Routes, group: &Group) -> Vec<u32> {
    let mut is_participant = group.is_member.clone();
    let centres: &[u32] = if group.is_direct { &[] } else { &group.centres };
    for &centre in centres {
        is_participant[centre as usize] = true;
        for (direction, graph) in groups.graphs.iter().enumerate() {
            let (distance, back) = (graph.distances(routes, centre), &groups.graphs[1 - direction]);
            for &member in &group.members {
                let mut terminal = member;
                while terminal != centre {
                    let nearer = back.routes_at(terminal).iter().map(|&route| back.near_and_far(routes, route)[1]);
                    let Some(next) = nearer.min_by_key(|&other| distance[other as usize]) else { break };
                    is_participant[next as usize] = true;
                    terminal = next;
                }
            }
        }
    }
    (0..).zip(is_participant).filter(|&(_, is_participant)| is_participant).map(|(terminal, _)| terminal).collect()
}
