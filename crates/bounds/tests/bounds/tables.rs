//! Bounds of networks whose optima are known.

use lockstep_bounds::{BoundSearch, Cost, Rule, all, best, by_rule, symmetric};
use lockstep_schedule::{
    Budget, Collective, CollectiveName, CommunicationModel, Message, Ports, Problem, Routing, ScatterRule,
};
use lockstep_topology::{CayleyGraph, ChannelId, NodeId, Topology, TopologyBuilder};

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const PACKETS: CommunicationModel = CommunicationModel::store_and_forward();

fn network(spec: &str) -> Topology {
    spec.parse().unwrap()
}

/// Returns the best bound, after a check of all certificates.
fn steps(topology: &Topology, collective: &Collective, model: CommunicationModel) -> u32 {
    let problem = Problem::new(topology, collective, model).unwrap();
    for bound in all(&problem) {
        bound.check(&problem).unwrap();
    }
    best(&problem).steps
}

/// Returns the bounds of broadcast and scatter from a terminal, of all-gather and of all-to-all.
fn four(topology: &Topology, root: NodeId, model: CommunicationModel) -> [u32; 4] {
    [Collective::broadcast(root), Collective::scatter(root), Collective::all_gather(), Collective::all_to_all()]
        .map(|collective| steps(topology, &collective, model))
}

