//! Test helpers: checks that hold for every streamed broadcast.

use lockstep_bounds::best_reaching;
use lockstep_schedule::{
    BroadcastCounts, BroadcastVerifier, Budget, Collective, CommunicationModel, Ports, Problem, Run, Verification,
    verify,
};
use lockstep_topology::{NodeId, Topology};

use crate::{Construction, LocalProgram, StreamedBroadcast};

/// Returns the counts of a broadcast that the verifier accepts with shortest paths only.
pub(crate) fn verified_counts(broadcast: &impl StreamedBroadcast, root: u64) -> BroadcastCounts {
    let mut verifier = BroadcastVerifier::new(broadcast.graph(), root, CommunicationModel::wormhole()).unwrap();
    broadcast.replay(root, &mut verifier);
    let counts = verifier.finish().unwrap();
    assert_eq!(counts.rounds, broadcast.round_count());
    assert_eq!((counts.transfers, counts.redundant), (broadcast.graph().node_count() - 1, 0));
    counts
}

/// Checks that the programs of all nodes together are the broadcast, and that no node sends before receiving.
pub(crate) fn programs_agree(broadcast: &impl StreamedBroadcast, root: u64) {
    let graph = broadcast.graph();
    let mut arrival = vec![None; graph.node_count() as usize];
    arrival[root as usize] = Some(0);
    let programs: Vec<LocalProgram> =
        (0..graph.node_count()).map(|node| broadcast.program(root, node).unwrap()).collect();
    let mut verifier = BroadcastVerifier::new(graph, root, CommunicationModel::wormhole()).unwrap();
    for round in 0..broadcast.round_count() {
        verifier.begin_round();
        let mut senders = Vec::new();
        broadcast.senders(round, &mut |offset| senders.push(offset));
        senders.sort_unstable();
        let holders = (0..graph.node_count()).filter(|&offset| broadcast.arrival(offset) <= round);
        assert!(senders.into_iter().eq(holders));
        for program in &programs {
            assert_eq!(program.round_count(), broadcast.round_count());
            for send in program.round(round) {
                assert_eq!((send.source, send.receiver), (root, None));
                verifier.transfer(program.node(), send.path.iter().map(|&generator| Run { generator, hops: 1 }));
                let end = send.path.iter().fold(program.node(), |node, &generator| {
                    graph.add(node, graph.generators()[usize::from(generator)])
                });
                arrival[end as usize].get_or_insert(round + 1);
            }
        }
    }
    verifier.finish().unwrap();
    for (node, arrival) in arrival.into_iter().enumerate() {
        assert_eq!(arrival, Some(broadcast.arrival(graph.subtract(node as u64, root))));
    }
}

/// Returns the verified schedule of a broadcast by a construction, with the lower bound; `None` if the construction
/// does not support the problem.
pub(crate) fn verified(
    construction: Construction,
    topology: &Topology,
    root: NodeId,
    model: CommunicationModel,
) -> Option<(Verification, u32)> {
    let broadcast = Collective::broadcast(root);
    let problem = Problem::new(topology, &broadcast, model).unwrap();
    let schedule = construction.schedule(&problem, 0, &Budget::unlimited())?;
    let verification = verify(&problem, &schedule).unwrap();
    assert_eq!((verification.transfers, verification.redundant), (topology.node_count() - 1, 0));
    let bound = best_reaching(&problem, verification.steps as u32).steps;
    Some((verification, bound))
}

/// Checks that a construction supports wormhole all-port broadcasts on this full-duplex network, and nothing else.
pub(crate) fn supports_only_wormhole_all_port_broadcasts(construction: Construction, topology: &Topology) {
    let root = NodeId::new(1);
    let wormhole = CommunicationModel::wormhole();
    assert!(verified(construction, topology, root, wormhole).is_some());
    let degree = topology.nodes().map(|node| topology.out_channels(node).len() as u32).max().unwrap();
    let ports = |limit| CommunicationModel { ports: Ports::limit(limit).unwrap(), ..wormhole };
    assert!(verified(construction, topology, root, ports(degree)).is_some());
    assert_eq!(verified(construction, topology, root, ports(degree - 1)), None);
    assert_eq!(verified(construction, topology, root, CommunicationModel::store_and_forward()), None);
    assert_eq!(verified(construction, &topology.half_duplex(), root, wormhole), None);
    for collective in [Collective::scatter(root), Collective::all_gather()] {
        let problem = Problem::new(topology, &collective, wormhole).unwrap();
        assert_eq!(construction.schedule(&problem, 0, &Budget::unlimited()), None);
    }
    let budget = Budget::unlimited();
    budget.cancel();
    let broadcast = Collective::broadcast(root);
    let problem = Problem::new(topology, &broadcast, wormhole).unwrap();
    assert_eq!(construction.schedule(&problem, 0, &budget), None);
}
