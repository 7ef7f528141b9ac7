//! All states that the first steps of a tiny all-reduce can reach.

use lockstep_schedule::{Pattern, Ports, Problem, Routing, Switching};
use lockstep_topology::{NodeId, Topology};

use super::refusal::{Checked, Refusal, expect};
use crate::certificate::Certificate;

/// Partial steps and states that one enumeration may visit: a fraction of a second.
const MAX_WORK: u64 = 1 << 20;

/// Channels that the walks along all paths may cross.
const MAX_CROSSINGS: u32 = 1 << 14;

/// More steps take too much time.
const MAX_STEPS: u32 = 64;

/// A state is a number with this number of bits. No enumeration needs more resources.
const MAX_BITS: usize = 128;

/// What all terminals hold of all messages, one bit per message, terminal and member.
type State = u128;

impl Certificate {
    /// Returns the certificate that no schedule of an all-reduce has `infeasible` steps; `None` if there is a schedule, or
    /// if the problem is too large for an enumeration of all schedules.
    ///
    /// The terminals times the members of all messages must be at most 128. The work is limited by a constant, far below
    /// one second.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, LowerBound, Rule};
    /// use lockstep_schedule::{Collective, CommunicationModel, Problem};
    /// use lockstep_topology::Topology;
    ///
    /// let path: Topology = "path:3".parse()?;
    /// let all_reduce = Collective::all_reduce();
    /// let problem = Problem::new(&path, &all_reduce, CommunicationModel::wormhole())?;
    /// let certificate = Certificate::exhaustion(&problem, 3).expect("three steps are too few");
    /// LowerBound { steps: 4, rule: Rule::Exhaustion, certificate }.check(&problem)?;
    /// assert_eq!(Certificate::exhaustion(&problem, 4), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exhaustion(problem: &Problem<'_>, infeasible: u32) -> Option<Self> {
        let states = states_reached(problem, infeasible).ok()?;
        Some(Self::Exhaustion { infeasible, states })
    }
}

pub(super) fn steps_proved(problem: &Problem<'_>, infeasible: u32, states: &[u64]) -> Checked<u64> {
    let actual = states_reached(problem, infeasible)?;
    expect("steps with states", states.len() as u64, actual.len() as u64)?;
    states.iter().zip(actual).try_for_each(|(&claimed, actual)| expect("states", claimed, actual))?;
    Ok(u64::from(infeasible) + 1)
}

/// Returns the number of states after every step but the last. Refuses if one of them can be completed by the last
/// step.
fn states_reached(problem: &Problem<'_>, steps: u32) -> Checked<Vec<u64>> {
    if !(1..=MAX_STEPS).contains(&steps) {
        return Err("the number of steps must be 1 to 64".into());
    }
    let enumeration = Enumeration::new(problem)?;
    let mut work_left = MAX_WORK;
    let (mut level, mut states) = (vec![enumeration.start()], Vec::new());
    for steps_left in (0..steps).rev() {
        let mut reached = Vec::new();
        for &state in &level {
            let mut step = Step::new(&enumeration, state, steps_left, &mut reached, &mut work_left);
            step.extend(0, false)?;
        }
        reached.sort_unstable();
        reached.dedup();
        if steps_left > 0 {
            states.push(reached.len() as u64);
        } else if !reached.is_empty() {
            return Err("a schedule has this number of steps".into());
        }
        level = reached;
    }
    Ok(states)
}

/// A message of the all-reduce.
struct Block {
    /// The ranks of its members, ascending.
    members: Vec<usize>,
    /// The place of its first bit in a state.
    start: usize,
    /// All contributions.
    full: State,
}

impl Block {
    /// Returns the place of the contributions that a terminal holds.
    fn slot(&self, rank: usize) -> usize {
        self.start + rank * self.members.len()
    }

    fn held(&self, state: State, rank: usize) -> State {
        state >> self.slot(rank) & self.full
    }

    /// Returns the members that lack a contribution.
    fn lacking(&self, state: State) -> impl Iterator<Item = usize> {
        self.members.iter().copied().filter(move |&rank| self.held(state, rank) != self.full)
    }
}

/// A legal path between two terminals, by their ranks.
struct Route {
    sender: usize,
    receiver: usize,
    channels: u32,
    /// The resources of the path, one bit each.
    resources: u128,
}

/// The tables of a problem.
struct Enumeration {
    terminals: usize,
    /// Messages of the same members are neighbours.
    blocks: Vec<Block>,
    routes: Vec<Route>,
    /// The fewest transfers by sender and receiver.
    distance: Vec<u32>,
    /// The room of each resource in one step.
    room: Vec<u32>,
    /// The transfers that each terminal can send in one step, and that it can receive.
    ports: [Vec<u32>; 2],
}

