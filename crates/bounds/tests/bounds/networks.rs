//! Random networks in which channels of different nodes share a resource, and random all-reduces.

use lockstep_schedule::strategy::{Instance, any_model, instance, instance_on};
use lockstep_schedule::{Collective, Message, Problem};
use lockstep_topology::strategy::{
    self, any_topology, connected_topology, directed_topology, gapped, indirect_topology, shuffled,
};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Generates networks in which one to three groups of channels share a resource each, as on a bus. A group has channels
/// from one node, or from any nodes. Some networks have failed nodes and channels.
///
/// Some terminals may have no legal path between them.
pub(crate) fn any_bus_topology(max_nodes: usize) -> impl Strategy<Value = Topology> {
    let group = (any::<Option<Index>>(), vec(any::<Index>(), 2..=4));
    let groups = vec(group, 1..=3);
    let network =
        prop_oneof![connected_topology(max_nodes), indirect_topology(max_nodes), directed_topology(max_nodes)];
    let shared = (network, groups).prop_map(|(topology, groups)| {
        let mut network = TopologyBuilder::new("buses");
        for node in topology.nodes() {
            network.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
        }
        let mut alone = Vec::new();
        for channel in topology.channels() {
            alone.push(network.channel(topology.tail(channel), topology.head(channel)));
        }
        for (tail, members) in groups {
            let tail = tail.map(|tail| NodeId::from_index(tail.index(topology.node_count())));
            let mut group = Vec::new();
            for member in members {
                let is_candidate = |&channel: &ChannelId| tail.is_none_or(|tail| topology.tail(channel) == tail);
                let candidates: Vec<ChannelId> = alone.iter().copied().filter(is_candidate).collect();
                if !candidates.is_empty() {
                    let chosen = *member.get(&candidates);
                    alone.retain(|&channel| channel != chosen);
                    group.push(chosen);
                }
            }
            network.share(group);
        }
        network.build().unwrap()
    });
    prop_oneof![2 => shared.clone(), 1 => shared.prop_flat_map(gapped)]
}

/// Generates trees of 2 to `max_nodes` nodes with channels away from node 0. The channels from some of the nodes share
/// a resource.
pub(crate) fn bus_tree(max_nodes: usize) -> impl Strategy<Value = Topology> {
    (vec(any::<Index>(), 1..max_nodes), vec(any::<bool>(), max_nodes)).prop_map(|(parents, has_bus)| {
        let mut network = TopologyBuilder::new("bus tree");
        let nodes: Vec<NodeId> = (0..=parents.len()).map(|node| network.terminal(node.to_string())).collect();
        let mut channels = vec![Vec::new(); nodes.len()];
        for (place, parent) in parents.iter().enumerate() {
            let parent = parent.index(place + 1);
            channels[parent].push(network.channel(nodes[parent], nodes[place + 1]));
        }
        for (channels, _) in channels.into_iter().zip(has_bus).filter(|(_, has_bus)| *has_bus) {
            network.share(channels);
        }
        network.build().unwrap()
    })
}

/// Generates all-reduces of all terminals, or of some of them, in 1 to 3 blocks.
pub(crate) fn all_reduce() -> impl Strategy<Value = Instance> {
    let instances = prop_oneof![2 => instance(5), 1 => instance_on(any_bus_topology(5).prop_flat_map(shuffled))];
    (instances, vec(any::<bool>(), 5), 1..=3u32).prop_filter_map("not connected", |(instance, is_member, blocks)| {
        let Instance { topology, model, .. } = instance;
        let members = topology.terminals().iter().zip(is_member).filter(|(_, is_member)| *is_member);
        let members: Vec<NodeId> = members.map(|(&terminal, _)| terminal).collect();
        let groups = if members.len() < 2 { Vec::new() } else { vec![members] };
        let collective = Collective::all_reduce_in_blocks(&topology, &groups, blocks.try_into().unwrap()).unwrap();
        let is_possible = Problem::new(&topology, &collective, model).is_ok();
        is_possible.then_some(Instance { topology, collective, model })
    })
}

/// Generates problems on networks of up to `max_nodes` nodes without buses, in which resources have capacities of up to 3.
pub(crate) fn with_capacities(max_nodes: usize) -> impl Strategy<Value = Instance> {
    instance_on(any_topology(max_nodes).prop_flat_map(|network| strategy::with_capacities(network, 3)))
}

/// Generates broadcasts of one message from the first terminal, on networks as [`with_capacities`].
pub(crate) fn broadcast_with_capacities(max_nodes: usize) -> impl Strategy<Value = Instance> {
    with_capacities(max_nodes).prop_filter_map("not connected", |Instance { topology, model, .. }| {
        let collective = Collective::broadcast(topology.terminals()[0]);
        let is_possible = Problem::new(&topology, &collective, model).is_ok();
        is_possible.then_some(Instance { topology, collective, model })
    })
}

/// Generates broadcasts, scatters and all-reduces of a few terminals among 9 to 12.
pub(crate) fn few_of_many_terminals() -> impl Strategy<Value = Instance> {
    let networks = prop_oneof![3 => any_topology(12), 1 => any_bus_topology(12).prop_flat_map(shuffled)];
    let networks = networks.prop_filter("few terminals", |network| network.terminal_count() > 8);
    let messages = vec((any::<Index>(), vec(any::<Index>(), 1..=2)), 2..=3);
    let parts = (networks, messages, any::<Option<bool>>(), any_model());
    parts.prop_filter_map("not connected", |(topology, messages, blocks, model)| {
        let terminal = |index: &Index| *index.get(topology.terminals());
        let message = |(source, receivers): &(Index, Vec<Index>)| {
            let mut receivers: Vec<NodeId> = receivers.iter().map(terminal).collect();
            receivers.sort_unstable();
            receivers.dedup();
            receivers.retain(|&receiver| receiver != terminal(source));
            Message { source: terminal(source), receivers }
        };
        let mut messages: Vec<Message> = messages.iter().map(message).collect();
        messages.retain(|message| !message.receivers.is_empty());
        let collective = match (blocks, messages.first()?) {
            (None, _) => Collective::custom(messages),
            (Some(has_two), Message { source, receivers }) => {
                let members = [&receivers[..], &[*source]].concat();
                let blocks = if has_two { 2 } else { 1 };
                Collective::all_reduce_in_blocks(&topology, &[members], blocks.try_into().unwrap()).unwrap()
            }
        };
        let is_possible = Problem::new(&topology, &collective, model).is_ok();
        is_possible.then_some(Instance { topology, collective, model })
    })
}
