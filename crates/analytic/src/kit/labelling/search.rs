//! The search for a labelling: it selects the inverse of each generator, then closes all squares by constraint
//! propagation.

use lockstep_schedule::Budget;

use super::regular::RegularNetwork;
use super::signature::signatures;

/// The limit of the work, as a multiple of the work on a network whose squares are all known.
const PATIENCE: u64 = 64;

/// The reading of a cycle of four nodes, if both are possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FourCycles {
    /// A cyclic group of order 4: an axis of a torus.
    OneAxis,
    /// The product of two groups of order 2. All its generators are alike, and a message to the opposite corner uses
    /// both.
    TwoAxes,
}

/// The channel of every generator at every node.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct LabellingParts {
    /// The position of the channel of each generator, one row per node.
    pub(super) place: Vec<u8>,
    pub(super) opposite: Vec<usize>,
}

/// Returns a labelling of the network, or `None` if there is none, the work exceeds its limit, or the budget ends.
pub(super) fn search(network: &RegularNetwork, squares: FourCycles, budget: &Budget) -> Option<LabellingParts> {
    let mut search = LabellingSearch::new(network, squares, budget)?;
    let opposite = search.select_inverses(0)?;
    let place = search.domain.iter().map(|domain| domain.trailing_zeros() as u8).collect();
    Some(LabellingParts { place, opposite: opposite.into_iter().map(usize::from).collect() })
}

/// The error that a generator has no channel left.
struct Contradiction;

/// A choice between several channels for a generator at a node.
struct Branch {
    slot: usize,
    untried: u64,
    /// The length of the trail before the choice.
    trail: usize,
    settled: usize,
}

/// The channels that each generator of each node may have.
///
/// A *slot* is a generator at a node. Its domain is the set of channels that are left; a domain of one channel is a
/// decision.
struct LabellingSearch<'a> {
    network: &'a RegularNetwork,
    /// The position of the opposite of each channel in the row of its head.
    back: Vec<u8>,
    squares: FourCycles,
    budget: &'a Budget,
    signature: Vec<u64>,
    /// The inverse of each generator, as far as selected.
    opposite: Vec<Option<u8>>,
    /// The positions of the channels that are left, one bit each, one row of generators per node.
    domain: Vec<u64>,
    /// Decisions that are not propagated yet.
    decided: Vec<u32>,
    /// Domains before they were narrowed, for backtracking. Those before the first choice are not needed.
    trail: Vec<(u32, u64)>,
    is_choice: bool,
    /// The last round in which each node was marked.
    mark: Vec<u32>,
    round: u32,
    work: u64,
}

impl<'a> LabellingSearch<'a> {
    fn new(network: &'a RegularNetwork, squares: FourCycles, budget: &'a Budget) -> Option<Self> {
        let degree = network.degree as u64;
        let once = (network.head.len() as u64).checked_mul(degree * degree)?;
        Some(Self {
            network,
            back: network.opposites()?,
            squares,
            budget,
            signature: signatures(network)?,
            opposite: vec![None; network.degree],
            domain: Vec::new(),
            decided: Vec::new(),
            trail: Vec::new(),
            is_choice: false,
            mark: vec![0; network.node_count()],
            round: 0,
            work: once.saturating_mul(PATIENCE).saturating_add(1 << 16),
        })
    }

    /// Selects the inverse of this generator and of later ones, and finds a labelling with them; returns the inverses.
    fn select_inverses(&mut self, generator: usize) -> Option<Vec<u8>> {
        let Some(generator) = (generator..self.network.degree).find(|&generator| self.opposite[generator].is_none())
        else {
            return if self.find_labelling() { self.opposite.iter().copied().collect() } else { None };
        };
        let degree = self.network.degree as u64;
        self.work = self.work.saturating_sub(degree.pow(3));
        for partner in self.partners(generator) {
            self.opposite[generator] = Some(partner as u8);
            self.opposite[partner] = Some(generator as u8);
            if let Some(opposite) = self.select_inverses(generator + 1) {
                return Some(opposite);
            }
            self.opposite[generator] = None;
            self.opposite[partner] = None;
            if self.work == 0 {
                break;
            }
        }
        None
    }

