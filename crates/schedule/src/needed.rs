//! The transfers of a distribution that some receiver needs.

use lockstep_topology::Topology;

use crate::messages::Messages;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// No transfer.
const NONE: u32 = u32::MAX;

/// Returns the first transfer of each message to each terminal that needs it, given a schedule of a distribution. A terminal
/// needs a message that it receives, or that it sends in a needed transfer. Steps without such a transfer are left out.
///
/// A schedule without other transfers can be [reversed](Schedule::reversed). O(T + M + N) time and 4 bytes for each of them,
/// for T channel uses, M messages and N nodes.
///
/// # Panics
///
/// If the schedule contains a message or a channel that the problem does not have.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem, Schedule, needed_transfers};
/// use lockstep_topology::{ChannelId, NodeId, Topology};
///
/// let ring: Topology = "ring:4".parse()?;
/// let scatter = Collective::many_to_many_scatter(&[NodeId::new(0)], &[NodeId::new(1)]);
/// let problem = Problem::new(&ring, &scatter, CommunicationModel::store_and_forward())?;
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// for &channel in ring.out_channels(NodeId::new(0)) {
///     schedule.push(problem.messages().ids().next().ok_or("a message")?, &[channel]);
/// }
/// // The neighbour on the other side does not need the message.
/// assert_eq!(needed_transfers(&problem, schedule).transfer_count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn needed_transfers(problem: &Problem<'_>, schedule: Schedule) -> Schedule {
    needed(problem.topology(), &problem.messages(), schedule)
}

/// Returns the needed transfers of a distribution of these messages, as [`needed_transfers`].
pub(crate) fn needed(topology: &Topology, messages: &Messages<'_>, schedule: Schedule) -> Schedule {
    let transfers = by_message(messages.len(), &schedule);
    let ends = |place: u32| schedule.transfer(place as usize).terminal_ends(topology);
    let mut is_needed = vec![false; schedule.transfer_count()];
    // By terminal: the first transfer of the current message to it, and whether it needs the message.
    let mut first_arrival = vec![NONE; topology.node_count()];
    let mut needs = vec![false; topology.node_count()];
    for of_message in transfers.chunk_by(|&one, &other| message(&schedule, one) == message(&schedule, other)) {
        let message = schedule.transfer(of_message[0] as usize).message;
        messages.receivers_iter(message).for_each(|receiver| needs[receiver.index()] = true);
        for &place in of_message.iter().rev() {
            if let Some((_, receiver)) = ends(place) {
                first_arrival[receiver.index()] = place;
            }
        }
        for &place in of_message.iter().rev() {
            let Some((sender, receiver)) = ends(place) else { continue };
            if needs[receiver.index()] && first_arrival[receiver.index()] == place {
                is_needed[place as usize] = true;
                needs[sender.index()] |= sender != messages.source(message);
            }
        }
        for (sender, receiver) in of_message.iter().filter_map(|&place| ends(place)) {
            (needs[sender.index()], needs[receiver.index()]) = (false, false);
            first_arrival[receiver.index()] = NONE;
        }
        messages.receivers_iter(message).for_each(|receiver| needs[receiver.index()] = false);
    }
    if is_needed.iter().all(|&is_needed| is_needed) { schedule } else { filtered(&schedule, &is_needed) }
}

/// Returns the message of the transfer at a place.
fn message(schedule: &Schedule, place: u32) -> usize {
    schedule.transfer(place as usize).message.index()
}

/// Returns the places of all transfers, by message and then in order.
fn by_message(messages: usize, schedule: &Schedule) -> Vec<u32> {
    let count = schedule.transfer_count() as u32;
    let mut next = vec![0u32; messages + 1];
    for place in 0..count {
        next[message(schedule, place) + 1] += 1;
    }
    for message in 1..next.len() {
        next[message] += next[message - 1];
    }
    let mut places = vec![0; count as usize];
    for place in 0..count {
        let next = &mut next[message(schedule, place)];
        places[*next as usize] = place;
        *next += 1;
    }
    places
}

