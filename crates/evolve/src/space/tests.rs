use lockstep_paths::PathId;
use lockstep_schedule::{Collective, CommunicationModel, Message, Problem, ScatterRule, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::limits::check_size;
use super::{Gene, SearchSpace};
use crate::engine::candidate_paths;
use crate::local_search::{EjectionChainOptions, EjectionChainSearch};
use crate::state::{Evaluator, SearchState};
use crate::strategy::{in_space, random_genes, searchable, stream};
use crate::umda::FeasibilityRepair;

/// The hops of the deliveries in a space of `steps` steps, or the error message.
fn hops(
    topology: &Topology,
    collective: &Collective,
    model: CommunicationModel,
    steps: u32,
) -> Result<Vec<u32>, String> {
    let problem = Problem::new(topology, collective, model).unwrap();
    let table = candidate_paths(&problem).unwrap();
    let space = SearchSpace::new(problem, &table, steps).map_err(|error| error.to_string())?;
    Ok((0..space.delivery_count()).map(|delivery| space.hops(delivery)).collect())
}

proptest! {
    /// The verifier accepts genes if and only if they are admissible and without conflicts.
    #[test]
    fn genes_without_conflicts_are_valid_schedules_and_no_others(
        instance in searchable(8), spare in 0..=4u32, seed: u64, repaired: bool, chains in 0..200u64,
    ) {
        in_space(&instance, spare, |space| {
            let mut rng = stream(seed);
            let mut genes = random_genes(space, &mut rng);
            if repaired && space.is_broadcast() {
                FeasibilityRepair::new(space).repair(space, &mut genes, &mut rng);
            }
            if space.is_admissible(&genes) {
                let options = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
                let mut state = SearchState::new(space);
                state.load(&genes);
                EjectionChainSearch::new(space.step_count(), options).run(&mut state, chains, 6, &mut rng);
                genes = state.genes().to_vec();
            }
            let good = space.is_admissible(&genes) && Evaluator::new(space).conflicts(&genes) == 0;
            let verdict = verify(space.problem(), &space.schedule(&genes));
            prop_assert_eq!(verdict.is_ok(), good, "{:?}", verdict);
            Ok(())
        })?;
    }

    #[test]
    fn genes_of_other_receivers_steps_or_numbers_are_not_admissible(
        instance in searchable(6), seed: u64, pick: prop::sample::Index,
    ) {
        in_space(&instance, 1, |space| {
            let mut rng = stream(seed);
            let mut genes = random_genes(space, &mut rng);
            if space.is_broadcast() {
                FeasibilityRepair::new(space).repair(space, &mut genes, &mut rng);
            }
            let delivery = pick.index(genes.len());
            let admits = |path, step| {
                let mut spoiled = genes.clone();
                spoiled[delivery] = Gene { path, step };
                space.is_admissible(&spoiled)
            };
            let Gene { path, step } = genes[delivery];
            prop_assert!(admits(path, step));
            prop_assert!(!admits(path, space.step_count()));
            prop_assert!(!admits(Gene::UNPLACED, step));
            prop_assert!(!admits(space.table().path_count() as u32, step));
            let elsewhere = (0..space.table().path_count() as u32)
                .find(|&other| space.table().target(PathId::new(other)) != space.table().target(PathId::new(path)));
            prop_assert!(elsewhere.is_none_or(|path| !admits(path, step)));
            prop_assert!(!space.is_admissible(&genes[1..]));
            Ok(())
        })?;
    }
}

#[test]
fn deadlines_leave_time_for_the_receivers_behind() {
    let line: Topology = "mesh:1x4".parse().unwrap();
    let broadcast = Collective::broadcast(line.terminals()[1]);
    let problem = Problem::new(&line, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    let table = candidate_paths(&problem).unwrap();
    let space = SearchSpace::new(problem, &table, 5).unwrap();
    // Receivers 0, 2 and 3 of the line 0-1-2-3.
    assert_eq!([0, 1, 2].map(|delivery| space.hops(delivery)), [1, 1, 2]);
    assert_eq!([0, 1, 2].map(|delivery| space.deadline(delivery)), [4, 4, 5]);
}

#[test]
fn fewer_steps_than_successive_transfers_are_refused() {
    let cube: Topology = "hypercube:3".parse().unwrap();
    let broadcast = Collective::broadcast(cube.terminals()[0]);
    let too_long = hops(&cube, &broadcast, CommunicationModel::store_and_forward(), 2).unwrap_err();
    assert_eq!(too_long, "no schedule of 2 steps found: the method ends at 3");
    let exchange = Collective::all_to_all();
    let nothing = hops(&cube, &exchange, CommunicationModel::wormhole(), 0).unwrap_err();
    assert_eq!(nothing, "no schedule of 0 steps found: the method ends at 1");
}

/// The path a - b - c - d, in which no node routes.
fn bucket_line() -> (Topology, [NodeId; 4]) {
    let mut line = TopologyBuilder::new("bucket line");
    let nodes = ["a", "b", "c", "d"].map(|name| line.node(name, true, Some(false)));
    for pair in nodes.windows(2) {
        line.link(pair[0], pair[1]);
    }
    (line.build().unwrap(), nodes)
}

#[test]
fn receivers_forward_messages_where_no_node_routes() {
    let (line, [a, ..]) = bucket_line();
    let broadcast = Collective::broadcast(a);
    assert_eq!(hops(&line, &broadcast, CommunicationModel::wormhole(), 3), Ok(vec![1, 2, 3]));
}

#[test]
fn relays_that_are_no_receivers_are_not_supported() {
    let (line, [a, b, c, d]) = bucket_line();
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let to = |receivers: &[&[NodeId]]| -> Collective {
        let message = |receivers: &&[NodeId]| Message { source: a, receivers: receivers.to_vec() };
        Collective::custom(receivers.iter().map(message).collect())
    };
    let why = "the umda engine cannot do this: a message from 'a' reaches 'c' only if terminals that are not its \
               receivers pass it on";
    assert_eq!(hops(&line, &to(&[&[c]]), relay, 9), Err(why.to_owned()));
    assert_eq!(hops(&line, &to(&[&[c, d]]), relay, 9), Err(why.to_owned()));
    assert_eq!(hops(&line, &to(&[&[b, d], &[b, c]]), relay, 9), Err(why.replace("'c'", "'d'")));
    assert_eq!(hops(&line, &to(&[&[b], &[b, c]]), relay, 9), Ok(vec![1, 1, 2]));
}

#[test]
fn paths_that_use_a_resource_twice_are_no_candidates() {
    // From a to c over two channels that share a resource, or over two that do not.
    let mut diamond = TopologyBuilder::new("diamond");
    let [a, c] = ["a", "c"].map(|name| diamond.terminal(name));
    let [bus, free] = ["bus", "free"].map(|name| diamond.switch(name));
    let shared = [diamond.channel(a, bus), diamond.channel(bus, c)];
    diamond.share(shared);
    diamond.link(free, c);
    diamond.link(a, free);
    let diamond = diamond.build().unwrap();
    let collective = Collective::custom(vec![Message { source: a, receivers: vec![c] }]);
    assert_eq!(hops(&diamond, &collective, CommunicationModel::wormhole(), 1), Ok(vec![1]));

    let problem = Problem::new(&diamond, &collective, CommunicationModel::wormhole()).unwrap();
    let table = candidate_paths(&problem).unwrap();
    let space = SearchSpace::new(problem, &table, 1).unwrap();
    assert_eq!((table.between(a, c).len(), space.candidates(0).len()), (1, 1));
    let path = space.candidates(0)[0];
    assert!(table.channels(PathId::new(path)).iter().all(|channel| !shared.contains(channel)));
    assert!(space.is_admissible(&[Gene { path, step: 0 }]));
}

#[test]
fn sizes_are_limited_before_anything_is_allocated() {
    let ring: Topology = "ring:8000".parse().unwrap();
    let pair = Message { source: ring.terminals()[0], receivers: ring.terminals()[1..3].to_vec() };
    let chunks = |count: u32| Collective::custom(vec![pair.clone()]).with_chunks(count.try_into().unwrap());
    let check = |collective: &Collective, resources, steps| {
        let problem = Problem::new(&ring, collective, CommunicationModel::wormhole()).unwrap();
        check_size(&problem, resources, steps).map_err(|error| error.to_string())
    };
    let prefix = "the umda engine cannot do this: ";
    assert_eq!(check(&chunks(8000), 16_000, 4000), Ok(()));
    assert_eq!(check(&chunks(16_384), 16_000, 4000), Err(format!("{prefix}32768 deliveries are more than 32767")));
    assert_eq!(
        check(&chunks(9000), 16_000, 4000),
        Err(format!("{prefix}9000 messages among 8000 terminals are too many"))
    );
    let cells = |count: u64| {
        Err(format!("{prefix}{count} cells of resource and step are more than 67108864; plan fewer steps"))
    };
    assert_eq!(check(&chunks(1), 16_000, 5000), cells(80_000_000));
    assert_eq!(check(&chunks(1), 1, u32::MAX), cells(8000 * u64::from(u32::MAX)));
}

#[test]
fn spaces_that_differ_have_different_fingerprints() {
    let fingerprint = |network: &Topology, collective: &Collective, model, steps| {
        let problem = Problem::new(network, collective, model).unwrap();
        let table = candidate_paths(&problem).unwrap();
        SearchSpace::new(problem, &table, steps).unwrap().fingerprint()
    };
    let ring: Topology = "ring:4".parse().unwrap();
    let [first, second] = [0, 1].map(|rank| Collective::broadcast(ring.terminals()[rank]));
    let scatter = Collective::scatter(ring.terminals()[0]);
    let wormhole = CommunicationModel::wormhole();
    let one_port = CommunicationModel { ports: lockstep_schedule::Ports::limit(1).unwrap(), ..wormhole };
    let mut fingerprints = [
        fingerprint(&ring, &first, wormhole, 3),
        fingerprint(&ring, &first, wormhole, 4),
        fingerprint(&ring, &second, wormhole, 3),
        fingerprint(&ring, &scatter, wormhole, 3),
        fingerprint(&ring, &first, one_port, 3),
        fingerprint(&ring, &first, CommunicationModel::store_and_forward(), 3),
        fingerprint(&ring.half_duplex(), &first, wormhole, 3),
        fingerprint(&ring.reversed(), &first, wormhole, 3),
    ];
    fingerprints.sort_unstable();
    assert!(fingerprints.is_sorted_by(|a, b| a < b));
}
