//! The ends of subflows with max-min rates.

use super::max_min::MaxMin;
use super::progress::Progress;
use crate::event_queue::EventQueue;
use crate::routed_flows::RoutedFlows;

/// Subflows with max-min rates. Each change of a rate sets the end of one subflow.
pub(crate) struct MaxMinProgress {
    rates: MaxMin,
    /// The ends of subflows.
    queue: EventQueue,
    /// Remaining units of each subflow at the last change of its rate.
    left: Vec<f64>,
    /// Time of the last change of the rate of each subflow.
    since: Vec<f64>,
    /// Current rate of each subflow.
    rate: Vec<f64>,
    changes: Vec<(u32, f64)>,
}

impl Progress for MaxMinProgress {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self {
        let subflows = flows.subflow_count();
        Self {
            rates: MaxMin::new(flows, capacity),
            queue: EventQueue::new(subflows),
            left: vec![0.0; subflows],
            since: vec![0.0; subflows],
            rate: vec![0.0; subflows],
            changes: Vec::new(),
        }
    }

    fn update(&mut self, flows: &RoutedFlows, now: f64, ended: &[u32], started: &[u32]) {
        for &subflow in started {
            self.left[subflow as usize] = flows.size(subflow);
            self.since[subflow as usize] = now;
        }
        let mut changes = std::mem::take(&mut self.changes);
        self.rates.update(flows, &self.rate, ended, started, &mut changes);
        for (subflow, rate) in changes.drain(..) {
            self.change_rate(now, subflow, rate);
        }
        self.changes = changes;
    }

    fn next_end(&self) -> Option<f64> {
        self.queue.first().map(|(time, _)| time)
    }

    fn take_ended(&mut self, until: f64, ended: &mut Vec<u32>) {
        while let Some((_, subflow)) = self.queue.first().filter(|&(time, _)| time <= until) {
            self.queue.remove_first();
            ended.push(subflow);
        }
    }
}

impl MaxMinProgress {
    /// Sets the rate of a subflow and its expected end.
    fn change_rate(&mut self, now: f64, subflow: u32, rate: f64) {
        let place = subflow as usize;
        self.left[place] -= self.rate[place] * (now - self.since[place]);
        self.left[place] = self.left[place].max(0.0);
        self.since[place] = now;
        self.rate[place] = rate;
        self.queue.set(subflow, now + self.left[place] / rate);
    }
}
