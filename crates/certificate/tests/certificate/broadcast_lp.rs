//! Weighted sums over node sets while one message spreads.

use lockstep_certificate::{Certificate, LowerBound, Rule, WeightedSet};
use lockstep_schedule::{Collective, CommunicationModel, Ports};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use sha2::{Digest, Sha256};

use crate::cases::{Case, case};
use crate::verdict::{PACKETS, ROOT, WORMHOLE, nodes, verdict, why};

/// The digest of weighted sets, as the documentation of the certificate defines it.
fn digest(sets: &[WeightedSet]) -> String {
    let mut hash = Sha256::new();
    for WeightedSet { step, nodes, count, weight } in sets {
        for number in [*step, *weight, nodes.len() as u32].into_iter().chain(nodes.iter().map(|node| node.number())) {
            hash.update(number.to_le_bytes());
        }
        hash.update(count.to_le_bytes());
    }
    let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// Adds a set to a valid sum, and returns the error.
fn with_set(case: &Case, is_need: bool, step: u32, weight: u32) -> String {
    let mut bound = case.bound.clone();
    let Certificate::BroadcastLp { inlets, needs, digest: of_all, .. } = &mut bound.certificate else { panic!() };
    // A set without nodes receives nothing and needs nothing.
    let set = WeightedSet { step, nodes: Vec::new(), count: 0, weight };
    let sets = if is_need { &mut *needs } else { &mut *inlets };
    sets.push(set);
    *of_all = digest(&[&inlets[..], &needs[..]].concat());
    case.with_problem(|problem| bound.check(problem)).map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
}

#[test]
fn the_steps_and_weights_of_a_sum_are_within_the_steps_and_not_zero() {
    let case = case("mesh:5x5", Rule::BroadcastLp);
    let last = case.bound.steps - 1;
    let inlet = why(Rule::BroadcastLp, "an inlet must have a step of the schedule and a weight");
    let need = why(Rule::BroadcastLp, "a need must have a time before the last step and a weight");
    let verdicts =
        |is_need: bool, places: [(u32, u32); 4]| places.map(|(step, weight)| with_set(&case, is_need, step, weight));
    assert_eq!(verdicts(false, [(0, 1), (1, 1), (last, 1), (last + 1, 1)]), [&inlet, "accepted", "accepted", &inlet]);
    assert_eq!(verdicts(true, [(0, 1), (1, 1), (last - 1, 1), (last, 1)]), ["accepted", "accepted", "accepted", &need]);
    assert_eq!(
        verdicts(false, [(1, 0), (1, u32::MAX), (last, 0), (last, u32::MAX)]),
        [&inlet, "accepted", &inlet, "accepted"]
    );
    assert_eq!(verdicts(true, [(0, 0), (0, u32::MAX), (1, 0), (1, u32::MAX)]), [&need, "accepted", &need, "accepted"]);
}

/// Terminal 2 has no channel to it, and need not receive the message.
#[test]
fn a_terminal_that_is_no_receiver_need_not_receive_in_the_last_step() {
    let mut network = TopologyBuilder::new("one way");
    let ends: Vec<NodeId> = (0..3).map(|node| network.terminal(node.to_string())).collect();
    network.channel(ends[0], ends[1]);
    network.channel(ends[2], ends[1]);
    let network = network.build().unwrap();
    let broadcast = Collective::many_to_many_broadcast(&[ROOT], &ends[1..2]);
    let inlets = vec![WeightedSet { step: 1, nodes: nodes(&[2]), count: 0, weight: 1 }];
    let digest = digest(&inlets);
    let certificate =
        Certificate::BroadcastLp { source: ROOT, infeasible: 1, inlets, needs: Vec::new(), excess: 1, digest };
    let bound = LowerBound { steps: 2, rule: Rule::BroadcastLp, certificate };
    let refused = verdict(&network, &broadcast, WORMHOLE, &bound);
    assert_eq!(refused, why(Rule::BroadcastLp, "the sets can receive what they need"));
}

fn set(step: u32, of: &[u32], count: u64, weight: u32) -> WeightedSet {
    WeightedSet { step, nodes: nodes(of), count, weight }
}

/// The verdict on a sum that claims one step more than `infeasible`.
fn sum(
    topology: &Topology,
    collective: &Collective,
    model: CommunicationModel,
    infeasible: u32,
    [inlets, needs]: [Vec<WeightedSet>; 2],
    excess: u64,
) -> String {
    let digest = digest(&[&inlets[..], &needs[..]].concat());
    let certificate = Certificate::BroadcastLp { source: ROOT, infeasible, inlets, needs, excess, digest };
    let bound = LowerBound { steps: infeasible + 1, rule: Rule::BroadcastLp, certificate };
    verdict(topology, collective, model, &bound)
}

/// With one port, two of four others must hold the message one step before the end, and one can.
#[test]
fn the_needs_of_a_set_are_subtracted_from_what_it_receives() {
    let network: Topology = "complete:5".parse().unwrap();
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    let all = [1, 2, 3, 4];
    let check = |holders: u64, excess: u64| {
        // The set of terminal 1 alone needs nothing, which makes the sum weaker by its weight.
        let needs = vec![set(1, &all, holders, 2), set(1, &[1], 0, 1)];
        sum(&network, &Collective::broadcast(ROOT), one_port, 2, [vec![set(1, &all, 1, 2)], needs], excess)
    };
    assert_eq!(check(2, 1), "accepted");
    let wrong = |what: &str, claimed: u64, actual: u64| {
        format!("{what}: the certificate states {claimed}, but the problem gives {actual}")
    };
    assert_eq!(check(2, 2), wrong("excess of the sum", 2, 1));
    assert_eq!(check(3, 1), wrong("holders that a set needs", 3, 2));
    assert_eq!(check(1, 1), wrong("holders that a set needs", 1, 2));
}

/// A line to the only receiver. The terminals on the way receive the message before the last step, or never.
#[test]
fn a_terminal_that_is_no_receiver_can_receive_before_the_last_step() {
    let mut network = TopologyBuilder::new("line");
    let ends: Vec<NodeId> = (0..4).map(|node| network.terminal(node.to_string())).collect();
    for pair in ends.windows(2) {
        network.channel(pair[0], pair[1]);
    }
    let network = network.build().unwrap();
    let broadcast = Collective::many_to_many_broadcast(&[ROOT], &ends[3..]);
    let check = |excess: u64| {
        let inlets = vec![set(2, &[3], 0, 1), set(1, &[3], 0, 1), set(1, &[2], 0, 1)];
        sum(&network, &broadcast, PACKETS, 2, [inlets, Vec::new()], excess)
    };
    assert_eq!(check(1), "accepted");
    assert_eq!(check(2), "excess of the sum: the certificate states 2, but the problem gives 1");
}

/// A refused set ends the check at once, so that the limits can be tested without the work that they allow.
#[test]
fn a_sum_may_take_its_limit_of_visits_and_no_more() {
    let refused_set = why(Rule::BroadcastLp, "an inlet must have a step of the schedule and a weight");
    let too_long = why(Rule::BroadcastLp, "the sum is too long to compute again");
    let check = |network: &str, infeasible: u32, sets: usize| {
        let inlets = vec![set(1, &[], 0, 0); sets];
        sum(&network.parse().unwrap(), &Collective::broadcast(ROOT), PACKETS, infeasible, [inlets, Vec::new()], 1)
    };
    // 5,462 nodes and 10,922 channels for each of 2^13 sets.
    assert_eq!(check("mesh:5462x1", 1, 1 << 13), refused_set);
    assert_eq!(check("mesh:5462x1", 1, (1 << 13) + 1), too_long);
    // 2^12 terminals in 2^10 steps.
    assert_eq!(check("ring:4096", 1 << 10, 1), refused_set);
    assert_eq!(check("ring:4096", (1 << 10) + 1, 1), too_long);
}
