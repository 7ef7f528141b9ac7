//! The bound by lengths: as good as the linear programme, and refused when anything in it is changed.

use lockstep_bounds::{best_reaching, by_rule};
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::strategy::instance;
use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem, Routing};
use lockstep_topology::strategy::{any_topology, petersen, shuffled};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

const MINIMAL: CommunicationModel = CommunicationModel::wormhole();
const ANY: CommunicationModel = CommunicationModel { routing: Routing::Any, ..MINIMAL };
const PACKETS: CommunicationModel = CommunicationModel::store_and_forward();

fn network(spec: &str) -> Topology {
    spec.parse().unwrap()
}

/// The bound of the total exchange, checked; if more than that is asked for, it is no other.
fn exchange(topology: &Topology, model: CommunicationModel) -> u32 {
    let exchange = Collective::all_to_all();
    let problem = Problem::new(topology, &exchange, model).unwrap();
    let bound = by_rule(&problem, Rule::ArcForwarding).unwrap();
    assert_eq!(bound.check(&problem), Ok(()));
    let first = best_reaching(&problem, bound.steps);
    assert_eq!((first.steps, first.check(&problem)), (bound.steps, Ok(())), "{bound}");
    bound.steps
}

/// The direct network without these channels and nodes.
fn without(topology: &Topology, channels: &[ChannelId], nodes: &[NodeId]) -> Topology {
    let mut builder = TopologyBuilder::new("faulty");
    let kept: Vec<NodeId> = topology.nodes().filter(|node| !nodes.contains(node)).collect();
    for &node in &kept {
        builder.terminal(topology.node_name(node));
    }
    let place = |node: NodeId| kept.binary_search(&node).ok().map(NodeId::from_index);
    for channel in topology.channels().filter(|channel| !channels.contains(channel)) {
        if let (Some(tail), Some(head)) = (place(topology.tail(channel)), place(topology.head(channel))) {
            builder.channel(tail, head);
        }
    }
    builder.build().unwrap()
}

/// The number of a node and its coordinates in a 4x4 mesh, whose last axis is fastest.
fn place(node: NodeId) -> [u32; 2] {
    [node.number() / 4, node.number() % 4]
}

/// Where all channels of a network are alike, all messages take the sum of their distances over the channels.
#[test]
fn symmetric_networks_are_filled_evenly() {
    // 3 nodes at distance 1 and 6 at distance 2, over 3 channels a node.
    assert_eq!(exchange(&petersen(), MINIMAL), (3 + 6 * 2) / 3);
    // Rings and square tori: n^2/8 and n (n^2 - 1)/8, n^3/8; hypercubes: 2^(d-1) (Bertsekas et al. 1991).
    for (spec, steps) in
        [("ring:16", 32), ("torus:3x3x3", 9), ("torus:5x5", 15), ("torus:6x6", 27), ("hypercube:5", 16)]
    {
        assert_eq!([MINIMAL, ANY].map(|model| exchange(&network(spec), model)), [steps; 2], "{spec}");
        assert_eq!(exchange(&network(spec).half_duplex(), ANY), 2 * steps, "{spec}");
    }
}

/// Kautz network of 12 nodes: 7 as it is; with any channel dead 9 over paths of fewest channels, and 8 over any.
#[test]
fn dead_channels_of_a_kautz_network_cost_more_over_shortest_paths() {
    let kautz = network("kautz:3,2");
    assert_eq!([MINIMAL, ANY].map(|model| exchange(&kautz, model)), [7, 7]);
    for channel in kautz.channels() {
        let faulty = without(&kautz, &[channel], &[]);
        assert_eq!([MINIMAL, ANY].map(|model| exchange(&faulty, model)), [9, 8], "{channel:?}");
    }
}

