//! The search for a labelling: choose which generators undo each other, then let every square close.

use lockstep_schedule::Budget;

use super::regular::Regular;
use super::signature::signatures;

/// The work that is allowed, in multiples of what a network takes whose squares are all known.
const PATIENCE: u64 = 64;

/// What a cycle of four is where it can be either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Squares {
    /// A cyclic group of order 4: an axis of a torus.
    OneAxis,
    /// The product of two groups of order 2: its generators are all alike, and a message to the opposite corner uses
    /// both.
    TwoAxes,
}

/// A generator for every channel.
pub(super) struct Found {
    /// The place of the channel of each generator, a row a node.
    pub(super) place: Vec<u8>,
    pub(super) opposite: Vec<usize>,
}

pub(super) fn search(network: &Regular, squares: Squares, budget: &Budget) -> Option<Found> {
    let mut search = Search::new(network, squares, budget)?;
    let opposite = search.pair(0)?;
    let place = search.domain.iter().map(|domain| domain.trailing_zeros() as u8).collect();
    Some(Found { place, opposite: opposite.into_iter().map(usize::from).collect() })
}

/// No channel that is left fits.
struct Contradiction;

/// A choice of one of several channels for a generator of a node.
struct Branch {
    slot: usize,
    untried: u64,
    /// What to return to.
    trail: usize,
    settled: usize,
}

/// Which channels each generator of each node may be.
struct Search<'a> {
    network: &'a Regular,
    squares: Squares,
    budget: &'a Budget,
    signature: Vec<u64>,
    /// The generator that undoes each one, as far as chosen.
    opposite: Vec<Option<u8>>,
    /// The places of channels that are left, a row of generators a node; one bit is a decision.
    domain: Vec<u64>,
    /// Decisions whose consequences are not drawn yet.
    decided: Vec<u32>,
    /// Domains before they were narrowed.
    trail: Vec<(u32, u64)>,
    /// The turn in which a node was marked last.
    mark: Vec<u32>,
    turn: u32,
    work: u64,
}

impl<'a> Search<'a> {
    fn new(network: &'a Regular, squares: Squares, budget: &'a Budget) -> Option<Self> {
        let degree = network.degree as u64;
        let once = (network.head.len() as u64).checked_mul(degree * degree)?;
        Some(Self {
            network,
            squares,
            budget,
            signature: signatures(network)?,
            opposite: vec![None; network.degree],
            domain: Vec::new(),
            decided: Vec::new(),
            trail: Vec::new(),
            mark: vec![0; network.node_count()],
            turn: 0,
            work: once.saturating_mul(PATIENCE).saturating_add(1 << 16),
        })
    }

