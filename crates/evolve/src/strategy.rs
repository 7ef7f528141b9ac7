//! Random spaces and individuals for unit tests.

use lockstep_schedule::strategy::{Instance, instance, instance_with_capacities, packet_problem};
use lockstep_schedule::{Collective, NotFound, Pattern, Phase, Problem, Switching};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::candidate_paths;
use crate::space::{Gene, SearchSpace};

/// Returns a problem that the encoding supports, except for some custom broadcasts that need relays that are no
/// receivers.
pub(crate) fn searchable(max_nodes: usize) -> BoxedStrategy<Instance> {
    prop_oneof![3 => instance(max_nodes), 1 => instance_with_capacities(max_nodes)]
        .prop_map(|mut instance| {
            if instance.collective.phases() != [Phase::Distribute] {
                instance.collective = instance.collective.distributing();
            }
            if instance.problem().messages().is_scatter() {
                instance.model.switching = Switching::Wormhole;
            }
            instance
        })
        .boxed()
}

/// Returns a broadcast that the encoding supports, with the same exception.
pub(crate) fn searchable_broadcast(max_nodes: usize) -> BoxedStrategy<Instance> {
    searchable(max_nodes)
        .prop_map(|mut instance| {
            if instance.collective.pattern() == Pattern::Scatter {
                let collective = match (instance.collective.root(), instance.collective.listed()) {
                    (None, None) => Collective::all_gather(),
                    (Some(root), _) => Collective::broadcast(root),
                    (None, Some(messages)) => Collective::broadcast(messages[0].source),
                };
                instance.collective = collective.with_chunks(instance.collective.chunks());
            }
            instance
        })
        .boxed()
}

/// Returns a broadcast under store-and-forward switching, with the same exception.
pub(crate) fn forwarded(max_nodes: usize) -> BoxedStrategy<Instance> {
    searchable_broadcast(max_nodes)
        .prop_filter_map("no terminal forwards messages", |mut instance| {
            instance.model.switching = Switching::StoreAndForward;
            packet_problem(&instance.topology, &instance.collective, instance.model).is_some().then_some(instance)
        })
        .boxed()
}

/// Calls `check` with the space that has `spare` more steps than the encoding needs.
pub(crate) fn in_space(
    instance: &Instance,
    spare: u32,
    check: impl FnOnce(&SearchSpace) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let problem: Problem = instance.problem();
    let table = candidate_paths(&problem).expect("small networks have small tables");
    let fewest = match SearchSpace::new(problem, &table, 0) {
        Err(NotFound::TooLong { steps: 0, reached }) => reached,
        Err(NotFound::Unsupported { .. }) => return Ok(()),
        other => return Err(TestCaseError::fail(format!("a space without steps is {other:?}"))),
    };
    check(&SearchSpace::new(problem, &table, fewest + spare).expect("it is long enough"))
}

/// Returns a random candidate path and a random step for every delivery.
pub(crate) fn random_genes(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Vec<Gene> {
    (0..space.delivery_count())
        .map(|delivery| {
            let candidates = space.candidates(delivery);
            let path = candidates[rng.random_range(0..candidates.len())];
            Gene { path, step: rng.random_range(0..space.step_count()) }
        })
        .collect()
}

/// Returns a stream of random numbers.
pub(crate) fn stream(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
