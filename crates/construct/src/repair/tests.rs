//! Tests of repairs and survivors.

use lockstep_schedule::{Collective, CommunicationModel, DistributePhase, Message, Ports, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::kit::testing::any_instance;
use crate::schedule::shortest;

/// Returns the network after some nodes and channels have failed.
fn broken(topology: &Topology, nodes: &[Index], channels: &[Index]) -> Topology {
    let nodes: Vec<NodeId> = nodes.iter().map(|node| NodeId::new(node.index(topology.node_count()) as u32)).collect();
    let working: Vec<ChannelId> = topology.channels().collect();
    let channels: Vec<ChannelId> = channels.iter().map(|channel| *channel.get(&working)).collect();
    topology.with_failures(nodes, channels)
}

fn build(problem: &Problem<'_>, seed: u64) -> Schedule {
    shortest(problem, 1, seed, &Budget::evaluations(1), |_, _, _| {}).unwrap().schedule
}

/// Returns the transfers with their steps.
fn transfers(schedule: &Schedule) -> Vec<(usize, MessageId, Vec<ChannelId>)> {
    let all = schedule.steps().flat_map(|(step, made)| made.iter().map(move |made| (step, made)));
    all.map(|(step, made)| (step, made.message, made.path.to_vec())).collect()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(150))]

    #[test]
    fn a_repaired_schedule_is_valid_and_keeps_the_other_transfers(
        instance in any_instance(12), nodes in prop::collection::vec(any::<Index>(), 0..2),
        channels in prop::collection::vec(any::<Index>(), 0..4), seed: u64, goal in 1..12u32, effort in 0..14u32,
    ) {
        let whole = instance.problem();
        let faulty = broken(&instance.topology, &nodes, &channels);
        let Ok(left) = Problem::new(&faulty, &instance.collective, instance.model) else { return Ok(()) };
        for (old, new) in DistributePhase::all(&whole).iter().zip(&DistributePhase::all(&left)) {
            let (before, after) = (old.problem(&whole), new.problem(&left));
            let schedule = build(&before, seed);
            let survivors = survivors(&before, &schedule, &after).unwrap();
            let kept = transfers(survivors.schedule());
            prop_assert!(kept.iter().flat_map(|(_, _, path)| path).all(|&channel| faulty.is_working(channel)));

            let budget = Budget::evaluations((1 << effort) * after.messages().delivery_count());
            let repaired = repair(&after, &survivors, goal, seed, &budget, |_, _, _| {}).unwrap();
            let report = verify(&after, &repaired.schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert_eq!(report.unwrap().redundant, 0);
            let all = transfers(&repaired.schedule);
            let still = kept.iter().filter(|made| all.contains(made)).count();
            prop_assert_eq!((repaired.moved, repaired.added), (kept.len() - still, all.len() - still));
            // A single attempt moves nothing, but it removes transfers without purpose.
            let is_direct = after.messages().is_scatter() && after.model().is_direct();
            prop_assert!(effort > 0 || !is_direct || repaired.moved == 0);
        }
    }

    #[test]
    fn without_a_fault_the_schedule_is_unchanged(instance in any_instance(12), seed: u64) {
        let whole = instance.problem();
        for phase in DistributePhase::all(&whole) {
            let problem = phase.problem(&whole);
            let schedule = build(&problem, seed);
            let kept = survivors(&problem, &schedule, &problem).unwrap();
            prop_assert_eq!(kept.schedule(), &schedule);
            let goal = schedule.step_count() as u32;
            let repaired = repair(&problem, &kept, goal, seed, &Budget::evaluations(1), |_, _, _| {}).unwrap();
            let timeless = |schedule: &Schedule| {
                let mut all: Vec<_> = transfers(schedule).into_iter().map(|(_, message, path)| (message, path)).collect();
                all.sort_unstable();
                all
            };
            let (before, after) = (timeless(&schedule), timeless(&repaired.schedule));
            prop_assert!(after.iter().all(|made| before.binary_search(made).is_ok()), "other transfers");
            // Only transfers without purpose are removed. If a step has no others, later ones come a step earlier.
            let relays = verify(&problem, &schedule).unwrap().relays;
            let gone = before.len() - after.len();
            prop_assert!(gone as u64 <= relays, "{gone} of {relays} relays are gone");
            if repaired.schedule.step_count() == schedule.step_count() {
                prop_assert_eq!((repaired.added, repaired.moved), (0, gone));
            }
        }
    }
}

/// Returns a chain over the ring 0 - 1 - 2 - ..., one channel per step.
fn chain(ring: &Topology, message: u32, length: u32) -> Schedule {
    let mut schedule = Schedule::new();
    for node in 0..length {
        schedule.begin_step();
        schedule.push(MessageId::new(message), &[over(ring, node, node + 1)]);
    }
    schedule
}

fn over(network: &Topology, tail: u32, head: u32) -> ChannelId {
    let ends = |channel: ChannelId| (network.tail(channel).number(), network.head(channel).number());
    network.channels().find(|&channel| ends(channel) == (tail, head)).unwrap()
}

