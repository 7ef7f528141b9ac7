//! What the terminals of a tiny all-reduce hold, as bits.

use lockstep_schedule::{MessageId, Pattern, Ports, Problem};

use crate::error::ExhaustionError;
use crate::routes::{Route, distances, routes};

/// A state is a number with this number of bits. No enumeration needs more resources.
const MAX_BITS: usize = 128;

/// What all terminals hold of all messages, one bit per message, terminal and member.
pub(crate) type State = u128;

/// A message of the all-reduce.
pub(crate) struct Block {
    pub(crate) message: MessageId,
    /// The ranks of its members, ascending.
    pub(crate) members: Vec<usize>,
    /// The place of its first bit in a state.
    start: usize,
    /// All contributions.
    pub(crate) full: State,
}

impl Block {
    /// Returns the place of the contributions that a terminal holds.
    pub(crate) fn slot(&self, rank: usize) -> usize {
        self.start + rank * self.members.len()
    }

    pub(crate) fn held(&self, state: State, rank: usize) -> State {
        state >> self.slot(rank) & self.full
    }

    /// Returns the members that lack a contribution.
    pub(crate) fn lacking(&self, state: State) -> impl Iterator<Item = usize> {
        self.members.iter().copied().filter(move |&rank| self.held(state, rank) != self.full)
    }
}

/// The tables of a problem.
pub(crate) struct Enumeration {
    pub(crate) terminals: usize,
    /// Messages of the same members are neighbours.
    pub(crate) blocks: Vec<Block>,
    pub(crate) routes: Vec<Route>,
    /// The fewest transfers by sender and receiver.
    distance: Vec<u32>,
    /// The room of each resource in one step.
    pub(crate) room: Vec<u32>,
    /// The transfers that each terminal can send in one step, and that it can receive.
    pub(crate) ports: [Vec<u32>; 2],
}

impl Enumeration {
    pub(crate) fn new(problem: &Problem<'_>) -> Result<Self, ExhaustionError> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        if problem.collective().pattern() != Pattern::ReduceBroadcast {
            return Err(ExhaustionError::NoAllReduce);
        }
        if terminals.max(messages.len()).max(topology.resource_count()) > MAX_BITS {
            return Err(ExhaustionError::TooLarge);
        }
        let rank = |node| topology.terminal_rank(node).expect("the ends of messages are terminals");
        let mut members = Vec::with_capacity(messages.len());
        for message in messages.ids() {
            let ends = messages.receivers_iter(message).chain([messages.source(message)]);
            let mut ranks: Vec<usize> = ends.map(rank).collect();
            ranks.sort_unstable();
            ranks.dedup();
            members.push((ranks, message));
        }
        if members.iter().map(|(ranks, _)| ranks.len() * terminals).sum::<usize>() > MAX_BITS {
            return Err(ExhaustionError::TooLarge);
        }
        members.sort();
        let mut start = 0;
        let blocks = members.into_iter().map(|(members, message)| {
            let full = State::MAX >> (MAX_BITS - members.len());
            let block = Block { message, members, start, full };
            start = block.slot(terminals);
            block
        });
        let (blocks, routes) = (blocks.collect(), routes(problem)?);
        let capacity = |resource| topology.resource_capacity(resource);
        let mut room = vec![0; topology.resource_count()];
        for channel in topology.channels() {
            let resource = topology.resource(channel);
            room[resource.index()] = capacity(resource);
        }
        let ports = match problem.model().ports {
            Ports::All => u32::MAX,
            Ports::Limit(limit) => limit.get(),
        };
        let of_channels = |rank: usize, is_sender: bool| {
            let node = topology.terminals()[rank];
            let channels = if is_sender { topology.out_channels(node) } else { topology.in_channels(node) };
            let room = channels.iter().map(|&channel| room[topology.resource(channel).index()]);
            room.fold(0, u32::saturating_add).min(ports)
        };
        let ports = [true, false].map(|is_sender| (0..terminals).map(|rank| of_channels(rank, is_sender)).collect());
        let distance = distances(terminals, &routes);
        Ok(Self { terminals, blocks, routes, distance, room, ports })
    }

    /// Returns the state in which every member holds its own contribution.
    pub(crate) fn start(&self) -> State {
        let own = |block: &Block| {
            let bits = block.members.iter().enumerate();
            bits.fold(0, |state, (place, &rank)| state | 1 << (block.slot(rank) + place))
        };
        self.blocks.iter().fold(0, |state, block| state | own(block))
    }

    /// Returns the state that stands for all that differ from it in the order of messages of the same members, or in
    /// what terminals hold of messages that are complete at all members.
    pub(crate) fn normal(&self, state: State) -> State {
        let mut normal = 0;
        for alike in self.blocks.chunk_by(|one, next| one.members == next.members) {
            let width = alike[0].slot(self.terminals) - alike[0].start;
            let all = State::MAX >> (MAX_BITS - width);
            let mut parts = [0; MAX_BITS];
            for (part, block) in parts.iter_mut().zip(alike) {
                *part = if block.lacking(state).next().is_some() { state >> block.start & all } else { all };
            }
            let parts = &mut parts[..alike.len()];
            parts.sort_unstable();
            normal = parts.iter().zip(alike).fold(normal, |state, (part, block)| state | part << block.start);
        }
        normal
    }

    /// Returns false if a member is too far from a contribution, has too much to receive, or has too much to send.
    pub(crate) fn may_complete(&self, state: State, steps_left: u32) -> bool {
        let (mut receives, mut sends) = ([0_u32; MAX_BITS], [0_u32; MAX_BITS]);
        for block in &self.blocks {
            for lacking in block.lacking(state) {
                receives[lacking] += 1;
            }
            for (place, &contributor) in block.members.iter().enumerate() {
                let is_holder = |rank: &usize| block.held(state, *rank) >> place & 1 == 1;
                let holders = || (0..self.terminals).filter(is_holder);
                sends[contributor] += u32::from(holders().count() == 1 && block.members.len() > 1);
                let nearest = |goal: usize| holders().map(|holder| self.distance[holder * self.terminals + goal]).min();
                if block.lacking(state).any(|goal| nearest(goal).is_none_or(|distance| distance > steps_left)) {
                    return false;
                }
            }
        }
        let [can_send, can_receive] = &self.ports;
        let fit = |needed: &[u32], limit: &[u32]| {
            limit.iter().zip(needed).all(|(limit, &needed)| needed <= limit.saturating_mul(steps_left))
        };
        fit(&sends, can_send) && fit(&receives, can_receive)
    }
}
