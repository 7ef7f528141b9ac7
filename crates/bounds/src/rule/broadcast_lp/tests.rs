use lockstep_schedule::strategy::scheduled_instance;
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Phase, Ports};
use lockstep_topology::strategy::{shuffled, tree};
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::demand::Multicast;
use crate::registry::bound_by;

/// Runs a search for contradictions between inequalities of a broadcast.
fn with_search<T>(problem: &Problem<'_>, run: impl FnOnce(&mut InequalitySearch<'_>) -> T) -> T {
    let source = problem.messages().source(MessageId::new(0));
    let receivers: Vec<NodeId> = problem.messages().receivers_iter(MessageId::new(0)).collect();
    let network = BroadcastNetwork::new(problem, Multicast { source, receivers: &receivers, count: receivers.len() });
    run(&mut InequalitySearch::new(&network))
}

/// By the dynamic program, complete binary trees take 4 steps from the root of 31 nodes, and 5 from a leaf of 63 nodes.
#[test]
fn narrow_links_of_trees_are_found() {
    for (nodes, root, steps) in [(31, 0, 4), (63, 62, 5)] {
        let tree: Topology = format!("full-b-tree:{nodes}").parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(root));
        let problem = Problem::new(&tree, &broadcast, CommunicationModel::wormhole()).unwrap();
        assert_eq!(bound_by(&problem, Rule::TreeBroadcast).unwrap().steps, steps);
        let proved = with_search(&problem, |search| [steps - 1, steps].map(|steps| search.contradiction(steps)));
        let [Some(certificate), None] = proved else { panic!("{proved:?}") };
        assert_eq!(LowerBound { steps, rule: Rule::BroadcastLp, certificate }.check(&problem), Ok(()));
    }
}

#[test]
fn a_flow_finds_the_overfull_side_of_a_narrow_link() {
    // 0 - 1 - 2 - 3: each channel brings one copy, for any holders of the message.
    let line: Topology = "mesh:4x1".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&line, &broadcast, CommunicationModel::wormhole()).unwrap();
    with_search(&problem, |search| {
        let nodes: Vec<usize> = search.flow.overfull(&[0.0; 3], &[1.0; 3]).unwrap().ones().collect();
        assert_eq!(nodes, [1, 2, 3]);
        assert_eq!(search.flow.overfull(&[0.5, 0.0, 0.0], &[0.5, 0.5, 0.5]), None);
        let too_much = search.flow.overfull(&[0.5, 0.0, 0.0], &[0.5, 0.5, 0.75]).unwrap();
        assert_eq!(too_much.ones().collect::<Vec<_>>(), [2, 3]);
        // Half of the message at terminal 2 suffices for half of it at terminal 3.
        assert_eq!(search.flow.overfull(&[0.5, 0.5, 0.0], &[0.5, 1.0, 1.0]), None);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn every_valid_schedule_satisfies_every_inequality(
        (instance, schedule) in scheduled_instance(14),
        message in any::<Index>(),
        sets in prop::collection::vec(any::<u64>(), 1..6),
    ) {
        let problem = instance.problem();
        prop_assume!(problem.collective().phases() == [Phase::Distribute]);
        let message = MessageId::new(message.index(problem.messages().len()) as u32);
        let (source, topology) = (problem.messages().source(message), problem.topology());
        let receivers: Vec<NodeId> = problem.messages().receivers_iter(message).collect();
        let network = BroadcastNetwork::new(&problem, Multicast { source, receivers: &receivers, count: receivers.len() });
        let mut held = vec![vec![0.0; network.others.len()]];
        for (_, transfers) in schedule.steps() {
            let mut after = held[held.len() - 1].clone();
            for transfer in transfers.iter().filter(|transfer| transfer.message == message) {
                let end = topology.head(*transfer.path.last().unwrap());
                if let Ok(place) = network.others.binary_search(&end) {
                    after[place] = 1.0;
                }
            }
            held.push(after);
        }
        let regions: Vec<NodeRegion> = sets
            .iter()
            .map(|set| {
                let mut nodes = FixedBitSet::with_capacity(topology.node_count());
                nodes.extend((0..topology.node_count()).filter(|node| set >> node & 1 == 1));
                network.region(nodes)
            })
            .collect();
        let system = InequalitySystem { broadcast: &network, regions: &regions, steps: schedule.step_count() };
        for inequality in system.all() {
            prop_assert!(system.violation(inequality, &held) <= 0.0, "{inequality:?} of {:?} at {held:?}", regions[inequality.region]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_bound_of_a_tree_exceeds_its_optimum(
        tree in tree(24).prop_flat_map(shuffled),
        root in any::<Index>(),
        limit in 0..3u32,
    ) {
        let broadcast = Collective::broadcast(NodeId::from_index(root.index(tree.node_count())));
        let ports = Ports::limit(limit).unwrap_or(Ports::All);
        let model = CommunicationModel { ports, ..CommunicationModel::wormhole() };
        let problem = Problem::new(&tree, &broadcast, model).unwrap();
        let steps = crate::best(&problem).steps;
        prop_assert_eq!(with_search(&problem, |search| search.contradiction(steps)), None);
    }
}