/// Returns the transfers whose flag is set. Steps without one are left out.
fn filtered(schedule: &Schedule, is_kept: &[bool]) -> Schedule {
    let mut is_kept = is_kept.iter();
    let mut rest = Schedule::new();
    for (_, step) in schedule.steps() {
        let mut kept = step.iter().filter(|_| is_kept.next() == Some(&true)).peekable();
        if kept.peek().is_some() {
            rest.begin_step_of_width(step.width());
        }
        kept.for_each(|transfer| rest.push(transfer.message, transfer.path));
    }
    rest
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{ChannelId, NodeId};

    use super::*;
    use crate::collective::Collective;
    use crate::distribute_phase::DistributePhase;
    use crate::messages::{Message, MessageId};
    use crate::model::CommunicationModel;
    use crate::verify::verify;

    fn ring() -> Topology {
        "ring:6".parse().unwrap()
    }

    fn steps(steps: &[&[(u32, u32, u32)]]) -> Schedule {
        let ring = ring();
        let over = |tail: u32, head: u32| -> ChannelId {
            let mut channels = ring.channels();
            channels.find(|&on| (ring.tail(on).number(), ring.head(on).number()) == (tail, head)).unwrap()
        };
        let mut schedule = Schedule::new();
        for step in steps {
            schedule.begin_step();
            step.iter().for_each(|&(message, tail, head)| {
                schedule.push(MessageId::new(message), &[over(tail, head)]);
            });
        }
        schedule
    }

    fn message(source: u32, receivers: &[u32]) -> Message {
        Message { source: NodeId::new(source), receivers: receivers.iter().copied().map(NodeId::new).collect() }
    }

    fn needed_of(messages: Vec<Message>, schedule: Schedule) -> Schedule {
        let (ring, collective) = (ring(), Collective::custom(messages));
        let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
        needed_transfers(&problem, schedule)
    }

    /// Both directions of the ring reach the receivers. The longer path and the transfers beyond the receivers are removed,
    /// with the step that has nothing else.
    #[test]
    fn only_paths_that_end_at_receivers_are_kept() {
        let all = steps(&[&[(0, 0, 1), (0, 0, 5)], &[(1, 5, 0)], &[(0, 1, 2), (1, 5, 4)], &[(0, 2, 3)]]);
        let kept = steps(&[&[(0, 0, 1)], &[(0, 1, 2), (1, 5, 4)]]);
        let of_scatter = needed_of(vec![message(0, &[2]), message(5, &[4])], all.clone());
        assert_eq!(of_scatter, kept);
        // Here, 1 and 0 receive too.
        let of_broadcast = needed_of(vec![message(0, &[1, 2]), message(5, &[0, 4])], all);
        assert_eq!(of_broadcast, steps(&[&[(0, 0, 1)], &[(1, 5, 0)], &[(0, 1, 2), (1, 5, 4)]]));
    }

    /// The message returns to 1, which held it before, and to its source. Also if the schedule has no other path to its receiver.
    #[test]
    fn transfers_to_earlier_holders_are_removed() {
        let all = steps(&[&[(0, 0, 1), (0, 0, 5)], &[(0, 1, 2), (0, 0, 1)], &[(0, 5, 0), (0, 2, 3)]]);
        let kept = steps(&[&[(0, 0, 1)], &[(0, 1, 2)], &[(0, 2, 3)]]);
        assert_eq!(needed_of(vec![message(0, &[3])], all), kept);
        assert_eq!(needed_of(vec![message(0, &[3])], kept.clone()), kept);
        let with_loop = steps(&[&[(0, 0, 1)], &[(0, 1, 2)], &[(0, 2, 1)], &[(0, 1, 0)], &[(0, 0, 5)]]);
        assert_eq!(needed_of(vec![message(0, &[5])], with_loop), steps(&[&[(0, 0, 5)]]));
    }

    /// Read backwards, a transfer that no terminal needs would send what its sender does not hold.
    #[test]
    fn a_gather_has_only_needed_transfers() {
        let (ring, gather) = ("ring:3".parse::<Topology>().unwrap(), Collective::gather(NodeId::new(0)));
        let problem = Problem::new(&ring, &gather, CommunicationModel::store_and_forward()).unwrap();
        let [phase] = &DistributePhase::all(&problem)[..] else { panic!("a gather has one phase") };
        let of_phase = phase.problem(&problem);
        let mut scatter = Schedule::new();
        scatter.begin_step();
        for message in of_phase.messages().ids() {
            let receiver = of_phase.messages().receivers_iter(message).next().unwrap();
            let channels = of_phase.topology().in_channels(receiver);
            let direct = channels.iter().find(|&&channel| of_phase.topology().tail(channel) == NodeId::new(0));
            scatter.push(message, &[*direct.unwrap()]);
        }
        assert_eq!(verify(&problem, &phase.from_distribution(scatter.clone())).unwrap().transfers, 2);
        // The terminals send each other what they have received.
        scatter.begin_step();
        for message in of_phase.messages().ids() {
            let receiver = of_phase.messages().receivers_iter(message).next().unwrap();
            let channels = of_phase.topology().out_channels(receiver);
            let beyond = channels.iter().find(|&&channel| of_phase.topology().head(channel) != NodeId::new(0));
            scatter.push(message, &[*beyond.unwrap()]);
        }
        let spoiled = verify(&problem, &scatter.reversed()).unwrap_err();
        assert!(spoiled.to_string().contains("does not hold the message"), "{spoiled}");
        assert_eq!(verify(&problem, &phase.from_distribution(scatter)).unwrap().transfers, 2);
    }
}
