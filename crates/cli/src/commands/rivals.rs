//! What the algorithms of libraries are compared with: the lower bound, and the front of schedules.

use anyhow::Context;
use lockstep::schedule::{CollectiveSize, Picoseconds, Ports};
use lockstep::{
    Budget, CollectiveName, CommunicationModel, Front, FrontBound, FrontOptions, NodeId, Problem, Timing, Topology,
};
use lockstep_measure::Prediction;

use super::times;
use crate::units::BudgetArg;

/// The collectives of some terminals of a network.
#[derive(Clone, Copy)]
pub(super) struct RivalProblem<'a> {
    /// The spec of the network, for messages.
    pub(super) spec: &'a str,
    pub(super) topology: &'a Topology,
    /// The terminals, in the order of their ranks.
    pub(super) members: &'a [NodeId],
    pub(super) root: NodeId,
    pub(super) ports: Ports,
    /// The time limit of each bound, and of each front.
    pub(super) budget: BudgetArg,
    /// The smallest and the largest size of the front; `None` for no front.
    pub(super) front: Option<[u64; 2]>,
}

/// The lower bound and the front of a collective. Sizes are those of nccl-tests.
pub(super) struct Rival {
    bound: FrontBound,
    front: Option<Front>,
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

    /// Returns the time of the best schedule found, if there is a front.
    pub(super) fn best(&self, bytes: u64) -> Option<Picoseconds> {
        let (front, bytes) = (self.front.as_ref()?, bytes / self.parts);
        let plan = front.plans.get(front.best(bytes))?;
        Some(plan.time(Timing::Synchronous, bytes))
    }

    /// Returns the size with the bandwidths of nccl-tests.
    pub(super) fn size(&self, bytes: u64) -> CollectiveSize {
        let mut size = self.size;
        size.bytes = bytes;
        size
    }

    /// Returns true if a deadline or a cancellation ended the search for schedules.
    pub(super) fn is_cut_short(&self) -> bool {
        self.front.as_ref().is_some_and(|front| front.is_cut_short)
    }
}

impl RivalProblem<'_> {
    /// Returns the bound and the front of a collective.
    pub(super) fn rival(&self, collective: CollectiveName) -> anyhow::Result<Rival> {
        use CollectiveName::{AllReduce, Broadcast, Reduce};
        let root = collective.has_root().then_some(self.root);
        let topology = &self.without_idle_terminals();
        let is_whole = self.members.len() == topology.terminal_count();
        let of_ranks = if is_whole {
            collective.with_root(root)?
        } else {
            collective.in_groups(topology, &[self.members.to_vec()], root.as_slice())?
        };
        let parts = match collective {
            AllReduce | Broadcast | Reduce => 1,
            _ if is_whole => 1,
            _ => self.members.len() as u64,
        };
        let model = CommunicationModel { ports: self.ports, ..CommunicationModel::wormhole() };
        let problem = Problem::new(topology, &of_ranks, model).with_context(|| self.spec.to_owned())?;
        let size = CollectiveSize::of_ranks(collective, self.members.len() as u64, &problem, 0);
        let unit = times::unit(topology, None)?;
        let bound = lockstep::time_bound(&problem, unit, &self.begin())?;
        let front = self.front.map(|sizes| {
            let sizes = sizes.map(|bytes| (bytes / parts).max(1));
            lockstep::front(&problem, &FrontOptions { sizes, ..FrontOptions::default() }, &self.begin(), |_| {})
        });
        Ok(Rival { bound, front: front.transpose()?, parts, size })
    }

    /// Returns the network without the other terminals, if no path leads through them: a library uses none of them to relay or to add
    /// data.
    fn without_idle_terminals(&self) -> Topology {
        let mut is_member = vec![false; self.topology.node_count()];
        self.members.iter().for_each(|member| is_member[member.index()] = true);
        let mut idle: Vec<NodeId> = self.topology.terminals().to_vec();
        idle.retain(|node| !is_member[node.index()]);
        if idle.iter().any(|&node| self.topology.routes(node)) {
            return self.topology.clone();
        }
        self.topology.with_failures(idle, [])
    }

    fn begin(&self) -> Budget {
        self.budget.begin()
    }
}