/// Returns the network without the nodes of these names.
fn without_nodes(topology: &Topology, removed: &[&str]) -> Topology {
    let mut builder = TopologyBuilder::new("faulty");
    let kept: Vec<NodeId> = topology.nodes().filter(|&node| !removed.contains(&topology.node_name(node))).collect();
    for &node in &kept {
        builder.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    let place = |node: NodeId| kept.binary_search(&node).ok().map(NodeId::from_index);
    for channel in topology.channels() {
        if let (Some(tail), Some(head)) = (place(topology.tail(channel)), place(topology.head(channel))) {
            builder.channel(tail, head);
        }
    }
    builder.build().unwrap()
}

/// Returns the network without the channels of these names.
fn without_channels(topology: &Topology, removed: &[&str]) -> Topology {
    let mut builder = TopologyBuilder::new("faulty");
    for node in topology.nodes() {
        builder.terminal(topology.node_name(node));
    }
    for channel in topology.channels().filter(|&channel| !removed.contains(&topology.channel_name(channel).as_str())) {
        builder.channel(topology.tail(channel), topology.head(channel));
    }
    builder.build().unwrap()
}

#[test]
fn terminals_of_multistage_networks_receive_one_message_per_step() {
    let sizes = [(8, 3), (16, 4), (32, 5)];
    let of_size = |size: u32| ["omega", "butterfly"].map(|family| format!("{family}:{size}"));
    let fat_trees = |(size, log): (u32, u32)| (format!("fat-tree:2,{log}"), size, log);
    let clos = [("clos:3,3,4".to_owned(), 12, 4), ("clos:4,4,4".to_owned(), 16, 4)];
    let multistage = sizes.iter().flat_map(|&(size, log)| of_size(size).map(|spec| (spec, size, log)));
    for (spec, size, log) in multistage.chain(sizes.into_iter().map(fat_trees)).chain(clos) {
        let network = network(&spec);
        let n = size - 1;
        assert_eq!(four(&network, network.terminals()[1], WORMHOLE), [log, n, n, n], "{spec}");
    }
}

/// MIN document, Table 3: the all-to-all on a tree takes the product of the leaves on both sides of the worst edge.
#[test]
fn trees_are_bounded_by_their_middle_edge() {
    for (leaves, log, exchange) in [(4, 2, 4), (8, 3, 16), (16, 4, 64), (32, 5, 256)] {
        let tree = network(&format!("b-tree:{leaves}"));
        assert_eq!(four(&tree, tree.terminals()[0], WORMHOLE), [log, leaves - 1, leaves - 1, exchange], "{leaves}");
    }
    for (nodes, exchange) in [(7, 12), (15, 56), (31, 240), (63, 992)] {
        let tree = network(&format!("full-b-tree:{nodes}"));
        assert_eq!(steps(&tree, &Collective::all_to_all(), WORMHOLE), exchange, "{nodes}");
        assert_eq!(steps(&tree, &Collective::all_gather(), WORMHOLE), nodes - 1, "{nodes}");
    }
}

/// Bertsekas et al. (1991): the distances of the messages of each node of a hypercube have the sum `d 2^(d-1)`, and the
/// all-to-all keeps all ports busy.
#[test]
fn the_ports_of_all_nodes_limit_a_packet_all_to_all() {
    for dimension in 1..=6u32 {
        let cube = network(&format!("hypercube:{dimension}"));
        let uses = dimension << (dimension - 1);
        for ports in 1..=dimension + 1 {
            let model = CommunicationModel { ports: Ports::limit(ports).unwrap(), ..PACKETS };
            let expected = uses.div_ceil(ports.min(dimension));
            let exchange = Collective::all_to_all();
            let problem = Problem::new(&cube, &exchange, model).unwrap();
            // All rules together take long on larger cubes.
            if dimension <= 4 {
                assert_eq!(best(&problem).steps, expected, "{dimension}, {ports}");
            }
            assert_eq!(by_rule(&problem, Rule::DistanceSum).unwrap().steps, expected, "{dimension}, {ports}");
            let graph: CayleyGraph = cube.name().parse().unwrap();
            let bound = symmetric(&graph, CollectiveName::AllToAll, model).unwrap();
            assert_eq!(bound.steps, expected, "{dimension}, {ports}");
        }
    }
}

/// A wormhole transfer crosses many channels, and uses one port at both ends.
#[test]
fn ports_do_not_limit_the_channels_that_wormholes_cross() {
    let cube = network("hypercube:4");
    let exchange = Collective::all_to_all();
    for scatter in [ScatterRule::Direct, ScatterRule::Relay] {
        let bounded = |ports| {
            let model = CommunicationModel { ports, scatter, ..WORMHOLE };
            by_rule(&Problem::new(&cube, &exchange, model).unwrap(), Rule::DistanceSum).unwrap().steps
        };
        assert_eq!(bounded(Ports::limit(1).unwrap()), bounded(Ports::All), "{scatter:?}");
    }
}

/// A broadcast over a complete binary tree usually takes one step more than the growth proves. Up to 63 nodes, the
/// optima are those of Table 3 of the MIN document.
#[test]
fn full_binary_trees_broadcast_through_their_narrow_links() {
    for (nodes, by_height) in [(7u32, [3, 2, 2].as_slice()), (15, &[3; 4]), (31, &[4; 5]), (63, &[5; 6])] {
        let tree = network(&format!("full-b-tree:{nodes}"));
        let place: Vec<NodeId> = (0..nodes).map(|node| NodeId::new((node * 11 + 2) % nodes)).collect();
        let shuffled = tree.relabelled(&place);
        // The tree maps every node of a level to every other one, so the first node of a level suffices.
        for root in tree.nodes().filter(|root| nodes <= 15 || (root.number() + 1).is_power_of_two()) {
            let height = by_height.len() - 1 - (root.number() + 1).ilog2() as usize;
            let broadcast = Collective::broadcast(root);
            assert_eq!(steps(&tree, &broadcast, WORMHOLE), by_height[height], "{nodes} from {root}");
            assert_eq!(steps(&tree.half_duplex(), &broadcast, WORMHOLE), by_height[height], "{nodes} from {root}");
            let broadcast = Collective::broadcast(place[root.index()]);
            assert_eq!(steps(&shuffled, &broadcast, WORMHOLE), by_height[height], "{nodes} from {root}, shuffled");
        }
    }
}

/// The subtrees below a node receive their first copies one after the other, or after the node, so each level takes a step.
#[test]
fn a_broadcast_from_the_root_of_a_large_binary_tree_takes_a_step_per_level() {
    for height in [8, 11, 13] {
        let tree = network(&format!("full-b-tree:{}", (2u32 << height) - 1));
        assert_eq!(steps(&tree, &Collective::broadcast(NodeId::new(0)), WORMHOLE), height, "{height}");
    }
}

/// A failed node keeps its number, but it has no link.
#[test]
fn a_broadcast_over_a_tree_with_a_failed_leaf_has_a_valid_certificate() {
    for leaf in [15, 30] {
        let tree = network("full-b-tree:31").with_failures([NodeId::new(leaf)], []);
        assert_eq!(steps(&tree, &Collective::broadcast(NodeId::new(0)), WORMHOLE), 4, "{leaf}");
    }
}

/// With one port, the centre of a star sends to one leaf per step, and every leaf only to the centre.
#[test]
fn the_centre_of_a_star_sends_to_one_leaf_per_step() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    for nodes in [3, 4, 5, 24, 150] {
        let star = network(&format!("star:{nodes}"));
        let middle = star.nodes().max_by_key(|&node| star.out_channels(node).len());
        for root in star.nodes().filter(|&root| nodes < 25 || Some(root) == middle) {
            assert_eq!(steps(&star, &Collective::broadcast(root), one_port), nodes - 1, "{nodes} from {root}");
        }
    }
}

