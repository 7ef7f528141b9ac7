//! Schedules of one phase of an all-reduce as schedules of the other.

use lockstep_schedule::{Part, Problem, verify};
use lockstep_topology::{ChannelId, ResourceId, Topology};

use super::plan_state::PhaseSchedule;

/// The use of a schedule of one phase for the other.
pub(super) const MIRROR: Part = Part {
    owner: "planner",
    name: "mirror",
    about: "a schedule of one phase of an all-reduce as one of the other phase",
};

/// The opposite of every channel, in a network where each has one.
///
/// The first phase of an all-reduce is planned on the network with reversed channels. This network is the same, with opposite
/// channels. So a schedule of one phase is also one of the other.
pub(super) struct Mirror<'p> {
    /// The problems of both phases.
    problems: [&'p Problem<'p>; 2],
    /// By channel number.
    opposites: Vec<ChannelId>,
}

impl<'p> Mirror<'p> {
    /// Returns `None` for other collectives, and if the opposites do not exist.
    pub(super) fn new(problems: &'p [Problem<'p>]) -> Option<Self> {
        let [first, second] = problems else { return None };
        Some(Self { problems: [first, second], opposites: opposites(first.topology())? })
    }

    /// Returns the image of a schedule of one phase, for the phase at `place`. There is none if the verifier does not accept it.
    pub(super) fn image(&self, place: usize, original: &PhaseSchedule) -> Option<PhaseSchedule> {
        let PhaseSchedule { engine, method, schedule, .. } = original;
        let schedule = schedule.with_channels(|channel| self.opposites[channel.index()]);
        match verify(self.problems[place], &schedule) {
            Ok(verification) => {
                let (engine, method) = (engine.clone(), method.clone());
                Some(PhaseSchedule { engine, method, schedule, verification: Some(verification) })
            }
            Err(violation) => {
                tracing::error!(engine, method, %violation, "image of a schedule refused");
                None
            }
        }
    }
}

/// Returns a channel from the head to the tail of each channel, by channel number. Failed channels stand for themselves.
///
/// `None` if some channel has no opposite of its own with the same capacity, or if the opposites of channels with a common
/// resource have none. `O(M log M)` time for M channels.
fn opposites(topology: &Topology) -> Option<Vec<ChannelId>> {
    let key = |channel, [tail, head]: [_; 2]| (tail, head, topology.capacity(channel));
    let there = |channel| key(channel, [topology.tail(channel), topology.head(channel)]);
    let back = |channel| key(channel, [topology.head(channel), topology.tail(channel)]);
    let mut channels: Vec<ChannelId> = topology.channels().collect();
    let mut others = channels.clone();
    channels.sort_by_key(|&channel| there(channel));
    others.sort_by_key(|&channel| back(channel));
    let mut opposites: Vec<ChannelId> = (0..topology.channel_bound()).map(ChannelId::from_index).collect();
    let mut images: Vec<Option<ResourceId>> = vec![None; topology.resource_count()];
    for (&channel, &other) in channels.iter().zip(&others) {
        let resource = topology.resource(other);
        let image = *images[topology.resource(channel).index()].get_or_insert(resource);
        if there(channel) != back(other) || image != resource {
            return None;
        }
        opposites[channel.index()] = other;
    }
    Some(opposites)
}

#[cfg(test)]
mod tests {
    use lockstep_construct::schedule;
    use lockstep_schedule::{Budget, Collective, CommunicationModel, DistributePhase, Ports};
    use lockstep_topology::TopologyBuilder;

    use super::*;

    #[test]
    fn opposites_have_the_same_ends() {
        for spec in ["mesh:3x4", "torus:3x2", "random-regular:12,3,1", "fat-tree:2,2", "dragonfly:2,2,1"] {
            let full: Topology = spec.parse().unwrap();
            for network in [full.clone(), full.half_duplex(), full.with_failures([], [full.channels().next().unwrap()])]
            {
                let Some(opposites) = opposites(&network) else {
                    assert!(network.channels().len() < full.channels().len(), "{spec}");
                    continue;
                };
                for channel in network.channels() {
                    let other = opposites[channel.index()];
                    assert_eq!(network.tail(channel), network.head(other), "{spec}");
                    assert_eq!(network.head(channel), network.tail(other), "{spec}");
                    assert_eq!(opposites[other.index()], channel, "{spec}");
                }
            }
        }
    }

    /// A path of three terminals, with a channel in addition, a bus in one direction, or another capacity in one direction.
    #[test]
    fn some_networks_have_no_opposites() {
        let path = || {
            let mut builder = TopologyBuilder::new("path");
            let nodes = [0, 1, 2].map(|node| builder.terminal(node.to_string()));
            let links = [builder.link(nodes[0], nodes[1]), builder.link(nodes[1], nodes[2])];
            (builder, nodes, links)
        };
        let (whole, ..) = path();
        assert!(opposites(&whole.build().unwrap()).is_some());
        let (mut parallel, nodes, _) = path();
        parallel.channel(nodes[0], nodes[1]);
        let (mut bus, _, links) = path();
        bus.share(links.map(|[there, _]| there));
        let (mut wide, _, links) = path();
        wide.set_capacity([links[0][0]], 2);
        let built = [parallel, bus, wide].map(|builder| builder.build().unwrap());
        for (place, network) in built.into_iter().chain(["kautz:2,2".parse().unwrap()]).enumerate() {
            assert!(opposites(&network).is_none(), "{place}");
        }
    }

    #[test]
    fn a_schedule_of_one_phase_is_one_of_the_other() {
        let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
        let all_reduce = Collective::all_reduce();
        for spec in ["mesh:3x4", "random-regular:10,3,2", "star:6"] {
            for network in [spec.parse::<Topology>().unwrap(), spec.parse::<Topology>().unwrap().half_duplex()] {
                let problem = Problem::new(&network, &all_reduce, one_port).unwrap();
                let phases = DistributePhase::all(&problem);
                let problems: Vec<Problem<'_>> = phases.iter().map(|phase| phase.problem(&problem)).collect();
                let schedule = schedule(&problems[0], u32::MAX, 1, &Budget::evaluations(1)).unwrap();
                let of_first =
                    PhaseSchedule { engine: "construct".to_owned(), method: None, schedule, verification: None };
                let mirror = Mirror::new(&problems).unwrap();
                let of_second = mirror.image(1, &of_first).unwrap();
                assert_eq!(of_second.verification, Some(verify(&problems[1], &of_second.schedule).unwrap()));
                assert_eq!(mirror.image(0, &of_second).unwrap().schedule, of_first.schedule, "{spec}");
            }
        }
    }

    #[test]
    fn a_single_phase_has_no_image() {
        let (ring, all_gather) = ("ring:5".parse().unwrap(), Collective::all_gather());
        let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
        assert!(Mirror::new(&[problem]).is_none());
    }
}
