//! What node sets take in and need while one message spreads, added up again.

use std::cmp::Reverse;

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::{CertificateError, Checked, distinct_resources, expect, node_set, starts, usable};
use crate::certificate::{Rule, WeightedSet};

/// Visits of nodes and channels, in every step and for every set, that one sum may take: seconds.
const WORK: u128 = 1 << 32;

/// Pairs of a terminal and a step for which a sum is kept: 64 MB.
const MAX_SUMS: u128 = 1 << 22;

/// By how much the sum of what the sets take in and need is missed at least if the message of the source has so many
/// steps, and the digest of the sets.
pub(super) fn excess(
    problem: &Problem<'_>,
    source: NodeId,
    steps: u32,
    [inlets, needs]: [&[WeightedSet]; 2],
) -> Checked<(u64, String)> {
    let topology = problem.topology();
    if problem.messages().len() != 1 || problem.messages().source(MessageId::new(0)) != source {
        return Err(refused("it is for one message, from its source"));
    }
    if !(1..topology.terminal_count()).contains(&(steps as usize)) {
        return Err(refused("a message can get to one terminal more in every step"));
    }
    let visits = (topology.node_count() + topology.channel_count()) as u128 * (inlets.len() + needs.len()) as u128;
    if visits * u128::from(steps) > WORK || topology.terminal_count() as u128 * u128::from(steps) > MAX_SUMS {
        return Err(refused("the sum is too long to add up again"));
    }
    let mut sum = Sum::new(problem, source, steps as usize);
    inlets.iter().try_for_each(|set| sum.add_inlet(set))?;
    needs.iter().try_for_each(|set| sum.add_need(set))?;
    let least: i128 = sum.effects.iter().filter_map(|effects| effects.iter().min()).sum();
    let excess = u64::try_from(least - sum.bound).ok().filter(|&excess| excess > 0);
    let excess = excess.ok_or_else(|| refused("the sets can take in what they need"))?;
    Ok((excess, digest(inlets.iter().chain(needs))))
}

fn refused(why: &'static str) -> CertificateError {
    CertificateError::NotApplicable { rule: Rule::BroadcastLp, why }
}

/// Inequalities added up: over all terminals, the effects of the steps in which they get the message are no more than a
/// bound.
struct Sum<'a> {
    problem: &'a Problem<'a>,
    source: NodeId,
    steps: usize,
    /// By node.
    is_receiver: Vec<bool>,
    /// By terminal and step. Who need not get the message does not get it at all instead of in the last step.
    effects: Vec<Vec<i128>>,
    bound: i128,
}

impl<'a> Sum<'a> {
    fn new(problem: &'a Problem<'a>, source: NodeId, steps: usize) -> Self {
        let topology = problem.topology();
        let mut is_receiver = vec![false; topology.node_count()];
        problem.messages().receivers_iter(MessageId::new(0)).for_each(|node| is_receiver[node.index()] = true);
        let effects = vec![vec![0; steps]; topology.terminal_count()];
        Self { problem, source, steps, is_receiver, effects, bound: 0 }
    }

    /// Adds that in its step a set gets no more copies than channels bring and holders send.
    fn add_inlet(&mut self, set: &WeightedSet) -> Checked {
        let (step, weight) = (set.step as usize, i128::from(set.weight));
        if !(1..=self.steps).contains(&step) || weight == 0 {
            return Err(refused("a set counts in one of the steps"));
        }
        let inside = node_set(self.problem, &set.nodes)?;
        let (capacity, supplies) = self.traffic(&inside);
        expect("copies that come into a set", set.count, capacity)?;
        self.bound += weight * i128::from(capacity);
        let terminals = self.problem.topology().terminals().iter();
        for ((&terminal, supply), effects) in terminals.zip(supplies).zip(&mut self.effects) {
            let can_get = step < self.steps || self.is_receiver[terminal.index()];
            if inside[terminal.index()] && terminal != self.source && can_get {
                effects[step - 1] += weight;
            }
            effects[..step - 1].iter_mut().for_each(|effect| *effect -= weight * i128::from(supply));
        }
        Ok(())
    }