/// MIN document, Table 3, with later proofs for the last cells: by depth of the source, from leaf to root.
#[test]
fn full_binary_trees_scatter_over_the_channel_to_the_larger_part() {
    let rows: [(u32, &[u32]); 4] =
        [(7, &[6, 4, 3]), (15, &[14, 12, 8, 7]), (31, &[30, 28, 24, 16, 15]), (63, &[62, 60, 56, 48, 32, 31])];
    for (nodes, scatter) in rows {
        let tree = network(&format!("full-b-tree:{nodes}"));
        for (up, &steps_needed) in scatter.iter().enumerate() {
            // Level order: the first node of a level.
            let root = NodeId::new((1 << (scatter.len() - 1 - up)) - 1);
            assert_eq!(steps(&tree, &Collective::scatter(root), WORMHOLE), steps_needed, "{nodes} {up}");
        }
    }
}

/// Fault document, Tables 2, 4 and 5, with later proofs, over paths with the fewest channels.
#[test]
fn meshes_and_kautz_graphs_with_and_without_faults() {
    let mesh = network("mesh:4x4");
    for (source, expected) in [("00", [3, 8, 8, 16]), ("01", [2, 6, 8, 16]), ("11", [2, 4, 8, 16])] {
        assert_eq!(four(&mesh, mesh.node_named(source).unwrap(), WORMHOLE), expected, "{source}");
    }
    for (link, gather, exchange) in [("00-01", 15, 16), ("01-02", 8, 22), ("11-21", 8, 22), ("12-13", 8, 16)] {
        let (u, v) = link.split_once('-').unwrap();
        let faulty = without_channels(&mesh, &[&format!("{u}->{v}"), &format!("{v}->{u}")]);
        assert_eq!(steps(&faulty, &Collective::all_gather(), WORMHOLE), gather, "{link}");
        assert_eq!(steps(&faulty, &Collective::all_to_all(), WORMHOLE), exchange, "{link}");
    }
    for (node, gather, exchange) in [("01", 14, 19), ("03", 7, 14), ("11", 7, 19), ("33", 7, 14)] {
        let faulty = without_nodes(&mesh, &[node]);
        assert_eq!(steps(&faulty, &Collective::all_gather(), WORMHOLE), gather, "{node}");
        assert_eq!(steps(&faulty, &Collective::all_to_all(), WORMHOLE), exchange, "{node}");
    }

    let kautz = network("kautz:3,2");
    let [broadcast, scatter, gather, exchange] = four(&kautz, kautz.node_named("01").unwrap(), WORMHOLE);
    assert_eq!((broadcast, scatter, gather, exchange), (2, 4, 4, 7));
    for channel in kautz.channels() {
        let name = kautz.channel_name(channel);
        // Far from the source, the network maps many channels to each other.
        if !name.starts_with("01") && !name.starts_with("10") && !channel.index().is_multiple_of(4) {
            continue;
        }
        let faulty = without_channels(&kautz, &[&name]);
        let [_, scatter, gather, exchange] = four(&faulty, faulty.node_named("01").unwrap(), WORMHOLE);
        let expected = match name.as_str() {
            "10->02" | "10->03" => 5,
            _ if name.starts_with("01") => 6,
            _ => 4,
        };
        assert_eq!((scatter, gather, exchange), (expected, 6, 9), "{name}");
    }
}

