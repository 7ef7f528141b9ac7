//! Routes and steps of a given schedule.

use lockstep_schedule::Transfer;
use rand::Rng;

use super::demands::RoutingDemands;
use super::terminal_graph::TerminalGraph;
use super::{routes, step_search};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The number of lengths that an attempt tries, from the fewest steps on.
const TRIED_LENGTHS: usize = 8;

/// The routes and steps of the messages whose fixed transfers lead from source to receiver; empty for all others.
#[derive(Debug)]
pub(super) struct FixedRoutes {
    /// The channels, by message.
    route: Vec<Vec<u32>>,
    /// The step of each hop, by message.
    steps: Vec<Vec<u32>>,
}

impl FixedRoutes {
    pub(super) fn new(
        task: &SchedulingTask<'_>,
        graph: &TerminalGraph,
        demands: &RoutingDemands,
        fixed: FixedTransfers<'_>,
    ) -> Self {
        let mut number = vec![None; task.topology().channel_bound()];
        for channel in 0..graph.channel_count() as u32 {
            number[graph.original(channel).index()] = Some(channel);
        }
        let (mut route, mut steps) = (vec![Vec::new(); demands.len()], vec![Vec::new(); demands.len()]);
        for (step, Transfer { message, path }) in fixed.transfers() {
            if let &[channel] = path
                && let Some(channel) = number[channel.index()]
            {
                route[message.index()].push(channel);
                steps[message.index()].push(step);
            }
        }
        for (source, messages) in &demands.sources {
            for message in messages.iter().map(|&message| message as usize) {
                let ends = |channel: &u32| (graph.tail(*channel), graph.head(*channel));
                let is_joined = route[message].windows(2).all(|hops| ends(&hops[0]).1 == ends(&hops[1]).0);
                let from_to = route[message].first().zip(route[message].last()).map(|(a, b)| (ends(a).0, ends(b).1));
                if !is_joined || from_to != Some((*source, demands.target[message])) {
                    route[message].clear();
                }
            }
        }
        Self { route, steps }
    }

    /// Builds one schedule.
    pub(super) fn complete(
        &self,
        graph: &TerminalGraph,
        demands: &RoutingDemands,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<TransferLog, MethodError> {
        let goal = demands.least_steps(graph)?.max(context.goal());
        let (load, routes) = routes::completed(graph, demands, &self.route, goal, rng, context);
        let mut step_of = vec![u32::MAX; routes.hops().len()];
        for message in 0..routes.len() {
            let hops = routes.hop_range(message);
            if routes.hops()[hops.clone()] == self.route[message] {
                step_of[hops].copy_from_slice(&self.steps[message]);
            }
        }
        for steps in (goal.max(load)..context.below()).take(TRIED_LENGTHS) {
            context.check(steps)?;
            if let Some(step_of) = step_search::shortened(graph, &routes, &step_of, steps, rng, context) {
                return routes.to_log(graph, &step_of);
            }
        }
        Err(MethodError::NoShorter)
    }
}
