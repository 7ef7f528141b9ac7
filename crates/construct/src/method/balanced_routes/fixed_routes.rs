//! Routes and steps of another schedule to begin with.

use lockstep_schedule::Transfer;
use rand::Rng;

use super::terminal_graph::Network;
use super::traffic::Traffic;
use super::{least_steps, routes, step_search, write};
use crate::kit::request::{Kept, Miss, Poll};
use crate::kit::task::Task;
use crate::kit::transfer_log::Log;

/// Numbers of steps that an attempt tries, from the fewest on.
const LEVELS: usize = 8;

/// What is kept of each message that goes all the way from terminal to terminal; nothing of the others.
#[derive(Debug)]
pub(super) struct KeptRoutes {
    route: Vec<Vec<u32>>,
    /// The step of each hop.
    steps: Vec<Vec<u32>>,
}

impl KeptRoutes {
    pub(super) fn new(task: &Task<'_>, network: &Network, traffic: &Traffic, kept: Kept<'_>) -> Self {
        let mut number = vec![None; task.topology().channel_bound()];
        for channel in 0..network.channel_count() as u32 {
            number[network.original(channel).index()] = Some(channel);
        }
        let (mut route, mut steps) = (vec![Vec::new(); traffic.len()], vec![Vec::new(); traffic.len()]);
        for (step, Transfer { message, path }) in kept.transfers() {
            if let &[channel] = path
                && let Some(channel) = number[channel.index()]
            {
                route[message.index()].push(channel);
                steps[message.index()].push(step);
            }
        }
        for (source, messages) in &traffic.sources {
            for message in messages.iter().map(|&message| message as usize) {
                let ends = |channel: &u32| (network.tail(*channel), network.head(*channel));
                let is_joined = route[message].windows(2).all(|hops| ends(&hops[0]).1 == ends(&hops[1]).0);
                let from_to = route[message].first().zip(route[message].last()).map(|(a, b)| (ends(a).0, ends(b).1));
                if !is_joined || from_to != Some((*source, traffic.target[message])) {
                    route[message].clear();
                }
            }
        }
        Self { route, steps }
    }

    /// One schedule.
    pub(super) fn mended(
        &self,
        network: &Network,
        traffic: &Traffic,
        rng: &mut impl Rng,
        poll: &Poll<'_>,
    ) -> Result<Log, Miss> {
        let goal = least_steps(network, traffic)?.max(poll.goal());
        let (load, routes) = routes::completed(network, traffic, &self.route, goal, rng, poll);
        let mut step_of = vec![u32::MAX; routes.hops().len()];
        for message in 0..routes.len() {
            let places = routes.places(message);
            if routes.hops()[places.clone()] == self.route[message] {
                step_of[places].copy_from_slice(&self.steps[message]);
            }
        }
        for steps in (goal.max(load)..poll.below()).take(LEVELS) {
            poll.check(steps)?;
            if let Some(step_of) = step_search::shortened(network, &routes, &step_of, steps, rng, poll) {
                return write(network, &routes, &step_of);
            }
        }
        Err(Miss::NoShorter)
    }
}
