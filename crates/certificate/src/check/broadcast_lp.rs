//! Weighted inequalities over node sets while one message spreads, summed again.

use std::cmp::Reverse;

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::capacity::{is_usable, room, send_limit};
use super::nodes::{expect_terminal, membership};
use super::refusal::{Checked, expect};
use crate::certificate::WeightedSet;

/// Visits of nodes and channels, over all sets, that one sum may take: a few seconds.
const MAX_VISITS: u128 = 1 << 27;

/// Pairs of a terminal and a step for which a contribution is kept: 64 MB.
const MAX_CONTRIBUTIONS: u128 = 1 << 22;

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    source: NodeId,
    infeasible: u32,
    [inlets, needs]: [&[WeightedSet]; 2],
    claimed: u64,
    claimed_digest: &str,
) -> Checked<u64> {
    expect_terminal(problem, source)?;
    let topology = problem.topology();
    if problem.messages().len() != 1 || problem.messages().source(MessageId::new(0)) != source {
        return Err("the argument requires one message, from its source".into());
    }
    if !(1..topology.terminal_count()).contains(&(infeasible as usize)) {
        return Err("a message can reach one more terminal in every step".into());
    }
    let visits = (topology.node_count() + topology.channel_count()) as u128 * (inlets.len() + needs.len()) as u128;
    let contributions = topology.terminal_count() as u128 * u128::from(infeasible);
    if visits > MAX_VISITS || contributions > MAX_CONTRIBUTIONS {
        return Err("the sum is too long to compute again".into());
    }
    let mut sum = WeightedSum::new(problem, source, infeasible as usize);
    inlets.iter().try_for_each(|set| sum.add_inlet(set))?;
    needs.iter().try_for_each(|set| sum.add_need(set))?;
    expect("excess of the sum", claimed, sum.excess().ok_or("the sets can receive what they need")?)?;
    if claimed_digest != digest(inlets.iter().chain(needs)) {
        return Err("the sets have another digest".into());
    }
    Ok(u64::from(infeasible) + 1)
}

/// A weighted sum of inequalities: the contributions of all terminals, each by the step in which it receives the
/// message, are at most a bound.
struct WeightedSum<'a> {
    problem: &'a Problem<'a>,
    source: NodeId,
    steps: usize,
    /// By node.
    is_receiver: Vec<bool>,
    /// By terminal and step: the contribution of this step minus that of the next one. For a terminal that need not
    /// receive the message, the last step means that it does not.
    changes: Vec<Vec<i128>>,
    bound: i128,
}

impl<'a> WeightedSum<'a> {
    fn new(problem: &'a Problem<'a>, source: NodeId, steps: usize) -> Self {
        let topology = problem.topology();
        let mut is_receiver = vec![false; topology.node_count()];
        problem.messages().receivers_iter(MessageId::new(0)).for_each(|node| is_receiver[node.index()] = true);
        let changes = vec![vec![0; steps]; topology.terminal_count()];
        Self { problem, source, steps, is_receiver, changes, bound: 0 }
    }

    /// Adds the inequality that, in its step, a set receives at most the copies that channels bring and holders send.
    fn add_inlet(&mut self, set: &WeightedSet) -> Checked {
        let (step, weight) = (set.step as usize, i128::from(set.weight));
        if !(1..=self.steps).contains(&step) || weight == 0 {
            return Err("an inlet must have a step of the schedule and a weight".into());
        }
        let inside = membership(self.problem, &set.nodes)?;
        let (capacity, supplies) = self.inflow(&inside);
        expect("copies that enter a set", set.count, capacity)?;
        self.bound += weight * i128::from(capacity);
        let terminals = self.problem.topology().terminals().iter();
        for ((&terminal, supply), changes) in terminals.zip(supplies).zip(&mut self.changes) {
            let can_receive = step < self.steps || self.is_receiver[terminal.index()];
            let received = i128::from(inside[terminal.index()] && terminal != self.source && can_receive);
            changes[step - 1] += weight * received;
            if let Some(earlier) = step.checked_sub(2) {
                changes[earlier] -= weight * (received + i128::from(supply));
            }
        }
        Ok(())
    }

