//! Properties of faults on random networks, compared with independent searches.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_faults::strategy::any_faults;
use lockstep_faults::{
    CutOff, Fault, FaultClasses, FaultDiameter, FaultError, FaultKind, FaultSet, FaultSpace, Faults, FaultyRegion,
    Survivability, disconnected_pairs, faulty_regions,
};
use lockstep_paths::{PathId, PathTable, ShortestPaths};
use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Collective, Problem, Transport};
use lockstep_topology::strategy::{any_topology, connected_bus_topology, shuffled};
use lockstep_topology::{ChannelId, NodeId, Topology};
use petgraph::algo::tarjan_scc;
use proptest::prelude::*;
use proptest::sample::Index;

const TRANSPORTS: [Transport; 3] = [Transport::Direct, Transport::Relayed, Transport::StoreAndForward];

fn any_network(nodes: usize) -> impl Strategy<Value = Topology> {
    any_topology(nodes).prop_flat_map(shuffled)
}

/// A network, faults, and the network after them.
fn any_broken(nodes: usize, most: usize) -> impl Strategy<Value = (Topology, Faults, Topology)> {
    any_network(nodes).prop_flat_map(move |topology| {
        any_faults(&topology, most).prop_map(move |faults| {
            let broken = faults.apply_to(&topology).expect("the network has the faults that were drawn from it");
            (topology.clone(), faults, broken)
        })
    })
}

/// The channels that fail by these faults.
fn failed_by(topology: &Topology, faults: &Faults) -> BTreeSet<ChannelId> {
    let mut taken = BTreeSet::new();
    for fault in faults {
        match fault {
            Fault::Link(link) => taken.extend(link),
            Fault::Channel(channel) => taken.extend([channel]),
            Fault::Node(node) => {
                taken.extend(topology.channels().filter(|&c| topology.tail(c) == *node || topology.head(c) == *node));
            }
        }
    }
    taken
}

/// The ordered pairs of terminals that transfers without repeated resources join. Terminals forward unless paths are
/// direct.
fn joined_by_legal_paths(topology: &Topology, transport: Transport) -> BTreeSet<[NodeId; 2]> {
    let mut joined = BTreeSet::new();
    for &source in topology.terminals() {
        let mut partial_paths = vec![vec![]];
        while let Some(path) = partial_paths.pop() {
            let end = path.last().map_or(source, |&last| topology.head(last));
            joined.extend(topology.is_terminal(end).then_some([source, end]));
            let may_continue = path.is_empty() || transport != Transport::StoreAndForward && topology.routes(end);
            for &next in topology.out_channels(end).iter().filter(|_| may_continue) {
                let uses_again = |&channel: &ChannelId| {
                    topology.resource(channel) == topology.resource(next)
                        || topology.tail(channel) == topology.head(next)
                };
                if !path.iter().any(uses_again) {
                    partial_paths.push([path.as_slice(), &[next]].concat());
                }
            }
        }
    }
    if transport != Transport::Direct {
        for &middle in topology.terminals() {
            for &from in topology.terminals() {
                for &to in topology.terminals() {
                    if joined.contains(&[from, middle]) && joined.contains(&[middle, to]) {
                        joined.insert([from, to]);
                    }
                }
            }
        }
    }
    joined
}

/// Lengths of shortest legal paths by an independent search.
fn distances(topology: &Topology, transport: Transport) -> BTreeMap<[NodeId; 2], u32> {
    let is_inner = |node: NodeId| match transport {
        Transport::Direct => topology.routes(node),
        Transport::Relayed => topology.routes(node) || topology.is_terminal(node),
        Transport::StoreAndForward => topology.is_terminal(node),
    };
    let mut distances = BTreeMap::new();
    for &source in topology.terminals() {
        let mut distance: Vec<Option<u32>> = vec![None; topology.node_count()];
        distance[source.index()] = Some(0);
        for length in 1..=topology.node_count() as u32 {
            for channel in topology.channels() {
                let (tail, head) = (topology.tail(channel), topology.head(channel));
                let is_usable = (tail == source || is_inner(tail))
                    && (transport != Transport::StoreAndForward || topology.is_terminal(head));
                if is_usable && distance[tail.index()] == Some(length - 1) && distance[head.index()].is_none() {
                    distance[head.index()] = Some(length);
                }
            }
        }
        for &receiver in topology.terminals().iter().filter(|&&receiver| receiver != source) {
            if let Some(length) = distance[receiver.index()] {
                distances.insert([source, receiver], length);
            }
        }
    }
    distances
}

