//! The bound by lengths of resources is as good as the linear program.

use lockstep_bounds::{best_reaching, by_rule};
use lockstep_certificate::Rule;
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

/// Returns the bound of the all-to-all after a check, also with a limit of steps.
fn all_to_all(topology: &Topology, model: CommunicationModel) -> u32 {
    let exchange = Collective::all_to_all();
    let problem = Problem::new(topology, &exchange, model).unwrap();
    let bound = by_rule(&problem, Rule::ArcForwarding).unwrap();
    assert_eq!(bound.check(&problem), Ok(()));
    let first = best_reaching(&problem, bound.steps);
    assert_eq!((first.steps, first.check(&problem)), (bound.steps, Ok(())), "{bound}");
    bound.steps
}

/// Returns the direct network without these channels and nodes.
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

/// Returns the coordinates of a node in a 4 by 4 mesh.
fn place(node: NodeId) -> [u32; 2] {
    [node.number() / 4, node.number() % 4]
}

/// If all channels are alike, the bound is the sum of distances divided by the number of channels.
#[test]
fn symmetric_networks_are_loaded_evenly() {
    // 3 nodes at distance 1 and 6 at distance 2, over 3 channels per node.
    assert_eq!(all_to_all(&petersen(), MINIMAL), (3 + 6 * 2) / 3);
    // Rings and square tori: n^2/8 and n (n^2 - 1)/8, n^3/8; hypercubes: 2^(d-1) (Bertsekas et al. 1991).
    for (spec, steps) in
        [("ring:16", 32), ("torus:3x3x3", 9), ("torus:5x5", 15), ("torus:6x6", 27), ("hypercube:5", 16)]
    {
        assert_eq!([MINIMAL, ANY].map(|model| all_to_all(&network(spec), model)), [steps; 2], "{spec}");
        assert_eq!(all_to_all(&network(spec).half_duplex(), ANY), 2 * steps, "{spec}");
    }
}

/// The Kautz network of 12 nodes takes 7 steps. With a failed channel, it takes 9 over shortest paths, and 8 over any
/// paths.
#[test]
fn failed_channels_of_a_kautz_network_cost_more_over_shortest_paths() {
    let kautz = network("kautz:3,2");
    assert_eq!([MINIMAL, ANY].map(|model| all_to_all(&kautz, model)), [7, 7]);
    for channel in kautz.channels() {
        let faulty = without(&kautz, &[channel], &[]);
        assert_eq!([MINIMAL, ANY].map(|model| all_to_all(&faulty, model)), [9, 8], "{channel:?}");
    }
}

/// On the 4 by 4 mesh, a failed link of a middle cut leaves 3 channels for 64 messages, and any other link leaves 4. A
/// failed node removes a channel of a middle cut, except at a corner.
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
        assert_eq!([MINIMAL, ANY].map(|model| all_to_all(&faulty, model)), [steps; 2], "{tail}-{head}");
    }
    for node in mesh.nodes() {
        let is_corner = place(node).iter().all(|coordinate| [0, 3].contains(coordinate));
        // 7 nodes on one side and 8 on the other.
        let steps = if is_corner { 56 / 4 } else { 56u32.div_ceil(3) };
        let faulty = without(&mesh, &[], &[node]);
        assert_eq!([MINIMAL, ANY].map(|model| all_to_all(&faulty, model)), [steps; 2], "{node}");
    }
}

/// Packets use ports at every node of their paths. With one port, the steps are the sum of distances from one node.
#[test]
fn packets_use_ports_at_every_node() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    for dimension in 2..=5u32 {
        let cube = network(&format!("hypercube:{dimension}"));
        assert_eq!(all_to_all(&cube, one_port), dimension << (dimension - 1));
        assert_eq!(all_to_all(&cube, MINIMAL), 1 << (dimension - 1));
    }
}

proptest! {
    #![proptest_config(crate::oracle::cases(100))]

    #[test]
    fn lengths_prove_the_optimum_of_the_linear_program(instance in instance(5)) {
        let problem = instance.problem();
        prop_assume!(instance.collective.phases().len() == 1);
        let steps = by_rule(&problem, Rule::ArcForwarding).map(|bound| bound.steps);
        let phases = lockstep_schedule::DistributePhase::all(&problem);
        let problem = phases[0].problem(&problem);
        prop_assume!(problem.messages().is_scatter() && problem.messages().len() > 1);
        // With buses, the rule counts paths that are no shortest legal paths.
        prop_assume!(!instance.topology.has_buses());
        let optimum = crate::fractional_routing::fractional_steps(&problem);
        prop_assume!(optimum.is_some());
        prop_assert_eq!(steps.map(f64::from), optimum.map(|optimum| (optimum - 1e-6).ceil()), "{:?}", optimum);
    }

    /// Lengths of 1 prove the sum of distances.
    #[test]
    fn lengths_prove_no_less_than_distances(instance in instance(14)) {
        let problem = instance.problem();
        let [lengths, distances] = [Rule::ArcForwarding, Rule::DistanceSum].map(|rule| by_rule(&problem, rule));
        if let (Some(lengths), Some(distances)) = (&lengths, &distances) {
            prop_assert!(lengths.steps >= distances.steps, "{lengths}, {distances}");
        }
        prop_assert!(lengths.is_some() || distances.is_none() || problem.messages().len() == 1);
    }

    /// The numbers of the nodes do not matter.
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
