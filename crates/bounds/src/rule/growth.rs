//! The growth of the set of terminals that hold a message.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use crate::demand::Demand;
use crate::pipeline::{Pipeline, longest_pipeline};
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;

/// Computes the number of steps until enough terminals can hold the slowest message.
///
/// In one step, the number of holders grows by at most the transfers that the holders can start. The holders are
/// assumed to be the source and the terminals with the most ports. Under store-and-forward, a terminal sends the
/// message to each neighbour once, and not to the one that sent it. The holders are then assumed to be the terminals
/// with the most neighbours, each with as many ports as any of them can use. Of several messages of one source, the
/// last starts after the others have passed the ports. Applies if a message has two or more receivers. Takes
/// `O(N log N + M)` time for a collective with a name, and `O(N)` more per kind of source.
///
/// # Source
///
/// Farley, "Minimum-time line broadcast networks", *Networks* 10 (1980), for one port; Liestman and Peters,
/// "Broadcast networks of bounded degree", *SIAM J. Discrete Mathematics* 1 (1988), for neighbours; here with each
/// terminal's own ports and neighbours.
pub(crate) fn bound(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.messages().is_scatter() {
        return None;
    }
    let demand = Demand::new(problem);
    let chunks = problem.messages().chunks();
    let model = GrowthModel::new(problem);
    let mut growths: BTreeMap<[SendRate; 2], Vec<u64>> = BTreeMap::new();
    let mut best: Option<LowerBound> = None;
    for source in demand.sources() {
        let (own, relay) = (model.source(source), model.relay(source));
        let informed = growths.entry([own, relay]).or_insert_with(|| model.informed(own, relay));
        let mut counts: Vec<usize> = demand.from(source).map(|multicast| multicast.count).collect();
        let most = counts.iter().copied().max()?;
        let duration = |receivers: usize| informed.partition_point(|&holders| holders <= receivers as u64);
        let durations = counts.iter().map(|&receivers| duration(receivers) as u32).collect();
        let Some(Pipeline { steps, messages, duration }) = longest_pipeline(durations, chunks, own.ports) else {
            continue;
        };
        if most < 2 || best.as_ref().is_some_and(|best| best.steps >= steps) {
            continue;
        }
        // The smallest number of receivers among these messages: all of them take at least this duration.
        counts.sort_unstable_by_key(|&receivers| Reverse(receivers));
        let receivers = counts[(messages / u64::from(chunks)) as usize - 1] as u64;
        let Some(informed) = informed.get(..=duration as usize).map(<[u64]>::to_vec) else { continue };
        let certificate = Certificate::Growth { source, messages, receivers, ports: own.ports, informed };
        best = Some(LowerBound { steps, rule: Rule::Growth, certificate });
    }
    best
}

/// The number of transfers of one message that a terminal can start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SendRate {
    /// The number in one step.
    ports: u64,
    /// The total number, once the terminal holds the message.
    targets: u64,
}

impl SendRate {
    /// Returns the number of transfers that the terminal can start in its first step as a holder.
    fn starts(self) -> u64 {
        self.ports.min(self.targets)
    }
}

/// The send rates of all terminals.
struct GrowthModel<'a> {
    rules: TransferRules<'a>,
    /// Whether a terminal sends to its neighbours only.
    by_neighbours: bool,
    /// The numbers of transfers that all terminals can start in one step if they are not the source, in descending
    /// order.
    starts: Vec<u64>,
    /// The targets of all terminals if they are not the source, in descending order.
    targets: Vec<u64>,
}

impl<'a> GrowthModel<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let by_neighbours = problem.model().switching == Switching::StoreAndForward;
        let mut model =
            Self { rules: TransferRules::new(problem), by_neighbours, starts: Vec::new(), targets: Vec::new() };
        let relays: Vec<SendRate> = problem.topology().terminals().iter().map(|&node| model.relay(node)).collect();
        model.starts = relays.iter().map(|rate| rate.starts()).collect();
        model.targets = relays.iter().map(|rate| rate.targets).collect();
        model.starts.sort_unstable_by_key(|&count| Reverse(count));
        model.targets.sort_unstable_by_key(|&count| Reverse(count));
        model
    }

    /// Returns the rate of a terminal that is the source.
    fn source(&self, node: NodeId) -> SendRate {
        let targets = if self.by_neighbours { self.neighbours(node).len() as u64 } else { u64::MAX };
        SendRate { ports: self.rules.send_limit(node), targets }
    }

    /// Returns the rate of a terminal that is not the source. If it can send to every neighbour that can send to it,
    /// then one of its targets holds the message already.
    fn relay(&self, node: NodeId) -> SendRate {
        let SendRate { ports, targets } = self.source(node);
        if !self.by_neighbours {
            return SendRate { ports, targets };
        }
        let (topology, neighbours) = (self.rules.topology, self.neighbours(node));
        let senders = topology.in_channels(node).iter().filter(|&&channel| self.rules.carries(channel));
        let is_target = |tail: NodeId| neighbours.binary_search(&tail).is_ok();
        let all_are_targets = senders.map(|&channel| topology.tail(channel)).all(is_target);
        SendRate { ports, targets: targets.saturating_sub(all_are_targets.into()) }
    }

    /// Returns the terminals that a terminal can send to over one channel, ascending.
    fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        let topology = self.rules.topology;
        let channels = topology.out_channels(node).iter().filter(|&&channel| self.rules.carries(channel));
        let mut heads: Vec<NodeId> = channels.map(|&channel| topology.head(channel)).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// Returns the largest number of holders of a message 0, 1, 2, … steps after its start, until all terminals hold it
    /// or the growth ends.
    ///
    /// New holders are those with the most starts or targets, without the source, whose rate as a relay would be
    /// `relay`. Where both limits matter, each new holder has the most starts of all: the first one has the most time,
    /// which a terminal with few ports and many targets may use best.
    fn informed(&self, source: SendRate, relay: SendRate) -> Vec<u64> {
        let all = self.targets.len() as u64;
        let without = |counts: &[u64], removed: u64, place: usize| {
            let is_behind = counts.partition_point(|&count| count > removed) <= place;
            counts[place + usize::from(is_behind)]
        };
        let new_holder = |place: usize| SendRate {
            ports: without(&self.starts, relay.starts(), if self.by_neighbours { 0 } else { place }),
            targets: without(&self.targets, relay.targets, place),
        };
        // The differences between the numbers of transfers in successive steps.
        let mut changes: Vec<i64> = Vec::new();
        let join = |changes: &mut Vec<i64>, step: usize, SendRate { ports, targets }: SendRate| {
            if ports == 0 {
                return;
            }
            // The growth ends when all terminals hold the message, so a later end does not matter.
            let end = step + (targets / ports).min(all) as usize;
            let (ports, rest) = (ports.cast_signed(), (targets % ports).cast_signed());
            changes.resize(changes.len().max(end + 2), 0);
            changes[step] += ports;
            changes[end] += rest - ports;
            changes[end + 1] -= rest;
        };
        join(&mut changes, 1, source);
        let (mut informed, mut active, mut holders) = (vec![1], 0, 1);
        for step in 1.. {
            active += changes.get(step).copied().unwrap_or(0);
            if active <= 0 || holders == all {
                break;
            }
            let before = holders;
            holders = (holders + active.cast_unsigned()).min(all);
            informed.push(holders);
            for place in before as usize - 1..holders as usize - 1 {
                join(&mut changes, step + 1, new_holder(place));
            }
        }
        informed
    }
}