    /// Chooses the opposite of this generator and of those after it, and finds a labelling with them; returns them.
    fn pair(&mut self, generator: usize) -> Option<Vec<u8>> {
        let Some(generator) = (generator..self.network.degree).find(|&generator| self.opposite[generator].is_none())
        else {
            return if self.label() { self.opposite.iter().copied().collect() } else { None };
        };
        let degree = self.network.degree as u64;
        self.work = self.work.saturating_sub(degree.pow(3));
        for partner in self.partners(generator) {
            self.opposite[generator] = Some(partner as u8);
            self.opposite[partner] = Some(generator as u8);
            if let Some(opposite) = self.pair(generator + 1) {
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

    /// The free generators that may undo this one, itself last or first as cycles of four are asked for.
    fn partners(&self, generator: usize) -> Vec<usize> {
        let network = self.network;
        let fits = |one: usize, other: usize| {
            let (beside, back) = (network.head[one] as usize, usize::from(network.back[one]));
            self.signature[beside * network.degree + back] == self.signature[other]
        };
        let others = (generator + 1..network.degree).filter(|&other| fits(generator, other) && fits(other, generator));
        // Two steps that do not undo each other lead, in either order, to a second common neighbour.
        let meet_again = |other: usize| {
            let beside = network.row(network.head[other] as usize);
            network.row(network.head[generator] as usize).iter().any(|end| *end != 0 && beside.contains(end))
        };
        if let Some(forced) = (0..network.degree).find(|&other| other != generator && !meet_again(other)) {
            return others.filter(|&other| other == forced && self.opposite[other].is_none()).collect();
        }
        let itself = Some(generator).filter(|_| fits(generator, generator));
        let mut partners: Vec<usize> = others.filter(|&other| self.opposite[other].is_none()).chain(itself).collect();
        if itself.is_some() && self.squares == Squares::TwoAxes {
            partners.rotate_right(1);
        }
        partners
    }

    /// Whether there is a labelling with the opposites that are chosen. It is left in the domains.
    fn label(&mut self) -> bool {
        let mut branches: Vec<Branch> = Vec::new();
        let mut settled = 0;
        let mut state = self.begin().and_then(|()| self.propagate());
        loop {
            if self.work == 0 || self.budget.stop_after(0).is_some() {
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
            state = self.narrow(slot, choice).and_then(|()| self.propagate());
        }
    }

    /// Every channel for every generator of its signature; at node 0 the generators are the channels.
    fn begin(&mut self) -> Result<(), Contradiction> {
        let degree = self.network.degree;
        self.work = self.work.saturating_sub(self.signature.len() as u64 * degree as u64);
        self.trail.clear();
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

    /// The generator with the fewest channels left, at the node nearest to node 0 that has an open one.
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

    fn narrow(&mut self, slot: usize, to: u64) -> Result<(), Contradiction> {
        let old = self.domain[slot];
        let new = old & to;
        if new == 0 {
            return Err(Contradiction);
        }
        if new != old {
            self.trail.push((slot as u32, old));
            self.domain[slot] = new;
            if new.is_power_of_two() {
                self.decided.push(slot as u32);
            }
        }
        Ok(())
    }

    /// Draws the consequences of all decisions.
    fn propagate(&mut self) -> Result<(), Contradiction> {
        while let Some(slot) = self.decided.pop() {
            self.follow(slot as usize)?;
            self.work = self.work.saturating_sub(self.network.degree as u64);
        }
        Ok(())
    }

    /// The consequences of one decision: the channel has no other generator, the opposite channel has the opposite one,
    /// and the squares on it close.
    fn follow(&mut self, slot: usize) -> Result<(), Contradiction> {
        let degree = self.network.degree;
        let (node, generator) = (slot / degree, slot % degree);
        let channel = self.domain[slot];
        let (beside, back) = self.end(node, channel);
        let undo = usize::from(self.opposite[generator].expect("all opposites are chosen"));
        self.narrow(beside * degree + undo, 1 << back)?;
        for other in (0..degree).filter(|&other| other != generator) {
            self.narrow(node * degree + other, !channel)?;
            if other != undo && self.domain[node * degree + other].is_power_of_two() {
                let (next, _) = self.end(node, self.domain[node * degree + other]);
                self.close(beside * degree + other, next * degree + generator)?;
            }
        }
        Ok(())
    }

    /// The node that a channel leads to, and the place of the opposite channel there.
    fn end(&self, node: usize, channel: u64) -> (usize, u8) {
        let slot = node * self.network.degree + channel.trailing_zeros() as usize;
        (self.network.head[slot] as usize, self.network.back[slot])
    }

    /// The channels of both slots must lead to the same node.
    fn close(&mut self, one: usize, other: usize) -> Result<(), Contradiction> {
        let degree = self.network.degree;
        if self.domain[one].is_power_of_two() && self.domain[other].is_power_of_two() {
            let [end, same] = [one, other].map(|slot| self.end(slot / degree, self.domain[slot]).0);
            return if end == same { Ok(()) } else { Err(Contradiction) };
        }
        self.work = self.work.saturating_sub(degree as u64);
        let shared = self.leading_where(other, one);
        self.narrow(one, shared)?;
        let shared = self.leading_where(one, other);
        self.narrow(other, shared)
    }

    /// The channels of the node of `slot` that lead where one that is left in `guide` does.
    fn leading_where(&mut self, guide: usize, slot: usize) -> u64 {
        let network = self.network;
        let ends = |slot: usize, domain: u64| {
            let row = network.row(slot / network.degree);
            row.iter().enumerate().filter(move |(place, _)| domain >> place & 1 == 1)
        };
        if self.turn == u32::MAX {
            self.turn = 0;
            self.mark.fill(0);
        }
        self.turn += 1;
        for (_, &end) in ends(guide, self.domain[guide]) {
            self.mark[end as usize] = self.turn;
        }
        ends(slot, self.domain[slot])
            .filter(|&(_, &end)| self.mark[end as usize] == self.turn)
            .fold(0, |set, (place, _)| set | 1 << place)
    }
}
