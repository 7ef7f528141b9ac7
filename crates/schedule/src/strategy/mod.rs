//! Random problems and valid schedules for property tests.
//!
//! They shrink to small networks, named collectives and the model with the fewest restrictions. They are boxed, so that they are
//! compiled once, and not in every test program.

mod all_reduce_search;
mod distribution_search;
mod optimum;
mod packets;
mod router;
mod routes;
mod spoil;
mod symmetric;

use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology, strategy as topology};
use proptest::prelude::*;
use proptest::sample::Index;

pub use optimum::fastest_schedule;
pub use packets::{fewest_packet_steps, packet_problem};
pub use router::random_schedule;
pub use routes::SearchTooLong;
pub use symmetric::{SymmetricInstance, cayley_topology, spoiled_symmetric, symmetric_instance};

use crate::collective::Collective;
use crate::messages::Message;
use crate::model::{CommunicationModel, Ports, Routing, ScatterRule, Switching};
use crate::name::CollectiveName;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// A problem that owns its parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// The network.
    pub topology: Topology,
    /// The collective.
    pub collective: Collective,
    /// The network's rules.
    pub model: CommunicationModel,
}

impl Instance {
    /// Returns the problem.
    ///
    /// # Panics
    ///
    /// Panics if the public fields were changed and no longer form a valid problem.
    pub fn problem(&self) -> Problem<'_> {
        Problem::new(&self.topology, &self.collective, self.model)
            .expect("the parts of an instance form a valid problem")
    }
}

/// Generates problems on [any kind](topology::any_topology) of network of 2 to `max_nodes` nodes, also
/// [with buses](topology::connected_bus_topology).
///
/// The collectives are named, grouped or custom, in one or two chunks, under every model. If a store-and-forward path
/// is missing, switching is wormhole.
pub fn instance(max_nodes: usize) -> BoxedStrategy<Instance> {
    let with_buses = topology::connected_bus_topology(max_nodes);
    instance_on(prop_oneof![4 => topology::any_topology(max_nodes), 1 => with_buses])
}

/// Generates problems as [`instance`], on networks in which resources have capacities of up to 3.
pub fn instance_with_capacities(max_nodes: usize) -> BoxedStrategy<Instance> {
    let with_buses = topology::connected_bus_topology(max_nodes);
    let networks = prop_oneof![4 => topology::any_topology(max_nodes), 1 => with_buses];
    instance_on(networks.prop_flat_map(|network| topology::with_capacities(network, 3)))
}

/// Generates problems as [`instance`], on networks of a strategy.
pub fn instance_on(networks: impl Strategy<Value = Topology> + 'static) -> BoxedStrategy<Instance> {
    let parts = (networks.boxed(), any_collective(), any_model());
    let on_network = |(topology, choice, model): (Topology, CollectiveChoice, CommunicationModel)| {
        let collective = choice.on(&topology);
        let wormhole = CommunicationModel { switching: Switching::Wormhole, ..model };
        let is_possible = |model: &CommunicationModel| Problem::new(&topology, &collective, *model).is_ok();
        let model = [model, wormhole].into_iter().find(is_possible)?;
        Some(Instance { topology, collective, model })
    };
    parts.prop_filter_map("some receiver cannot be reached", on_network).boxed()
}

/// Generates a problem and a valid schedule for it, without redundant deliveries or needless relays.
///
/// The schedule may have more steps than needed.
pub fn scheduled_instance(max_nodes: usize) -> BoxedStrategy<(Instance, Schedule)> {
    scheduled(instance(max_nodes))
}

/// Generates problems of a strategy, each with a valid schedule as [`scheduled_instance`].
pub fn scheduled(instances: impl Strategy<Value = Instance> + 'static) -> BoxedStrategy<(Instance, Schedule)> {
    let with_schedule = |(instance, seed): (Instance, u64)| {
        let schedule = random_schedule(&instance.problem(), seed);
        (instance, schedule)
    };
    (instances.boxed(), any::<u64>()).prop_map(with_schedule).boxed()
}

/// Generates a problem and a valid schedule after 0 to 3 random changes.
///
/// The changes drop, repeat or move transfers, replace messages and channels, cut, lengthen or reverse paths, and swap,
/// merge or split steps.
pub fn spoiled_instance(max_nodes: usize) -> BoxedStrategy<(Instance, Schedule)> {
    spoiled(instance(max_nodes))
}

/// Generates problems of a strategy, each with a schedule as [`spoiled_instance`].
pub fn spoiled(instances: impl Strategy<Value = Instance> + 'static) -> BoxedStrategy<(Instance, Schedule)> {
    let spoil = |((instance, schedule), spoilings): ((Instance, Schedule), Vec<spoil::Spoiling>)| {
        let spoiled = spoil::spoil(&instance.problem(), &schedule, &spoilings);
        (instance, spoiled)
    };
    (scheduled(instances), spoil::spoilings()).prop_map(spoil).boxed()
}

/// Generates communication models. They shrink to the model with the fewest restrictions.
pub fn any_model() -> BoxedStrategy<CommunicationModel> {
    let switching = prop_oneof![Just(Switching::Wormhole), Just(Switching::StoreAndForward)];
    let limit = (0..=2u32).prop_map(|more| Ports::Limit(NonZeroU32::MIN.saturating_add(more)));
    let ports = prop_oneof![Just(Ports::All), limit];
    let routing = prop_oneof![Just(Routing::Any), Just(Routing::Minimal)];
    let scatter = prop_oneof![Just(ScatterRule::Relay), Just(ScatterRule::Direct)];
    (switching, ports, routing, scatter)
        .prop_map(|(switching, ports, routing, scatter)| CommunicationModel { switching, ports, routing, scatter })
        .boxed()
}

