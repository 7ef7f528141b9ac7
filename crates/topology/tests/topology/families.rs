//! Sizes, degrees and distances of all families by closed formulas.

use std::collections::VecDeque;

use lockstep_topology::*;
use proptest::prelude::*;

/// Distances from a terminal to all nodes by legal paths. `None` for unreachable nodes.
pub(crate) fn distances(topology: &Topology, source: NodeId) -> Vec<Option<usize>> {
    let mut distance = vec![None; topology.node_count()];
    let mut waiting = VecDeque::from([source]);
    distance[source.index()] = Some(0);
    while let Some(node) = waiting.pop_front() {
        if node != source && !topology.routes(node) {
            continue;
        }
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if distance[head.index()].is_none() {
                distance[head.index()] = distance[node.index()].map(|steps| steps + 1);
                waiting.push_back(head);
            }
        }
    }
    distance
}

/// Returns whether each node is reached from a terminal if terminals forward messages.
fn reached_with_relays(topology: &Topology, source: NodeId) -> Vec<bool> {
    let mut reached = vec![false; topology.node_count()];
    let mut waiting = vec![source];
    reached[source.index()] = true;
    while let Some(node) = waiting.pop() {
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if !std::mem::replace(&mut reached[head.index()], true) {
                waiting.push(head);
            }
        }
    }
    reached
}

/// Number of terminals at each distance.
fn profile(topology: &Topology, source: NodeId) -> Vec<usize> {
    let distance = distances(topology, source);
    let mut profile = vec![0];
    for terminal in topology.terminals() {
        let steps = distance[terminal.index()].expect("the network is connected");
        profile.resize(profile.len().max(steps + 1), 0);
        profile[steps] += 1;
    }
    profile
}

fn diameter(topology: &Topology) -> usize {
    topology.terminals().iter().map(|&source| profile(topology, source).len() - 1).max().expect("there is a terminal")
}

pub(crate) fn channel_ends(topology: &Topology) -> Vec<(u32, u32)> {
    topology.channels().map(|channel| (topology.tail(channel).number(), topology.head(channel).number())).collect()
}

/// Nodes, terminals, channels and diameter.
fn sizes(topology: &Topology) -> [usize; 4] {
    [topology.node_count(), topology.terminal_count(), topology.channel_count(), diameter(topology)]
}

pub(crate) fn parse(spec: &str) -> Topology {
    spec.parse().unwrap_or_else(|error| panic!("{spec}: {error}"))
}

pub(crate) fn assert_regular(topology: &Topology, degree: usize) {
    for node in topology.nodes() {
        let degrees = (topology.out_channels(node).len(), topology.in_channels(node).len());
        assert_eq!(degrees, (degree, degree), "{} node {node}", topology.name());
    }
}

fn assert_equal_distance_profiles(topology: &Topology) {
    let first = profile(topology, topology.terminals()[0]);
    for &terminal in topology.terminals() {
        assert_eq!(profile(topology, terminal), first, "{} from {terminal}", topology.name());
    }
}

