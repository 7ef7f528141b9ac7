//! The bounds that flows find, compared with every cut of small networks, and with known optima of large ones.

use std::collections::BTreeSet;

use lockstep_bounds::{Rule, all, best, by_rule};
use lockstep_schedule::strategy::{any_model, fastest_schedule, fewest_packet_steps, packet_problem};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem, Routing, ScatterRule, Switching};
use lockstep_topology::strategy::{any_topology, shuffled};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::oracle::optimum;

/// Returns the channels that transfers can use.
fn usable(problem: &Problem<'_>) -> impl Iterator<Item = ChannelId> {
    let (topology, model) = (problem.topology(), problem.model());
    let is_forwarding = model.switching == Switching::StoreAndForward;
    let can_be_used = move |node| topology.is_terminal(node) || !is_forwarding && topology.routes(node);
    topology
        .channels()
        .filter(move |&channel| can_be_used(topology.tail(channel)) && can_be_used(topology.head(channel)))
}

/// Returns the largest quotient over all node sets, rounded up. `count` returns the work of a set and its capacity.
fn over_all_sets(topology: &Topology, count: impl Fn(&dyn Fn(NodeId) -> bool) -> (usize, usize)) -> u32 {
    let quotients = (0u32..1 << topology.node_count()).map(|set| {
        let (work, per_step) = count(&|node: NodeId| set >> node.number() & 1 == 1);
        if work == 0 { 0 } else { work.div_ceil(per_step) }
    });
    quotients.max().unwrap() as u32
}

/// Returns the number of steps that the worst cut proves: into a set, or with `both`, in both directions.
fn worst_cut(problem: &Problem<'_>, both: bool) -> u32 {
    let (topology, messages) = (problem.topology(), problem.messages());
    over_all_sets(topology, |is_in| {
        let crosses = |inner: bool| {
            let enters = |&message: &_| {
                is_in(messages.source(message)) != inner
                    && messages.receivers_iter(message).any(|receiver| is_in(receiver) == inner)
            };
            messages.ids().filter(enters).count()
        };
        let crossing = usable(problem).filter(|&channel| {
            let [tail, head] = [topology.tail(channel), topology.head(channel)].map(is_in);
            !tail && head || both && tail && !head
        });
        let resources: BTreeSet<_> = crossing.map(|channel| topology.resource(channel)).collect();
        (crosses(true) + if both { crosses(false) } else { 0 }, resources.len())
    })
}

/// Returns the number of steps in which the deliveries to the worst set pass the channels that lead to it from
/// terminals or from outside.
fn worst_reception(problem: &Problem<'_>) -> u32 {
    let (topology, messages) = (problem.topology(), problem.messages());
    over_all_sets(topology, |is_in| {
        let due =
            messages.ids().flat_map(|message| messages.receivers_iter(message)).filter(|&node| is_in(node)).count();
        let leads_there = |&channel: &ChannelId| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            is_in(head) && (!is_in(tail) || topology.is_terminal(tail))
        };
        let resources: BTreeSet<_> =
            usable(problem).filter(leads_there).map(|channel| topology.resource(channel)).collect();
        (due, resources.len())
    })
}

