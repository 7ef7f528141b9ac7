//! The optimum of a scatter by packets from one source, by exhaustive search.

use std::collections::BTreeSet;

use lockstep_topology::{ChannelId, Topology};

use crate::collective::Collective;
use crate::model::{CommunicationModel, Switching};
use crate::problem::Problem;

/// Returns the problem under store-and-forward switching, if it is possible and every transfer crosses one channel.
pub fn packet_problem<'a>(
    topology: &'a Topology,
    collective: &'a Collective,
    model: CommunicationModel,
) -> Option<Problem<'a>> {
    let model = CommunicationModel { switching: Switching::StoreAndForward, ..model };
    let problem = Problem::new(topology, collective, model).ok()?;
    (problem.model().switching == Switching::StoreAndForward).then_some(problem)
}

/// Returns the fewest steps of a scatter from one source under store-and-forward.
///
/// Any packet may become any message until it arrives, so a state is the number of packets at each node. Networks of
/// five nodes take milliseconds. [`fastest_schedule`](super::fastest_schedule) supports all problems, but distinguishes
/// the packets.
///
/// # Panics
///
/// Panics if transfers can cross several channels, see [`packet_problem`].
///
/// ```
/// use lockstep_schedule::strategy::fewest_packet_steps;
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::{NodeId, Topology};
///
/// let line: Topology = "mesh:4x1".parse()?;
/// let scatter = Collective::scatter(NodeId::new(0));
/// let problem = Problem::new(&line, &scatter, CommunicationModel::store_and_forward())?;
/// assert_eq!(fewest_packet_steps(&problem), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fewest_packet_steps(problem: &Problem<'_>) -> usize {
    let (topology, messages) = (problem.topology(), problem.messages());
    assert_eq!(problem.model().switching, Switching::StoreAndForward, "every transfer crosses one channel");
    let (mut start, mut end) = (vec![0u8; topology.node_count()], vec![0u8; topology.node_count()]);
    for message in messages.ids() {
        start[messages.source(message).index()] += 1;
        messages.receivers_iter(message).for_each(|receiver| end[receiver.index()] += 1);
    }
    let mut states = BTreeSet::from([start]);
    for steps in 0.. {
        if states.contains(&end) {
            return steps;
        }
        let mut next = BTreeSet::new();
        for counts in &states {
            add_successors(problem, 0, &mut Vec::new(), counts, &mut next);
        }
        states = next;
    }
    unreachable!("some number of steps suffices")
}

/// Adds all states after one step, where the channels from `place` on are undecided.
fn add_successors(
    problem: &Problem<'_>,
    place: usize,
    used: &mut Vec<ChannelId>,
    counts: &[u8],
    next: &mut BTreeSet<Vec<u8>>,
) {
    let (topology, ports) = (problem.topology(), problem.model().ports);
    let Some(channel) = topology.channels().nth(place) else {
        let mut moved = counts.to_vec();
        for &channel in used.iter() {
            moved[topology.tail(channel).index()] -= 1;
            moved[topology.head(channel).index()] += 1;
        }
        next.insert(moved);
        return;
    };
    add_successors(problem, place + 1, used, counts, next);
    let (tail, head) = (topology.tail(channel), topology.head(channel));
    let sends = used.iter().filter(|&&other| topology.tail(other) == tail).count();
    let receives = used.iter().filter(|&&other| topology.head(other) == head).count();
    let is_free = used.iter().all(|&other| topology.resource(other) != topology.resource(channel));
    let has_ports = ports.of_degree(sends + 1) > sends && ports.of_degree(receives + 1) > receives;
    if sends < usize::from(counts[tail.index()]) && topology.is_terminal(head) && is_free && has_ports {
        used.push(channel);
        add_successors(problem, place + 1, used, counts, next);
        used.pop();
    }
}
