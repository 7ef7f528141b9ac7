//! The steps of the transfers of a program: list scheduling in the order of the program.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use lockstep_execute::Trace;
use lockstep_topology::ChannelId;

use crate::network::{Network, StepLoad};

/// The size of the transfer of each event in units; 0 for events without one, and for transfers that carry nothing.
pub(crate) type Units = [u32];

/// A transfer of a schedule.
#[derive(Clone, Debug)]
pub(crate) struct Placed<'n> {
    pub(crate) event: u32,
    /// The path of each unit.
    pub(crate) paths: Vec<&'n [ChannelId]>,
}

/// The steps of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps<'n> {
    /// By step.
    pub(crate) transfers: Vec<Vec<Placed<'n>>>,
    pub(crate) widths: Vec<u32>,
    /// The step of the transfer of each event, from 1; 0 for the others.
    pub(crate) of_event: Vec<u32>,
}

impl Steps<'_> {
    /// Returns the sum of the widths.
    pub(crate) fn width_sum(&self) -> u64 {
        self.widths.iter().map(|&width| u64::from(width)).sum()
    }
}

/// The events that follow each event.
pub(crate) struct Successors {
    end: Vec<u32>,
    events: Vec<u32>,
    /// Number of events before each one.
    before: Vec<u32>,
}

impl Successors {
    pub(crate) fn of(trace: &Trace) -> Self {
        let count = trace.events.len();
        let (mut end, mut before) = (vec![0_u32; count], vec![0; count]);
        let earlier = |event: usize| trace.after(event).iter().copied().chain(trace.events[event].message);
        for (event, before) in before.iter_mut().enumerate() {
            for one in earlier(event) {
                end[one as usize] += 1;
                *before += 1;
            }
        }
        let mut total = 0;
        for start in &mut end {
            total += *start;
            *start = total - *start;
        }
        // Each entry moves from the start of the events of an event to their end.
        let mut events = vec![0; total as usize];
        for event in 0..count {
            for one in earlier(event) {
                events[end[one as usize] as usize] = event as u32;
                end[one as usize] += 1;
            }
        }
        Self { end, events, before }
    }

    fn of_event(&self, event: usize) -> &[u32] {
        let start = if event == 0 { 0 } else { self.end[event - 1] };
        &self.events[start as usize..self.end[event] as usize]
    }

    /// Returns for each event the number of transfers on the longest chain of events that it begins.
    pub(crate) fn tails(&self, units: &Units) -> Vec<u32> {
        let mut tails = vec![0; units.len()];
        let mut left = self.before.clone();
        let mut order: Vec<u32> = (0..units.len() as u32).filter(|&event| left[event as usize] == 0).collect();
        let mut next = 0;
        while let Some(&event) = order.get(next) {
            next += 1;
            for &later in self.of_event(event as usize) {
                left[later as usize] -= 1;
                if left[later as usize] == 0 {
                    order.push(later);
                }
            }
        }
        for &event in order.iter().rev() {
            let event = event as usize;
            let longest = self.of_event(event).iter().map(|&later| tails[later as usize]).max().unwrap_or(0);
            tails[event] = longest + u32::from(units[event] > 0);
        }
        tails
    }
}

/// Something to do at a time: an event that can begin, or the first waiting transfer of a pair of ranks.
type Entry = Reverse<(u32, u64, u32, bool)>;

/// List scheduling: at each step, every transfer that can begin is placed if it fits, smaller priorities first.
///
/// The clock of an event is the number of steps that have ended. A transfer begins at the clock of its event and ends one
/// step later. `clock` is the start of an event, `done` the end of all transfers that it and the events before it in its
/// threads have begun.
struct Scheduler<'a, 'n> {
    trace: &'a Trace,
    units: &'a Units,
    priority: &'a [u64],
    network: &'n Network,
    successors: &'a Successors,
    queue: BinaryHeap<Entry>,
    pairs: BTreeMap<[u32; 2], u32>,
    /// The transfers of each pair of ranks that did not fit.
    waiting: Vec<BinaryHeap<Reverse<(u64, u32)>>>,
    left: Vec<u32>,
    clock: Vec<u32>,
    done: Vec<u32>,
    loads: Vec<StepLoad>,
    result: Steps<'n>,
}