/// Bertsekas et al. (1991): broadcast `d`, scatter and all-gather `ceil((2^d - 1) / d)`, all-to-all `2^(d-1)`; all are
/// optima.
#[test]
fn hypercubes_with_store_and_forward() {
    for dimension in 2..=5 {
        let cube = network(&format!("hypercube:{dimension}"));
        let most = ((1u32 << dimension) - 1).div_ceil(dimension);
        assert_eq!(four(&cube, NodeId::new(0), PACKETS), [dimension, most, most, 1 << (dimension - 1)], "{dimension}");
    }
}

/// Half of the messages cross the middle: `n^3/8` steps on an even `n` x `n` torus, `n(n^2 - 1)/8` on an odd one, `n
/// m^2/8` on `n` x `m`, and `n^2/8` on a ring.
#[test]
fn rings_tori_and_cubes_exchange_across_their_halves() {
    let cases = [
        ("torus:4x4", 8),
        ("torus:5x5", 15),
        ("torus:6x6", 27),
        ("torus:8x8", 64),
        ("torus:4x8", 32),
        ("torus:8x4", 32),
        ("torus:4x4x4", 32),
        ("torus:2x2x8", 32),
        ("ring:8", 8),
        ("ring:16", 32),
        ("hypercube:6", 32),
        ("mesh:4x4", 16),
        ("mesh:5x5", 30),
        ("mesh:3x6", 27),
    ];
    for (spec, expected) in cases {
        let network = network(spec);
        assert_eq!(steps(&network, &Collective::all_to_all(), WORMHOLE), expected, "{spec}");
        // The numbers of the nodes do not matter.
        let count = network.node_count();
        let place: Vec<NodeId> = (0..count).map(|node| NodeId::from_index((node * 7 + 3) % count)).collect();
        if !count.is_multiple_of(7) {
            let problem = network.relabelled(&place);
            assert_eq!(steps(&problem, &Collective::all_to_all(), WORMHOLE), expected, "{spec} relabelled");
        }
    }
}

#[test]
fn half_duplex_links_double_all_to_all() {
    let mesh = network("mesh:4x4");
    let half = mesh.half_duplex();
    assert_eq!(steps(&half, &Collective::all_to_all(), WORMHOLE), 32);
    // A corner sends 1 and receives 15 messages on 2 links; 240 deliveries take 10 steps on 24 links.
    let gather = Collective::all_gather();
    let problem = Problem::new(&half, &gather, WORMHOLE).unwrap();
    let by_rule = |rule| all(&problem).into_iter().find(|bound| bound.rule == rule).unwrap().steps;
    assert_eq!((by_rule(Rule::Ports), by_rule(Rule::Volume)), (8, 10));
    assert_eq!(best(&problem).steps, 10);
}

