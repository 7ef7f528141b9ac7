//! All transfers of one step.

use lockstep_schedule::MessageId;
use lockstep_topology::ChannelId;

use crate::enumeration::{Enumeration, State};
use crate::error::ExhaustionError;
use crate::routes::Route;

/// Messages with their paths.
type Transfers = Vec<(MessageId, Vec<ChannelId>)>;

/// What the steps from a state are searched for.
pub(crate) enum Goal {
    /// The normal forms of all states after the step.
    All(Vec<State>),
    /// A step to a state of this normal form: the state and the transfers.
    Normal { state: State, found: Option<(State, Transfers)> },
}

/// A transfer that brings its receiver something new.
struct Arrival<'a> {
    message: MessageId,
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
pub(crate) struct Step<'a> {
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
    /// The places of the arrivals that are made.
    made: Vec<usize>,
    goal: &'a mut Goal,
    work_left: &'a mut u64,
}

impl<'a> Step<'a> {
    pub(crate) fn new(
        enumeration: &'a Enumeration,
        state: State,
        steps_left: u32,
        goal: &'a mut Goal,
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
                        arrivals.push(Arrival { message: block.message, route, slot, sum, full: block.full });
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
            made: Vec::new(),
            goal,
            work_left,
        }
    }

    /// Visits all states that the step can reach.
    pub(crate) fn run(mut self) -> Result<(), ExhaustionError> {
        self.extend(0, false)
    }

    /// Makes or skips the transfers from `place` on, in every possible way. `is_replaced` is true if the receiver at
    /// `place` has replaced what it held.
    fn extend(&mut self, place: usize, is_replaced: bool) -> Result<(), ExhaustionError> {
        *self.work_left = self.work_left.checked_sub(1).ok_or(ExhaustionError::TooLarge)?;
        let last = place.checked_sub(1).map(|last| &self.arrivals[last]);
        let next = self.arrivals.get(place);
        if matches!(self.goal, Goal::Normal { found: Some(_), .. }) {
            return Ok(());
        }
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
            self.made.push(place);
            self.after |= sum << slot;
            self.extend(place + 1, !is_added)?;
            self.made.pop();
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
            let normal = self.enumeration.normal(self.after);
            match self.goal {
                Goal::All(states) => states.push(normal),
                Goal::Normal { state, found } if found.is_none() && *state == normal => {
                    let made = self.made.iter().map(|&place| &self.arrivals[place]);
                    let transfers = made.map(|arrival| (arrival.message, arrival.route.path.clone())).collect();
                    *found = Some((self.after, transfers));
                }
                Goal::Normal { .. } => {}
            }
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
