//! The constructions on networks under any numbering, verified as a whole and node by node.

use lockstep_bounds::best_reaching;
use lockstep_schedule::{
    Budget, Collective, CollectiveName, CommunicationModel, MessageId, Ports, Problem, Routing, ScatterRule, Schedule,
    Switching, verify,
};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder, hypercube, strategy};
use proptest::prelude::*;

use super::*;
use crate::LocalProgram;

/// The program of every node.
type Program<'a> = &'a dyn Fn(u64) -> Option<LocalProgram>;

fn construct(topology: &Topology, collective: &Collective, model: CommunicationModel) -> Option<Schedule> {
    let problem = Problem::new(topology, collective, model).unwrap();
    HYPERCUBE.schedule(&problem, 1, &Budget::unlimited())
}

fn collective() -> impl Strategy<Value = fn(NodeId) -> Collective> {
    prop::sample::select(vec![
        Collective::broadcast as fn(NodeId) -> Collective,
        Collective::scatter,
        |_| Collective::all_gather(),
        |_| Collective::all_to_all(),
    ])
}

fn model(dimension: u32) -> impl Strategy<Value = CommunicationModel> {
    let ports = (1..=dimension + 1).prop_map(|ports| Ports::limit(ports).unwrap());
    let switching = prop::sample::select(vec![Switching::Wormhole, Switching::StoreAndForward]);
    let scatter = prop::sample::select(vec![ScatterRule::Direct, ScatterRule::Relay]);
    let routing = prop::sample::select(vec![Routing::Minimal, Routing::Any]);
    (switching, prop_oneof![Just(Ports::All), ports], routing, scatter)
        .prop_map(|(switching, ports, routing, scatter)| CommunicationModel { switching, ports, routing, scatter })
}

/// A hypercube under any numbering, possibly with half-duplex links, one of its nodes, and a model.
fn instance() -> impl Strategy<Value = (Topology, NodeId, CommunicationModel)> {
    let network = (1..=6u32, any::<bool>()).prop_flat_map(|(dimension, half_duplex)| {
        let cube = hypercube(dimension).unwrap();
        let cube = if half_duplex { cube.half_duplex() } else { cube };
        (strategy::shuffled(cube), 0..1u32 << dimension, model(dimension))
    });
    network.prop_map(|(cube, root, model)| (cube, NodeId::new(root), model))
}