#[test]
fn ports_limit_both_ways() {
    let cube = network("hypercube:4");
    let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..WORMHOLE };
    // One port: log2 N for the broadcast, N - 1 for the others. Two ports: ceil(log3 16) and 8.
    assert_eq!(four(&cube, NodeId::new(0), model), [4, 15, 15, 15]);
    let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..WORMHOLE };
    assert_eq!(four(&cube, NodeId::new(0), model), [3, 8, 8, 8]);
}

#[test]
fn chunks_pass_the_source_one_after_the_other() {
    let omega = network("omega:8");
    let broadcast = Collective::broadcast(omega.terminals()[0]).with_chunks(5.try_into().unwrap());
    // The fifth chunk starts in step 5 and takes 3 steps.
    assert_eq!(steps(&omega, &broadcast, WORMHOLE), 7);
    let ring = network("ring:8");
    let broadcast = Collective::broadcast(NodeId::new(0)).with_chunks(6.try_into().unwrap());
    // Six chunks leave over two links in 3 steps, and the last one crosses four channels.
    assert_eq!(steps(&ring, &broadcast, PACKETS), 6);
}

#[test]
fn a_collecting_phase_is_a_time_reversed_distribution() {
    // Three nodes have a channel to the root, but the root has a channel to one node only.
    let mut builder = TopologyBuilder::new("funnel");
    let [root, a, b, c] = ["root", "a", "b", "c"].map(|name| builder.terminal(name));
    for (tail, head) in [(root, a), (a, b), (b, c), (a, root), (b, root), (c, root)] {
        builder.channel(tail, head);
    }
    let funnel = builder.build().unwrap();
    let gather = Collective::gather(root);
    let reduce = Collective::reduce(root);
    assert_eq!(steps(&funnel, &gather, WORMHOLE), 1);
    assert_eq!(steps(&funnel, &reduce, WORMHOLE), 1);
    assert_eq!(steps(&funnel, &Collective::scatter(root), WORMHOLE), 3);

    let omega = network("omega:8");
    assert_eq!(steps(&omega, &Collective::reduce_scatter(), WORMHOLE), 7);
}

#[test]
fn many_to_many_collectives_count_only_their_messages() {
    let mesh = network("mesh:4x4");
    let column = |y: u32| (0..4).map(|x| NodeId::new(4 * x + y)).collect::<Vec<_>>();
    let (left, right) = (column(0), column(3));
    // 16 messages cross the 4 rows; 4 messages reach each of 2 corners over 2 links, and no schedule has 2 steps.
    assert_eq!(steps(&mesh, &Collective::many_to_many_scatter(&left, &right), WORMHOLE), 4);
    let broadcasts = Collective::many_to_many_broadcast(&left, &right);
    assert_eq!(exact_steps(&Problem::new(&mesh, &broadcasts, WORMHOLE).unwrap()), 3);
}

/// Returns the bound of a small problem after much work of the exact rule.
fn exact_steps(problem: &Problem<'_>) -> u32 {
    let (mut search, budget) = (BoundSearch::new(problem), Budget::unlimited());
    search.raise(Cost::Expensive, u32::MAX, &budget, |_, _| {});
    search.raise_exact(1 << 24, u32::MAX, &budget, |_, _| {});
    assert_eq!(search.best().check(problem), Ok(()));
    search.best().steps
}

#[test]
fn a_shared_bus_is_one_resource() {
    // Four hosts on a ring whose four forward channels are one bus: 12 messages, one at a time.
    let mut builder = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c", "d"].map(|name| builder.terminal(name));
    for place in 0..4 {
        builder.channel(nodes[place], nodes[(place + 1) % 4]);
    }
    builder.share((0..4).map(ChannelId::new));
    let bus = builder.build().unwrap();
    assert_eq!(steps(&bus, &Collective::all_gather(), WORMHOLE), 12);
}

/// Returns hosts on one switch.
fn hosts_on_a_switch(hosts: usize) -> Topology {
    let mut network = TopologyBuilder::new("switch");
    let hosts: Vec<NodeId> = (0..hosts).map(|host| network.terminal(host.to_string())).collect();
    let switch = network.switch("switch");
    for host in hosts {
        network.link(host, switch);
    }
    network.build().unwrap()
}