    /// Adds the inequality that, after its step, a set holds the copies that it needs for the remaining steps.
    fn add_need(&mut self, set: &WeightedSet) -> Checked {
        let (step, weight) = (set.step as usize, i128::from(set.weight));
        if step >= self.steps || weight == 0 {
            return Err("a need must have a time before the last step and a weight".into());
        }
        let inside = membership(self.problem, &set.nodes)?;
        let need = self.need(&inside, self.steps - step);
        expect("holders that a set needs", set.count, need)?;
        self.bound -= weight * i128::from(need);
        for (&terminal, changes) in self.problem.topology().terminals().iter().zip(&mut self.changes) {
            if let Some(last) = step.checked_sub(1)
                && inside[terminal.index()]
                && terminal != self.source
            {
                changes[last] -= weight;
            }
        }
        Ok(())
    }

    /// Returns the amount by which the sum is violated if each terminal receives the message in its best step.
    fn excess(&self) -> Option<u64> {
        let least_of = |changes: &Vec<i128>| {
            let contributions = changes.iter().rev().scan(0, |sum, change| {
                *sum += change;
                Some(*sum)
            });
            contributions.min()
        };
        let least: i128 = self.changes.iter().filter_map(least_of).sum();
        u64::try_from(least - self.bound).ok().filter(|&excess| excess > 0)
    }

    /// Returns the number of copies that enter a set in one step from the source and over channels from nodes that
    /// transfers pass, and the number that each other terminal can send to it once it holds one.
    fn inflow(&self, inside: &[bool]) -> (u64, Vec<u64>) {
        let topology = self.problem.topology();
        let is_passed = |node| self.problem.model().switching == Switching::Wormhole && topology.routes(node);
        let leads_in = |&channel: &_| inside[topology.head(channel).index()] && is_usable(self.problem, channel);
        let enters = |&channel: &_| !inside[topology.tail(channel).index()] && is_passed(topology.tail(channel));
        let mut capacity = room(self.problem, topology.channels().filter(leads_in).filter(enters));
        let sends = |&terminal: &NodeId| {
            let own = topology.out_channels(terminal).iter().copied().filter(leads_in);
            // The capacity already counts copies that pass through a node outside.
            let is_counted = is_passed(terminal) && !inside[terminal.index()];
            if is_counted { 0 } else { room(self.problem, own).min(send_limit(self.problem, terminal)) }
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
        // No holder needs to send more than the set lacks if no other holder sends.
        for (&terminal, supply) in topology.terminals().iter().zip(&mut supplies) {
            let lacking = size.saturating_sub(capacity).saturating_sub(inside[terminal.index()].into());
            *supply = lacking.min(*supply);
        }
        (capacity, supplies)
    }

    /// Returns the smallest number of terminals in a set, without the source, that must hold the message `steps_left`
    /// steps before the end.
    fn need(&self, inside: &[bool], steps_left: usize) -> u64 {
        let (capacity, supplies) = self.inflow(inside);
        let terminals = self.problem.topology().terminals().iter();
        let others = terminals.zip(supplies).filter(|&(&terminal, _)| terminal != self.source);
        let (members, outside): (Vec<_>, Vec<_>) = others.partition(|(terminal, _)| inside[terminal.index()]);
        let brought = capacity + outside.iter().map(|&(_, supply)| supply).sum::<u64>();
        let mut best: Vec<u64> = members.iter().map(|&(_, supply)| supply).collect();
        best.sort_unstable_by_key(|&supply| Reverse(supply));
        // The terminals that hold the message one step after 1, 2, … of the best ones do.
        let reached = best.iter().scan(brought, |reached, supply| {
            *reached += 1 + supply;
            Some(*reached)
        });
        let reached: Vec<u64> = std::iter::once(brought).chain(reached).collect();
        let mut need = members.iter().filter(|(terminal, _)| self.is_receiver[terminal.index()]).count() as u64;
        for _ in 0..steps_left {
            let holders = reached.partition_point(|&reached| reached < need) as u64;
            if holders == need {
                break;
            }
            need = holders;
        }
        need
    }
}

/// Computes the SHA-256 of all sets in hexadecimal digits.
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