/// 4x4 mesh: a dead link of a middle cut leaves 64 messages 3 channels, any other the 4; a dead node takes a channel of
/// both cuts away, a corner neither.
#[test]
fn faulty_meshes_are_bounded_by_their_middle_cuts() {
    let mesh = network("mesh:4x4");
    for channel in mesh.channels() {
        let [tail, head] = [mesh.tail(channel), mesh.head(channel)];
        let back = mesh.out_channels(head).iter().copied().find(|&back| mesh.head(back) == tail).unwrap();
        let faulty = without(&mesh, &[channel, back], &[]);
        let [from, to] = [tail, head].map(place);
        let is_middle = (0..2).any(|axis| from[axis].min(to[axis]) == 1 && from[axis].max(to[axis]) == 2);
        let steps = if is_middle { 64u32.div_ceil(3) } else { 64 / 4 };
        assert_eq!([MINIMAL, ANY].map(|model| exchange(&faulty, model)), [steps; 2], "{tail}-{head}");
    }
    for node in mesh.nodes() {
        let is_corner = place(node).iter().all(|coordinate| [0, 3].contains(coordinate));
        // 7 nodes on one side and 8 on the other.
        let steps = if is_corner { 56 / 4 } else { 56u32.div_ceil(3) };
        let faulty = without(&mesh, &[], &[node]);
        assert_eq!([MINIMAL, ANY].map(|model| exchange(&faulty, model)), [steps; 2], "{node}");
    }
}

/// Packets take ports wherever they stop: with one port a node, as many steps as all distances from one node.
#[test]
fn packets_take_ports_on_their_way() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    for dimension in 2..=5u32 {
        let cube = network(&format!("hypercube:{dimension}"));
        assert_eq!(exchange(&cube, one_port), dimension << (dimension - 1));
        assert_eq!(exchange(&cube, MINIMAL), 1 << (dimension - 1));
    }
}

fn kautz_bound(visit: impl FnOnce(&Problem<'_>, LowerBound)) {
    // With a channel dead, the others differ.
    let kautz = without(&network("kautz:3,2"), &[ChannelId::new(0)], &[]);
    let (exchange, two_ports) = (Collective::all_to_all(), Ports::limit(2).unwrap());
    let problem = Problem::new(&kautz, &exchange, CommunicationModel { ports: two_ports, ..PACKETS }).unwrap();
    let bound = by_rule(&problem, Rule::ArcForwarding).unwrap();
    visit(&problem, bound);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    })]

    /// The lengths found are those of the linear programme, up to whole steps.
    #[test]
    fn lengths_prove_what_the_linear_programme_says(instance in instance(5)) {
        let problem = instance.problem();
        prop_assume!(instance.collective.phases().len() == 1);
        let steps = by_rule(&problem, Rule::ArcForwarding).map(|bound| bound.steps);
        let phases = lockstep_schedule::DistributePhase::all(&problem);
        let problem = phases[0].problem(&problem);
        prop_assume!(problem.messages().is_scatter() && problem.messages().len() > 1);
        let optimum = crate::fractional_routing::fractional_steps(&problem);
        prop_assume!(optimum.is_some());
        prop_assert_eq!(steps.map(f64::from), optimum.map(|optimum| (optimum - 1e-6).ceil()), "{:?}", optimum);
    }

    /// Lengths of 1 give the sum of distances.
    #[test]
    fn lengths_prove_no_less_than_distances(instance in instance(14)) {
        let problem = instance.problem();
        let [lengths, distances] = [Rule::ArcForwarding, Rule::DistanceSum].map(|rule| by_rule(&problem, rule));
        if let (Some(lengths), Some(distances)) = (&lengths, &distances) {
            prop_assert!(lengths.steps >= distances.steps, "{lengths}, {distances}");
        }
        prop_assert!(lengths.is_some() || distances.is_none() || problem.messages().len() == 1);
    }

    /// The bound of a total exchange is no less than that of any cut, and the numbers of the nodes do not count.
    #[test]
    fn lengths_prove_no_less_than_cuts(topology in any_topology(10).prop_flat_map(|topology| {
        let other = shuffled(topology.clone());
        (Just(topology), other)
    })) {
        let exchange = Collective::all_to_all();
        let steps = |topology: &Topology, rule| {
            let problem = Problem::new(topology, &exchange, ANY).unwrap();
            by_rule(&problem, rule).map_or(0, |bound| bound.steps)
        };
        let (topology, other) = topology;
        let lengths = steps(&topology, Rule::ArcForwarding);
        prop_assert!(lengths >= steps(&topology, Rule::Cut));
        prop_assert_eq!(lengths, steps(&other, Rule::ArcForwarding));
    }
}