/// Specs of all families.
const SAMPLES: &str = "
    complete:1 complete:9 star:1 star:2 star:9 ring:1 ring:2 ring:9 mesh:1 mesh:5 mesh:3x4 mesh:2x12
    mesh:3x3x3 mesh:2x3x2x3 torus:1x1 torus:2x2 torus:2x5 torus:4x4x4 torus:3x3x3x3x3 ladder:2x1 ladder:2x4
    hypercube:1 hypercube:3 hypercube:7 folded-hypercube:2 folded-hypercube:5 circulant:9,2,3
    circulant:10,1,5 k-ring:8 midimew:5 midimew:25 octagon moore:8 amp:5 amp:8+sc amp:42 random-regular:20,3,7 random-regular:9,6,7
    jellyfish:4,3,1 jellyfish:15,3,2 jellyfish:20,6,3
    kautz:2,3 kautz:3,2 kautz:12,1 de-bruijn:2,4 de-bruijn:11,2 full-b-tree:1 full-b-tree:31 omega:2 omega:4
    omega:16 butterfly:2 butterfly:16 clos:1,1,1 clos:3,2,4 fat-tree:2,1 fat-tree:3,3 b-tree:2 b-tree:16
    dragonfly:1,0,4 dragonfly:2,0,1 dragonfly:4,2,2 dragonfly:2,0,1,local=25GB/s,global=12.5GB/s
    dragonfly:4,2,2,terminal=25GB/s,local=50GB/s,global=25GB/s fat-tree:2,3,oversubscription=4
    cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=50GB/s cluster:nodes=3,gpus=6,nvlink=10GB/s,rails=12,nic=3GB/s
    cluster:nodes=3,gpus=6,nvlink=10GB/s,rails=2,nic=3GB/s cluster:nodes=1,gpus=1,nvlink=1B/s,rails=1,nic=1B/s
    cluster:nodes=2,gpus=4,nvlink=300GB/s,rails=4,nic=25GB/s,nvlink-latency=700ns,nic-latency=1.3us
    dgx-1 ndv2:1 ndv2:2 ndv2:4 dgx-a100:1 dgx-a100:3 dgx-h100:4 mi250:1 mi250:2 nvl72 tpu:4x4x4 tpu:8
    generalised-kautz:2,3 generalised-kautz:3,10 generalised-kautz:4,64 circulant-digraph:8,1 circulant-digraph:9,2,3
    metacyclic:8,2,3,3,6 metacyclic:16,4,3,4,17 metacyclic:1,6,1,1,3 line:1,kautz:2,1 line:3,circulant:8,1,4 expand:4,complete:2
    expand:1,ring:5 expand:2,line:1,complete:3 product:ring:4*complete:3 product:ring:2*(line:1,product:ring:3*ring:2)*ladder:2x2
    power:2,circulant-digraph:8,1,3 power:1,octagon";

fn samples() -> impl Iterator<Item = &'static str> {
    SAMPLES.split_whitespace()
}

#[test]
fn every_family_has_a_sample() {
    for family in families() {
        let is_of_family = |spec: &str| spec.split(':').next() == Some(family.name);
        assert!(samples().any(is_of_family), "{}", family.name);
        assert!(is_of_family(family.example), "{}", family.name);
    }
}

#[test]
fn names_and_examples_of_families_are_normalized_specs() {
    let examples = families().iter().map(|family| family.example);
    for spec in samples().chain(examples) {
        assert_eq!(parse(spec).name(), spec);
    }
}

#[test]
fn samples_are_connected_and_their_positions_are_distinct() {
    for spec in samples() {
        let topology = parse(spec);
        for &terminal in topology.terminals() {
            let reached = reached_with_relays(&topology, terminal);
            assert!(topology.terminals().iter().all(|to| reached[to.index()]), "{spec} from {terminal}");
        }
        let positions = topology.positions().expect("every family is drawn");
        for (place, [x, y]) in positions.iter().enumerate() {
            for [u, v] in &positions[..place] {
                assert!((x - u).hypot(y - v) > 0.4, "{spec}: node {place} at {x}, {y} is close to {u}, {v}");
            }
        }
    }
}

#[test]
fn only_multistage_networks_and_digraphs_are_one_way() {
    for spec in samples() {
        let topology = parse(spec);
        let mut there = channel_ends(&topology);
        let mut back: Vec<(u32, u32)> = there.iter().map(|&(tail, head)| (head, tail)).collect();
        there.sort_unstable();
        back.sort_unstable();
        let may_be_one_way = [
            "omega",
            "butterfly",
            "clos",
            "kautz",
            "de-bruijn",
            "ndv2",
            "generalised-kautz",
            "circulant-digraph",
            "metacyclic",
            "line",
            "expand:2,line",
            "product:ring:2*(line",
            "power:2,circulant-digraph",
        ]
        .iter()
        .any(|family| spec.starts_with(family));
        assert!(there == back || may_be_one_way, "{spec}");
    }
}

#[test]
fn no_sample_has_parallel_channels() {
    for spec in samples() {
        let mut ends = channel_ends(&parse(spec));
        ends.sort_unstable();
        assert!(ends.array_windows().all(|[one, next]| one != next), "{spec}");
    }
}

#[test]
fn vertex_transitive_families_have_equal_distance_profiles() {
    for spec in [
        "complete:7",
        "ring:2",
        "ring:9",
        "torus:2x5",
        "torus:3x4x5",
        "hypercube:5",
        "folded-hypercube:4",
        "circulant:12,2,3,6",
        "k-ring:11",
        "midimew:13",
        "octagon",
        "metacyclic:8,2,3,3,6",
        "expand:3,ring:5",
        "product:ring:4*complete:3",
        "omega:8",
        "butterfly:8",
        "clos:2,3,3",
        "fat-tree:3,2",
        "b-tree:8",
        "dragonfly:1,0,4",
    ] {
        assert_equal_distance_profiles(&parse(spec));
    }
}

