//! Tests of the loads of breadth-first broadcast.

use lockstep_topology::{TopologyBuilder, strategy};
use proptest::prelude::*;

use super::*;

fn network(nodes: u32, channels: impl IntoIterator<Item = (u32, u32)>) -> Topology {
    let mut network = TopologyBuilder::new("network");
    for node in 0..nodes {
        network.terminal(node.to_string());
    }
    for (tail, head) in channels.into_iter().filter(|(tail, head)| tail != head) {
        network.channel(NodeId::new(tail), NodeId::new(head));
    }
    network.build().unwrap()
}

fn both_ways(nodes: u32, links: impl IntoIterator<Item = (u32, u32)>) -> Topology {
    network(nodes, links.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]))
}

fn hoffman_singleton() -> Topology {
    let pentagons = (0..25).map(|node| (node, node / 5 * 5 + (node + 1) % 5));
    let pentagrams = (0..25).map(|node| (25 + node, 25 + node / 5 * 5 + (node + 2) % 5));
    let between =
        (0..5).flat_map(|h| (0..5).flat_map(move |i| (0..5).map(move |j| (5 * h + j, 25 + 5 * i + (h * i + j) % 5))));
    both_ways(50, pentagons.chain(pentagrams).chain(between))
}

/// The sums of loads of the literature, recomputed by the linear program of the source.
#[test]
fn loads_are_those_of_the_literature() {
    let spec = |spec: &str| spec.parse::<Topology>().unwrap();
    let heawood =
        both_ways(14, (0..14).map(|node| (node, (node + 1) % 14)).chain((0..7).map(|k| (2 * k, (2 * k + 5) % 14))));
    let cases = [
        (spec("hypercube:3"), 3, [7, 3]),
        (spec("hypercube:4"), 4, [15, 4]),
        (spec("hypercube:6"), 6, [21, 2]),
        (spec("hypercube:10"), 10, [1023, 10]),
        (spec("ring:8"), 4, [7, 2]),
        (spec("torus:4x4"), 4, [15, 4]),
        (spec("torus:4x6"), 5, [23, 4]),
        (spec("torus:3x5"), 3, [7, 2]),
        (spec("torus:8x8"), 8, [63, 4]),
        (spec("torus:32x32"), 32, [1023, 4]),
        (spec("torus:3x3x3"), 3, [13, 3]),
        (spec("torus:3x3x2"), 3, [17, 5]),
        (spec("mesh:4x4"), 6, [15, 2]),
        (spec("complete:4"), 1, [1, 1]),
        (spec("expand:3,complete:2"), 2, [5, 3]),
        (spec("expand:4,complete:2"), 2, [7, 4]),
        (strategy::petersen(), 2, [3, 1]),
        (heawood, 3, [13, 3]),
        (hoffman_singleton(), 2, [7, 1]),
        (spec("circulant:11,2,3"), 2, [5, 2]),
        (spec("circulant:16,3,4"), 3, [15, 4]),
        (spec("line:1,complete:3"), 2, [3, 1]),
        (spec("line:2,complete:3"), 3, [7, 1]),
        (spec("line:1,complete:4"), 2, [4, 1]),
        (spec("line:1,circulant:16,3,4"), 4, [16, 1]),
        (spec("line:3,circulant:16,3,4"), 6, [261, 1]),
        (spec("generalised-kautz:2,8"), 3, [7, 1]),
        (spec("generalised-kautz:3,10"), 3, [9, 2]),
        (spec("generalised-kautz:4,12"), 2, [5, 1]),
        (spec("generalised-kautz:4,1024"), 5, [341, 1]),
        (spec("power:2,product:circulant-digraph:4,1*circulant-digraph:8,1"), 20, [1023, 4]),
        (spec("line:2,power:2,circulant-digraph:8,1,3"), 8, [256, 1]),
        (spec("power:2,metacyclic:16,2,7,2,3"), 12, [1023, 4]),
        (spec("line:3,metacyclic:8,2,7,3,4,9,14"), 5, [277, 1]),
    ];
    for (topology, stages, total) in cases {
        let loads = StageLoads::new(&topology).unwrap();
        assert_eq!((loads.loads().len(), loads.total()), (stages, Some(total)), "{}", topology.name());
    }
    let of = |topology: &Topology| StageLoads::new(topology).unwrap().loads().to_vec();
    assert_eq!(of(&spec("generalised-kautz:4,1024")), [[1, 1], [4, 1], [16, 1], [64, 1], [256, 1]]);
    assert_eq!(of(&spec("torus:8x8")), [[1, 1], [2, 1], [3, 1], [7, 2], [3, 1], [2, 1], [1, 1], [1, 4]]);
}

