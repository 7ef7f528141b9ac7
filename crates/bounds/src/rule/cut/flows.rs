//! The best cuts, by maximum flows.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};
use rayon::prelude::*;

use super::Cuts;
use crate::demand::Demand;
use crate::legal::Legal;
use crate::rule::{SEARCH_WORK, ports, sample};
use crate::wires::Wires;

/// Visits of an arc that a flow takes, about.
const VISITS: usize = 16;

/// Receivers that are asked side by side before the best answer is looked at.
const ROUND: usize = 64;

/// Whether flows leave nothing to be found.
pub(super) fn decide(demand: &Demand<'_>) -> bool {
    matches!(demand, Demand::Broadcast { .. }) || has_one_receiver(demand) || scatter_source(demand).is_some()
}

fn has_one_receiver(demand: &Demand<'_>) -> bool {
    matches!(demand, Demand::Listed { .. }) && demand.receivers().len() == 1
}

/// The only source, if every message has one receiver.
fn scatter_source(demand: &Demand<'_>) -> Option<NodeId> {
    let sources = demand.sources();
    let is_scatter = |source: NodeId| demand.from(source).all(|request| request.count == 1);
    sources.first().copied().filter(|&source| sources.len() == 1 && is_scatter(source))
}

/// Looks at the best cuts that say more than the ports: around all receivers of the messages from one source, or around
/// each receiver with all messages for it.
///
/// That `T` steps are too few for some cut is a question for one flow: over wires `T` wide not all messages get through,
/// and a least cut says how many steps more it takes, until they do (Newton's method, a few flows). Where everyone sends
/// to everyone it is asked of one terminal, and with its answer of the others only if fewer wires lead there from that
/// terminal than the messages need: a cut between both that stops the messages has fewer wires. So N receivers take
/// O(N D M) time for D steps' messages, and no flow of many units. Beyond a fixed amount of work receivers are sampled
/// evenly.
///
/// Source: Ford and Fulkerson, *Flows in Networks* (1962), §I.5; the quotient by Dinkelbach, *Management Science* 13 (1967).
pub(super) fn look(problem: &Problem<'_>, demand: &Demand<'_>, cuts: &mut Cuts<'_, '_>) {
    let by_ports = ports::bound(problem, cuts.enough).map_or(0, |bound| bound.steps);
    if by_ports > cuts.best.0 {
        cuts.best.0 = by_ports;
        cuts.best.1.clear();
    }
    if let Some(source) = scatter_source(demand) {
        return scatter(problem, demand, source, cuts);
    }
    match demand {
        Demand::Broadcast { sources: [source], .. } => {
            Gather::new(problem).copies_of(*source, &demand.receivers(), cuts)
        }
        Demand::Broadcast { terminals, .. } => Gather::new(problem).all_to_all(terminals, cuts),
        _ if has_one_receiver(demand) || !problem.messages().is_scatter() => Gather::new(problem).listed(demand, cuts),
        _ => {}
    }
}

fn scatter(problem: &Problem<'_>, demand: &Demand<'_>, source: NodeId, cuts: &mut Cuts<'_, '_>) {
    let topology = problem.topology();
    let mut wires = wires(problem, one_way);
    for receiver in demand.receivers() {
        wires.demand(receiver, demand.count_to(receiver) * problem.messages().chunks());
    }
    let ends = [Wires::at(source), Wires::sink(topology)];
    wires.widen(problem.messages().len() as u64, ends, [cuts.best.0, cuts.enough], |side| {
        cuts.try_side(&side);
        Some((cuts.best.0, ()))
    });
}

/// The wires that carry transfers.
fn wires(problem: &Problem<'_>, ways: fn([usize; 2]) -> [Option<[usize; 2]>; 2]) -> Wires {
    let (topology, legal) = (problem.topology(), Legal::new(problem));
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(Wires::at);
    Wires::new(topology, |channel| if legal.carries(channel) { ways(ends(channel)) } else { [None; 2] })
}

fn one_way(ends: [usize; 2]) -> [Option<[usize; 2]>; 2] {
    [Some(ends), None]
}

fn either_way([tail, head]: [usize; 2]) -> [Option<[usize; 2]>; 2] {
    [Some([tail, head]), Some([head, tail])]
}

/// The messages of some sources on their way to one receiver after the other.
struct Gather<'b, 'a> {
    problem: &'b Problem<'a>,
    wires: Wires,
    chunks: u32,
}