fn steps_by(problem: &Problem<'_>, rule: Rule) -> u32 {
    let bound = by_rule(problem, rule);
    if let Some(bound) = &bound {
        bound.check(problem).unwrap();
    }
    bound.map_or(0, |bound| bound.steps)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    #[test]
    fn no_cut_proves_more_about_a_broadcast(
        topology in any_topology(8).prop_flat_map(shuffled),
        root in any::<Option<Index>>(),
        chunks in 1..4u32,
        model in any_model(),
    ) {
        let root = root.map(|root| *root.get(topology.terminals()));
        let collective = root.map_or(Collective::all_gather(), Collective::broadcast);
        let collective = collective.with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let found = steps_by(&problem, Rule::Cut).max(steps_by(&problem, Rule::Ports));
        let is_shared = topology.resource_count() < topology.channel_count();
        prop_assert!(found >= worst_cut(&problem, false));
        prop_assert!(!is_shared || found >= worst_cut(&problem, true));
    }

    #[test]
    fn no_cut_proves_more_about_copies_for_some_receivers(
        topology in any_topology(8).prop_flat_map(shuffled),
        ends in prop::collection::vec((any::<Index>(), any::<Index>()), 1..6),
        chunks in 1..4u32,
        model in any_model(),
    ) {
        let ends = ends.iter().map(|(from, to)| [from, to].map(|end| *end.get(topology.terminals())));
        let (mut sources, mut receivers): (Vec<NodeId>, Vec<NodeId>) = ends.map(|[from, to]| (from, to)).unzip();
        for side in [&mut sources, &mut receivers] {
            side.sort_unstable();
            side.dedup();
        }
        let collective = Collective::many_to_many_broadcast(&sources, &receivers);
        let collective = collective.with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let found = steps_by(&problem, Rule::Cut).max(steps_by(&problem, Rule::Ports));
        prop_assert!(problem.messages().len() == 1 || found >= worst_cut(&problem, false));
    }

    #[test]
    fn no_cut_proves_more_about_a_scatter_from_one_source(
        topology in any_topology(8).prop_flat_map(shuffled),
        root: Index,
        some in prop::collection::vec(any::<Index>(), 1..5),
        chunks in 1..4u32,
        model in any_model(),
    ) {
        let root = *root.get(topology.terminals());
        let receivers: BTreeSet<NodeId> = some.iter().map(|node| *node.get(topology.terminals())).collect();
        let receivers: Vec<NodeId> = receivers.into_iter().filter(|&node| node != root).collect();
        for collective in [
            Collective::scatter(root),
            Collective::many_to_many_scatter(&[root], &receivers),
            Collective::many_to_many_scatter(&receivers, &[root]),
        ] {
            let collective = collective.with_chunks(chunks.try_into().unwrap());
            let Ok(problem) = Problem::new(&topology, &collective, model) else { continue };
            let found = steps_by(&problem, Rule::Cut).max(steps_by(&problem, Rule::Ports));
            prop_assert!(found >= worst_cut(&problem, false));
        }
    }

    #[test]
    fn no_node_set_proves_more_about_receptions(
        topology in any_topology(8).prop_flat_map(shuffled),
        switching in prop::sample::select(vec![Switching::Wormhole, Switching::StoreAndForward]),
        all_to_all: bool,
    ) {
        let collective = if all_to_all { Collective::all_gather() } else { Collective::all_to_all() };
        let model = CommunicationModel { switching, ..CommunicationModel::wormhole() };
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let found = [Rule::Reception, Rule::Ports, Rule::Volume].map(|rule| steps_by(&problem, rule));
        prop_assert!(found.into_iter().max().unwrap() >= worst_reception(&problem));
    }

    /// The optimum is the larger of the worst cut over legal channels and the ports.
    #[test]
    fn the_bound_of_a_direct_scatter_from_one_source_is_the_optimum(
        topology in any_topology(8).prop_flat_map(shuffled), root: Index, model in any_model(),
    ) {
        let root = *root.get(topology.terminals());
        let collective = Collective::scatter(root);
        let model = CommunicationModel { switching: Switching::Wormhole, scatter: ScatterRule::Direct, ..model };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let distance = distances(&topology, root);
        let is_legal = |channel: &ChannelId| {
            let [tail, head] = [topology.tail(*channel), topology.head(*channel)];
            let is_short = distance[tail.index()].checked_add(1) == Some(distance[head.index()]);
            (tail == root || topology.routes(tail)) && (model.routing == Routing::Any || is_short)
        };
        let by_cuts = over_all_sets(&topology, |is_in| {
            let waiting = topology.terminals().iter().filter(|&&node| is_in(node)).count();
            let inlets = topology.channels().filter(is_legal);
            let inlets = inlets.filter(|&channel| !is_in(topology.tail(channel)) && is_in(topology.head(channel)));
            if is_in(root) { (0, 1) } else { (waiting, inlets.count()) }
        });
        let by_ports = steps_by(&problem, Rule::Ports);
        let found = [Rule::Cut, Rule::ArcForwarding].map(|rule| steps_by(&problem, rule)).into_iter().max().unwrap();
        prop_assert_eq!(found.max(by_ports), by_cuts.max(by_ports));
    }

    /// The same holds for messages to one receiver.
    #[test]
    fn the_bound_of_a_packet_scatter_from_one_source_is_the_optimum(
        topology in any_topology(5).prop_flat_map(shuffled), root: Index, model in any_model(),
    ) {
        let root = *root.get(topology.terminals());
        let collective = Collective::scatter(root);
        let Some(problem) = packet_problem(&topology, &collective, model) else { return Ok(()) };
        prop_assert_eq!(best(&problem).steps, fewest_packet_steps(&problem) as u32);
        let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
        let reversed = topology.reversed();
        let collecting = Collective::many_to_many_scatter(&others, &[root]);
        let collecting = packet_problem(&reversed, &collecting, model).unwrap();
        prop_assert_eq!(best(&collecting).steps, fewest_packet_steps(&problem) as u32);
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    /// Units are interchangeable, so a flow over time is a schedule if relays may use any path.
    #[test]
    fn the_bound_of_a_wormhole_scatter_with_relays_is_the_optimum(
        topology in any_topology(5).prop_flat_map(shuffled), root: Index, model in any_model(), collects: bool,
    ) {
        if topology.has_buses() || topology.shared_groups().iter().any(|group| group.len() > 2) {
            return Ok(());
        }
        let root = *root.get(topology.terminals());
        let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
        let collective =
            if collects { Collective::many_to_many_scatter(&others, &[root]) } else { Collective::scatter(root) };
        let (switching, routing, scatter) = (Switching::Wormhole, Routing::Any, ScatterRule::Relay);
        let model = CommunicationModel { switching, routing, scatter, ..model };
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let bound = best(&problem);
        bound.check(&problem).unwrap();
        let found = fastest_schedule(&problem, bound.steps as usize, &mut 20_000);
        prop_assert!(!matches!(found, Ok(None)), "{bound} is not the optimum");
    }

    /// A terminal receives the messages of an all-gather like a gather.
    #[test]
    fn the_bound_of_a_packet_all_gather_is_that_of_its_slowest_receiver(
        topology in any_topology(5).prop_flat_map(shuffled), model in any_model(),
    ) {
        let gather = Collective::all_gather();
        let Some(problem) = packet_problem(&topology, &gather, model) else { return Ok(()) };
        let reversed = topology.reversed();
        let collect = |&receiver: &NodeId| {
            let scatter = Collective::scatter(receiver);
            fewest_packet_steps(&packet_problem(&reversed, &scatter, model).unwrap()) as u32
        };
        let slowest = topology.terminals().iter().map(collect).max().unwrap();
        let [ports, far, timed] = [Rule::Ports, Rule::Eccentricity, Rule::TimedCut].map(|rule| steps_by(&problem, rule));
        prop_assert!(ports.max(far).max(timed) >= slowest);
        // The flows consider nothing else. On half-duplex links, the ports can prove more.
        prop_assert!(timed <= slowest);
    }
}

/// Returns distances from the root along legal paths, by relaxation.
fn distances(topology: &Topology, root: NodeId) -> Vec<usize> {
    let mut distance = vec![usize::MAX; topology.node_count()];
    distance[root.index()] = 0;
    for _ in topology.nodes() {
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            if tail == root || topology.routes(tail) {
                distance[head.index()] = distance[head.index()].min(distance[tail.index()].saturating_add(1));
            }
        }
    }
    distance
}