#[test]
fn ring_is_a_cycle() {
    for n in 1..12 {
        let topology = ring(n).unwrap();
        let n = n as usize;
        let degree = [0, 1][..].get(n - 1).copied().unwrap_or(2);
        assert_eq!(sizes(&topology), [n, n, degree * n, n / 2]);
        assert_regular(&topology, degree);
    }
}

#[test]
fn ring_leaves_upwards_first() {
    assert_eq!(channel_ends(&ring(3).unwrap()), [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]);
}

#[test]
fn mesh_and_torus_have_the_sizes_of_their_sides() {
    for sides in [&[1][..], &[4], &[2, 2], &[4, 4], &[1, 5], &[3, 2, 4], &[2, 1, 3, 2]] {
        let nodes: u32 = sides.iter().product();
        let n = nodes as usize;
        let links_across =
            |links: &dyn Fn(u32) -> u32| sides.iter().map(|&side| nodes / side * links(side)).sum::<u32>();
        let reach = |steps: &dyn Fn(u32) -> u32| sides.iter().map(|&side| steps(side) as usize).sum::<usize>();

        let mesh_links = links_across(&|side| side - 1) as usize;
        assert_eq!(sizes(&mesh(sides).unwrap()), [n, n, 2 * mesh_links, reach(&|side| side - 1)]);

        let torus_links = links_across(&|side| if side > 2 { side } else { side - 1 }) as usize;
        assert_eq!(sizes(&torus(sides).unwrap()), [n, n, 2 * torus_links, reach(&|side| side / 2)]);
    }
}

#[test]
fn torus_of_side_two_is_a_mesh() {
    assert_eq!(channel_ends(&torus(&[2, 2]).unwrap()), channel_ends(&mesh(&[2, 2]).unwrap()));
}

#[test]
fn mesh_names_are_coordinates() {
    let square = parse("mesh:4x4");
    assert_eq!(square.node_named("13"), Some(NodeId::new(7)));
    let long = parse("mesh:2x11");
    assert_eq!(long.node_named("1.10"), Some(NodeId::new(21)));
    assert_eq!(parse("mesh:10x10").node_named("99"), Some(NodeId::new(99)));
    assert_eq!(parse("torus:12").node_named("11"), Some(NodeId::new(11)));
}

#[test]
fn ladder_is_a_mesh_of_two_rows() {
    let ladder = lockstep_topology::ladder(5).unwrap();
    assert_eq!(channel_ends(&ladder), channel_ends(&mesh(&[2, 5]).unwrap()));
}

#[test]
fn hypercube_channel_of_node_and_axis_flips_that_bit() {
    for dimension in 1..8 {
        let topology = hypercube(dimension).unwrap();
        let (n, degree) = (1 << dimension, dimension as usize);
        assert_eq!(sizes(&topology), [n, n, n * degree, degree]);
        for (place, (tail, head)) in (0..).zip(channel_ends(&topology)) {
            assert_eq!((tail, head), (place / dimension, tail ^ 1 << (place % dimension)));
        }
    }
    assert_eq!(parse("hypercube:4").node_name(NodeId::new(6)), "0110");
}

#[test]
fn folded_hypercube_halves_the_diameter() {
    for dimension in 2..8 {
        let topology = folded_hypercube(dimension).unwrap();
        let (n, degree) = (1usize << dimension, dimension as usize + 1);
        assert_eq!(sizes(&topology), [n, n, n * degree, degree / 2]);
        assert_regular(&topology, degree);
    }
}

#[test]
fn circulant_sorts_its_chords_and_halves_the_longest() {
    let topology = parse("circulant:8,4,1");
    assert_eq!(topology.name(), "circulant:8,1,4");
    assert_eq!(topology, octagon().renamed("circulant:8,1,4"));
    assert_regular(&topology, 3);
    assert_regular(&parse("circulant:9,4,1"), 4);
}

