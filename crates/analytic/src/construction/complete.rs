//! Complete graphs: every terminal has a channel to every other one.

use lockstep_schedule::{Budget, CollectiveName, MessageId, Ports, Problem, Schedule};
use lockstep_topology::{ChannelId, Topology};

use crate::Construction;
use crate::kit::budget_check::BudgetCheck;

/// Transfers over single channels, with any number of ports, under any numbering and under both kinds of switching.
///
/// With `k` ports, a scatter, all-gather or all-to-all of `P` terminals takes `ceil((P - 1) / k)` steps: the number of
/// messages that a terminal sends or receives, divided by its ports. A broadcast takes the logarithm of `P` to the base
/// `k + 1`, rounded up: the number of holders grows by this factor in a step. Both are optimal. Takes `O(M)` time for `M`
/// channels, and 4 bytes per pair of terminals in addition to the schedule.
///
/// # Source
///
/// Cyclic shifts: Johnsson and Ho, *Optimum broadcasting and personalized communication in hypercubes*, IEEE Transactions on
/// Computers 38 (1989), for the all-to-all of one-port nodes. Broadcast: Bruck, Ho, Kipnis, Upfal and Weathersby, *Efficient
/// algorithms for all-to-all communications in multiport message-passing systems*, IEEE TPDS 8 (1997).
pub(crate) const COMPLETE: Construction = Construction {
    name: "complete",
    about: "complete graphs with any number of ports: broadcast, scatter, all-gather and all-to-all in the fewest steps",
    construct: |problem, _, budget| {
        let graph = CompleteGraph::recognise(problem.topology(), budget)?;
        graph.schedule(problem, budget)
    },
};

/// A channel for every pair of terminals, none of which shares its resource.
#[derive(Debug)]
struct CompleteGraph {
    terminals: usize,
    /// The channels by the rank of their tail, then by the rank of their head.
    channels: Vec<ChannelId>,
}

impl CompleteGraph {
    /// Returns the complete graph that this network contains, or `None`. A network with fewer channels is refused at once.
    fn recognise(topology: &Topology, budget: &Budget) -> Option<Self> {
        let terminals = topology.terminal_count();
        let pairs = terminals.checked_mul(terminals.checked_sub(1)?)?;
        let shares = topology.resource_count() != topology.channel_bound();
        if terminals < 2 || shares || topology.channels().len() < pairs {
            return None;
        }
        let mut channels = Vec::with_capacity(pairs);
        let (mut channel_to, mut check) = (vec![None; terminals], BudgetCheck::new(budget));
        for (from, &tail) in topology.terminals().iter().enumerate() {
            check.spend(topology.out_channels(tail).len())?;
            channel_to.fill(None);
            for &channel in topology.out_channels(tail).iter().rev() {
                if let Some(to) = topology.terminal_rank(topology.head(channel)) {
                    channel_to[to] = Some(channel);
                }
            }
            channels.extend(channel_to[..from].iter().chain(&channel_to[from + 1..]).copied().flatten());
            if channels.len() != (from + 1) * (terminals - 1) {
                return None;
            }
        }
        Some(Self { terminals, channels })
    }

    /// Returns the place of a pair of ranks among all pairs.
    fn pair(&self, from: usize, to: usize) -> usize {
        from * (self.terminals - 1) + to - usize::from(to > from)
    }

    /// Returns the shortest schedule of a named collective; `None` for other messages, and when the budget ends.
    fn schedule(&self, problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
        let collective = problem.collective();
        let root = || problem.topology().terminal_rank(collective.root()?);
        let ports = problem.model().ports;
        match collective.name()? {
            CollectiveName::Broadcast => Some(self.broadcast(root()?, ports)),
            CollectiveName::Scatter => {
                let root = root()?;
                self.shifts(ports, root..root + 1, |_, to| to - usize::from(to > root), budget)
            }
            CollectiveName::AllGather => self.shifts(ports, 0..self.terminals, |from, _| from, budget),
            CollectiveName::AllToAll => self.shifts(ports, 0..self.terminals, |from, to| self.pair(from, to), budget),
            _ => None,
        }
    }