const PACKETS: CommunicationModel = CommunicationModel::store_and_forward();

fn best_steps(topology: &Topology, collective: &Collective, model: CommunicationModel) -> u32 {
    let problem = Problem::new(topology, collective, model).unwrap();
    for bound in all(&problem) {
        assert_eq!(bound.check(&problem), Ok(()), "{bound}");
    }
    best(&problem).steps
}

/// Shortest paths from a boundary node of the mesh use fewer channels.
#[test]
fn minimal_routing_costs_a_step_on_the_mesh() {
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    let scatter = |root: &str| Collective::scatter(mesh.node_named(root).unwrap());
    let any = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    for (root, minimal, free) in [("00", 8, 8), ("01", 6, 5), ("11", 4, 4)] {
        assert_eq!(best_steps(&mesh, &scatter(root), CommunicationModel::wormhole()), minimal, "{root}");
        assert_eq!(best_steps(&mesh, &scatter(root), any), free, "{root}");
    }
}

/// A packet scatter through one channel takes one step per message, and the distance of the last one. Chunks of a
/// broadcast use all disjoint paths.
#[test]
fn packets_follow_each_other() {
    let line: Topology = "mesh:5x1".parse().unwrap();
    assert_eq!(best_steps(&line, &Collective::scatter(NodeId::new(0)), PACKETS), 4);
    // Two paths of 4 channels to the opposite node: c chunks take ceil(c / 2) + 3 steps.
    let ring: Topology = "ring:8".parse().unwrap();
    for chunks in 1..9u32 {
        let broadcast = Collective::broadcast(NodeId::new(3)).with_chunks(chunks.try_into().unwrap());
        assert_eq!(best_steps(&ring, &broadcast, PACKETS), chunks.div_ceil(2) + 3);
    }
    // Three channels lead to a ring. The chunks arrive one by one, and the last one needs 2 more channels.
    let mut spoon = TopologyBuilder::new("spoon");
    let nodes: Vec<NodeId> = (0..7).map(|node| spoon.terminal(node.to_string())).collect();
    for (u, v) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 3)] {
        spoon.link(nodes[u], nodes[v]);
    }
    let spoon = spoon.build().unwrap();
    for (source, chunks, expected) in [(0, 4u32, 8), (5, 4, 8), (5, 1, 5)] {
        let broadcast = Collective::broadcast(nodes[source]).with_chunks(chunks.try_into().unwrap());
        assert_eq!(best_steps(&spoon, &broadcast, PACKETS), expected, "{source}");
    }
}