    /// Adds that after its step a set holds what it needs for the steps to come.
    fn add_need(&mut self, set: &WeightedSet) -> Checked {
        let (step, weight) = (set.step as usize, i128::from(set.weight));
        if step >= self.steps || weight == 0 {
            return Err(refused("a set counts before one of the steps"));
        }
        let inside = node_set(self.problem, &set.nodes)?;
        let need = self.need(&inside, self.steps - step);
        expect("holders that a set needs", set.count, need)?;
        self.bound -= weight * i128::from(need);
        for (&terminal, effects) in self.problem.topology().terminals().iter().zip(&mut self.effects) {
            if inside[terminal.index()] && terminal != self.source {
                effects[..step].iter_mut().for_each(|effect| *effect -= weight);
            }
        }
        Ok(())
    }

    /// Copies that come into a set in one step from the source and over channels from nodes on the way, and those that
    /// each other terminal can send to it once it holds one.
    fn traffic(&self, inside: &[bool]) -> (u64, Vec<u64>) {
        let topology = self.problem.topology();
        let passed = |node| self.problem.model().switching == Switching::Wormhole && topology.routes(node);
        let leads_in = |&channel: &_| inside[topology.head(channel).index()] && usable(self.problem, channel);
        let enters = |&channel: &_| !inside[topology.tail(channel).index()] && passed(topology.tail(channel));
        let mut capacity = distinct_resources(self.problem, topology.channels().filter(leads_in).filter(enters));
        let sends = |&terminal: &NodeId| {
            let own = topology.out_channels(terminal).iter().copied().filter(leads_in);
            // What passes through a node outside is counted already.
            let is_counted = passed(terminal) && !inside[terminal.index()];
            if is_counted { 0 } else { distinct_resources(self.problem, own).min(starts(self.problem, terminal)) }
        };
        let mut supplies: Vec<u64> = topology.terminals().iter().map(sends).collect();
        let mut size = 0;
        for (&terminal, supply) in topology.terminals().iter().zip(&mut supplies) {
            if terminal == self.source {
                capacity += std::mem::take(supply);
            } else {
                size += u64::from(inside[terminal.index()]);
            }
        }
        // No holder need send more than the set lacks when no other one sends.
        for (&terminal, supply) in topology.terminals().iter().zip(&mut supplies) {
            let lacking = size.saturating_sub(capacity).saturating_sub(inside[terminal.index()].into());
            *supply = lacking.min(*supply);
        }
        (capacity, supplies)
    }

    /// The fewest terminals in a set, without the source, that must hold the message so many steps before the end.
    fn need(&self, inside: &[bool], steps_left: usize) -> u64 {
        let (capacity, supplies) = self.traffic(inside);
        let terminals = self.problem.topology().terminals().iter();
        let others = terminals.zip(supplies).filter(|&(&terminal, _)| terminal != self.source);
        let (members, outside): (Vec<_>, Vec<_>) = others.partition(|(terminal, _)| inside[terminal.index()]);
        let brought = capacity + outside.iter().map(|&(_, supply)| supply).sum::<u64>();
        let mut best: Vec<u64> = members.iter().map(|&(_, supply)| supply).collect();
        best.sort_unstable_by_key(|&supply| Reverse(supply));
        let mut need = members.iter().filter(|(terminal, _)| self.is_receiver[terminal.index()]).count() as u64;
        for _ in 0..steps_left {
            let (mut holders, mut reached) = (0, brought);
            while reached < need {
                // As many holders as are needed are enough, so there is a next one.
                reached += 1 + best.get(holders).copied().unwrap_or(0);
                holders += 1;
            }
            need = holders as u64;
        }
        need
    }
}

/// SHA-256 in hexadecimal digits of all that the sets say.
fn digest<'a>(sets: impl Iterator<Item = &'a WeightedSet>) -> String {
    let mut hash = Sha256::new();
    for set in sets {
        hash.update(set.step.to_le_bytes());
        hash.update(set.weight.to_le_bytes());
        hash.update((set.nodes.len() as u32).to_le_bytes());
        set.nodes.iter().for_each(|node| hash.update(node.number().to_le_bytes()));
        hash.update(set.count.to_le_bytes());
    }
    let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
