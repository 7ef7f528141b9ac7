//! What the algorithms of libraries are compared with: the lower bound, and the best plan.

use std::time::Duration;

use anyhow::Context;
use lockstep::schedule::{CollectiveSize, Picoseconds};
use lockstep::{
    Budget, CollectiveName, CommunicationModel, Front, FrontBound, FrontOptions, NodeId, Problem, Timing, Topology,
    coarse_networks,
};
use lockstep_measure::Prediction;
use lockstep_tune::Ranks;

use super::times;
use crate::args::{BestPlanArgs, Verbosity};
use crate::output;

/// The time limit of a bound. Most bounds take less than a second.
const BOUND_LIMIT: Duration = Duration::from_secs(30);

/// The largest collective with a best plan: an all-gather of 362 ranks. For more, the first plan takes minutes, and schedules of few chunks say
/// little about large sizes.
const MAX_DELIVERIES: u64 = 1 << 17;

/// The collectives of some terminals of a network.
#[derive(Clone, Copy)]
pub(super) struct RivalProblem<'a> {
    /// The spec of the network, for messages.
    pub(super) spec: &'a str,
    pub(super) ranks: Ranks<'a>,
    pub(super) best_plan: &'a BestPlanArgs,
    /// The smallest and the largest size of the plans.
    pub(super) sizes: [u64; 2],
}

/// The lower bound and the best plans of a collective. Sizes are those of nccl-tests.
pub(super) struct Rival {
    bound: FrontBound,
    fronts: Vec<Front>,
    /// Why there is no plan.
    refusal: Option<String>,
    /// The parts of the size: the messages of a group, which has no name.
    parts: u64,
    /// The factor of the bus bandwidth; of size 0.
    size: CollectiveSize,
}

impl Rival {
    /// Returns the lower bound of the time of any schedule.
    pub(super) fn bound(&self, bytes: u64) -> Prediction {
        let latency = u128::from(self.bound.latency.picoseconds);
        let together = self.bound.time(Timing::Synchronous, bytes / self.parts).number();
        Prediction::of_bound(latency, together - latency)
    }

    /// Returns the time of the best plan, if plans were computed.
    pub(super) fn best_plan(&self, bytes: u64) -> Option<Picoseconds> {
        let bytes = bytes / self.parts;
        let time = |front: &Front| Some(front.plans.get(front.best(bytes))?.time(Timing::Synchronous, bytes));
        self.fronts.iter().filter_map(time).min()
    }

    /// Returns the size with the bandwidths of nccl-tests.
    pub(super) fn size(&self, bytes: u64) -> CollectiveSize {
        let mut size = self.size;
        size.bytes = bytes;
        size
    }

    /// Prints why there is no best plan, or that a longer search may find a better one.
    pub(super) fn note(&self, verbosity: Verbosity) {
        if let Some(refusal) = &self.refusal {
            output::note(verbosity, refusal);
        }
        if self.fronts.iter().any(|front| front.is_cut_short) {
            output::note(verbosity, "stopped early; better plans may exist; --budget sets a longer time");
        }
    }
}

impl RivalProblem<'_> {
    /// Returns the bound and the best plans of a collective.
    pub(super) fn rival(&self, collective: CollectiveName) -> anyhow::Result<Rival> {
        use CollectiveName::{AllReduce, Broadcast, Reduce};
        let Ranks { members, root, costs, .. } = self.ranks;
        let root = collective.has_root().then_some(members[root]);
        let topology = &self.without_idle_terminals();
        let is_whole = members.len() == topology.terminal_count();
        let of_ranks = if is_whole {
            collective.with_root(root)?
        } else {
            collective.in_groups(topology, &[members.to_vec()], root.as_slice())?
        };
        let parts = match collective {
            AllReduce | Broadcast | Reduce => 1,
            _ if is_whole => 1,
            _ => members.len() as u64,
        };
        let model = CommunicationModel { ports: costs.ports, ..CommunicationModel::wormhole() };
        let problem = Problem::new(topology, &of_ranks, model).with_context(|| self.spec.to_owned())?;
        let size = CollectiveSize::of_ranks(collective, members.len() as u64, &problem, 0);
        let unit = times::unit(topology, None)?;
        let bound = lockstep::time_bound(&problem, unit, &Budget::time(BOUND_LIMIT))?;
        let mut rival = Rival { bound, fronts: Vec::new(), refusal: None, parts, size };
        if self.best_plan.no_plan {
            return Ok(rival);
        }
        let sizes = self.sizes.map(|bytes| (bytes / parts).max(1));
        let options = FrontOptions { sizes, ..FrontOptions::default() };
        let deliveries = problem.messages().delivery_count();
        if deliveries > MAX_DELIVERIES {
            rival.refusal = Some(format!(
                "{collective}: no best plan, because {} ranks have {deliveries} deliveries, more than {MAX_DELIVERIES}",
                members.len()
            ));
            return Ok(rival);
        }
        for network in coarse_networks(topology) {
            let problem = Problem::new(&network, &of_ranks, model).with_context(|| self.spec.to_owned())?;
            rival.fronts.push(lockstep::front(&problem, &options, &self.best_plan.budget.begin(), |_| {})?);
        }
        Ok(rival)
    }

    /// Returns the network without the other terminals, if no path leads through them: a library uses none of them to relay or to add
    /// data.
    fn without_idle_terminals(&self) -> Topology {
        let Ranks { topology, members, .. } = self.ranks;
        let mut is_member = vec![false; topology.node_count()];
        for member in members {
            is_member[member.index()] = true;
        }
        let mut idle: Vec<NodeId> = topology.terminals().to_vec();
        idle.retain(|node| !is_member[node.index()]);
        if idle.iter().any(|&node| topology.routes(node)) {
            return topology.clone();
        }
        topology.with_failures(idle, [])
    }
}