/// Eight terminals with six links each, some of them in pairs, as in a DGX-1 (Cai et al., "Synthesizing optimal
/// collective algorithms", PPOPP 2021): `c` chunks take `7 c / 6` steps, and at least 2 because of the diameter.
#[test]
fn an_all_gather_on_a_server_takes_its_links_or_its_diameter() {
    let mut server = TopologyBuilder::new("server");
    let nodes: Vec<NodeId> = (0..8).map(|node| server.terminal(node.to_string())).collect();
    let double = [(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)];
    let single = [(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)];
    for &(u, v) in double.iter().chain(&double).chain(&single) {
        server.link(nodes[u], nodes[v]);
    }
    let server = server.build().unwrap();
    for (chunks, expected) in [(1, 2), (2, 3), (6u32, 7)] {
        let gather = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        assert_eq!(best_steps(&server, &gather, PACKETS), expected, "{chunks}");
    }
}

/// Liestman and Peters (1988): a broadcast through one port takes at least about 1.4404 log2 N steps at degree 3, and
/// 1.1374 log2 N at degree 4.
#[test]
fn bounded_degrees_slow_a_broadcast_through_one_port() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    for (spec, degree) in [("random-regular:2048,3,1", 3u32), ("torus:64x64", 4), ("random-regular:2048,4,1", 4)] {
        let network: Topology = spec.parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(0));
        let problem = Problem::new(&network, &broadcast, one_port).unwrap();
        // A holder sends to one neighbour per step, degree - 1 in total; the source to one more.
        let mut new_holders = vec![1u32];
        let mut holders = 1;
        let mut expected = 0;
        while holders < network.node_count() as u32 {
            expected += 1;
            let senders =
                new_holders.iter().rev().take(degree as usize - 1).sum::<u32>() + u32::from(expected == degree);
            new_holders.push(senders);
            holders += senders;
        }
        assert_eq!(by_rule(&problem, Rule::Growth).unwrap().steps, expected, "{spec}");
        let factor = [1.4404, 1.1374][degree as usize - 3];
        assert!(f64::from(expected) > factor * f64::from(network.node_count() as u32).log2() - 2.0, "{spec}");
    }
}

/// Terminals 2 and 3 receive everything from terminal 1, and it receives everything over one channel, the last one from
/// terminal 2 or 3. This message can only reach the other one a step later. The numbers of the nodes do not matter.
#[test]
fn the_last_message_for_two_terminals_behind_another_one_comes_before_the_last_step() {
    for numbers in [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1]] {
        let mut network = TopologyBuilder::new("behind");
        let terminals: Vec<NodeId> = (0..4).map(|node| network.terminal(node.to_string())).collect();
        for [tail, head] in [[0, 1], [1, 2], [1, 3], [2, 0], [3, 0]] {
            network.channel(terminals[numbers[tail]], terminals[numbers[head]]);
        }
        let network = network.build().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&network, &all_gather, CommunicationModel::wormhole()).unwrap();
        let bound = best(&problem);
        assert_eq!((bound.steps, bound.rule, bound.check(&problem)), (4, Rule::TimedCut, Ok(())));
        assert_eq!(optimum(&problem, 1_000_000), Some(4));
    }
}

/// Slater, Cockayne and Hedetniemi (1981): with one port, a broadcast from the root of a binomial tree takes log2 N
/// steps.
#[test]
fn trees_serve_the_slowest_subtree_first() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    let mut binomial = TopologyBuilder::new("binomial");
    let nodes: Vec<NodeId> = (0..32).map(|node| binomial.terminal(node.to_string())).collect();
    for node in 1..32usize {
        binomial.link(nodes[node & (node - 1)], nodes[node]);
    }
    let binomial = binomial.build().unwrap();
    assert_eq!(best_steps(&binomial, &Collective::broadcast(nodes[0]), one_port), 5);
    // A broadcast from the leaf below the root takes one more step.
    assert_eq!(best_steps(&binomial, &Collective::broadcast(nodes[1]), one_port), 6);
    // In the complete tree, every level waits for the second child.
    let tree: Topology = "full-b-tree:31".parse().unwrap();
    assert_eq!(best_steps(&tree, &Collective::broadcast(NodeId::new(0)), one_port), 8);
}
