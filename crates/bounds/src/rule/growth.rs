//! How fast a broadcast message can spread.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use super::{BoundRequest, Pipeline, pipeline};
use crate::demand::Demand;
use crate::legal::Legal;
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// The steps until enough terminals can hold the slowest message: in one step at most as many new ones as the holders,
/// taken to be the source and the terminals with the most ports, can start transfers. Under store-and-forward a terminal
/// sends it to each neighbour once and never back to the one it has it from, so that it has soon done all it can. Among
/// several messages of one source the last cannot start before the others have passed its ports. Takes O(N log N + M) time
/// for a collective with a name, and O(N) more for each kind of source.
///
/// Applies where a message has two or more receivers.
///
/// Source: Farley, "Minimum-time line broadcast networks", *Networks* 10 (1980), for one port; Liestman and Peters,
/// "Broadcast networks of bounded degree", *SIAM J. Discrete Mathematics* 1 (1988), for neighbours; here with each
/// terminal's own ports and neighbours.
pub(crate) fn bound(problem: &Problem<'_>, _ask: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.messages().is_scatter() {
        return None;
    }
    let demand = Demand::new(problem);
    let chunks = problem.messages().chunks();
    let speeds = Speeds::new(problem);
    let mut spreads: BTreeMap<[Speed; 2], Vec<u64>> = BTreeMap::new();
    let mut best: Option<LowerBound> = None;
    for source in demand.sources() {
        let (own, relay) = (speeds.source(source), speeds.relay(source));
        let informed = spreads.entry([own, relay]).or_insert_with(|| speeds.informed(own, relay));
        let mut counts: Vec<usize> = demand.from(source).map(|request| request.count).collect();
        let most = counts.iter().copied().max()?;
        let duration = |receivers: usize| informed.partition_point(|&holders| holders <= receivers as u64);
        let durations = counts.iter().map(|&receivers| duration(receivers) as u32).collect();
        let Some(Pipeline { steps, messages, duration }) = pipeline(durations, chunks, own.ports) else {
            continue;
        };
        if most < 2 || best.as_ref().is_some_and(|best| best.steps >= steps) {
            continue;
        }
        // The fewest receivers among these messages: all of them take at least this duration.
        counts.sort_unstable_by_key(|&receivers| Reverse(receivers));
        let receivers = counts[(messages / u64::from(chunks)) as usize - 1] as u64;
        let Some(informed) = informed.get(..=duration as usize).map(<[u64]>::to_vec) else { continue };
        let certificate = Certificate::Growth { source, messages, receivers, ports: own.ports, informed };
        best = Some(LowerBound { steps, rule: Rule::Growth, certificate });
    }
    best
}

/// How many transfers of one message a terminal can start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Speed {
    /// In one step.
    ports: u64,
    /// In all, once it has the message.
    targets: u64,
}

/// The speeds of all terminals.
struct Speeds<'a> {
    legal: Legal<'a>,
    /// Whether targets are neighbours.
    by_neighbours: bool,
    /// Those of all terminals once they have it from another, most first; ports and targets each for themselves.
    ports: Vec<u64>,
    targets: Vec<u64>,
}

impl<'a> Speeds<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let by_neighbours = problem.model().switching == Switching::StoreAndForward;
        let mut speeds = Self { legal: Legal::new(problem), by_neighbours, ports: Vec::new(), targets: Vec::new() };
        let relays: Vec<Speed> = problem.topology().terminals().iter().map(|&node| speeds.relay(node)).collect();
        speeds.ports = relays.iter().map(|speed| speed.ports).collect();
        speeds.targets = relays.iter().map(|speed| speed.targets).collect();
        speeds.ports.sort_unstable_by_key(|&count| Reverse(count));
        speeds.targets.sort_unstable_by_key(|&count| Reverse(count));
        speeds
    }

    /// A terminal that is the source.
    fn source(&self, node: NodeId) -> Speed {
        let targets = if self.by_neighbours { self.neighbours(node).len() as u64 } else { u64::MAX };
        Speed { ports: self.legal.send_limit(node), targets }
    }

    /// A terminal that has the message from another: if whichever neighbour sent it is a target, it is none any more.
    fn relay(&self, node: NodeId) -> Speed {
        let Speed { ports, targets } = self.source(node);
        if !self.by_neighbours {
            return Speed { ports, targets };
        }
        let (topology, neighbours) = (self.legal.topology, self.neighbours(node));
        let senders = topology.in_channels(node).iter().filter(|&&channel| self.legal.carries(channel));
        let is_answered = |tail: NodeId| neighbours.binary_search(&tail).is_ok();
        let all_answered = senders.map(|&channel| topology.tail(channel)).all(is_answered);
        Speed { ports, targets: targets.saturating_sub(all_answered.into()) }
    }

    /// The terminals that a terminal can send to over one channel, ascending.
    fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        let topology = self.legal.topology;
        let channels = topology.out_channels(node).iter().filter(|&&channel| self.legal.carries(channel));
        let mut heads: Vec<NodeId> = channels.map(|&channel| topology.head(channel)).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// The most holders of a message 0, 1, 2, … steps after its start, until all terminals hold it or no more can: those
    /// with the most ports and targets first, but for the source, which would be such a relay.
    fn informed(&self, source: Speed, relay: Speed) -> Vec<u64> {
        let all = self.ports.len() as u64;
        let without = |speeds: &[u64], gone: u64, place: usize| {
            let is_behind = speeds.partition_point(|&speed| speed > gone) <= place;
            speeds[place + usize::from(is_behind)]
        };
        // How the transfers of a step differ from those of the step before.
        let mut changes: Vec<i64> = Vec::new();
        let join = |changes: &mut Vec<i64>, step: usize, Speed { ports, targets }: Speed| {
            if ports == 0 {
                return;
            }
            // Nobody has to stop after all hold the message.
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
                let ports = without(&self.ports, relay.ports, place);
                let targets = without(&self.targets, relay.targets, place);
                join(&mut changes, step + 1, Speed { ports, targets });
            }
        }
        informed
    }
}