/// A collective, before the network is chosen.
#[derive(Clone, Debug)]
struct CollectiveChoice {
    kind: Choice,
    chunks: NonZeroU32,
}

#[derive(Clone, Debug)]
enum Choice {
    Named(CollectiveName, Index),
    /// One or two groups; the root of each is its first terminal, and its second one if the flag is set.
    Groups(CollectiveName, Vec<Vec<Index>>, bool),
    /// An all-reduce in one or two blocks, of all terminals or of one group.
    Blocks(Vec<Vec<Index>>),
    /// The source and the receivers of each message.
    Custom(Vec<(Index, Vec<Index>)>),
}

fn any_collective() -> BoxedStrategy<CollectiveChoice> {
    let named = (prop::sample::select(CollectiveName::ALL.to_vec()), any::<Index>());
    let members = prop::collection::vec(any::<Index>(), 2..=5);
    let groups =
        (prop::sample::select(CollectiveName::ALL.to_vec()), prop::collection::vec(members, 1..=2), any::<bool>());
    let message = |receivers| (any::<Index>(), prop::collection::vec(any::<Index>(), receivers));
    let kind = prop_oneof![
        8 => named.prop_map(|(name, root)| Choice::Named(name, root)),
        3 => groups.prop_map(|(name, groups, has_two_roots)| Choice::Groups(name, groups, has_two_roots)),
        1 => prop::collection::vec(prop::collection::vec(any::<Index>(), 2..=5), 0..=1).prop_map(Choice::Blocks),
        1 => prop::collection::vec(message(1..=1), 1..=6).prop_map(Choice::Custom),
        1 => prop::collection::vec(message(1..=4), 1..=4).prop_map(Choice::Custom),
    ];
    let chunks = prop_oneof![3 => Just(NonZeroU32::MIN), 1 => Just(NonZeroU32::MIN.saturating_add(1))];
    (kind, chunks).prop_map(|(kind, chunks)| CollectiveChoice { kind, chunks }).boxed()
}

impl CollectiveChoice {
    fn on(self, topology: &Topology) -> Collective {
        let terminals = topology.terminals();
        let collective = match self.kind {
            Choice::Named(name, root) => {
                let root = name.has_root().then(|| *root.get(terminals));
                name.with_root(root).expect("a root is given if and only if the collective has one")
            }
            Choice::Groups(name, groups, has_two_roots) => {
                let groups: Vec<Vec<NodeId>> = groups.iter().map(|members| group(terminals, members)).collect();
                let of_group = if has_two_roots { 0..2 } else { 0..1 };
                let mut roots: Vec<NodeId> =
                    groups.iter().flat_map(|group| &group[of_group.clone()]).copied().collect();
                roots.sort_unstable();
                roots.dedup();
                let roots = if name.has_root() { &roots[..] } else { &[] };
                name.in_groups(topology, &groups, roots)
                    .expect("groups have two terminals or more, and a root if needed")
            }
            Choice::Blocks(groups) => {
                let groups: Vec<Vec<NodeId>> = groups.iter().map(|members| group(terminals, members)).collect();
                return Collective::all_reduce_in_blocks(topology, &groups, self.chunks)
                    .expect("groups have two terminals or more");
            }
            Choice::Custom(messages) => {
                let messages = messages.iter().map(|(source, receivers)| custom_message(terminals, *source, receivers));
                Collective::custom(messages.collect())
            }
        };
        collective.with_chunks(self.chunks)
    }
}

/// Returns the chosen terminals without duplicates, and at least two.
fn group(terminals: &[NodeId], members: &[Index]) -> Vec<NodeId> {
    let mut group: Vec<NodeId> = members.iter().map(|member| *member.get(terminals)).collect();
    group.sort_unstable();
    group.dedup();
    if let [only] = group[..] {
        group.extend(terminals.iter().find(|&&terminal| terminal != only));
    }
    group
}

/// Returns a message whose receivers are distinct terminals other than its source.
fn custom_message(terminals: &[NodeId], source: Index, receivers: &[Index]) -> Message {
    let source = *source.get(terminals);
    let others: Vec<NodeId> = terminals.iter().copied().filter(|&terminal| terminal != source).collect();
    let mut receivers: Vec<NodeId> = receivers.iter().map(|receiver| *receiver.get(&others)).collect();
    receivers.sort_unstable();
    receivers.dedup();
    Message { source, receivers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify;

    proptest! {
        /// A limit below the fewest steps leaves no schedule.
        #[test]
        fn fastest_schedules_are_valid(instance in instance(4), seed: u64) {
            let problem = instance.problem();
            let Ok(fastest) = fastest_schedule(&problem, usize::MAX, &mut 20_000) else { return Ok(()) };
            let fastest = fastest.expect("a schedule");
            let report = verify(&problem, &fastest);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert_eq!(report.unwrap().redundant, 0);
            prop_assert!(fastest.step_count() <= random_schedule(&problem, seed).step_count());
            let below = fastest_schedule(&problem, fastest.step_count() - 1, &mut 100_000);
            prop_assert_eq!(below, Ok(None));
        }

        #[test]
        fn scheduled_instances_are_valid_and_have_no_redundant_transfer((instance, schedule) in scheduled_instance(9)) {
            let problem = instance.problem();
            let report = verify(&problem, &schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert_eq!(report.unwrap().redundant, 0);
        }
    }
}