#[test]
fn k_ring_of_eight_is_complete_and_bipartite() {
    // Odd chords join even nodes to odd nodes, and there are four of each.
    let topology = k_ring(8).unwrap();
    assert_regular(&topology, 4);
    assert!(channel_ends(&topology).iter().all(|(tail, head)| (tail + head) % 2 == 1));
}

#[test]
fn midimew_has_the_least_diameter_and_distance_sum_of_degree_four() {
    // In a circulant graph of degree 4 at most `4 * d` nodes are at distance `d`.
    assert_eq!(midimew(8).unwrap(), circulant(8, &[1, 2]).unwrap().renamed("midimew:8"));
    for n in 5..150 {
        let topology = midimew(n).unwrap();
        assert_regular(&topology, 4);
        let profile = profile(&topology, NodeId::new(0));
        let (last, full) = profile.split_last().unwrap();
        assert!((1..).zip(&full[1..]).all(|(distance, &count)| count == 4 * distance), "{n}: {profile:?}");
        assert!(*last <= 4 * full.len(), "{n}: {profile:?}");
    }
}

#[test]
fn moore_and_octagon_are_the_two_cubic_graphs_of_order_eight_and_diameter_two() {
    let triangles = |topology: &Topology| {
        let ends = channel_ends(topology);
        let linked = |u, v| ends.contains(&(u, v));
        (0..8)
            .flat_map(|u| (0..u).map(move |v| (u, v)))
            .filter(|&(u, v)| linked(u, v))
            .filter(|&(u, v)| (0..v).any(|w| linked(u, w) && linked(v, w)))
            .count()
    };
    let (moore, octagon) = (moore(8).unwrap(), octagon());
    for topology in [&moore, &octagon] {
        assert_eq!(sizes(topology), [8, 8, 24, 2]);
        assert_regular(topology, 3);
    }
    assert_eq!((triangles(&moore), triangles(&octagon)), (1, 0));
}

#[test]
fn complete_and_star_reach_all_others() {
    for n in 2..9 {
        let size = n as usize;
        assert_eq!(sizes(&complete(n).unwrap()), [size, size, size * (size - 1), 1]);
        let star = star(n).unwrap();
        assert_eq!(sizes(&star), [size, size, 2 * (size - 1), if n == 2 { 1 } else { 2 }]);
        assert_eq!(star.out_channels(NodeId::new(0)).len(), size - 1);
    }
}

#[test]
fn kautz_leads_from_word_to_shifted_word() {
    for (degree, length) in [(2, 1), (2, 2), (2, 5), (3, 2), (3, 3), (4, 2), (9, 2)] {
        let topology = kautz(degree, length).unwrap();
        let (d, k) = (degree as usize, length as usize);
        let n = (d + 1) * d.pow(length - 1);
        assert_eq!(sizes(&topology), [n, n, n * d, k]);
        assert_regular(&topology, d);
        assert_words_shift(&topology);
        assert!(topology.nodes().all(|node| topology.node_name(node).as_bytes().array_windows().all(|[a, b]| a != b)));
    }
    let twelve = parse("kautz:3,2");
    let names: Vec<&str> = twelve.nodes().map(|node| twelve.node_name(node)).collect();
    assert_eq!(names.join(" "), "01 02 03 10 12 13 20 21 23 30 31 32");
    assert_eq!(parse("kautz:10,2").node_name(NodeId::new(109)), "10.9");
}

#[test]
fn de_bruijn_leads_from_word_to_shifted_word_without_loops() {
    for (degree, length) in [(2, 1), (2, 4), (3, 3), (10, 2)] {
        let topology = de_bruijn(degree, length).unwrap();
        let d = degree as usize;
        let n = d.pow(length);
        assert_eq!(sizes(&topology), [n, n, n * d - d, length as usize]);
        assert_words_shift(&topology);
    }
    assert_eq!(parse("de-bruijn:11,2").node_name(NodeId::new(120)), "10.10");
}

/// Names ascend, and every channel drops the first letter and adds one, in ascending order.
fn assert_words_shift(topology: &Topology) {
    let names: Vec<&str> = topology.nodes().map(|node| topology.node_name(node)).collect();
    assert!(names.is_sorted());
    for channel in topology.channels() {
        let (tail, head) = (topology.node_name(topology.tail(channel)), topology.node_name(topology.head(channel)));
        assert_eq!(tail[1..], head[..head.len() - 1]);
    }
    assert!(channel_ends(topology).is_sorted());
}