impl<'b, 'a> Gather<'b, 'a> {
    fn new(problem: &'b Problem<'a>) -> Self {
        Self { problem, wires: wires(problem, one_way), chunks: problem.messages().chunks() }
    }

    /// A copy of the message of the only source for every other terminal.
    fn copies_of(mut self, source: NodeId, receivers: &[NodeId], cuts: &mut Cuts<'_, '_>) {
        let needed = self.chunks.into();
        self.ask(receivers, cuts, |wires, width, receiver| few_paths(wires, [source, receiver], width, needed));
    }

    /// A copy of the message of every terminal for every other one.
    fn all_to_all(mut self, terminals: &[NodeId], cuts: &mut Cuts<'_, '_>) {
        for &source in terminals {
            self.wires.supply(source, self.chunks);
        }
        let (topology, hub) = (self.problem.topology(), terminals[0]);
        let supplied = terminals.len() as u64 * u64::from(self.chunks);
        let gather = |wires: &mut Wires, width: u32, receiver: NodeId| {
            let arrived = wires.flow(width, Wires::source(topology), Wires::at(receiver));
            (arrived < supplied).then(|| wires.far_side())
        };
        self.ask(&[hub], cuts, gather);
        let needed = supplied - u64::from(self.chunks);
        self.ask(&terminals[1..], cuts, |wires, width, receiver| {
            few_paths(wires, [hub, receiver], width, needed).and_then(|_| gather(wires, width, receiver))
        });
        if topology.resource_count() < topology.channel_count() {
            self.wires = wires(self.problem, either_way);
            self.ask(&terminals[1..], cuts, |wires, width, receiver| {
                few_paths(wires, [hub, receiver], width, supplied)
            });
        }
    }

    /// What a list says.
    fn listed(mut self, demand: &Demand<'_>, cuts: &mut Cuts<'_, '_>) {
        let sources = demand.sources();
        for &source in &sources {
            self.wires.supply(source, 0);
        }
        let (chunks, supply) = (self.chunks, Wires::source(self.problem.topology()));
        self.ask(&demand.receivers(), cuts, |wires, width, receiver| {
            let mut units = vec![0; sources.len()];
            for source in demand.to(receiver) {
                units[sources.binary_search(&source).expect("a source of a message")] += chunks;
            }
            let needed = units.iter().map(|&units| u64::from(units)).sum::<u64>();
            wires.replace_ends(units);
            let arrived = wires.flow(width, supply, Wires::at(receiver));
            (arrived < needed).then(|| wires.far_side())
        });
    }

    /// Asks receivers for a cut that stops messages for them over wires of a width, which is the best number of steps so
    /// far, as long as they have one. The order is that of the receivers on any number of threads.
    fn ask(
        &mut self,
        receivers: &[NodeId],
        cuts: &mut Cuts<'_, '_>,
        stops: impl Fn(&mut Wires, u32, NodeId) -> Option<FixedBitSet> + Sync,
    ) {
        let topology = self.problem.topology();
        let work = VISITS * (topology.node_count() + topology.channel_count());
        // One flow brings the arcs into rows, which all threads copy.
        self.wires.flow(0, Wires::source(topology), Wires::sink(topology));
        let receivers: Vec<NodeId> = sample(receivers, SEARCH_WORK / work).copied().collect();
        for round in receivers.chunks(ROUND) {
            let mut asked = round.to_vec();
            while !asked.is_empty() && !cuts.is_done() {
                let width = cuts.best.0;
                let answers: Vec<Option<FixedBitSet>> = asked
                    .par_iter()
                    .with_min_len(ROUND / 8)
                    .map_init(|| self.wires.clone(), |wires, &receiver| stops(wires, width, receiver))
                    .collect();
                answers.iter().flatten().for_each(|side| cuts.try_side(side));
                let is_better = cuts.best.0 > width;
                let mut stopped = answers.iter().map(|answer| is_better && answer.is_some());
                asked.retain(|_| stopped.next() == Some(true));
            }
        }
    }
}

/// The far side of a cut that stops messages from one terminal to another, if the wires between them are too few for so
/// many.
fn few_paths(wires: &mut Wires, ends: [NodeId; 2], width: u32, messages: u64) -> Option<FixedBitSet> {
    let [from, to] = ends.map(Wires::at);
    let paths = wires.flow(1, from, to);
    (paths * u64::from(width) < messages).then(|| wires.far_side())
}