/// The literature states the number of stages and the sum of the loads after an expansion. Its figures are upper bounds,
/// which full-duplex networks of optimal bandwidth attain.
#[test]
fn expansions_have_the_loads_of_the_literature_or_less() {
    let measured = |spec: &str| {
        let loads = StageLoads::new(&spec.parse().unwrap()).unwrap();
        (loads.loads().len(), loads.total().unwrap())
    };
    let exact = "complete:3 complete:5 ring:5 ring:8 circulant:11,2,3 circulant:16,3,4 hypercube:3 torus:4x3
        expand:3,complete:2";
    let others = "circulant-digraph:5,1 circulant-digraph:8,1,3 kautz:2,2 kautz:3,2 generalised-kautz:2,6
        metacyclic:8,2,3,3,6 metacyclic:8,2,7,3,4,9,14";
    let bases =
        exact.split_whitespace().map(|base| (base, true)).chain(others.split_whitespace().map(|base| (base, false)));
    for (base, is_exact) in bases {
        let network: Topology = base.parse().unwrap();
        let [order, degree] = [network.node_count(), network.channel_count() / network.node_count()].map(|n| n as u64);
        let (stages, [sum, unit]) = measured(base);
        let check = |expansion: &str, most_stages: usize, most: [u64; 2]| {
            let spec = format!("{expansion},{base}");
            let (stages, total) = measured(&spec);
            if is_exact {
                assert_eq!((stages, total), (most_stages, lowest_terms(most)), "{spec}");
            }
            assert!(stages <= most_stages && !is_less(most, total), "{spec}: {stages} stages, {total:?}");
        };
        // A one-way ring is its own line graph.
        if degree > 1 {
            check("line:1", stages + 1, [degree * sum + unit, unit]);
        }
        // The copies of a node are two channels apart if links are full duplex.
        let most_stages = if is_exact { stages.max(2) } else { stages + 1 };
        check("expand:3", most_stages, [sum * 3 * degree + 2 * unit, 3 * degree * unit]);
        for exponent in [2, 3].into_iter().filter(|&exponent| order.pow(exponent) <= 1100) {
            let most = [sum * (order.pow(exponent) - 1), unit * u64::from(exponent) * (order - 1)];
            check(&format!("power:{exponent}"), stages * exponent as usize, most);
        }
    }
    // Some are less: the power of a network that is not of optimal bandwidth is.
    assert_eq!(measured("metacyclic:8,2,7,3,4,9,14"), (2, [4, 1]));
    assert_eq!(measured("power:2,metacyclic:8,2,7,3,4,9,14"), (4, [255, 8]));
    // Products of networks of optimal bandwidth have optimal bandwidth.
    for (product, stages, total) in [
        ("product:ring:8*circulant:11,2,3", 6, [29, 2]),
        ("product:circulant-digraph:4,1*complete:4", 4, [15, 4]),
        ("product:expand:3,complete:2*ring:5*circulant-digraph:8,1,3", 7, [239, 7]),
    ] {
        assert_eq!(measured(product), (stages, total), "{product}");
    }
}