/// Every delivery uses a channel at its sender and one at its receiver. With half-duplex links, these compete.
#[test]
fn a_delivery_has_two_ends() {
    let model = CommunicationModel::wormhole();
    let all_gather = Collective::all_gather();
    assert_eq!(steps(&hosts_on_a_switch(6).half_duplex(), &all_gather, model), 6 * 5 * 2 / 6);
    assert_eq!(steps(&network("fat-tree:2,3").half_duplex(), &all_gather, model), 8 * 7 * 2 / 8);
    // Each transfer uses two of the links, so one of seven or nine is idle in every step.
    for hosts in [7, 9] {
        let network = hosts_on_a_switch(hosts).half_duplex();
        let deliveries = hosts as u32 * (hosts as u32 - 1);
        for collective in [&all_gather, &Collective::all_to_all()] {
            assert_eq!(steps(&network, collective, model), deliveries / (hosts as u32 / 2), "{hosts} hosts");
        }
        // The bounds on the sums of widths do not count whole transfers.
        let problem = Problem::new(&network, &all_gather, model).unwrap();
        assert_eq!(best(&problem).certificate.quotient(), Some([2 * u64::from(deliveries), hosts as u64]));
    }
    // Eight routers, each with two hosts: 16 * 15 deliveries over the links of 16 hosts.
    assert_eq!(steps(&network("dragonfly:2,2,1").half_duplex(), &all_gather, model), 22);
}

/// With one port, the larger side of a bipartite network receives no more messages per step than the smaller side can
/// send.
#[test]
fn the_smaller_side_of_a_mesh_sends_to_the_larger_one() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::store_and_forward() };
    for (spec, larger, smaller) in [("mesh:3x7", 11, 10), ("mesh:5x5", 13, 12)] {
        let mesh = network(spec);
        let expected = (larger * (mesh.node_count() as u32 - 1)).div_ceil(smaller);
        assert_eq!(steps(&mesh, &Collective::all_gather(), one_port), expected, "{spec}");
    }
}

/// Each step has room for all transfers of the two messages, but not for their first transfers.
#[test]
fn a_message_is_forwarded_after_it_arrives() {
    let triangle = network("ring:3").half_duplex();
    let [a, b] = [0, 1].map(NodeId::new);
    let exchange = [(a, b), (b, a)].map(|(source, receiver)| Message { source, receivers: vec![receiver] });
    let collective = Collective::custom(exchange.to_vec());
    assert_eq!(steps(&triangle, &collective, CommunicationModel::store_and_forward()), 2);
    let path = network("mesh:1x4").half_duplex();
    let [a, b, c, d] = [0, 1, 2, 3].map(NodeId::new);
    let messages = [(d, vec![a, b, c]), (a, vec![b, d])];
    let messages = messages.map(|(source, receivers)| Message { source, receivers });
    let model = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    assert_eq!(steps(&path, &Collective::custom(messages.to_vec()), model), 3);
}

/// Returns the best bound of an all-reduce in a number of blocks, and its rule.
fn all_reduce(topology: &Topology, blocks: u32, model: CommunicationModel) -> (u32, Rule) {
    let collective = Collective::all_reduce_in_blocks(topology, &[], blocks.try_into().unwrap()).unwrap();
    let problem = Problem::new(topology, &collective, model).unwrap();
    let bounds = all(&problem);
    for bound in &bounds {
        assert_eq!(bound.check(&problem), Ok(()), "{bound}");
    }
    assert_eq!(best(&problem).steps, bounds[0].steps);
    (bounds[0].steps, bounds[0].rule)
}

