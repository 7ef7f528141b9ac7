//! A router that packs transfers into steps as they come: valid schedules, nothing more.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::distribute_phase::DistributePhase;
use crate::messages::MessageId;
use crate::model::{CommunicationModel, Ports, Routing, Switching};
use crate::needed::needed_transfers;
use crate::problem::Problem;
use crate::reach::{Inner, ReachSearch, UNREACHED};
use crate::schedule::Schedule;

/// Returns a valid schedule without waste, a different one for every seed: no redundant delivery, no needless relay.
///
/// For small networks: time and memory are cubic in the number of terminals.
pub fn random_schedule(problem: &Problem<'_>, seed: u64) -> Schedule {
    let mut random = Random(seed);
    let mut schedule = Schedule::new();
    for phase in DistributePhase::all(problem) {
        let problem = phase.problem(problem);
        let distribution = Router::new(&problem).distribute(&mut random);
        let needed = match problem.collective().listed() {
            Some(_) => needed_transfers(problem.topology(), &problem.messages(), &distribution),
            None => distribution,
        };
        schedule.append(&phase.from_distribution(needed));
    }
    schedule
}

/// `SplitMix64`, so that schedules depend on the seed alone.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

/// A message on its way.
struct Parcel {
    message: MessageId,
    /// The terminals that hold it, in the order in which it came.
    holders: Vec<NodeId>,
    /// The receivers that lack it.
    lacking: Vec<NodeId>,
    is_scatter: bool,
}

/// What a step uses already.
struct Slots {
    busy: Vec<bool>,
    sends: Vec<usize>,
    receives: Vec<usize>,
}

struct Router<'a> {
    topology: &'a Topology,
    model: CommunicationModel,
    parcels: Vec<Parcel>,
    /// `distance[to][from]` in channels, of one transfer.
    distance: Vec<Vec<u32>>,
    /// `hops[to][from]` in transfers, by node.
    hops: Vec<Vec<u32>>,
}