impl Enumeration {
    fn new(problem: &Problem<'_>) -> Checked<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        if problem.collective().pattern() != Pattern::ReduceBroadcast {
            return Err("the argument requires an all-reduce".into());
        }
        if terminals.max(messages.len()).max(topology.resource_count()) > MAX_BITS {
            return Err(TOO_LARGE.into());
        }
        let rank = |node| topology.terminal_rank(node).ok_or("a message has an end that is not a terminal");
        let mut members = Vec::with_capacity(messages.len());
        for message in messages.ids() {
            let ends = messages.receivers_iter(message).chain([messages.source(message)]);
            let mut ranks = ends.map(rank).collect::<Result<Vec<usize>, _>>()?;
            ranks.sort_unstable();
            ranks.dedup();
            members.push(ranks);
        }
        if members.iter().map(|ranks| ranks.len() * terminals).sum::<usize>() > MAX_BITS {
            return Err(TOO_LARGE.into());
        }
        members.sort();
        let mut start = 0;
        let blocks = members.into_iter().map(|members| {
            let full = State::MAX >> (MAX_BITS - members.len());
            let block = Block { members, start, full };
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
    fn start(&self) -> State {
        let own = |block: &Block| {
            let bits = block.members.iter().enumerate();
            bits.fold(0, |state, (place, &rank)| state | 1 << (block.slot(rank) + place))
        };
        self.blocks.iter().fold(0, |state, block| state | own(block))
    }

    /// Returns the state that stands for all that differ from it in the order of messages of the same members, or in
    /// what terminals hold of messages that are complete at all members.
    fn normal(&self, state: State) -> State {
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
    fn may_complete(&self, state: State, steps_left: u32) -> bool {
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

const TOO_LARGE: &str = "the all-reduce is too large to enumerate its states";

/// A transfer that brings its receiver something new.
struct Arrival<'a> {
    route: &'a Route,
    /// The place of the receiver's contributions in a state.
    slot: usize,
    /// What the sender holds, and all contributions.
    sum: State,
    full: State,
}

impl Arrival<'_> {
    /// Returns what the receiver holds.
    fn held(&self, state: State) -> State {
        state >> self.slot & self.full
    }
}

/// A step under construction.
struct Step<'a> {
    enumeration: &'a Enumeration,
    before: State,
    after: State,
    steps_left: u32,
    /// By message and receiver.
    arrivals: Vec<Arrival<'a>>,
    /// Whether some member can no longer be completed in the last step.
    is_hopeless: bool,
    /// The resources without room.
    busy: u128,
    room: Vec<u32>,
    ports: [Vec<u32>; 2],
    reached: &'a mut Vec<State>,
    work_left: &'a mut u64,
}

impl<'a> Step<'a> {
    fn new(
        enumeration: &'a Enumeration,
        state: State,
        steps_left: u32,
        reached: &'a mut Vec<State>,
        work_left: &'a mut u64,
    ) -> Self {
        let (mut arrivals, mut is_hopeless) = (Vec::new(), false);
        for block in &enumeration.blocks {
            for receiver in 0..enumeration.terminals {
                let (held, slot) = (block.held(state, receiver), block.slot(receiver));
                let must_complete = steps_left == 0 && held != block.full && block.members.contains(&receiver);
                if steps_left == 0 && !must_complete {
                    continue;
                }
                let first = arrivals.len();
                for route in enumeration.routes.iter().filter(|route| route.receiver == receiver) {
                    let sum = block.held(state, route.sender);
                    if sum & !held != 0 && (sum & held == 0 || sum & held == held) {
                        arrivals.push(Arrival { route, slot, sum, full: block.full });
                    }
                }
                is_hopeless |= must_complete && arrivals.len() == first;
            }
        }
        let (room, ports) = (enumeration.room.clone(), enumeration.ports.clone());
        Self {
            enumeration,
            before: state,
            after: state,
            steps_left,
            arrivals,
            is_hopeless,
            busy: 0,
            room,
            ports,
            reached,
            work_left,
        }
    }

    /// Makes or skips the transfers from `place` on, in every possible way. `is_replaced` is true if the receiver at
    /// `place` has replaced what it held.
    fn extend(&mut self, place: usize, is_replaced: bool) -> Checked {
        *self.work_left = self.work_left.checked_sub(1).ok_or(TOO_LARGE)?;
        let last = place.checked_sub(1).map(|last| &self.arrivals[last]);
        let next = self.arrivals.get(place);
        let is_new_receiver = last.map(|arrival| arrival.slot) != next.map(|arrival| arrival.slot);
        let is_incomplete = last.is_some_and(|arrival| arrival.held(self.after) != arrival.full);
        if self.is_hopeless || self.steps_left == 0 && is_new_receiver && is_incomplete {
            return Ok(());
        }
        let Some(&Arrival { route, slot, sum, .. }) = next else {
            self.finish();
            return Ok(());
        };
        let is_replaced = is_replaced && !is_new_receiver;
        let (before, after) =
            (next.map_or(0, |arrival| arrival.held(self.before)), next.map_or(0, |arrival| arrival.held(self.after)));
        // A sum is added to disjoint ones, or replaces what the receiver held if nothing else arrives.
        let is_added = sum & after == 0 && !is_replaced;
        let replaces = before == after && sum & before == before;
        if (is_added || replaces) && self.fits(route) {
            let (state, busy) = (self.after, self.busy);
            self.take(route);
            self.after |= sum << slot;
            self.extend(place + 1, !is_added)?;
            self.give_back(route);
            (self.after, self.busy) = (state, busy);
        }
        self.extend(place + 1, is_replaced)
    }

    /// Adds the state after the step, unless another step is at least as good or nothing can complete the state in
    /// time.
    fn finish(&mut self) {
        let leaves_room = self.arrivals.iter().any(|arrival| {
            arrival.sum == arrival.full && arrival.held(self.after) != arrival.full && self.fits(arrival.route)
        });
        if !leaves_room && self.enumeration.may_complete(self.after, self.steps_left) {
            self.reached.push(self.enumeration.normal(self.after));
        }
    }

    fn fits(&self, route: &Route) -> bool {
        let [sends, receives] = &self.ports;
        self.busy & route.resources == 0 && sends[route.sender] > 0 && receives[route.receiver] > 0
    }

    /// Adds a transfer that fits.
    fn take(&mut self, route: &Route) {
        for resource in bits(route.resources) {
            self.room[resource] -= 1;
            self.busy |= u128::from(self.room[resource] == 0) << resource;
        }
        let [sends, receives] = &mut self.ports;
        sends[route.sender] -= 1;
        receives[route.receiver] -= 1;
    }

    /// Removes a transfer. The caller restores the busy resources.
    fn give_back(&mut self, route: &Route) {
        for resource in bits(route.resources) {
            self.room[resource] += 1;
        }
        let [sends, receives] = &mut self.ports;
        sends[route.sender] += 1;
        receives[route.receiver] += 1;
    }
}

/// Returns the places of the bits of a set, ascending.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

/// Returns the smallest number of transfers by sender and receiver.
fn distances(terminals: usize, routes: &[Route]) -> Vec<u32> {
    let mut distance = vec![u32::MAX; terminals * terminals];
    for sender in 0..terminals {
        let from = &mut distance[sender * terminals..][..terminals];
        from[sender] = 0;
        for _ in 0..terminals {
            for route in routes {
                from[route.receiver] = from[route.receiver].min(from[route.sender].saturating_add(1));
            }
        }
    }
    distance
}

/// Returns the legal paths: simple paths through nodes that route, which use no resource twice. Under minimal routing,
/// those with the fewest channels between their ends. Of paths between the same ends, those whose resources contain all
/// resources of another one are left out.
fn routes(problem: &Problem<'_>) -> Checked<Vec<Route>> {
    let (topology, model) = (problem.topology(), problem.model());
    let is_wormhole = model.switching == Switching::Wormhole;
    let mut routes = Vec::new();
    let mut crossings_left = MAX_CROSSINGS;
    for (sender, &from) in topology.terminals().iter().enumerate() {
        let mut walk = Walk { topology, is_wormhole, sender, visited: vec![from], crossings_left, routes: Vec::new() };
        walk.extend(0)?;
        crossings_left = walk.crossings_left;
        routes.append(&mut walk.routes);
    }
    routes.sort_by_key(|route| (route.sender, route.receiver, route.resources.count_ones(), route.resources));
    let mut kept: Vec<Route> = Vec::new();
    for alike in routes.chunk_by_mut(|one, next| [one.sender, one.receiver] == [next.sender, next.receiver]) {
        let fewest = alike.iter().map(|route| route.channels).min();
        let first = kept.len();
        for &Route { sender, receiver, channels, resources } in alike.iter() {
            let is_legal = model.routing == Routing::Any || Some(channels) == fewest;
            if is_legal && !kept[first..].iter().any(|other| other.resources & !resources == 0) {
                kept.push(Route { sender, receiver, channels, resources });
            }
        }
    }
    Ok(kept)
}

/// A walk along all paths from a terminal.
struct Walk<'a> {
    topology: &'a Topology,
    is_wormhole: bool,
    sender: usize,
    visited: Vec<NodeId>,
    crossings_left: u32,
    routes: Vec<Route>,
}

impl Walk<'_> {
    fn extend(&mut self, resources: u128) -> Checked {
        let topology = self.topology;
        for &channel in topology.out_channels(self.visited[self.visited.len() - 1]) {
            self.crossings_left = self.crossings_left.checked_sub(1).ok_or(Refusal::from(TOO_LARGE))?;
            let (next, resource) = (topology.head(channel), 1 << topology.resource(channel).index());
            if self.visited.contains(&next) || resources & resource != 0 {
                continue;
            }
            let resources = resources | resource;
            if let Some(receiver) = topology.terminal_rank(next) {
                self.routes.push(Route {
                    sender: self.sender,
                    receiver,
                    channels: self.visited.len() as u32,
                    resources,
                });
            }
            if self.is_wormhole && topology.routes(next) {
                self.visited.push(next);
                self.extend(resources)?;
                self.visited.pop();
            }
        }
        Ok(())
    }
}