fn pairs(topology: &Topology) -> impl Iterator<Item = [NodeId; 2]> {
    let terminals = topology.terminals();
    let pairs = terminals.iter().flat_map(move |&one| terminals.iter().map(move |&other| [one, other]));
    pairs.filter(|[one, other]| one != other)
}

/// All subsets of `size` elements.
fn subsets<T: Copy>(elements: &[T], size: usize) -> Vec<Vec<T>> {
    match (elements, size) {
        (_, 0) => vec![Vec::new()],
        ([], _) => Vec::new(),
        ([first, rest @ ..], _) => {
            let with = subsets(rest, size - 1).into_iter().map(|set| [&[*first][..], &set].concat());
            with.chain(subsets(rest, size)).collect()
        }
    }
}

/// All permutations of nodes that fix failed nodes and preserve roles and channels.
fn symmetries(topology: &Topology) -> Vec<Vec<NodeId>> {
    let count = |from: NodeId, to: NodeId| {
        topology.out_channels(from).iter().filter(|&&channel| topology.head(channel) == to).count()
    };
    let looks_like = |node: NodeId, to: NodeId| {
        let role =
            |node| (topology.is_terminal(node), topology.routes(node), topology.has_failed(node).then_some(node));
        role(node) == role(to)
    };
    topology.nodes().fold(vec![Vec::new()], |partial: Vec<Vec<NodeId>>, node| {
        let longer = partial.iter().flat_map(|image| {
            let fits = move |to: &NodeId| {
                let keeps = |(before, &there)| {
                    count(before, node) == count(there, *to) && count(node, before) == count(*to, there)
                };
                !image.contains(to) && looks_like(node, *to) && topology.nodes().zip(image).all(keeps)
            };
            topology.nodes().filter(fits).map(move |to| [&image[..], &[to]].concat())
        });
        longer.collect()
    })
}

