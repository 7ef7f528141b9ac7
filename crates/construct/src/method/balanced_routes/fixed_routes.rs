//! RouteSet and steps of another schedule to begin with.

use lockstep_schedule::Transfer;
use rand::Rng;

use super::demands::Demands;
use super::terminal_graph::TerminalGraph;
use super::{least_steps, routes, step_search, write};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Numbers of steps that an attempt tries, from the fewest on.
const LEVELS: usize = 8;

/// What is kept of each message that goes all the way from terminal to terminal; nothing of the others.
#[derive(Debug)]
pub(super) struct FixedRoutes {
    route: Vec<Vec<u32>>,
    /// The step of each hop.
    steps: Vec<Vec<u32>>,
}

impl FixedRoutes {
    pub(super) fn new(
        task: &SchedulingTask<'_>,
        network: &TerminalGraph,
        demands: &Demands,
        kept: FixedTransfers<'_>,
    ) -> Self {
        let mut number = vec![None; task.topology().channel_bound()];
        for channel in 0..network.channel_count() as u32 {
            number[network.original(channel).index()] = Some(channel);
        }
        let (mut route, mut steps) = (vec![Vec::new(); demands.len()], vec![Vec::new(); demands.len()]);
        for (step, Transfer { message, path }) in kept.transfers() {
            if let &[channel] = path
                && let Some(channel) = number[channel.index()]
            {
                route[message.index()].push(channel);
                steps[message.index()].push(step);
            }
        }
        for (source, messages) in &demands.sources {
            for message in messages.iter().map(|&message| message as usize) {
                let ends = |channel: &u32| (network.tail(*channel), network.head(*channel));
                let is_joined = route[message].windows(2).all(|hops| ends(&hops[0]).1 == ends(&hops[1]).0);
                let from_to = route[message].first().zip(route[message].last()).map(|(a, b)| (ends(a).0, ends(b).1));
                if !is_joined || from_to != Some((*source, demands.target[message])) {
                    route[message].clear();
                }
            }
        }
        Self { route, steps }
    }

    /// One schedule.
    pub(super) fn mended(
        &self,
        network: &TerminalGraph,
        demands: &Demands,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<TransferLog, MethodError> {
        let goal = least_steps(network, demands)?.max(context.goal());
        let (load, routes) = routes::completed(network, demands, &self.route, goal, rng, context);
        let mut step_of = vec![u32::MAX; routes.hops().len()];
        for message in 0..routes.len() {
            let places = routes.places(message);
            if routes.hops()[places.clone()] == self.route[message] {
                step_of[places].copy_from_slice(&self.steps[message]);
            }
        }
        for steps in (goal.max(load)..context.below()).take(LEVELS) {
            context.check(steps)?;
            if let Some(step_of) = step_search::shortened(network, &routes, &step_of, steps, rng, context) {
                return write(network, &routes, &step_of);
            }
        }
        Err(MethodError::NoShorter)
    }
}
