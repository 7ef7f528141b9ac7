//! The optimum of tiny all-reduces, by exhaustive search.

use std::collections::BTreeMap;

use lockstep_topology::NodeId;

use super::routes::{Route, SearchTooLong, StepRoom, legal_routes, port_limit, transfers_between};
use crate::messages::MessageId;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// A set of terminals that contribute, one bit per rank.
type Sum = u16;

/// What each terminal holds of each message, at `message * terminals + rank`.
type State = Vec<Sum>;

/// A function of the state after a step and its transfers: messages with their routes. It returns false to end the
/// search.
type Visit<'v, 'a> = dyn FnMut(&State, &[(usize, &'a Route)]) -> bool + 'v;

/// A transfer that may be useful.
struct Arrival<'a> {
    message: usize,
    route: &'a Route,
    sum: Sum,
}

/// A step under construction.
struct Step<'a, 'b> {
    arrivals: &'b [Arrival<'a>],
    before: &'b State,
    after: State,
    /// Whether the receiver has replaced what it held, so that nothing may be added.
    is_replaced: Vec<bool>,
    room: StepRoom,
    chosen: Vec<(usize, &'a Route)>,
}

pub(super) struct AllReduceSearch<'p> {
    terminals: usize,
    ports: u32,
    /// By message: the terminals that take part.
    members: Vec<Sum>,
    routes: Vec<Route>,
    /// By receiver and sender: the smallest number of transfers.
    transfers: Vec<Vec<usize>>,
    problem: &'p Problem<'p>,
}

impl<'p> AllReduceSearch<'p> {
    pub(super) fn new(problem: &'p Problem<'p>, effort: &mut u64) -> Result<Self, SearchTooLong> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        if terminals > 16 || messages.len() * terminals > 128 || topology.resource_count() > 128 {
            return Err(SearchTooLong);
        }
        let bit = |node: NodeId| -> Sum { 1 << topology.terminal_rank(node).expect("ends of messages are terminals") };
        let members = messages
            .ids()
            .map(|id| messages.receivers_iter(id).fold(bit(messages.source(id)), |sum, node| sum | bit(node)));
        let routes = legal_routes(topology, problem.model(), effort)?;
        Ok(Self {
            terminals,
            ports: port_limit(problem.model()),
            members: members.collect(),
            transfers: transfers_between(terminals, &routes),
            routes,
            problem,
        })
    }

    /// Tries one number of steps after the other: the limit leaves few states.
    pub(super) fn run(&self, most_steps: usize, effort: &mut u64) -> Result<Option<Schedule>, SearchTooLong> {
        for limit in 1..=most_steps {
            if let Some(schedule) = self.run_within(limit, effort)? {
                return Ok(Some(schedule));
            }
        }
        Ok(None)
    }

    fn run_within(&self, limit: usize, effort: &mut u64) -> Result<Option<Schedule>, SearchTooLong> {
        // The states of each level, with a state of the level before that leads to them.
        let mut levels = vec![BTreeMap::from([(self.normal(self.start()), State::new())])];
        for steps_left in (0..limit).rev() {
            let mut next = BTreeMap::new();
            for state in levels[levels.len() - 1].keys() {
                self.for_each_step(state, effort, &mut |after, _| {
                    if self.may_complete(after, steps_left) {
                        next.entry(self.normal(after.clone())).or_insert_with(|| state.clone());
                    }
                    true
                })?;
            }
            levels.push(next);
        }
        let Some((end, _)) = levels[limit].first_key_value() else { return Ok(None) };
        self.schedule(&levels, end.clone(), effort).map(Some)
    }

    /// Returns the schedule that leads to a state of the last level.
    fn schedule(
        &self,
        levels: &[BTreeMap<State, State>],
        end: State,
        effort: &mut u64,
    ) -> Result<Schedule, SearchTooLong> {
        let mut goals = vec![end];
        for level in levels[1..].iter().rev() {
            goals.push(level[&goals[goals.len() - 1]].clone());
        }
        let mut schedule = Schedule::new();
        let mut state = self.start();
        for goal in goals.iter().rev().skip(1) {
            let mut next = None;
            self.for_each_step(&state, effort, &mut |after, chosen| {
                if self.normal(after.clone()) != *goal {
                    return true;
                }
                next = Some(after.clone());
                schedule.begin_step();
                for &(message, route) in chosen {
                    schedule.push(MessageId::from_index(message), &route.path);
                }
                false
            })?;
            state = next.expect("the same step leads to the same state, up to exchanges of messages that are alike");
        }
        Ok(schedule)
    }

    /// Every terminal that takes part holds its own contribution.
    fn start(&self) -> State {
        let rows = self.members.iter().flat_map(|members| (0..self.terminals).map(move |rank| members & 1 << rank));
        rows.collect()
    }

    /// Returns the state with messages that are alike in ascending order, and with complete messages at all terminals.
    fn normal(&self, mut state: State) -> State {
        for (row, &members) in state.chunks_mut(self.terminals).zip(&self.members) {
            if self.lacking(row, members) == 0 {
                row.fill(members);
            }
        }
        let mut rows: Vec<(Sum, &[Sum])> = self.members.iter().copied().zip(state.chunks(self.terminals)).collect();
        // Messages of the same members are alike. Their numbers stay where messages of these members were.
        let places: Vec<Sum> = self.members.clone();
        rows.sort_unstable();
        let mut taken = vec![false; rows.len()];
        let mut sorted = State::with_capacity(state.len());
        for members in places {
            let place = (0..rows.len()).find(|&place| !taken[place] && rows[place].0 == members);
            let place = place.expect("every message has a row");
            taken[place] = true;
            sorted.extend_from_slice(rows[place].1);
        }
        sorted
    }

    /// Returns the members that do not hold all contributions.
    fn lacking(&self, row: &[Sum], members: Sum) -> Sum {
        (0..self.terminals).filter(|&rank| row[rank] != members).fold(0, |set, rank| set | 1 << rank) & members
    }

    /// Returns false if a member is too far from a contribution, or has too much to receive or to send.
    fn may_complete(&self, state: &State, steps_left: usize) -> bool {
        let (mut receives, mut sends) = (vec![0; self.terminals], vec![0; self.terminals]);
        for (row, &members) in state.chunks(self.terminals).zip(&self.members) {
            let lacking = self.lacking(row, members);
            for contributor in (0..self.terminals).filter(|&rank| members >> rank & 1 == 1) {
                receives[contributor] += usize::from(lacking >> contributor & 1 == 1);
                let holders = || (0..self.terminals).filter(|&rank| row[rank] >> contributor & 1 == 1);
                sends[contributor] += usize::from(holders().count() == 1);
                for goal in (0..self.terminals).filter(|&rank| lacking >> rank & 1 == 1) {
                    if holders().map(|holder| self.transfers[goal][holder]).min() > Some(steps_left) {
                        return false;
                    }
                }
            }
        }
        let topology = self.problem.topology();
        (0..self.terminals).all(|rank| {
            let terminal = topology.terminals()[rank];
            let in_steps = |channels: usize| channels.min(self.ports as usize).saturating_mul(steps_left);
            receives[rank] <= in_steps(topology.in_channels(terminal).len())
                && sends[rank] <= in_steps(topology.out_channels(terminal).len())
        })
    }

    /// Visits all steps, except those that leave room for a complete sum: it is never worse to hold one, because it may
    /// replace everything.
    fn for_each_step<'a>(
        &'a self,
        state: &State,
        effort: &mut u64,
        visit: &mut Visit<'_, 'a>,
    ) -> Result<(), SearchTooLong> {
        let mut arrivals = Vec::new();
        for (message, row) in state.chunks(self.terminals).enumerate() {
            for route in &self.routes {
                let (sum, held) = (row[route.sender], row[route.receiver]);
                let is_new = sum & !held != 0;
                if is_new && (sum & held == 0 || sum & held == held) {
                    arrivals.push(Arrival { message, route, sum });
                }
            }
        }
        let mut step = Step {
            arrivals: &arrivals,
            before: state,
            after: state.clone(),
            is_replaced: vec![false; state.len()],
            room: StepRoom::empty(self.terminals, self.ports),
            chosen: Vec::new(),
        };
        self.extend(&mut step, 0, effort, visit).map(|_| ())
    }

    /// Makes or skips the transfers from `place` on, in every possible way. Returns false if `visit` did.
    fn extend<'a>(
        &self,
        step: &mut Step<'a, '_>,
        place: usize,
        effort: &mut u64,
        visit: &mut Visit<'_, 'a>,
    ) -> Result<bool, SearchTooLong> {
        *effort = effort.checked_sub(1).ok_or(SearchTooLong)?;
        let arrivals = step.arrivals;
        let Some(&Arrival { message, route, sum }) = arrivals.get(place) else {
            let leaves_room = arrivals.iter().any(|other| {
                other.sum == self.members[other.message]
                    && step.after[other.message * self.terminals + other.route.receiver] != other.sum
                    && step.room.fits(other.route)
            });
            return Ok(leaves_room || visit(&step.after, &step.chosen));
        };
        let receiver = message * self.terminals + route.receiver;
        let (before, after) = (step.before[receiver], step.after[receiver]);
        // A sum is added to disjoint ones, or replaces what the receiver held if nothing else arrives.
        let is_added = sum & after == 0 && !step.is_replaced[receiver];
        let replaces = before == after && sum & before == before;
        if (is_added || replaces) && step.room.fits(route) {
            step.is_replaced[receiver] = !is_added;
            step.room.take(route);
            step.after[receiver] |= sum;
            step.chosen.push((message, route));
            let goes_on = self.extend(step, place + 1, effort, visit)?;
            step.chosen.pop();
            step.after[receiver] = after;
            step.is_replaced[receiver] &= is_added;
            step.room.give_back(route);
            if !goes_on {
                return Ok(false);
            }
        }
        self.extend(step, place + 1, effort, visit)
    }
}
