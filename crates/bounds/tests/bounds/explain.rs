//! Certificates in a person's words.

use expect_test::{Expect, expect};
use lockstep_bounds::all;
use lockstep_schedule::{Collective, CollectiveKind, CommunicationModel, Ports, Problem};
use lockstep_topology::{NodeId, Topology};

fn read(spec: &str, collective: &Collective, model: CommunicationModel, expected: &Expect) {
    let topology: Topology = spec.parse().unwrap();
    let problem = Problem::new(&topology, collective, model).unwrap();
    let words: Vec<String> = all(&problem).iter().map(ToString::to_string).collect();
    expected.assert_eq(&(words.join("\n") + "\n"));
}

#[test]
fn certificates_read_like_sentences() {
    let (root, chunks) = (NodeId::new(0), 5.try_into().unwrap());
    let (wormhole, packets) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    read(
        "omega:8",
        &Collective::one_to_all_broadcast(root),
        wormhole,
        &expect![[r#"
        3 steps (growth): after 0 to 3 steps at most 1, 2, 4, 8 terminals can hold the message of terminal 0, and 8 must
        1 step (ports): terminal 0 sends 1 message, at most 1 in a step
        1 step (volume): 7 deliveries, at most 7 in a step
    "#]],
    );
    read(
        "full-b-tree:31",
        &Collective::one_to_all_broadcast(root),
        wormhole,
        &expect![[r#"
            4 steps (tree-broadcast): the message of terminal 0 cannot spread over the tree in 3 steps: an exhaustive programme over 68 states of its subtrees finds no way
            3 steps (growth): after 0 to 3 steps at most 1, 3, 11, 31 terminals can hold the message of terminal 0, and 31 must
            1 step (ports): terminal 0 sends 1 message, at most 2 in a step
            1 step (volume): 30 deliveries, at most 58 in a step
        "#]],
    );
    read(
        "star:5",
        &Collective::one_to_all_broadcast(root),
        CommunicationModel { ports: Ports::limit(1).unwrap(), ..packets },
        &expect![[r#"
            4 steps (growth): after 0 to 4 steps at most 1, 2, 3, 4, 5 terminals can hold the message of terminal 0, and 5 must
            4 steps (tree-packets): the message of terminal 0 takes 4 steps over the tree if every terminal serves first the neighbour whose subtree takes longest
            1 step (ports): terminal 0 sends 1 message, at most 1 in a step
            1 step (eccentricity): 1 message from terminal 0 must cross 1 channel, one in a step; at most 1 start there in a step
            1 step (volume): 4 deliveries, at most 4 in a step
        "#]],
    );
    read(
        "ring:8",
        &Collective::one_to_all_broadcast(root).with_chunks(chunks),
        packets,
        &expect![[r#"
            6 steps (growth): terminal 0 starts at most 2 of 5 messages in a step; 0 to 4 steps after its start at most 1, 3, 5, 7, 8 terminals can hold one, and 8 must
            6 steps (eccentricity): 5 messages from terminal 0 must cross 4 channels, one in a step; at most 2 start there in a step
            3 steps (ports): terminal 0 sends 5 messages, at most 2 in a step
            3 steps (volume): 35 deliveries, at most 14 in a step
        "#]],
    );
    read(
        "full-b-tree:15",
        &Collective::all_to_all_scatter(),
        wormhole,
        &expect![[r#"
            56 steps (cut): 56 messages must go into the 7 nodes 2, 5, 6, 11, 12, 13, 14, at most 1 in a step
            56 steps (arc-forwarding): by lengths of 4 resources, all messages together cover 224, at most 4 in a step
            27 steps (distance-sum): all messages together cross 736 channels, at most 28 in a step
            14 steps (ports): terminal 7 receives 14 messages, at most 1 in a step
            8 steps (volume): 210 deliveries, at most 28 in a step
        "#]],
    );
    read(
        "ring:6",
        &CollectiveKind::Gather { root }.into(),
        packets,
        &expect![[r#"
            3 steps (ports): backwards in time, terminal 0 sends 5 messages, at most 2 in a step
            3 steps (eccentricity): backwards in time, 1 message from terminal 0 must cross 3 channels, one in a step; at most 2 start there in a step
            3 steps (arc-forwarding): backwards in time, by lengths of 2 resources, all messages together cover 5, at most 2 in a step
            1 step (distance-sum): backwards in time, all messages together cross 9 channels, at most 12 in a step
            1 step (volume): backwards in time, 5 deliveries, at most 10 in a step
        "#]],
    );
    read(
        "ring:4",
        &CollectiveKind::AllReduce.into(),
        wormhole,
        &expect![[r#"
            4 steps (phases): 2 steps (ports): backwards in time, terminal 0 receives 3 messages, at most 2 in a step, then 2 steps (ports): terminal 0 receives 3 messages, at most 2 in a step
            4 steps (phases): 2 steps (growth): backwards in time, after 0 to 2 steps at most 1, 3, 4 terminals can hold the message of terminal 0, and 4 must, then 2 steps (growth): after 0 to 2 steps at most 1, 3, 4 terminals can hold the message of terminal 0, and 4 must
            4 steps (phases): 2 steps (volume): backwards in time, 12 deliveries, at most 8 in a step, then 2 steps (volume): 12 deliveries, at most 8 in a step
        "#]],
    );
}

#[test]
fn certificates_of_flows_and_trees_read_like_sentences() {
    let (wormhole, packets) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    read(
        "mesh:4x4",
        &Collective::one_to_all_scatter(NodeId::new(1)),
        wormhole,
        &expect![[r#"
            6 steps (source-cut): 11 messages of terminal 1 must go into the 11 nodes 2, 3, 5, 6, 7, 9, 10, 11 and 3 more, at most 2 in a step over channels that they may take
            6 steps (arc-forwarding): by lengths of 2 resources, all messages together cover 11, at most 2 in a step
            5 steps (ports): terminal 1 sends 15 messages, at most 3 in a step
            5 steps (volume): 15 deliveries, at most 3 in a step
            1 step (distance-sum): all messages together cross 40 channels, at most 48 in a step
        "#]],
    );
    read(
        "full-b-tree:15",
        &Collective::one_to_all_broadcast(NodeId::new(0)),
        CommunicationModel { ports: Ports::limit(1).unwrap(), ..packets },
        &expect![[r#"
            6 steps (tree-packets): the message of terminal 0 takes 6 steps over the tree if every terminal serves first the neighbour whose subtree takes longest
            5 steps (growth): after 0 to 5 steps at most 1, 2, 4, 7, 12, 15 terminals can hold the message of terminal 0, and 15 must
            3 steps (eccentricity): 1 message from terminal 0 must cross 3 channels, one in a step; at most 1 start there in a step
            1 step (ports): terminal 0 sends 1 message, at most 1 in a step
            1 step (volume): 14 deliveries, at most 14 in a step
        "#]],
    );
    read(
        "full-b-tree:15",
        &Collective::one_to_all_scatter(NodeId::new(1)),
        packets,
        &expect![[r#"
            8 steps (cut): 8 messages must go out of the 7 nodes 1, 3, 4, 7, 8, 9, 10, at most 1 in a step
            8 steps (timed-cut): 8 messages must cross a cut that moves in time, but in 7 steps at most 7 can
            8 steps (arc-forwarding): by lengths of 1 resource, all messages together cover 8, at most 1 in a step
            5 steps (ports): terminal 1 sends 14 messages, at most 3 in a step
            5 steps (eccentricity): 4 messages from terminal 1 must cross 4 channels, one in a step; at most 3 start there in a step
            2 steps (distance-sum): all messages together cross 35 channels, at most 28 in a step
            1 step (volume): 14 deliveries, at most 25 in a step
        "#]],
    );
}
