//! Lengths of the transfers that lead into classes of terminals in time, summed over all messages.

use lockstep_schedule::{Pattern, Problem, Switching};
use lockstep_topology::NodeId;

use super::capacity::is_usable;
use super::distance::distances_from;
use super::gossip::members;
use super::lengths::OVERFLOW;
use super::refusal::Checked;
use super::timed_lengths::TimedLengths;
use super::transfers::{NONE, relayed_messages};
use super::trees::expect_few_entries;

/// `lists` has the lengths of the resources, the send ports and the receive ports, step by step.
pub(super) fn steps_proved(
    problem: &Problem<'_>,
    infeasible: u32,
    lists: [&[u32]; 3],
    claimed: [u64; 2],
) -> Checked<u64> {
    if problem.model().switching != Switching::StoreAndForward {
        return Err("a transfer can take several channels, so distances say nothing about steps".into());
    }
    let lengths = TimedLengths::new(problem, infeasible, lists)?;
    let available = lengths.available(problem)?;
    let network = Network::new(problem, &lengths)?;
    let needed: Vec<(u128, u64)> = if problem.collective().pattern() == Pattern::ReduceBroadcast {
        let of_members = |(members, count): (Vec<usize>, u64)| {
            (network.entries(&members, &members).max(network.gossip(&members)), count)
        };
        members(problem)?.into_iter().map(of_members).collect()
    } else {
        let of_message =
            |((source, receivers), count): ((usize, Vec<usize>), u64)| (network.entries(&[source], &receivers), count);
        relayed_messages(problem)?.into_iter().map(of_message).collect()
    };
    let mut sum: u128 = 0;
    for (length, count) in needed {
        let length = length.min(u128::from(available) + 1);
        sum = length.checked_mul(count.into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    lengths.steps_proved(claimed, [sum, available.into()], "the entries of all messages are not too long")
}

/// A channel between two terminals, as their ranks, with its length in each step. The length includes the ports.
struct Hop {
    tail: usize,
    head: usize,
    length: Vec<u64>,
}

/// The channels between terminals, and the classes of terminals that channels without length connect.
struct Network {
    steps: usize,
    hops: Vec<Hop>,
    /// By terminal: the number of its class.
    class: Vec<usize>,
    classes: usize,
    /// By start and end: the smallest number of channels; larger than the number of steps if there is no way.
    distance: Vec<Vec<usize>>,
}

impl Network {
    fn new(problem: &Problem<'_>, lengths: &TimedLengths<'_>) -> Checked<Self> {
        let (topology, steps) = (problem.topology(), lengths.steps);
        let terminals = topology.terminal_count();
        let work = terminals as u128 * terminals as u128 * topology.channel_count() as u128;
        expect_few_entries(work.saturating_mul(steps as u128))?;
        let rank = |node| topology.terminal_rank(node).expect("packets are sent and received by terminals");
        let hops = topology.channels().filter(|&channel| is_usable(problem, channel)).map(|channel| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let length = (0..steps).map(|step| {
                let lengths = lengths.of_step(step);
                lengths.channel(topology, channel) + lengths.send(topology, tail) + lengths.receive(topology, head)
            });
            Hop { tail: rank(tail), head: rank(head), length: length.collect() }
        });
        let distance = topology.terminals().iter().map(|&start| {
            let from = distances_from(problem, start);
            let to = |end: &NodeId| from[end.index()].map_or(usize::MAX, |steps| steps as usize);
            topology.terminals().iter().map(to).collect()
        });
        let (hops, distance) = (hops.collect::<Vec<Hop>>(), distance.collect());
        let mut network = Self { steps, hops, class: vec![usize::MAX; terminals], classes: 0, distance };
        network.classify();
        Ok(network)
    }

    /// Finds the classes: from each terminal of a class to each other one lead channels without length in any step.
    fn classify(&mut self) {
        let reached: Vec<Vec<bool>> = (0..self.class.len())
            .map(|start| self.reached(start, |hop| hop.length.iter().all(|&length| length == 0)))
            .collect();
        for (terminal, of_terminal) in reached.iter().enumerate() {
            if self.class[terminal] == usize::MAX {
                let is_alike = |other: &usize| of_terminal[*other] && reached[*other][terminal];
                for other in (0..reached.len()).filter(is_alike) {
                    self.class[other] = self.classes;
                }
                self.classes += 1;
            }
        }
    }

    /// Returns the terminals that a message gets to from a terminal over some of the channels.
    fn reached(&self, start: usize, may_cross: impl Fn(&Hop) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.class.len()];
        reached[start] = true;
        let mut found = vec![start];
        while let Some(terminal) = found.pop() {
            for hop in self.hops.iter().filter(|hop| hop.tail == terminal && may_cross(hop)) {
                if !std::mem::replace(&mut reached[hop.head], true) {
                    found.push(hop.head);
                }
            }
        }
        reached
    }

    fn leads_into(&self, hop: &Hop, class: usize) -> bool {
        self.class[hop.head] == class && self.class[hop.tail] != class
    }

    /// Returns the smallest length of a channel in the steps after the first `before` and before the last `after`.
    fn shortest(&self, hop: &Hop, before: usize, after: usize) -> u128 {
        let end = self.steps.saturating_sub(after);
        hop.length[before.min(end)..end].iter().copied().min().map_or(NONE, u128::from)
    }

    /// Returns the sum over all classes of the smallest length of a transfer into the class that a message needs which gets
    /// from each of these sources to each receiver.
    fn entries(&self, sources: &[usize], receivers: &[usize]) -> u128 {
        let into = |class: usize| {
            let entries: Vec<&Hop> = self.hops.iter().filter(|hop| self.leads_into(hop, class)).collect();
            let mut longest = 0;
            for &source in sources {
                let reached = self.reached(source, |hop| !self.leads_into(hop, class));
                for &receiver in receivers.iter().filter(|&&receiver| !reached[receiver]) {
                    let shortest = entries.iter().map(|hop| {
                        self.shortest(hop, self.distance[source][hop.tail], self.distance[hop.head][receiver])
                    });
                    longest = longest.max(shortest.min().unwrap_or(NONE));
                }
            }
            longest
        };
        (0..self.classes).map(into).sum()
    }

    /// Returns the smallest length of the transfers between classes that an all-reduce of these members needs: one out of each
    /// class with members but one, and one that completes the class.
    fn gossip(&self, members: &[usize]) -> u128 {
        let of_class = |class: usize| members.iter().copied().filter(move |&member| self.class[member] == class);
        let joined: Vec<usize> = (0..self.classes).filter(|&class| of_class(class).next().is_some()).collect();
        let into = |class: usize| self.hops.iter().filter(move |hop| self.leads_into(hop, class));
        let out_of = |class: usize| {
            self.hops.iter().filter(move |hop| self.class[hop.tail] == class && self.class[hop.head] != class)
        };
        // The steps until the last contribution of another class can be in a class.
        let filled = |class: usize| {
            let others = members.iter().filter(|&&member| self.class[member] != class);
            let first = |&member: &usize| into(class).map(|hop| self.distance[member][hop.head]).min();
            others.filter_map(first).max().unwrap_or(0)
        };
        // The steps from the entry of a contribution until the farthest member of a class can have it.
        let spread = |class: usize| {
            let first = |member: usize| into(class).map(|hop| self.distance[hop.head][member]).min();
            of_class(class).filter_map(first).max().unwrap_or(0)
        };
        let most_spread = joined.iter().map(|&class| spread(class)).max().unwrap_or(0);
        let leaves = |class: usize| {
            let first = |member: usize| out_of(class).map(|hop| self.distance[member][hop.tail]).min();
            let gathered = of_class(class).filter_map(first).max().unwrap_or(0);
            out_of(class).map(|hop| self.shortest(hop, gathered, most_spread)).min().unwrap_or(NONE)
        };
        let completes = |class: usize, after: usize| {
            let before = after.max(filled(class)).saturating_sub(1);
            into(class).map(|hop| self.shortest(hop, before, spread(class))).min().unwrap_or(NONE)
        };
        let others = |first: Option<usize>| -> u128 {
            let after = first.map_or(0, filled);
            let others = joined.iter().filter(|&&class| Some(class) != first);
            others.map(|&class| leaves(class) + completes(class, after)).sum()
        };
        joined.iter().copied().map(Some).chain([None]).map(others).min().unwrap_or(0)
    }
}
