//! Beam search: all-reduces of few blocks, step by step, among the most promising sets of partial sums.

use std::cmp::Reverse;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::kit::capacities::Capacities;
use crate::negotiation::groups::Groups;
use crate::negotiation::route_table::RouteTable;
use crate::negotiation::transfers::{BlockTransfer, Transfers};

/// The number of states that are kept after each step of the first search.
const FIRST_WIDTH: usize = 16;

/// The number of ways in which each state continues.
const CHILDREN: usize = 6;

/// The largest number of states that are kept after a step.
const MAX_WIDTH: usize = 1024;

/// Table entries per evaluation.
const ENTRIES_PER_EVALUATION: u64 = 128;

/// The weight of a missing contribution by the number of spare steps. A member with none cannot wait.
const WEIGHTS: [u64; 4] = [64, 16, 6, 4];

/// The weight of a contribution that cannot arrive in time.
const LATE: u64 = 1 << 40;

/// A set of contributions: one bit per terminal.
type Sum = u64;

/// Searches for all-reduces in which any terminals exchange partial sums.
///
/// A state is the sum that each terminal holds of each block. A step is a random set of transfers, those first that bring
/// the most contributions nearest to the members that lack them. The best states after each step are kept.
///
/// # Source
///
/// Lowerre, *The HARPY speech recognition system*, dissertation, Carnegie Mellon University (1976).
pub(super) struct Beam<'a> {
    routes: &'a RouteTable,
    groups: &'a Groups,
    capacities: &'a Capacities,
    terminals: usize,
    /// The pairs of terminals that are joined by routes, each with the place of its routes in `routes_of`.
    pairs: Vec<([u32; 2], std::ops::Range<usize>)>,
    routes_of: Vec<u32>,
    /// The number of transfers from each terminal to each terminal.
    distance: Vec<u32>,
    entries: u64,
}

/// A state with the transfers of the step before it.
struct State {
    /// By block and terminal.
    sums: Vec<Sum>,
    transfers: Vec<BlockTransfer>,
    /// The place of the state before among those that were kept.
    parent: usize,
    /// The weight of all missing contributions, more or less.
    missing: u64,
}

impl<'a> Beam<'a> {
    /// Returns a search over these routes, for at most 64 terminals.
    pub(super) fn new(routes: &'a RouteTable, groups: &'a Groups, capacities: &'a Capacities) -> Self {
        let terminals = groups.terminal_count();
        let mut routes_of: Vec<u32> = (0..routes.len() as u32).collect();
        routes_of.sort_by_key(|&route| (routes.ends(route), routes.slots(route).len(), route));
        let mut pairs = Vec::new();
        let mut start = 0;
        for alike in routes_of.chunk_by(|&a, &b| routes.ends(a) == routes.ends(b)) {
            pairs.push((routes.ends(alike[0]), start..start + alike.len()));
            start += alike.len();
        }
        let distance = (0..terminals as u32).flat_map(|from| groups.graphs[1].distances(routes, from)).collect();
        Self { routes, groups, capacities, terminals, pairs, routes_of, distance, entries: 0 }
    }

    /// Returns the work so far, in evaluations.
    pub(super) fn evaluations(&self) -> u64 {
        self.entries / ENTRIES_PER_EVALUATION
    }

    /// Returns an all-reduce of at most `steps` steps; `None` if none is found within this number of evaluations.
    pub(super) fn find(&mut self, steps: u32, evaluations: u64, rng: &mut impl Rng) -> Option<Transfers> {
        let end = self.evaluations().saturating_add(evaluations);
        let mut width = FIRST_WIDTH;
        loop {
            let found = self.search(steps, width, end, rng);
            if found.is_some() || self.evaluations() >= end {
                return found;
            }
            width = (2 * width).min(MAX_WIDTH);
        }
    }

