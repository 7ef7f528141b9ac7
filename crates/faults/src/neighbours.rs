//! The neighbours of a node, in errors and for faults of its network cards.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::list::shortened_list;
use crate::{Fault, FaultError};

/// Describes where the channels or links of a node lead. `form` is `channels` or `links`.
pub(crate) fn neighbours(topology: &Topology, node: NodeId, form: &str) -> String {
    let mut heads: Vec<NodeId> = topology.out_channels(node).iter().map(|&channel| topology.head(channel)).collect();
    heads.sort_unstable();
    heads.dedup();
    let name = topology.node_name(node);
    if heads.is_empty() {
        return format!("no channel leaves '{name}'");
    }
    let names = shortened_list(heads.iter().map(|&node| topology.node_name(node)));
    format!("{form} lead from '{name}' to {names}")
}

/// Returns the error of a text that is not a pair of nodes. It names the wrong part if the other one is a node.
pub(crate) fn unreadable(topology: &Topology, word: &str, form: &'static str, separators: &[&str]) -> FaultError {
    let forms = if form.starts_with("link") { "links" } else { "channels" };
    if let Some(node) = topology.find_node(word) {
        return FaultError::SingleNode { word: word.to_owned(), form, neighbours: neighbours(topology, node, forms) };
    }
    let pairs = separators.iter().flat_map(|separator| {
        word.match_indices(separator).map(|(place, _)| [&word[..place], &word[place + separator.len()..]])
    });
    for [from, to] in pairs {
        let (part, node) = match [from, to].map(|side| topology.find_node(side)) {
            [Some(node), None] => (to, node),
            [None, Some(node)] => (from, node),
            _ => continue,
        };
        let advice = topology.similar_nodes(part).unwrap_or_else(|| neighbours(topology, node, forms));
        return FaultError::UnknownPart { word: word.to_owned(), part: part.to_owned(), advice };
    }
    FaultError::Unreadable { word: word.to_owned(), form }
}

/// Returns the links of a node that leave its host, and its other channels that do.
pub(crate) fn network_card_links(topology: &Topology, node: NodeId) -> Result<Vec<Fault>, FaultError> {
    let missing = |reason| FaultError::NoNetworkCard {
        node: topology.node_name(node).to_owned(),
        reason,
        neighbours: neighbours(topology, node, "links"),
    };
    let Some(host) = topology.host(node) else {
        return Err(missing("the network does not say on which host it is, so use --fail-link"));
    };
    let leaves = |channel: ChannelId| {
        let ends = [topology.tail(channel), topology.head(channel)];
        ends.contains(&node) && ends.iter().any(|&end| topology.host(end) != Some(host))
    };
    let links = topology.links().into_iter().map(Fault::Link);
    let mut faults: Vec<Fault> = links.filter(|link| link.channels().iter().any(|&channel| leaves(channel))).collect();
    let is_alone = |&channel: &ChannelId| !faults.iter().any(|fault| fault.channels().contains(&channel));
    let alone = topology.channels().filter(|&channel| leaves(channel)).filter(is_alone);
    let alone: Vec<Fault> = alone.map(Fault::Channel).collect();
    faults.extend(alone);
    if faults.is_empty() { Err(missing("no link leaves its host")) } else { Ok(faults) }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;
    use crate::FaultSet;

    fn refused(topology: &Topology, faults: &FaultSet) -> String {
        faults.of(topology).unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_part_is_named_with_the_links_of_the_other_one() {
        let servers: Topology = "dgx-a100:2".parse().unwrap();
        let links = "links lead from 'g0_3' to V0 and R3";
        for (word, error) in [
            ("g0_3", format!("'g0_3' is a node, not a link such as 01-10; {links}")),
            ("g0_3-nic3", format!("'g0_3-nic3': there is no node 'nic3'; {links}")),
            ("nic3-g0_3", format!("'nic3-g0_3': there is no node 'nic3'; {links}")),
            ("g0_3-r3", "'g0_3-r3': there is no node 'r3'; did you mean 'R3'?".to_owned()),
        ] {
            assert_eq!(refused(&servers, &FaultSet::new().link_named(word)), error);
        }
        assert_eq!(
            refused(&servers, &FaultSet::new().channel_named("g0_3->nic3")),
            "'g0_3->nic3': there is no node 'nic3'; channels lead from 'g0_3' to V0 and R3"
        );
    }

    #[test]
    fn the_network_cards_of_a_node_are_its_links_to_other_hosts() {
        let two_cards: Topology = "cluster:nodes=2,gpus=2,nvlink=300GB/s,rails=4,nic=50GB/s".parse().unwrap();
        let faults = FaultSet::new().network_cards("g1_1").of(&two_cards).unwrap();
        assert_eq!(faults.name(&two_cards), "g1_1-R2, g1_1-R3");
        let one_server: Topology = "dgx-a100:1".parse().unwrap();
        assert_eq!(
            refused(&one_server, &FaultSet::new().network_cards("g0_1")),
            "'g0_1' has no network card: no link leaves its host; links lead from 'g0_1' to V0"
        );
        assert_eq!(
            refused(&"ring:3".parse().unwrap(), &FaultSet::new().network_cards("1")),
            "'1' has no network card: the network does not say on which host it is, so use --fail-link; \
             links lead from '1' to 0 and 2"
        );
    }

    #[test]
    fn network_cards_of_one_direction_are_channels() {
        let mut network = TopologyBuilder::new("one-way");
        let [a, b, c] = ["a", "b", "c"].map(|name| network.terminal(name));
        for (node, host) in [(a, "x"), (b, "x"), (c, "y")] {
            network.set_host(node, host);
        }
        network.link(a, b);
        network.channel(a, c);
        network.channel(c, a);
        network.channel(c, b);
        let network = network.build().unwrap();
        assert_eq!(FaultSet::new().network_cards("a").of(&network).unwrap().name(&network), "a-c");
        assert_eq!(FaultSet::new().network_cards("b").of(&network).unwrap().name(&network), "c->b");
    }
}