impl<'a> Router<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let (topology, messages, model) = (problem.topology(), problem.messages(), problem.model());
        let inner = if model.switching == Switching::Wormhole { Inner::Routing } else { Inner::Terminals };
        let search = ReachSearch { topology, backwards: true, inner };
        let one_transfer = |distance: u32| {
            if model.switching == Switching::Wormhole { distance != UNREACHED } else { distance == 1 }
        };
        let distance: Vec<Vec<u32>> = topology
            .nodes()
            .map(|to| {
                let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
                search.distances(to, &mut distance, &mut queue);
                distance
            })
            .collect();
        let hops = topology.nodes().map(|to| {
            let mut hops = vec![UNREACHED; topology.node_count()];
            hops[to.index()] = 0;
            let mut queue = vec![to];
            let mut next = 0;
            while let Some(&node) = queue.get(next) {
                next += 1;
                for &from in topology.terminals() {
                    if hops[from.index()] == UNREACHED && one_transfer(distance[node.index()][from.index()]) {
                        hops[from.index()] = hops[node.index()] + 1;
                        queue.push(from);
                    }
                }
            }
            hops
        });
        let parcel = |message| Parcel {
            message,
            holders: vec![messages.source(message)],
            lacking: messages.receivers_iter(message).collect(),
            is_scatter: messages.is_scatter(),
        };
        Self { topology, model, parcels: messages.ids().map(parcel).collect(), hops: hops.collect(), distance }
    }

    fn distribute(mut self, random: &mut Random) -> Schedule {
        let mut schedule = Schedule::new();
        while self.parcels.iter().any(|parcel| !parcel.lacking.is_empty()) {
            schedule.begin_step();
            let nodes = self.topology.node_count();
            let mut slots = Slots {
                busy: vec![false; self.topology.resource_count()],
                sends: vec![0; nodes],
                receives: vec![0; nodes],
            };
            let mut arrivals: Vec<(usize, NodeId)> = Vec::new();
            let mut wishes: Vec<(usize, NodeId)> = Vec::new();
            for (parcel, Parcel { lacking, .. }) in self.parcels.iter().enumerate() {
                wishes.extend(lacking.iter().map(|&receiver| (parcel, receiver)));
            }
            random.shuffle(&mut wishes);
            for (place, receiver) in wishes {
                // Now and then a chance is missed, but the first transfer of a step is always possible.
                if !arrivals.is_empty() && random.below(8) == 0 {
                    continue;
                }
                let parcel = &self.parcels[place];
                let Some((from, to)) = self.hop(parcel, receiver, random) else { continue };
                let on_its_way = arrivals.iter().any(|&(other, at)| other == place && (at == to || parcel.is_scatter));
                if on_its_way || !self.has_ports(&slots, from, to) {
                    continue;
                }
                if let Some(path) = self.path(&slots, from, to, random) {
                    schedule.push(parcel.message, &path);
                    for channel in path {
                        slots.busy[self.topology.resource(channel).index()] = true;
                    }
                    slots.sends[from.index()] += 1;
                    slots.receives[to.index()] += 1;
                    arrivals.push((place, to));
                }
            }
            for (parcel, at) in arrivals {
                self.parcels[parcel].holders.push(at);
                self.parcels[parcel].lacking.retain(|&receiver| receiver != at);
            }
        }
        schedule
    }

    /// The next transfer that brings a message nearer to a receiver.
    fn hop(&self, parcel: &Parcel, receiver: NodeId, random: &mut Random) -> Option<(NodeId, NodeId)> {
        let source = parcel.holders[0];
        if parcel.is_scatter && self.model.is_direct() {
            return Some((source, receiver));
        }
        let to_go = |node: NodeId| self.hops[receiver.index()][node.index()];
        let reaches = |from: NodeId, to: NodeId| self.hops[to.index()][from.index()] == 1;
        let mut terminals = self.topology.terminals().to_vec();
        if parcel.is_scatter {
            // The last holder counts. Now and then it takes a way round over a neighbour of the receiver, from where the
            // message cannot come back to an earlier holder.
            let from = *parcel.holders.last()?;
            let detour = random.below(4) == 0;
            terminals.retain(|&to| reaches(from, to) && !parcel.holders.contains(&to));
            let round: Vec<NodeId> = terminals.iter().copied().filter(|&to| detour && to_go(to) == 1).collect();
            terminals.retain(|&to| to_go(to) < to_go(from));
            return Some((from, random.pick(&round).or_else(|| random.pick(&terminals))?));
        }
        let nearest = parcel.holders.iter().map(|&holder| to_go(holder)).min()?;
        let holders: Vec<NodeId> = parcel.holders.iter().copied().filter(|&node| to_go(node) == nearest).collect();
        let from = random.pick(&holders)?;
        terminals.retain(|&to| reaches(from, to) && to_go(to) < nearest);
        Some((from, random.pick(&terminals)?))
    }

    fn has_ports(&self, slots: &Slots, from: NodeId, to: NodeId) -> bool {
        match self.model.ports {
            Ports::All => true,
            Ports::Limit(limit) => slots.sends[from.index()].max(slots.receives[to.index()]) < limit.get() as usize,
        }
    }

    /// A path over free channels: a shortest one, or any simple one.
    fn path(&self, slots: &Slots, from: NodeId, to: NodeId, random: &mut Random) -> Option<Vec<ChannelId>> {
        let mut visited = vec![false; self.topology.node_count()];
        let mut path = Vec::new();
        self.extend(slots, from, to, &mut visited, &mut path, random).then_some(path)
    }

    fn extend(
        &self,
        slots: &Slots,
        node: NodeId,
        to: NodeId,
        visited: &mut [bool],
        path: &mut Vec<ChannelId>,
        random: &mut Random,
    ) -> bool {
        if node == to {
            return true;
        }
        visited[node.index()] = true;
        if !path.is_empty() && (self.model.switching == Switching::StoreAndForward || !self.topology.routes(node)) {
            return false;
        }
        let distance = &self.distance[to.index()];
        let mut channels = self.topology.out_channels(node).to_vec();
        random.shuffle(&mut channels);
        for channel in channels {
            let head = self.topology.head(channel);
            let nearer = distance[head.index()] != UNREACHED && distance[head.index()] + 1 == distance[node.index()];
            let allowed = self.model.routing == Routing::Any || nearer;
            if allowed && !visited[head.index()] && !slots.busy[self.topology.resource(channel).index()] {
                path.push(channel);
                if self.extend(slots, head, to, visited, path, random) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }
}