    /// Searches once, with this number of states after each step.
    fn search(&mut self, steps: u32, width: usize, end: u64, rng: &mut impl Rng) -> Option<Transfers> {
        let start = State { sums: self.own(), transfers: Vec::new(), parent: 0, missing: 0 };
        let mut layers = vec![vec![start]];
        for step in 0..steps {
            let mut next: Vec<State> = Vec::new();
            for (parent, state) in layers[step as usize].iter().enumerate() {
                if self.evaluations() >= end {
                    return None;
                }
                let gains = self.gains(state, steps - step - 1);
                for _ in 0..CHILDREN {
                    let (sums, transfers) = self.continued(state, &gains, step, rng);
                    let missing = self.missing(&sums, steps - step - 1);
                    if missing < LATE {
                        // Sums that overlap are worth less than they seem, so worse states have a chance.
                        let missing = missing * rng.random_range(28..36);
                        next.push(State { sums, transfers, parent, missing });
                    }
                }
            }
            next.sort_by(|a, b| (&a.sums, a.missing).cmp(&(&b.sums, b.missing)));
            next.dedup_by(|a, b| a.sums == b.sums);
            next.sort_by_key(|state| state.missing);
            next.truncate(width);
            let is_complete = next.first()?.missing == 0;
            layers.push(next);
            if is_complete {
                return Some(self.without_needless(transfers_of_first(&layers)));
            }
        }
        None
    }

    /// Returns what each terminal contributes to each block.
    fn own(&self) -> Vec<Sum> {
        let of_block = |block| (0..self.terminals).map(move |terminal| self.members(block) & 1 << terminal);
        (0..self.groups.block_count()).flat_map(of_block).collect()
    }

    /// Returns, by block and contributor, the number of transfers from the nearest holder to each terminal.
    fn nearest(&mut self, sums: &[Sum]) -> Vec<u32> {
        let terminals = self.terminals;
        let mut nearest = vec![u32::MAX; sums.len() * terminals];
        for (block, sums) in sums.chunks(terminals).enumerate() {
            for (holder, &sum) in sums.iter().enumerate() {
                for contributor in bits(sum & self.members(block)) {
                    let row = &mut nearest[(block * terminals + contributor) * terminals..][..terminals];
                    let distance = &self.distance[holder * terminals..][..terminals];
                    row.iter_mut().zip(distance).for_each(|(nearest, &distance)| *nearest = distance.min(*nearest));
                    self.entries += terminals as u64;
                }
            }
        }
        nearest
    }

    /// Returns the members of a block as a set.
    fn members(&self, block: usize) -> Sum {
        self.groups.of_block(block as u32).members.iter().fold(0, |set, &member| set | 1 << member)
    }

    /// Returns the weight of all missing contributions with this number of steps left.
    fn missing(&mut self, sums: &[Sum], left: u32) -> u64 {
        let nearest = self.nearest(sums);
        let mut missing = 0;
        for block in 0..self.groups.block_count() {
            for contributor in bits(self.members(block)) {
                let row = &nearest[(block * self.terminals + contributor) * self.terminals..][..self.terminals];
                let members = &self.groups.of_block(block as u32).members;
                missing += members.iter().map(|&member| weight(row[member as usize], left)).sum::<u64>();
            }
        }
        missing
    }

    /// Returns, by block, terminal and contributor, how much less weight is missing if the terminal gets the contribution.
    fn gains(&mut self, state: &State, left: u32) -> Vec<u64> {
        let (nearest, terminals) = (self.nearest(&state.sums), self.terminals);
        let mut gains = vec![0u64; state.sums.len() * terminals];
        for block in 0..self.groups.block_count() {
            for contributor in bits(self.members(block)) {
                let row = &nearest[(block * terminals + contributor) * terminals..][..terminals];
                for &member in self.groups.of_block(block as u32).members.iter().filter(|&&to| row[to as usize] > 0) {
                    let before = weight(row[member as usize], left);
                    for terminal in 0..terminals {
                        let distance = self.distance[terminal * terminals + member as usize];
                        let gain = before.saturating_sub(weight(distance, left));
                        let place = (block * terminals + terminal) * terminals + contributor;
                        gains[place] += gain;
                    }
                    self.entries += terminals as u64;
                }
            }
        }
        gains
    }