/// Two parallel channels lead to a terminal that lost its transfers, but the sender has only one free port in each step.
#[test]
fn parallel_channels_do_not_take_the_port_of_a_survivor() {
    let mut builder = TopologyBuilder::new("parallel");
    let [sender, one, other] = ["sender", "one", "other"].map(|name| builder.terminal(name));
    let to_one = [(); 3].map(|()| builder.channel(sender, one));
    let to_other = builder.channel(sender, other);
    let network = builder.build().unwrap();
    let broadcast = Collective::broadcast(sender).with_chunks(2.try_into().unwrap());
    let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::store_and_forward() };
    let before = Problem::new(&network, &broadcast, model).unwrap();
    let mut schedule = Schedule::new();
    for message in before.messages().ids() {
        schedule.begin_step();
        schedule.push(message, &[to_one[0]]);
        schedule.push(message, &[to_other]);
    }
    let faulty = network.with_failures([], [to_one[0]]);
    let after = Problem::new(&faulty, &broadcast, model).unwrap();
    let kept = survivors(&before, &schedule, &after).unwrap();
    for seed in 0..64 {
        let repaired = repair(&after, &kept, 3, seed, &Budget::evaluations(1), |_, _, _| {}).unwrap();
        assert_eq!((repaired.moved, repaired.added), (0, 2), "seed {seed}");
    }
}

#[test]
fn transfers_that_depend_on_a_lost_transfer_are_lost() {
    let ring: Topology = "ring:6".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let model = CommunicationModel::store_and_forward();
    let before = Problem::new(&ring, &broadcast, model).unwrap();
    let schedule = chain(&ring, 0, 5);
    let faulty = ring.with_failures([], [over(&ring, 2, 3)]);
    let after = Problem::new(&faulty, &broadcast, model).unwrap();
    let kept = survivors(&before, &schedule, &after).unwrap();
    assert_eq!(kept.schedule(), &chain(&ring, 0, 2));
    // 5, 4 and 3 are reached in the other direction.
    let repaired = repair(&after, &kept, 3, 1, &Budget::evaluations(1), |_, _, _| {}).unwrap();
    assert_eq!((repaired.schedule.step_count(), repaired.moved, repaired.added), (3, 0, 3));
}

/// The message from 0 to 3 is at 1 when the next channel fails. It is earlier to send it again from 0 in the other
/// direction, so the first hop is removed.
#[test]
fn a_scatter_message_continues_from_the_terminal_with_the_earliest_arrival() {
    let ring: Topology = "ring:6".parse().unwrap();
    let model = CommunicationModel::store_and_forward();
    let scatter = Collective::many_to_many_scatter(&[NodeId::new(0)], &[NodeId::new(3)]);
    let before = Problem::new(&ring, &scatter, model).unwrap();
    let faulty = ring.with_failures([], [over(&ring, 1, 2)]);
    let after = Problem::new(&faulty, &scatter, model).unwrap();
    let kept = survivors(&before, &chain(&ring, 0, 3), &after).unwrap();
    assert_eq!(kept.schedule(), &chain(&ring, 0, 1));
    let repaired = repair(&after, &kept, 3, 1, &Budget::evaluations(1), |_, _, _| {}).unwrap();
    assert_eq!((repaired.schedule.step_count(), repaired.moved, repaired.added), (3, 1, 3));
}

/// Of six messages, those to and from the failed terminal are dropped, and the others get new numbers.
#[test]
fn messages_of_failed_terminals_are_dropped_and_the_others_renumbered() {
    let complete: Topology = "complete:3".parse().unwrap();
    let exchange = Collective::all_to_all();
    let before = Problem::new(&complete, &exchange, CommunicationModel::wormhole()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step();
    for message in before.messages().ids() {
        let receiver = before.messages().receivers_iter(message).next().unwrap();
        schedule.push(message, &[over(&complete, before.messages().source(message).number(), receiver.number())]);
    }
    let faulty = complete.with_failures([NodeId::new(1)], []);
    let after = Problem::new(&faulty, &exchange, CommunicationModel::wormhole()).unwrap();
    let kept = survivors(&before, &schedule, &after).unwrap();
    let expected = [(0, 0, vec![over(&complete, 0, 2)]), (0, 1, vec![over(&complete, 2, 0)])];
    assert_eq!(transfers(kept.schedule()), expected.map(|(step, message, path)| (step, MessageId::new(message), path)));
}

/// One of two receivers fails. The other one got the message from a relay, which a direct scatter forbids.
#[test]
fn a_broadcast_that_becomes_a_direct_scatter_is_not_relayed() {
    let ring: Topology = "ring:6".parse().unwrap();
    let to = |receivers: &[u32]| {
        let receivers = receivers.iter().copied().map(NodeId::new).collect();
        Collective::custom(vec![Message { source: NodeId::new(0), receivers }])
    };
    let (two, one) = (to(&[2, 4]), to(&[2]));
    let before = Problem::new(&ring, &two, CommunicationModel::wormhole()).unwrap();
    let mut schedule = chain(&ring, 0, 2);
    schedule.push(MessageId::new(0), &[over(&ring, 0, 5), over(&ring, 5, 4)]);
    verify(&before, &schedule).unwrap();
    let faulty = ring.with_failures([NodeId::new(4)], []);
    let after = Problem::new(&faulty, &one, CommunicationModel::wormhole()).unwrap();
    let kept = survivors(&before, &schedule, &after).unwrap();
    assert_eq!(kept.schedule().transfer_count(), 0);
    let repaired = repair(&after, &kept, 1, 1, &Budget::evaluations(1), |_, _, _| {}).unwrap();
    assert_eq!(verify(&after, &repaired.schedule).unwrap().steps, 1);
}

#[test]
fn another_collective_is_refused() {
    let ring: Topology = "ring:4".parse().unwrap();
    let (gather, exchange) = (Collective::all_gather(), Collective::all_to_all());
    let [before, after] =
        [&gather, &exchange].map(|collective| Problem::new(&ring, collective, CommunicationModel::wormhole()).unwrap());
    let refused = survivors(&before, &build(&before, 1), &after).unwrap_err();
    assert_eq!(refused.to_string(), "the construct engine cannot do this: the two problems have different collectives");
}