    /// Returns the free generators that may be the inverse of this one. The generator itself is last or first,
    /// depending on the reading of cycles of four.
    fn partners(&self, generator: usize) -> Vec<usize> {
        let network = self.network;
        let fits = |one: usize, other: usize| {
            let (beside, back) = (network.head[one] as usize, usize::from(self.back[one]));
            self.signature[beside * network.degree + back] == self.signature[other]
        };
        let others = (generator + 1..network.degree).filter(|&other| fits(generator, other) && fits(other, generator));
        // Two steps that are not inverse lead, in either order, to a second common neighbour.
        let have_common_neighbour = |other: usize| {
            let beside = network.row(network.head[other] as usize);
            network.row(network.head[generator] as usize).iter().any(|end| *end != 0 && beside.contains(end))
        };
        if let Some(forced) = (0..network.degree).find(|&other| other != generator && !have_common_neighbour(other)) {
            return others.filter(|&other| other == forced && self.opposite[other].is_none()).collect();
        }
        let itself = Some(generator).filter(|_| fits(generator, generator));
        let mut partners: Vec<usize> = others.filter(|&other| self.opposite[other].is_none()).chain(itself).collect();
        if itself.is_some() && self.squares == FourCycles::TwoAxes {
            partners.rotate_right(1);
        }
        partners
    }

    /// Returns true if there is a labelling with the selected inverses. It is left in the domains.
    fn find_labelling(&mut self) -> bool {
        let mut branches: Vec<Branch> = Vec::new();
        let mut settled = 0;
        let mut state = self.initial_domains().and_then(|()| self.propagate());
        loop {
            if self.work == 0 || self.budget.interruption().is_some() {
                self.work = 0;
                return false;
            }
            if state.is_ok() {
                let Some(slot) = self.open_slot(&mut settled) else { return true };
                branches.push(Branch { slot, untried: self.domain[slot], trail: self.trail.len(), settled });
            }
            let branch = loop {
                let Some(branch) = branches.last_mut() else { return false };
                if branch.untried != 0 {
                    break branch;
                }
                branches.pop();
            };
            let choice = branch.untried & branch.untried.wrapping_neg();
            branch.untried ^= choice;
            settled = branch.settled;
            let (slot, kept) = (branch.slot, branch.trail);
            for (slot, domain) in self.trail.drain(kept..).rev() {
                self.domain[slot as usize] = domain;
            }
            self.decided.clear();
            self.is_choice = true;
            state = self.narrow(slot, choice).and_then(|()| self.propagate());
        }
    }

    /// Sets the domain of every slot to the channels with the signature of the generator. At node 0 the generators are
    /// the channels.
    fn initial_domains(&mut self) -> Result<(), Contradiction> {
        let degree = self.network.degree;
        self.work = self.work.saturating_sub(self.signature.len() as u64 * degree as u64);
        self.trail.clear();
        self.is_choice = false;
        self.decided.clear();
        self.domain.clear();
        for row in self.signature.chunks_exact(degree) {
            let alike = |generator: &u64| {
                row.iter().enumerate().fold(0, |set, (place, one)| set | u64::from(one == generator) << place)
            };
            self.domain.extend(self.signature[..degree].iter().map(alike));
        }
        for slot in (0..self.domain.len()).filter(|&slot| self.domain[slot].is_power_of_two()) {
            self.decided.push(slot as u32);
        }
        (0..degree).try_for_each(|generator| self.narrow(generator, 1 << generator))
    }