    /// Returns the sums after a random step, and its transfers.
    fn continued(
        &mut self,
        state: &State,
        gains: &[u64],
        step: u32,
        rng: &mut impl Rng,
    ) -> (Vec<Sum>, Vec<BlockTransfer>) {
        let mut candidates: Vec<(Reverse<u64>, u32, usize)> = Vec::new();
        // In one step of three, each transfer that is not urgent waits with a probability of one half.
        let waits = rng.random_range(0..3) == 0;
        for block in 0..self.groups.block_count() {
            let members = self.members(block);
            let sums = &state.sums[block * self.terminals..][..self.terminals];
            for (pair, &([from, to], _)) in self.pairs.iter().enumerate() {
                let [sent, held] = [from, to].map(|terminal| sums[terminal as usize]);
                let new = sent & !held & members;
                if new == 0 || sent & held != 0 && held & !sent != 0 {
                    continue;
                }
                let place = (block * self.terminals + to as usize) * self.terminals;
                let gain: u64 = bits(new).map(|contributor| gains[place + contributor]).sum();
                self.entries += u64::from(new.count_ones());
                let is_sent = gain > 0 && (!waits || gain >= LATE || rng.random());
                if is_sent {
                    // Between half of the gain and one and a half times the gain.
                    candidates.push((Reverse(gain * rng.random_range(16..48)), block as u32, pair));
                }
            }
        }
        candidates.sort_unstable();
        self.entries += (self.pairs.len() * self.groups.block_count() + candidates.len()) as u64;
        let mut uses = vec![0u32; self.capacities.len()];
        let mut sums = state.sums.clone();
        let mut is_replaced = vec![false; sums.len()];
        let mut transfers = Vec::new();
        let mut routes: Vec<u32> = Vec::new();
        for (_, block, pair) in candidates {
            let ([from, to], range) = &self.pairs[pair];
            let place = |terminal: u32| block as usize * self.terminals + terminal as usize;
            let (sent, before, now) = (state.sums[place(*from)], state.sums[place(*to)], sums[place(*to)]);
            let is_sum = sent & now == 0;
            let replaces = now == before && before & !sent == 0;
            if is_replaced[place(*to)] || !is_sum && !replaces {
                continue;
            }
            routes.clear();
            routes.extend_from_slice(&self.routes_of[range.clone()]);
            routes.shuffle(rng);
            let is_free = |&&route: &&u32| {
                self.routes.slots(route).iter().all(|&slot| uses[slot as usize] < self.capacities.of(slot))
            };
            // One with the fewest slots, of those that are free.
            let free = routes.iter().filter(is_free).min_by_key(|&&route| self.routes.slots(route).len());
            self.entries += routes.len() as u64;
            let Some(&route) = free else { continue };
            self.routes.slots(route).iter().for_each(|&slot| uses[slot as usize] += 1);
            is_replaced[place(*to)] = !is_sum;
            sums[place(*to)] = now | sent;
            transfers.push(BlockTransfer { block, route, step });
        }
        (sums, transfers)
    }

    /// Returns the transfers without those that are not needed, the last ones first.
    fn without_needless(&self, mut transfers: Vec<BlockTransfer>) -> Transfers {
        for place in (0..transfers.len()).rev() {
            let transfer = transfers.remove(place);
            if !self.is_complete(&transfers) {
                transfers.insert(place, transfer);
            }
        }
        Transfers(transfers)
    }

    /// Returns true if transfers, ascending by step, are valid and complete all members.
    fn is_complete(&self, transfers: &[BlockTransfer]) -> bool {
        let terminals = self.terminals;
        let mut sums = self.own();
        for at_once in transfers.chunk_by(|a, b| a.step == b.step) {
            let before = sums.clone();
            for transfer in at_once {
                let place = |terminal: u32| transfer.block as usize * terminals + terminal as usize;
                let [from, to] = self.routes.ends(transfer.route).map(place);
                let replaces = sums[to] == before[to] && before[to] & !before[from] == 0;
                if before[from] & sums[to] != 0 && !replaces {
                    return false;
                }
                sums[to] |= before[from];
            }
        }
        (0..self.groups.block_count()).all(|block| {
            let members = self.members(block);
            bits(members).all(|member| members & !sums[block * terminals + member] == 0)
        })
    }
}

/// Returns the weight of a contribution that is missing at this distance, with this number of steps left.
fn weight(distance: u32, left: u32) -> u64 {
    match left.checked_sub(distance) {
        _ if distance == 0 => 0,
        None => LATE,
        Some(spare) => WEIGHTS[(spare as usize).min(WEIGHTS.len() - 1)] + u64::from(distance),
    }
}

/// Returns the transfers that lead to the first state of the last layer, ascending by step.
fn transfers_of_first(layers: &[Vec<State>]) -> Vec<BlockTransfer> {
    let mut steps: Vec<&[BlockTransfer]> = Vec::new();
    let mut place = 0;
    for layer in layers.iter().rev() {
        steps.push(&layer[place].transfers);
        place = layer[place].parent;
    }
    steps.into_iter().rev().flatten().copied().collect()
}

/// Returns the numbers of the bits that are set.
fn bits(mut set: Sum) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (lowest < Sum::BITS).then_some(lowest as usize)
    })
}
