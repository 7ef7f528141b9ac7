//! Lengths of gossips: the trees into the first terminal that holds all contributions, and a delivery to each other member.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CollectiveName};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::verdict::{PACKETS, nodes, verdict, why};

fn gossip(steps: u32, resources: Vec<u32>, distance: u64, per_step: u64) -> LowerBound {
    let (sends, receptions) = (Vec::new(), Vec::new());
    let certificate = Certificate::Lengths { unit: 1, resources, sends, receptions, distance, per_step };
    LowerBound { steps, rule: Rule::Gossip, certificate }
}

/// Members 1 and 2 send to terminal 3 over channels of length 1. The way back leads over a channel of length 10 to terminal 0,
/// but the length counts only the last channel to each member. So it is least if terminal 3, which is no member, has all
/// contributions first.
#[test]
fn a_terminal_that_is_no_member_can_hold_all_contributions_first() {
    let mut network = TopologyBuilder::new("there and back");
    let ends: Vec<NodeId> = (0..4).map(|node| network.terminal(node.to_string())).collect();
    let lengths = [((1, 3), 1), ((2, 3), 1), ((3, 0), 10), ((0, 1), 1), ((0, 2), 1)];
    let channels: Vec<_> = lengths.iter().map(|&((u, v), _)| network.channel(ends[u], ends[v])).collect();
    let network = network.build().unwrap();
    let mut resources = vec![0; network.resource_count()];
    for (channel, (_, length)) in channels.into_iter().zip(lengths) {
        resources[network.resource(channel).index()] = length;
    }
    let pair = CollectiveName::AllReduce.in_groups(&network, &[nodes(&[1, 2])], &[]).unwrap();
    let pair = pair.with_chunks(7.try_into().unwrap());
    let check =
        |steps: u32, distance: u64| verdict(&network, &pair, PACKETS, &gossip(steps, resources.clone(), distance, 14));
    assert_eq!(check(4, 2 * 7 * 4), "accepted");
    let refused = "lengths of all messages: the certificate states 182, but the problem gives 56";
    assert_eq!(check(13, 2 * 7 * 13), refused);
}

/// 39 channels into the terminal that is first to hold all contributions, and 39 to the others.
#[test]
fn gossips_of_large_networks_are_refused() {
    let check = |terminals: u32| {
        let ring: Topology = format!("ring:{terminals}").parse().unwrap();
        let (messages, channels) = (u64::from(terminals), 2 * u64::from(terminals));
        let distance = messages * 2 * (messages - 1);
        let bound = gossip(terminals - 1, vec![1; ring.resource_count()], distance, channels);
        verdict(&ring, &Collective::all_reduce(), PACKETS, &bound)
    };
    assert_eq!(check(40), "accepted");
    assert_eq!(check(1100), why(Rule::Gossip, "the trees of all messages take too long to compute again"));
}