    /// Sends a message from each of these terminals to each other one. In a step, all of them send to the terminals at the
    /// same distances in the cyclic order of ranks, one distance per port. So every terminal receives at each distance once.
    fn shifts(
        &self,
        ports: Ports,
        senders: std::ops::Range<usize>,
        message: impl Fn(usize, usize) -> usize,
        budget: &Budget,
    ) -> Option<Schedule> {
        let (count, per_step) = (self.terminals, ports.of_degree(self.terminals - 1));
        let transfers = senders.len() * (count - 1);
        let mut schedule = Schedule::with_capacity(transfers, transfers);
        let mut check = BudgetCheck::new(budget);
        for first in (1..count).step_by(per_step) {
            let distances = first..count.min(first + per_step);
            schedule.begin_step();
            for from in senders.clone() {
                for distance in distances.clone() {
                    let to = (from + distance) % count;
                    schedule.push(MessageId::from_index(message(from, to)), &[self.channels[self.pair(from, to)]]);
                }
                check.spend(distances.len())?;
            }
        }
        Some(schedule)
    }

    /// Sends the message of the root to all others. The holders are the root and the terminals behind it in the cyclic order of
    /// ranks, and each sends to a new one per port.
    fn broadcast(&self, root: usize, ports: Ports) -> Schedule {
        let (count, per_step) = (self.terminals, ports.of_degree(self.terminals - 1));
        let mut schedule = Schedule::with_capacity(count - 1, count - 1);
        let mut holders = 1;
        while holders < count {
            let reached = holders.saturating_mul(per_step).min(count - holders);
            schedule.begin_step();
            for new in 0..reached {
                let [from, to] = [new % holders, holders + new].map(|place| (root + place) % count);
                schedule.push(MessageId::new(0), &[self.channels[self.pair(from, to)]]);
            }
            holders += reached;
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use lockstep_bounds::best_reaching;
    use lockstep_schedule::strategy::any_model;
    use lockstep_schedule::{Collective, CommunicationModel, verify};
    use lockstep_topology::strategy::shuffled;
    use lockstep_topology::{NodeId, TopologyBuilder};
    use proptest::prelude::*;

    use super::*;

    fn collectives(root: NodeId) -> [Collective; 4] {
        [Collective::broadcast(root), Collective::scatter(root), Collective::all_gather(), Collective::all_to_all()]
    }

    /// A complete graph with one parallel channel, perhaps a switch, and nodes in any order.
    fn any_complete() -> impl Strategy<Value = Topology> {
        (2u32..12, any::<bool>()).prop_flat_map(|(count, has_switch)| {
            let mut network = TopologyBuilder::new("complete");
            let nodes: Vec<NodeId> = (0..count).map(|node| network.terminal(node.to_string())).collect();
            let hub = has_switch.then(|| network.switch("hub"));
            for (place, &node) in nodes.iter().enumerate() {
                for &other in nodes[..place].iter().chain(&hub) {
                    network.link(node, other);
                }
            }
            network.channel(nodes[0], nodes[1]);
            shuffled(network.build().unwrap())
        })
    }

    proptest! {
        #[test]
        fn every_collective_takes_the_fewest_steps(
            network in any_complete(), root: prop::sample::Index, model in any_model(),
        ) {
            for collective in collectives(*root.get(network.terminals())) {
                let problem = Problem::new(&network, &collective, model).unwrap();
                let schedule = COMPLETE.schedule(&problem, 0, &Budget::unlimited());
                let schedule = schedule.expect("every pair of terminals has a channel");
                let report = verify(&problem, &schedule)?;
                prop_assert_eq!(report.redundant, 0);
                let steps = report.steps as u32;
                prop_assert_eq!(best_reaching(&problem, steps).steps, steps, "{}", collective.abbreviation());
            }
        }
    }

    #[test]
    fn other_networks_are_not_supported() {
        let complete: Topology = "complete:5".parse().unwrap();
        let first = complete.channels().next().unwrap();
        let others = ["ring:5".parse().unwrap(), complete.half_duplex(), complete.with_failures([], [first])];
        for network in others {
            let collective = Collective::all_gather();
            let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
            assert_eq!(COMPLETE.schedule(&problem, 0, &Budget::unlimited()), None);
        }
    }

    #[test]
    fn a_spent_budget_ends_the_recognition_and_the_construction() {
        let complete: Topology = "complete:300".parse().unwrap();
        let gather = Collective::all_gather();
        let problem = Problem::new(&complete, &gather, CommunicationModel::wormhole()).unwrap();
        let found = |check| COMPLETE.schedule(&problem, 0, &Budget::unlimited().cancelled_at_check(check));
        // Both visit 89,700 channels, with two checks each.
        for check in 1..=4 {
            assert_eq!(found(check), None, "check {check}");
        }
        assert_eq!(found(5).map(|schedule| schedule.step_count()), Some(1));
    }
}