/// Every message takes 2 (N - 1) transfers.
#[test]
fn all_reduces_gather_and_spread_every_message() {
    // A block takes 30 transfers over 64 channels, or 14 over 48.
    assert_eq!(all_reduce(&network("torus:4x4"), 16, WORMHOLE), (8, Rule::Volume));
    assert_eq!(all_reduce(&network("hypercube:4"), 32, PACKETS), (15, Rule::Volume));
    // The hosts of a dragonfly have one link each.
    assert_eq!(all_reduce(&network("dragonfly:2,2,1"), 12, WORMHOLE), (22, Rule::Volume));
    assert_eq!(all_reduce(&network("star:8").half_duplex(), 8, WORMHOLE), (16, Rule::Ports));
    // Each transfer over a switch uses two half-duplex links.
    assert_eq!(all_reduce(&network("fat-tree:2,3").half_duplex(), 8, WORMHOLE), (28, Rule::Gossip));
    assert_eq!(all_reduce(&hosts_on_a_switch(6).half_duplex(), 3, WORMHOLE), (10, Rule::Gossip));
}

/// The sum of all contributions arrives late, and over few channels.
#[test]
fn all_blocks_of_an_all_reduce_pass_each_terminal_after_its_eccentricity() {
    assert_eq!(all_reduce(&network("star:8"), 8, WORMHOLE), (9, Rule::CommonRoot));
    assert_eq!(all_reduce(&network("star:8"), 1, WORMHOLE), (2, Rule::CommonRoot));
    assert_eq!(all_reduce(&network("full-b-tree:15"), 60, PACKETS), (65, Rule::CommonRoot));
}

/// Two cliques of six nodes, joined by a path over three others. Contributions to all 15 blocks cross the path one after the
/// other, at least two steps after the beginning and three steps before the end. All terminals of the cliques have many channels.
#[test]
fn all_blocks_of_an_all_reduce_cross_a_narrow_cut_in_the_middle() {
    let mut cliques = TopologyBuilder::new("cliques");
    let nodes: Vec<NodeId> = (0..15).map(|node| cliques.terminal(node.to_string())).collect();
    for clique in [&nodes[..6], &nodes[9..]] {
        for (place, &node) in clique.iter().enumerate() {
            for &other in &clique[place + 1..] {
                cliques.link(node, other);
            }
        }
    }
    for pair in nodes[5..10].windows(2) {
        cliques.link(pair[0], pair[1]);
    }
    let cliques = cliques.build().unwrap();
    assert_eq!(all_reduce(&cliques, 15, PACKETS), (20, Rule::CommonRoot));
}

/// Two rings of four, joined by one half-duplex link: every block crosses it in both directions.
#[test]
fn all_reduces_cross_every_cut_in_both_directions() {
    let mut joined = TopologyBuilder::new("joined");
    let nodes: Vec<NodeId> = (0..8).map(|node| joined.terminal(node.to_string())).collect();
    for ring in nodes.chunks(4) {
        (0..4).for_each(|place| _ = joined.link(ring[place], ring[(place + 1) % 4]));
    }
    joined.link(nodes[0], nodes[4]);
    let joined = joined.build().unwrap().half_duplex();
    assert_eq!(all_reduce(&joined, 16, WORMHOLE), (32, Rule::Cut));
}

/// Every message takes two sends of the terminal in the middle, but it can send no result in the first step.
#[test]
fn partial_sums_come_before_results() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    assert_eq!(all_reduce(&network("mesh:1x3"), 3, one_port), (7, Rule::TimedEntries));
    assert_eq!(all_reduce(&network("star:4"), 4, one_port), (13, Rule::TimedEntries));
    let line = network("mesh:1x4").half_duplex();
    assert_eq!(all_reduce(&line, 2, PACKETS), (6, Rule::TimedEntries));
    let four_blocks = Collective::all_reduce_in_blocks(&line, &[], 4.try_into().unwrap()).unwrap();
    assert_eq!(exact_steps(&Problem::new(&line, &four_blocks, WORMHOLE).unwrap()), 10);
}