#[test]
fn full_b_tree_is_a_heap() {
    for height in 1..7u32 {
        let nodes = (1 << height) - 1;
        let n = nodes as usize;
        let topology = full_b_tree(nodes).unwrap();
        assert_eq!(sizes(&topology), [n, n, 2 * (n - 1), 2 * (height as usize - 1)]);
        let root_distances = distances(&topology, NodeId::new(0));
        for (node, &distance) in root_distances.iter().enumerate() {
            assert_eq!(distance, Some((node + 1).ilog2() as usize));
        }
        let ends = channel_ends(&topology);
        for node in 1..n {
            assert_eq!(ends[2 * node - 2], (node as u32, (node as u32 - 1) / 2));
        }
    }
}

#[test]
fn dragonfly_has_one_link_between_any_two_groups() {
    for (routers, terminals, links) in [(1, 0, 4), (2, 0, 1), (4, 0, 2), (4, 2, 2), (3, 1, 2)] {
        let topology = dragonfly(routers, terminals, links).unwrap();
        let [a, p, h] = [routers, terminals, links].map(|number| number as usize);
        let groups = a * h + 1;
        let router_count = groups * a;
        // With one router per group it is a complete graph. Otherwise a path has a local, a global and a local channel.
        let across = if a == 1 { 1 } else { 3 } + if p == 0 { 0 } else { 2 };
        let all_terminals = if p == 0 { router_count } else { router_count * p };
        let nodes = router_count * (p + 1);
        let channels = router_count * (a - 1 + h + 2 * p);
        assert_eq!(sizes(&topology), [nodes, all_terminals, channels, across]);

        let first_router = nodes - router_count;
        let group = |node: u32| (node as usize).checked_sub(first_router).map(|router| router / a);
        let mut between = vec![0; groups * groups];
        for (tail, head) in channel_ends(&topology) {
            if let (Some(from), Some(to)) = (group(tail), group(head)) {
                between[from * groups + to] += 1;
            }
        }
        for (pair, &count) in between.iter().enumerate() {
            assert_eq!(count, if pair % (groups + 1) == 0 { a * (a - 1) } else { 1 });
        }
        for router in topology.nodes().skip(first_router) {
            assert_eq!(topology.out_channels(router).len(), a - 1 + h + p);
        }
    }
}

proptest! {
    /// Two nodes of a torus are linked where one coordinate differs by one around its side; in a mesh without going
    /// round.
    #[test]
    fn grid_neighbours_differ_by_one_in_one_coordinate(sides in prop::collection::vec(1..6u32, 1..4), wraps: bool) {
        let topology = if wraps { torus(&sides) } else { mesh(&sides) }.unwrap();
        let place = |node: NodeId| -> Vec<u32> {
            topology.node_name(node).chars().map(|digit| digit.to_digit(10).unwrap()).collect()
        };
        for u in topology.nodes() {
            let number = place(u).iter().zip(&sides).fold(0, |number, (coordinate, side)| number * side + coordinate);
            prop_assert_eq!(number, u.number());
            for v in topology.nodes() {
                let steps: u32 = place(u).iter().zip(place(v)).zip(&sides).map(|((&a, b), &side)| {
                    let apart = a.abs_diff(b);
                    if wraps { apart.min(side - apart) } else { apart }
                }).sum();
                let channels = topology.out_channels(u).iter().filter(|&&channel| topology.head(channel) == v).count();
                prop_assert_eq!(channels, usize::from(steps == 1));
            }
        }
    }

    #[test]
    fn circulant_neighbours_are_a_chord_away(nodes in 3..40u32, chords in prop::collection::btree_set(1..20u32, 1..5)) {
        let chords: Vec<u32> = chords.into_iter().filter(|chord| 2 * chord <= nodes).collect();
        prop_assume!(!chords.is_empty());
        let topology = circulant(nodes, &chords).unwrap();
        for u in 0..nodes {
            for v in 0..nodes {
                let apart = u.abs_diff(v).min(nodes - u.abs_diff(v));
                let row = topology.out_channels(NodeId::new(u));
                let channels = row.iter().filter(|&&channel| topology.head(channel).number() == v).count();
                prop_assert_eq!(channels, usize::from(chords.contains(&apart)));
            }
        }
    }
}