#[test]
fn networks_without_a_breadth_first_broadcast_are_refused() {
    let message = |spec: &str| StageLoads::new(&spec.parse().unwrap()).unwrap_err().to_string();
    assert!(message("omega:8").contains("'s0.0' is a switch"));
    assert!(message("complete:18").contains("channels from 17 nodes enter '0'"));
    let one_way = StageLoads::new(&network(3, [(0, 1), (1, 2)])).unwrap_err().to_string();
    assert_eq!(one_way, "no path leads from '1' to '0'; connect them");
    let half_duplex = StageLoads::new(&"ring:4".parse::<Topology>().unwrap().half_duplex());
    assert_eq!(half_duplex, Err(StageLoadsError::Shared));
}

/// Returns the loads by the definition: the maximum over all nodes and sets of predecessors.
fn loads_by_definition(topology: &Topology) -> Vec<[u64; 2]> {
    let graph = Graph::of(&topology.reversed());
    let nodes = graph.node_count() as u32;
    let from = |source: u32| {
        let mut distance = vec![usize::MAX; nodes as usize];
        distance[source as usize] = 0;
        // Bellman-Ford.
        for _ in 0..nodes {
            for head in 0..nodes {
                let tails = graph.neighbours(head).iter().map(|&tail| distance[tail as usize].saturating_add(1));
                distance[head as usize] = tails.min().unwrap_or(usize::MAX).min(distance[head as usize]);
            }
        }
        distance
    };
    let distance: Vec<Vec<usize>> = (0..nodes).map(from).collect();
    let mut loads = vec![[0, 1]; distance.iter().flatten().copied().max().unwrap()];
    for to in 0..nodes as usize {
        let into: Vec<(u32, u32)> = graph.arcs(to as u32).collect();
        for set in 1usize..1 << into.len() {
            let chosen = |place: &usize| set >> place & 1 == 1;
            let capacity = (0..into.len()).filter(chosen).map(|place| u64::from(into[place].1)).sum();
            for (stage, most) in loads.iter_mut().enumerate() {
                let others = |place: &usize| !chosen(place);
                let only = distance.iter().filter(|row| {
                    let is_via = |place: usize| row[into[place].0 as usize] == stage;
                    row[to] == stage + 1 && !(0..into.len()).filter(others).any(is_via)
                });
                let load = [only.count() as u64, capacity];
                *most = if is_less(*most, load) { load } else { *most };
            }
        }
    }
    loads.into_iter().map(lowest_terms).collect()
}

proptest! {
    #[test]
    fn loads_are_those_of_the_definition(
        topology in strategy::connected_topology(10), shifts in prop::collection::btree_set(1..20u32, 1..6),
    ) {
        // One-way channels, several shortest paths.
        let shifts: Vec<u32> = std::iter::once(1).chain(shifts.into_iter().filter(|&shift| shift > 1)).collect();
        let digraph = lockstep_topology::circulant_digraph(20, &shifts).unwrap();
        let (parallel, _) = strategy::with_parallel_channels(&topology);
        for network in [topology, digraph, parallel] {
            let loads = StageLoads::new(&network).unwrap();
            prop_assert_eq!(loads.loads(), loads_by_definition(&network));
        }
    }

    #[test]
    fn capacities_count_like_parallel_channels(topology in strategy::connected_topology(8).prop_flat_map(|topology| strategy::with_capacities(topology, 4))) {
        let (parallel, _) = strategy::with_parallel_channels(&topology);
        prop_assert_eq!(StageLoads::new(&topology), StageLoads::new(&parallel));
    }

    #[test]
    fn no_node_receives_faster_than_its_channels(topology in strategy::connected_topology(9)) {
        let loads = StageLoads::new(&topology).unwrap();
        let graph = Graph::of(&topology);
        prop_assert_eq!(StageLoads::of_graph(&graph, &Sources::all(&graph)), Ok(loads.clone()));
        let least = topology.terminals().iter().map(|&node| topology.in_channels(node).len()).min().unwrap();
        let [sum, of] = loads.total().unwrap();
        prop_assert!(sum * least as u64 >= of * (topology.terminal_count() as u64 - 1));
        prop_assert!(loads.steps(1) >= loads.loads().len() as u64);
    }
}