proptest! {
    #[test]
    fn schedules_are_valid_and_optimal_under_any_numbering(
        (cube, root, model) in instance(), collective in collective(),
    ) {
        let collective = collective(root);
        let dimension = cube.node_count().trailing_zeros();
        let links = model.ports.of_degree(dimension as usize);
        let wormhole = model.switching == Switching::Wormhole;
        let full_duplex = cube.resource_count() == cube.channel_count();
        let counts = match collective.name().unwrap() {
            CollectiveName::Broadcast => {
                broadcast_counts(dimension).filter(|_| !wormhole || links == 1 || dimension <= 2)
            }
            CollectiveName::Scatter if model.is_direct() => None,
            CollectiveName::Scatter => scatter_counts(dimension, model.ports),
            _ if !full_duplex => None,
            CollectiveName::AllGather => all_gather_counts(dimension, model.ports),
            _ if wormhole => direct_all_to_all_counts(dimension, model.ports),
            _ => all_to_all_counts(dimension, model.ports),
        };
        let schedule = construct(&cube, &collective, model);
        prop_assert_eq!(schedule.is_some(), counts.is_some());
        if let (Some(schedule), Some(Counts { rounds, transmissions })) = (schedule, counts) {
            let problem = Problem::new(&cube, &collective, model).unwrap();
            let report = verify(&problem, &schedule).unwrap();
            prop_assert_eq!((report.steps as u128, report.channel_uses as u128), (rounds, transmissions));
            prop_assert_eq!(report.redundant, 0);
            prop_assert_eq!(u128::from(best_reaching(&problem, report.steps as u32).steps), rounds);
        }
    }

    #[test]
    fn the_programs_of_all_nodes_are_the_schedule(
        dimension in 1..=5u32, ports in 1..=6u32, root in any::<prop::sample::Index>(),
    ) {
        let cube = hypercube(dimension).unwrap();
        let ports = Ports::limit(ports).unwrap();
        let root = root.index(cube.node_count());
        let at_root = NodeId::from_index(root);
        let forward = CommunicationModel { ports, ..CommunicationModel::store_and_forward() };
        let wormhole = CommunicationModel { ports, ..CommunicationModel::wormhole() };
        let root = root as u64;
        let cases: [(Collective, CommunicationModel, Program<'_>); 5] = [
            (Collective::broadcast(at_root), forward, &|node| broadcast_program(dimension, root, node)),
            (Collective::scatter(at_root), forward, &|node| scatter_program(dimension, ports, root, node)),
            (Collective::all_gather(), forward, &|node| all_gather_program(dimension, ports, node)),
            (Collective::all_to_all(), forward, &|node| all_to_all_program(dimension, ports, node)),
            (Collective::all_to_all(), wormhole, &|node| direct_all_to_all_program(dimension, ports, node)),
        ];
        for (collective, model, program) in cases {
            let schedule = construct(&cube, &collective, model).unwrap();
            let problem = Problem::new(&cube, &collective, model).unwrap();
            let mut of_nodes = Vec::new();
            for node in 0..cube.node_count() as u64 {
                let program = program(node).unwrap();
                prop_assert_eq!((program.node(), program.round_count()), (node, schedule.step_count()));
                for round in 0..program.round_count() {
                    of_nodes.extend(program.round(round).map(|send| {
                        (round, message_of(&problem, send.source, send.receiver), channels(dimension, node, send.path))
                    }));
                }
            }
            let steps = schedule.steps();
            let mut of_schedule: Vec<_> = steps
                .flat_map(|(round, step)| step.iter().map(move |moved| (round, moved.message, moved.path.to_vec())))
                .collect();
            of_nodes.sort();
            of_schedule.sort();
            prop_assert!(of_nodes == of_schedule, "{:?}", collective);
        }
    }

    #[test]
    fn a_cube_with_one_redirected_channel_is_not_recognised(
        cube in (2..=5u32).prop_flat_map(|dimension| strategy::shuffled(hypercube(dimension).unwrap())),
        bent in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
    ) {
        let bent = ChannelId::from_index(bent.index(cube.channel_count()));
        let to = NodeId::from_index(to.index(cube.node_count()));
        prop_assume!(to != cube.head(bent) && to != cube.tail(bent));
        let network = rebuilt(&cube, |channel| if channel == bent { to } else { cube.head(channel) });
        // Every node can still be reached through its other channels.
        prop_assert_eq!(
            construct(&network, &Collective::all_gather(), CommunicationModel::store_and_forward()),
            None
        );
    }
}

/// The number of a message, found by a linear search.
fn message_of(problem: &Problem<'_>, source: u64, receiver: Option<u64>) -> MessageId {
    let messages = problem.messages();
    let node = |element: u64| NodeId::new(element as u32);
    let fits = |&id: &MessageId| {
        let to = |receiver| messages.receivers_iter(id).eq([node(receiver)]);
        messages.source(id) == node(source) && receiver.is_none_or(to)
    };
    messages.ids().find(fits).unwrap()
}

/// The channels of a path of links in the generated hypercube.
fn channels(dimension: u32, node: u64, path: &[u16]) -> Vec<ChannelId> {
    let mut at = node as u32;
    let channel = |&link: &u16| {
        let channel = ChannelId::new(at * dimension + u32::from(link));
        at ^= 1 << link;
        channel
    };
    path.iter().map(channel).collect()
}

/// The network with other heads of its channels.
fn rebuilt(topology: &Topology, head: impl Fn(ChannelId) -> NodeId) -> Topology {
    let mut network = TopologyBuilder::new("rebuilt");
    for node in topology.nodes() {
        network.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    for channel in topology.channels() {
        network.channel(topology.tail(channel), head(channel));
    }
    network.build().unwrap()
}

#[test]
fn hypercubes_by_other_names_are_recognised() {
    let exchange = Collective::all_to_all();
    for (spec, steps) in
        [("ring:4", 2), ("mesh:2x2", 2), ("torus:2x2", 2), ("torus:4x4", 8), ("torus:4x4x2", 16), ("complete:2", 1)]
    {
        let topology: Topology = spec.parse().unwrap();
        for model in [CommunicationModel::store_and_forward(), CommunicationModel::wormhole()] {
            let schedule = construct(&topology, &exchange, model).unwrap();
            let problem = Problem::new(&topology, &exchange, model).unwrap();
            assert_eq!(verify(&problem, &schedule).unwrap().steps, steps, "{spec}");
        }
    }
}

#[test]
fn other_networks_are_not_recognised() {
    let gather = Collective::all_gather();
    for spec in [
        "ring:8",
        "complete:4",
        "mesh:4x4",
        "folded-hypercube:3",
        "circulant:8,1,4",
        "moore:8",
        "circulant:16,1,4",
        "random-regular:16,4,1",
    ] {
        let topology: Topology = spec.parse().unwrap();
        assert_eq!(construct(&topology, &gather, CommunicationModel::store_and_forward()), None, "{spec}");
    }
    // Indirect networks with 2^d nodes, and a square whose links share a resource.
    let mut star = TopologyBuilder::new("path with a switch");
    let (a, hub, b, c) = (star.terminal("a"), star.switch("s"), star.terminal("b"), star.switch("t"));
    for (u, v) in [(a, hub), (hub, b), (b, c), (c, a)] {
        star.link(u, v);
    }
    let star = star.build().unwrap();
    assert_eq!(construct(&star, &gather, CommunicationModel::wormhole()), None);

    let mut bus = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c", "d"].map(|name| bus.terminal(name));
    let channels: Vec<ChannelId> = (0..4).flat_map(|place| bus.link(nodes[place], nodes[(place + 1) % 4])).collect();
    bus.share([channels[0], channels[2]]);
    let bus = bus.build().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    assert_eq!(construct(&bus, &broadcast, CommunicationModel::store_and_forward()), None);
}

#[test]
fn a_node_that_does_not_route_prevents_wormhole_paths_only() {
    let mut square = TopologyBuilder::new("square");
    let nodes = ["a", "b", "c", "d"].map(|name| square.node(name, true, Some(name != "a")));
    for place in 0..4 {
        square.link(nodes[place], nodes[(place + 1) % 4]);
    }
    let (square, exchange) = (square.build().unwrap(), Collective::all_to_all());
    assert_eq!(construct(&square, &exchange, CommunicationModel::wormhole()), None);
    let problem = Problem::new(&square, &exchange, CommunicationModel::store_and_forward()).unwrap();
    let schedule = HYPERCUBE.schedule(&problem, 1, &Budget::unlimited()).unwrap();
    assert_eq!(verify(&problem, &schedule).unwrap().steps, 2);
}

#[test]
fn schedules_that_are_too_large_are_refused() {
    let cube = hypercube(14).unwrap();
    assert_eq!(construct(&cube, &Collective::all_gather(), CommunicationModel::store_and_forward()), None);
    for dimension in [0, 25, 64, u32::MAX] {
        assert_eq!((broadcast(dimension), all_gather(dimension, Ports::All)), (None, None));
        assert_eq!((scatter(dimension, Ports::All), all_to_all(dimension, Ports::All)), (None, None));
        assert_eq!(direct_all_to_all(dimension, Ports::All), None);
    }
    assert_eq!((scatter(21, Ports::All), all_to_all(21, Ports::All)), (None, None));
}

#[test]
fn a_node_that_does_not_exist_has_no_program() {
    for node in [8, u64::MAX] {
        assert_eq!((broadcast_program(3, 0, node), broadcast_program(3, node, 0)), (None, None));
        assert_eq!(scatter_program(3, Ports::All, 0, node), None);
        assert_eq!(all_gather_program(3, Ports::All, node), None);
        assert_eq!(all_to_all_program(3, Ports::All, node), None);
        assert_eq!(direct_all_to_all_program(3, Ports::All, node), None);
    }
    assert!(broadcast_program(60, 0, (1 << 60) - 1).is_some_and(|program| program.send_count() == 0));
    assert_eq!(broadcast_program(61, 0, 0), None);
}

#[test]
fn a_cancelled_budget_stops_the_construction() {
    let (cube, budget) = (hypercube(3).unwrap(), Budget::unlimited());
    budget.cancel();
    let gather = Collective::all_gather();
    let problem = Problem::new(&cube, &gather, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(HYPERCUBE.schedule(&problem, 1, &budget), None);
}