    /// Returns the slot with the smallest open domain, at the node nearest to node 0 that has one.
    fn open_slot(&self, settled: &mut usize) -> Option<usize> {
        let degree = self.network.degree;
        while let Some(&node) = self.network.order.get(*settled) {
            let row = node as usize * degree..(node as usize + 1) * degree;
            let open = row.filter(|&slot| !self.domain[slot].is_power_of_two());
            if let Some(slot) = open.min_by_key(|&slot| self.domain[slot].count_ones()) {
                return Some(slot);
            }
            *settled += 1;
        }
        None
    }

    /// Restricts the domain of a slot.
    fn narrow(&mut self, slot: usize, to: u64) -> Result<(), Contradiction> {
        let old = self.domain[slot];
        let new = old & to;
        if new == 0 {
            return Err(Contradiction);
        }
        if new != old {
            if self.is_choice {
                self.trail.push((slot as u32, old));
            }
            self.domain[slot] = new;
            if new.is_power_of_two() {
                self.decided.push(slot as u32);
            }
        }
        Ok(())
    }

    /// Propagates all decisions.
    fn propagate(&mut self) -> Result<(), Contradiction> {
        while let Some(slot) = self.decided.pop() {
            self.propagate_decision(slot as usize)?;
            self.work = self.work.saturating_sub(self.network.degree as u64);
        }
        Ok(())
    }

    /// Propagates one decision: the channel has no other generator, its opposite channel has the inverse generator, and
    /// the squares on it close.
    fn propagate_decision(&mut self, slot: usize) -> Result<(), Contradiction> {
        let degree = self.network.degree;
        let (node, generator) = (slot / degree, slot % degree);
        let channel = self.domain[slot];
        let (beside, back) = self.end(node, channel);
        let inverse = usize::from(self.opposite[generator].expect("all inverses are selected"));
        self.narrow(beside * degree + inverse, 1 << back)?;
        for other in (0..degree).filter(|&other| other != generator) {
            self.narrow(node * degree + other, !channel)?;
            if other != inverse && self.domain[node * degree + other].is_power_of_two() {
                let (next, _) = self.end(node, self.domain[node * degree + other]);
                self.close_square(beside * degree + other, next * degree + generator)?;
            }
        }
        Ok(())
    }

    /// Returns the head of a channel, and the position of the opposite channel there.
    fn end(&self, node: usize, channel: u64) -> (usize, u8) {
        let slot = node * self.network.degree + channel.trailing_zeros() as usize;
        (self.network.head[slot] as usize, self.back[slot])
    }

    /// Requires that the channels of both slots lead to the same node.
    fn close_square(&mut self, one: usize, other: usize) -> Result<(), Contradiction> {
        let degree = self.network.degree;
        if self.domain[one].is_power_of_two() && self.domain[other].is_power_of_two() {
            let [end, same] = [one, other].map(|slot| self.end(slot / degree, self.domain[slot]).0);
            return if end == same { Ok(()) } else { Err(Contradiction) };
        }
        self.work = self.work.saturating_sub(degree as u64);
        let shared = self.channels_to_ends_of(other, one);
        self.narrow(one, shared)?;
        let shared = self.channels_to_ends_of(one, other);
        self.narrow(other, shared)
    }

    /// Returns the channels of the node of `slot` whose heads are heads of channels left in `guide`.
    fn channels_to_ends_of(&mut self, guide: usize, slot: usize) -> u64 {
        let network = self.network;
        let ends = |slot: usize, domain: u64| {
            let row = network.row(slot / network.degree);
            row.iter().enumerate().filter(move |(place, _)| domain >> place & 1 == 1)
        };
        if self.round == u32::MAX {
            self.round = 0;
            self.mark.fill(0);
        }
        self.round += 1;
        for (_, &end) in ends(guide, self.domain[guide]) {
            self.mark[end as usize] = self.round;
        }
        ends(slot, self.domain[slot])
            .filter(|&(_, &end)| self.mark[end as usize] == self.round)
            .fold(0, |set, (place, _)| set | 1 << place)
    }
}
