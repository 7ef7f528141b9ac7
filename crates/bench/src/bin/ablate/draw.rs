//! Random problems, the same number of every kind.

use lockstep::schedule::{Phase, Ports, ScatterRule, Switching};
use lockstep::topology::strategy as networks;
use lockstep::{CommunicationModel, Problem, Topology};
use lockstep_schedule::strategy::{Instance, instance_on};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::problems::line_of;

/// The kinds of models and networks.
const MODELS: [&str; 6] = ["wormhole", "stored", "one-port", "half-duplex", "buses", "capacities"];

/// The kinds of collectives.
const COLLECTIVES: [&str; 7] =
    ["broadcast", "scatter", "all-gather", "all-to-all", "collect", "all-reduce", "few-blocks"];

/// The number of problems of each model and collective.
const EACH: u32 = 7;

/// Networks of known families.
const REGULAR: [&str; 18] = [
    "ring:9",
    "ring:16",
    "mesh:3x4",
    "mesh:4x6",
    "torus:3x3",
    "torus:4x5",
    "hypercube:4",
    "hypercube:5",
    "kautz:2,3",
    "de-bruijn:2,4",
    "random-regular:12,3,1",
    "random-regular:24,4,2",
    "circulant:13,2,3",
    "omega:8",
    "butterfly:16",
    "fat-tree:2,3",
    "dragonfly:2,2,1",
    "full-b-tree:15",
];

/// Draws the random problems: one line each. `seed` gives other problems of the same kinds.
pub(crate) fn lines(seed: u32) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for model in MODELS {
        for collective in COLLECTIVES {
            for number in 0..EACH {
                let instance = draw(seed, model, collective, number)?;
                lines.push(line_of(format!("{model}-{collective}-{number}"), &instance)?);
            }
        }
    }
    Ok(lines)
}

/// Draws a problem of a kind. Even numbers have networks of known families, those without buses; others have random ones.
fn draw(seed: u32, model: &'static str, collective: &'static str, number: u32) -> anyhow::Result<Instance> {
    let mut bytes = [0; 32];
    let place = |name, names: &[&str]| names.iter().position(|other| *other == name).unwrap_or(0) as u32;
    let words = [seed, place(model, &MODELS), place(collective, &COLLECTIVES), number];
    for (place, word) in words.into_iter().enumerate() {
        bytes[4 * place..][..4].copy_from_slice(&word.to_le_bytes());
    }
    let config = Config { max_local_rejects: u32::MAX, max_global_rejects: u32::MAX, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let most = if number < EACH / 2 { 16 } else { 40 };
    let network = match (model, number % 2) {
        ("buses", _) => networks::connected_bus_topology(most).boxed(),
        (_, 0) => select(REGULAR.to_vec()).prop_map(|spec| spec.parse::<Topology>().expect("a spec")).boxed(),
        _ => prop_oneof![
            networks::connected_topology(most),
            networks::indirect_topology(most),
            networks::directed_topology(most)
        ]
        .boxed(),
    };
    let network = match model {
        "half-duplex" => network.prop_map(|network| network.half_duplex()).boxed(),
        "capacities" => network.prop_flat_map(|network| networks::with_capacities(network, 3)).boxed(),
        _ => network,
    };
    // Every third network has lost channels, if the problem stays possible.
    let network = if number % 3 == 2 {
        (network, any::<prop::sample::Index>())
            .prop_map(|(network, lost)| {
                let channels: Vec<_> = network.channels().collect();
                network.with_failures([], [*lost.get(&channels)])
            })
            .boxed()
    } else {
        network
    };
    let network = network.prop_filter("another size", |network| network.terminal_count() >= 5).boxed();
    let problems = instance_on(network).prop_filter_map("another kind", move |instance| {
        let model = with_model(instance.model, model);
        let problem = Problem::new(&instance.topology, &instance.collective, model).ok()?;
        (kind_of(&problem) == collective && problem.messages().delivery_count() >= 4)
            .then(|| Instance { model, ..instance.clone() })
    });
    let tree = problems.new_tree(&mut runner).map_err(|reason| anyhow::anyhow!("no problem: {reason}"))?;
    Ok(tree.current())
}

/// Returns a model of a kind, otherwise as random as before.
fn with_model(random: CommunicationModel, kind: &str) -> CommunicationModel {
    match kind {
        "wormhole" => CommunicationModel { switching: Switching::Wormhole, ports: Ports::All, ..random },
        "stored" => CommunicationModel {
            switching: Switching::StoreAndForward,
            ports: Ports::All,
            scatter: ScatterRule::Relay,
            ..random
        },
        "one-port" => CommunicationModel { ports: Ports::limit(1).expect("one port"), ..random },
        _ => random,
    }
}

/// Returns the kind of a collective.
fn kind_of(problem: &Problem<'_>) -> &'static str {
    let (messages, terminals) = (problem.messages(), problem.topology().terminal_count());
    let mut sources: Vec<_> = messages.ids().map(|message| messages.source(message)).collect();
    sources.sort_unstable();
    sources.dedup();
    match problem.collective().phases() {
        [Phase::Collect] => "collect",
        [Phase::Distribute] if messages.is_scatter() => {
            if sources.len() == 1 {
                "scatter"
            } else {
                "all-to-all"
            }
        }
        [Phase::Distribute] => {
            if sources.len() == 1 {
                "broadcast"
            } else {
                "all-gather"
            }
        }
        _ if messages.len() <= terminals / 2 => "few-blocks",
        _ => "all-reduce",
    }
}