proptest! {
    #[test]
    fn numbers_stay_and_exactly_the_faults_fail((topology, faults, broken) in any_broken(9, 3)) {
        let taken = failed_by(&topology, &faults);
        prop_assert!(broken.channels().eq(topology.channels().filter(|channel| !taken.contains(channel))));
        for channel in topology.channel_numbers() {
            prop_assert_eq!((broken.tail(channel), broken.head(channel)), (topology.tail(channel), topology.head(channel)));
        }
        for node in topology.nodes() {
            let has_failed = topology.has_failed(node) || faults.iter().any(|fault| *fault == Fault::Node(node));
            prop_assert_eq!(broken.has_failed(node), has_failed);
            prop_assert_eq!(broken.is_terminal(node), topology.is_terminal(node) && !has_failed);
            prop_assert_eq!(broken.node_name(node), topology.node_name(node));
        }
        prop_assert_eq!(broken.name() == topology.name(), faults.is_empty());
    }

    #[test]
    fn faults_are_a_set_and_survive_json((topology, faults, broken) in any_broken(9, 4), order: Index) {
        let mut written: Vec<Fault> = faults.iter().chain(&faults).copied().collect();
        let middle = order.index(written.len() + 1);
        written.rotate_left(middle);
        prop_assert_eq!(&Faults::from(written.clone()), &faults);
        let json = serde_json::to_string(&written).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Faults>(&json).unwrap(), &faults);
        // Applied one by one, and twice, they have the same effect.
        let one_by_one = written.iter().fold(topology, |topology, &fault| Faults::from(fault).apply_to(&topology).unwrap());
        prop_assert_eq!(one_by_one.digest(), broken.digest());
        prop_assert!(one_by_one.channels().eq(broken.channels()));
    }

    #[test]
    fn a_fault_is_found_by_its_name(topology in any_network(9), place: Index) {
        for kind in FaultKind::ALL {
            let faults = kind.of(&topology);
            let names: BTreeSet<String> = faults.iter().map(|fault| fault.name(&topology)).collect();
            prop_assert_eq!(names.len(), faults.len());
            if faults.is_empty() {
                continue;
            }
            let fault = *place.get(&faults);
            let name = fault.name(&topology);
            let set = match kind {
                FaultKind::Link => FaultSet::new().link_named(name),
                FaultKind::Channel => FaultSet::new().channel_named(name),
                FaultKind::Node => FaultSet::new().node(name),
            };
            prop_assert_eq!(set.of(&topology).unwrap(), Faults::from(fault));
        }
    }

    #[test]
    fn a_link_by_names_is_all_channels_between_two_nodes(topology in any_network(9), place: Index) {
        let channels: Vec<ChannelId> = topology.channels().collect();
        let channel = *place.get(&channels);
        let ends = [topology.tail(channel), topology.head(channel)];
        let [one, other] = ends.map(|node| topology.node_name(node));
        let between: BTreeSet<ChannelId> = topology
            .channels()
            .filter(|&channel| ends.contains(&topology.tail(channel)) && ends.contains(&topology.head(channel)))
            .collect();
        let has_back = between.iter().any(|&back| topology.tail(back) == ends[1]);
        match FaultSet::new().link(one, other).of(&topology) {
            Ok(faults) => {
                prop_assert!(has_back);
                prop_assert_eq!(failed_by(&topology, &faults), between);
            }
            Err(error) => {
                prop_assert!(!has_back);
                let (from, to) = (one.to_owned(), other.to_owned());
                prop_assert_eq!(error, FaultError::OneWay { from, to });
            }
        }
        let faults = FaultSet::new().channel(one, other).of(&topology).unwrap();
        prop_assert!(failed_by(&topology, &faults).iter().all(|&taken| topology.head(taken) == ends[1]));
    }

    #[test]
    fn spaces_contain_each_set_once(topology in any_network(6), kind in prop::sample::select(&FaultKind::ALL), at_once in 0usize..4) {
        let space = FaultSpace::new(&topology, kind, at_once);
        let expected: Vec<Faults> =
            subsets(space.faults(), at_once).into_iter().map(Faults::from).collect();
        prop_assert_eq!(space.count(), Some(expected.len() as u128));
        prop_assert!(space.iter().eq(expected.iter().cloned()));
        prop_assert!(expected.is_sorted());
        for (index, set) in (0..).zip(&expected) {
            prop_assert_eq!(&space.get(index), &Some(set.clone()));
            prop_assert_eq!(space.index_of(set), Some(index));
            prop_assert_eq!(space.iter_from(index).next(), Some(set.clone()));
        }
        let end = expected.len() as u128;
        prop_assert_eq!(space.get(end), None);
        prop_assert_eq!(space.iter_from(end + u128::from(end == 0)).count(), 0);
    }

    #[test]
    fn samples_are_distinct_sets_and_reproducible(
        topology in any_network(9), kind in prop::sample::select(&FaultKind::ALL), at_once in 0usize..4, count in 0usize..20, seed: u64,
    ) {
        let space = FaultSpace::new(&topology, kind, at_once);
        let sample = space.sample(count, seed).unwrap();
        prop_assert_eq!(sample.len() as u128, space.count().unwrap().min(count as u128));
        prop_assert!(sample.is_sorted_by(|one, other| one < other));
        prop_assert!(sample.iter().all(|set| space.index_of(set).is_some()));
        prop_assert_eq!(space.sample(count, seed).unwrap(), sample);
        prop_assert!(space.sample(usize::MAX, seed).map_or(true, |all| space.iter().eq(all)));
    }

    #[test]
    fn classes_are_orbits_of_symmetries(
        topology in any_network(7), kind in prop::sample::select(&FaultKind::ALL), at_once in 1usize..3, root: Index, is_rooted: bool,
    ) {
        let root = Vec::from_iter(is_rooted.then(|| NodeId::from_index(root.index(topology.node_count()))));
        let space = FaultSpace::new(&topology, kind, at_once);
        let classes = FaultClasses::new(&space, &root).unwrap();
        let count = space.count().unwrap() as usize;
        prop_assert_eq!(classes.iter().map(|class| class.size).sum::<usize>(), count);
        prop_assert_eq!(classes.is_empty(), count == 0);
        for (number, class) in classes.iter().enumerate() {
            prop_assert_eq!(classes.members(number).next(), Some(class.index));
            prop_assert_eq!(classes.members(number).count(), class.size);
            for member in classes.members(number) {
                prop_assert_eq!(classes.class_of(member), number);
                let symmetry = classes.symmetry_to(member);
                prop_assert_eq!(Some(class.representative.image(&symmetry)), space.get(member as u128));
                prop_assert!(root.iter().all(|&node| symmetry.node(node) == node));
                for channel in topology.channels() {
                    let image = symmetry.channel(channel);
                    prop_assert_eq!(symmetry.node(topology.tail(channel)), topology.tail(image));
                    prop_assert_eq!(symmetry.node(topology.head(channel)), topology.head(image));
                }
            }
        }
    }

    #[test]
    fn classes_equal_those_of_all_permutations(topology in any_network(5)) {
        let space = FaultSpace::new(&topology, FaultKind::Node, 2);
        let classes = FaultClasses::new(&space, &[]).unwrap();
        let permutations = symmetries(&topology);
        for (index, faults) in space.iter().enumerate() {
            let image = |permutation: &Vec<NodeId>| -> Faults {
                faults.iter().filter_map(Fault::node).map(|node| Fault::Node(permutation[node.index()])).collect()
            };
            let images: BTreeSet<usize> =
                permutations.iter().map(|permutation| space.index_of(&image(permutation)).unwrap() as usize).collect();
            prop_assert!(classes.members(classes.class_of(index)).eq(images));
        }
    }

    #[test]
    fn sets_of_a_class_have_equal_survivability(topology in any_network(7), kind in prop::sample::select(&FaultKind::ALL)) {
        let space = FaultSpace::new(&topology, kind, 2);
        let classes = FaultClasses::new(&space, &[]).unwrap();
        let answer = |faults: &Faults| match Survivability::of(&faults.apply_to(&topology).unwrap(), Transport::Direct) {
            Survivability::CutOff(CutOff { pairs, .. }) => pairs,
            _ => 0,
        };
        for (index, faults) in space.iter().enumerate() {
            let class = classes.iter().nth(classes.class_of(index)).unwrap();
            prop_assert_eq!(answer(&faults), answer(&class.representative));
        }
    }

    /// No transfer may use a bus twice.
    #[test]
    fn survivability_of_buses_equals_that_of_a_search_of_all_paths(
        network in connected_bus_topology(7), lost: (Index, Index),
    ) {
        let lost = [lost.0, lost.1].map(|lost| NodeId::from_index(lost.index(network.node_count())));
        for broken in [network.clone(), network.with_failures(lost, [])] {
            for transport in TRANSPORTS {
                let joined = joined_by_legal_paths(&broken, transport);
                let missing: Vec<[NodeId; 2]> = pairs(&broken).filter(|pair| !joined.contains(pair)).collect();
                prop_assert!(disconnected_pairs(&broken, transport).eq(missing.iter().copied()));
                match Survivability::of(&broken, transport) {
                    Survivability::TooFewTerminals { terminals } => prop_assert!(terminals < 2),
                    Survivability::Connected => prop_assert!(missing.is_empty()),
                    Survivability::CutOff(cut) => prop_assert_eq!((Some(&cut.witness), cut.pairs), (missing.first(), missing.len() as u64)),
                }
            }
        }
    }

    #[test]
    fn survivability_equals_that_of_a_search_per_pair((_, _, broken) in any_broken(12, 4)) {
        for transport in TRANSPORTS {
            let distances = distances(&broken, transport);
            let missing: Vec<[NodeId; 2]> = pairs(&broken).filter(|pair| !distances.contains_key(pair)).collect();
            prop_assert!(disconnected_pairs(&broken, transport).eq(missing.iter().copied()));
            match Survivability::of(&broken, transport) {
                Survivability::TooFewTerminals { terminals } => {
                    prop_assert!(terminals < 2);
                    prop_assert_eq!(terminals, broken.terminal_count());
                }
                Survivability::Connected => {
                    prop_assert!(broken.terminal_count() > 1 && missing.is_empty());
                }
                Survivability::CutOff(cut) => {
                    prop_assert_eq!(Some(&cut.witness), missing.first());
                    prop_assert_eq!(cut.pairs, missing.len() as u64);
                    prop_assert!(cut.terminals.is_sorted());
                    let is_cut = |node: &NodeId| cut.terminals.contains(node);
                    prop_assert!(missing.iter().all(|pair| pair.iter().any(is_cut)));
                    // Each terminal that is cut off is disconnected from one that is not.
                    let others = |node: NodeId| {
                        missing.iter().any(|pair| pair.contains(&node) && pair.iter().filter(|node| is_cut(node)).count() == 1)
                    };
                    prop_assert!(cut.terminals.iter().all(|&node| others(node)));
                    if broken.is_direct() && broken.terminals().iter().all(|&node| broken.routes(node)) {
                        let largest = tarjan_scc(&broken).iter().map(Vec::len).max().unwrap();
                        prop_assert_eq!(broken.terminal_count() - cut.terminals.len(), largest);
                    }
                }
            }
        }
    }

    #[test]
    fn fault_diameters_are_the_largest_distances(
        topology in any_network(7), kind in prop::sample::select(&FaultKind::ALL), at_once in 0usize..3,
    ) {
        let space = FaultSpace::new(&topology, kind, at_once);
        for transport in TRANSPORTS {
            let found = FaultDiameter::over(&topology, transport, space.iter()).unwrap();
            let (mut disconnecting, mut farthest) = (Vec::new(), Vec::new());
            for faults in space.iter() {
                let broken = faults.apply_to(&topology).unwrap();
                let distances = distances(&broken, transport);
                if distances.len() < pairs(&broken).count() {
                    disconnecting.push(faults);
                } else if let Some(distance) = distances.values().max() {
                    farthest.push((*distance, faults, distances));
                }
            }
            prop_assert_eq!(u128::from(found.sets), space.count().unwrap());
            prop_assert_eq!(found.disconnecting, disconnecting.len() as u64);
            prop_assert_eq!(found.first_disconnecting.as_ref(), disconnecting.first());
            let distance = farthest.iter().map(|of| of.0).max();
            prop_assert_eq!(found.farthest.as_ref().map(|farthest| farthest.distance), distance);
            if let Some(of) = found.farthest {
                let first = farthest.iter().find(|other| other.0 == of.distance).unwrap();
                prop_assert_eq!(&of.faults, &first.1);
                prop_assert_eq!(first.2[&of.pair], of.distance);
            }
        }
    }

    #[test]
    fn a_problem_requires_connected_terminals((_, _, broken) in any_broken(9, 3), model in any_model()) {
        for collective in [Collective::all_to_all(), Collective::all_gather(), Collective::all_reduce()] {
            let answer = Survivability::of(&broken, Transport::of(collective.pattern(), model.on(&broken)));
            prop_assert_eq!(Problem::new(&broken, &collective, model).is_ok(), answer.is_connected());
        }
    }

    #[test]
    fn shortest_paths_avoid_faults((topology, faults, broken) in any_broken(9, 3)) {
        let taken = failed_by(&topology, &faults);
        let Ok(paths) = ShortestPaths::all_pairs(&broken) else { return Ok(()) };
        let Ok(table) = PathTable::shortest(&paths, 4, 1) else { return Ok(()) };
        for [from, to] in pairs(&broken) {
            for path in table.between(from, to) {
                prop_assert!(table.channels(PathId::new(path)).iter().all(|channel| !taken.contains(channel)));
            }
        }
    }

    #[test]
    fn regions_are_connected_components((_, _, broken) in any_broken(12, 4)) {
        let regions = faulty_regions(&broken);
        let ends = |channel: ChannelId| [broken.tail(channel), broken.head(channel)];
        let touched = |region: &FaultyRegion| -> BTreeSet<NodeId> {
            region.channels.iter().flat_map(|&channel| ends(channel)).chain(region.nodes.iter().copied()).collect()
        };
        let mut channels: Vec<ChannelId> = regions.iter().flat_map(|region| region.channels.clone()).collect();
        let mut nodes: Vec<NodeId> = regions.iter().flat_map(|region| region.nodes.clone()).collect();
        channels.sort_unstable();
        nodes.sort_unstable();
        prop_assert!(broken.failed_channels().eq(channels));
        prop_assert_eq!(broken.failed_nodes(), nodes);
        for (number, region) in regions.iter().enumerate() {
            // The channels of a region connect its nodes, and no others.
            let all = touched(region);
            prop_assert!(regions[..number].iter().all(|other| all.is_disjoint(&touched(other))));
            let mut found: BTreeSet<NodeId> = all.first().copied().into_iter().collect();
            for _ in 0..all.len() {
                for &channel in &region.channels {
                    if ends(channel).iter().any(|end| found.contains(end)) {
                        found.extend(ends(channel));
                    }
                }
            }
            prop_assert_eq!(found, all);
        }
    }
}