/// Returns the steps of all transfers. The transfer of an event begins at its time in `earliest` or later.
pub(crate) fn schedule<'n>(
    trace: &Trace,
    units: &Units,
    priority: &[u64],
    earliest: &[u32],
    network: &'n Network,
    successors: &Successors,
) -> Steps<'n> {
    let count = trace.events.len();
    let mut scheduler = Scheduler {
        trace,
        units,
        priority,
        network,
        successors,
        queue: BinaryHeap::new(),
        pairs: BTreeMap::new(),
        waiting: Vec::new(),
        left: successors.before.clone(),
        clock: earliest.to_vec(),
        done: vec![0; count],
        loads: Vec::new(),
        result: Steps { of_event: vec![0; count], ..Steps::default() },
    };
    for event in 0..count {
        if scheduler.left[event] == 0 {
            scheduler.make_ready(event);
        }
    }
    while let Some(Reverse((time, _, number, is_pair))) = scheduler.queue.pop() {
        if is_pair { scheduler.wake(number, time) } else { scheduler.begin(number as usize, time) }
    }
    scheduler.result.widths = scheduler.loads.iter().map(|load| load.width.max(1)).collect();
    scheduler.result
}

impl Scheduler<'_, '_> {
    fn make_ready(&mut self, event: usize) {
        self.queue.push(Reverse((self.clock[event], self.priority[event], event as u32, false)));
    }

    /// Begins an event at a time, or lets its transfer wait.
    fn begin(&mut self, event: usize, time: u32) {
        if self.try_begin(event, time) {
            return;
        }
        let Some(transfer) = &self.trace.events[event].transfer else { return };
        let count = self.pairs.len() as u32;
        let pair = *self.pairs.entry([transfer.from, transfer.to]).or_insert(count);
        if pair == count {
            self.waiting.push(BinaryHeap::new());
        }
        let waiting = &mut self.waiting[pair as usize];
        let is_first = waiting.is_empty();
        waiting.push(Reverse((self.priority[event], event as u32)));
        if is_first {
            self.wake_at(pair, time + 1);
        }
    }

    /// Tries the first waiting transfer of a pair again.
    fn wake(&mut self, pair: u32, time: u32) {
        let Some(Reverse((priority, event))) = self.waiting[pair as usize].pop() else { return };
        if self.try_begin(event as usize, time) {
            self.wake_at(pair, time);
        } else {
            self.waiting[pair as usize].push(Reverse((priority, event)));
            self.wake_at(pair, time + 1);
        }
    }

    fn wake_at(&mut self, pair: u32, time: u32) {
        if let Some(&Reverse((priority, _))) = self.waiting[pair as usize].peek() {
            self.queue.push(Reverse((time, priority, pair, true)));
        }
    }

    /// Begins an event at a time, if its transfer fits.
    fn try_begin(&mut self, event: usize, time: u32) -> bool {
        let (trace, step) = (self.trace, time as usize);
        let mut end = time;
        if let Some(transfer) = trace.events[event].transfer.as_ref().filter(|_| self.units[event] > 0) {
            if self.loads.len() <= step {
                self.loads.resize_with(step + 1, StepLoad::default);
                self.result.transfers.resize_with(step + 1, Vec::new);
            }
            let pair = [transfer.from, transfer.to];
            let Some(paths) = self.loads[step].place(self.network, pair, self.units[event], true) else { return false };
            self.result.transfers[step].push(Placed { event: event as u32, paths });
            self.result.of_event[event] = time + 1;
            end = time + 1;
        }
        self.done[event] = self.done[event].max(end);
        let is_read = trace.events[event].transfer.as_ref().is_some_and(|transfer| transfer.is_read);
        let (clock, done) = (if is_read { end } else { time }, self.done[event]);
        for &later in self.successors.of_event(event) {
            let later = later as usize;
            // A receive begins when its message has arrived.
            let is_message = trace.events[later].message == Some(event as u32);
            self.clock[later] = self.clock[later].max(if is_message { done } else { clock });
            self.done[later] = self.done[later].max(if is_message { 0 } else { done });
            self.left[later] -= 1;
            if self.left[later] == 0 {
                self.make_ready(later);
            }
        }
        true
    }
}
