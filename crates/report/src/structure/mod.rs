//! Layouts of networks by their structure: rings, grids, tori, hypercubes, groups, servers and rails, crossbars. Names and node numbers do not matter.

mod circle;
mod crossbar;
mod graph;
mod groups;
mod product;
mod rails;

use lockstep_topology::Topology;

pub(crate) use self::circle::is_random_circle;
pub(crate) use self::crossbar::crossbar_layout;
use self::graph::Graph;
pub(crate) use self::rails::{Rails, rails_layout};
use crate::geometry::Point;

/// The largest network whose structure is searched, in nodes.
const MAX_NODES: usize = 2048;
/// Distance of a leaf from its only neighbour.
const LEAF_DISTANCE: f64 = 0.62;

/// Returns one position per node, or `None` if the network has no structure that is known here.
///
/// Leaves, such as the terminals of routers, do not count: they stand around their only neighbour.
pub(crate) fn structure_layout(topology: &Topology) -> Option<Vec<Point>> {
    if topology.node_count() > MAX_NODES {
        return None;
    }
    let graph = Graph::new(topology);
    let (core, owners) = graph.without_leaves();
    let inner = graph.part(&core);
    let (places, is_round) = match product::product_layout(&inner) {
        Some(places) => (places, false),
        None => (groups::group_layout(&inner)?, true),
    };
    let mut all = vec![Point::default(); topology.node_count()];
    for (&node, &place) in core.iter().zip(&places) {
        all[node] = place;
    }
    place_leaves(&mut all, &owners, is_round);
    // Trigonometric functions differ in their last digits between machines.
    let round = |coordinate: f64| (coordinate * 1000.0).round() / 1000.0;
    Some(all.into_iter().map(|place| Point::new(round(place.x), round(place.y))).collect())
}

/// Places leaves around their owners: away from the origin, or below to the right in a grid.
fn place_leaves(all: &mut [Point], owners: &[Option<usize>], is_round: bool) {
    let mut leaves: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    for (leaf, owner) in owners.iter().enumerate() {
        if let Some(owner) = *owner {
            leaves[owner].push(leaf);
        }
    }
    for (owner, leaves) in leaves.iter().enumerate() {
        let centre = all[owner];
        let ahead = if is_round && centre.length() > 1e-9 { centre.unit() } else { Point::new(0.6, 0.8) };
        let across = Point::new(-ahead.y, ahead.x);
        let middle = 0.5 * (leaves.len() as f64 - 1.0);
        for (place, &leaf) in leaves.iter().enumerate() {
            let aside = 0.4 * (place as f64 - middle);
            all[leaf] = centre + ahead * LEAF_DISTANCE + across * aside;
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::{NodeId, TopologyBuilder};

    use super::*;

    /// Returns a network without positions, with its nodes in another order, and the new node of each old one.
    fn shuffled(network: &Topology) -> (Topology, Vec<NodeId>) {
        let count = network.node_count();
        let mut order: Vec<usize> = (0..count).collect();
        // Multiples of a number modulo a prime are distinct, and in another order.
        order.sort_by_key(|&node| node * 3_571 % 10_007);
        let mut builder = TopologyBuilder::new("shuffled");
        let mut new = vec![NodeId::new(0); count];
        for node in order {
            let is_terminal = network.is_terminal(NodeId::from_index(node));
            let name = format!("x{node}");
            new[node] = if is_terminal { builder.terminal(name) } else { builder.switch(name) };
        }
        for channel in network.channels() {
            let [tail, head] = [network.tail(channel), network.head(channel)].map(NodeId::index);
            if tail < head {
                builder.link(new[tail], new[head]);
            }
        }
        (builder.build().unwrap(), new)
    }

    /// Returns the mean length of all channels, relative to the smallest distance of two nodes.
    fn mean_length(network: &Topology, places: &[Point]) -> f64 {
        let pairs = places.iter().enumerate().flat_map(|(at, &one)| places[..at].iter().map(move |&other| one - other));
        let least = pairs.map(Point::length).fold(f64::INFINITY, f64::min);
        let length = |channel| places[network.tail(channel).index()] - places[network.head(channel).index()];
        let sum: f64 = network.channels().map(|channel| length(channel).length()).sum();
        sum / network.channel_count() as f64 / least
    }

    fn own_places(network: &Topology) -> Vec<Point> {
        network.positions().unwrap().iter().map(|&[x, y]| Point::new(x, y)).collect()
    }

    #[test]
    fn shuffled_networks_look_as_good_as_their_families() {
        for spec in ["ring:17", "mesh:5x7", "mesh:3x4x5", "torus:8x8", "torus:3x5x6", "hypercube:3", "hypercube:6"] {
            let network: Topology = spec.parse().unwrap();
            let (mixed, _) = shuffled(&network);
            let places = structure_layout(&mixed).unwrap_or_else(|| panic!("{spec} has no layout"));
            let (own, family) = (mean_length(&mixed, &places), mean_length(&network, &own_places(&network)));
            assert!(own <= 1.05 * family, "{spec}: mean length {own}, that of the family is {family}");
        }
    }

    /// Returns the number of pairs of straight links that cross.
    fn crossings(network: &Topology, places: &[Point]) -> usize {
        let ends = |channel| [network.tail(channel), network.head(channel)].map(|node| places[node.index()]);
        let links: Vec<[Point; 2]> =
            network.channels().filter(|&one| network.tail(one) < network.head(one)).map(ends).collect();
        let side = |[a, b]: [Point; 2], c: Point| {
            let turn = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            if turn.abs() < 1e-9 { 0.0 } else { turn.signum() }
        };
        let cross = |one: [Point; 2], other: [Point; 2]| {
            side(one, other[0]) * side(one, other[1]) < 0.0 && side(other, one[0]) * side(other, one[1]) < 0.0
        };
        let before = |(at, &one): (usize, &[Point; 2])| links[..at].iter().filter(|&&other| cross(one, other)).count();
        links.iter().enumerate().map(before).sum()
    }

    #[test]
    fn servers_and_rails_cross_as_few_links_as_their_families() {
        for spec in ["dgx-h100:2", "cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=50GB/s"] {
            let network: Topology = spec.parse().unwrap();
            let (mixed, _) = shuffled(&network);
            let Rails { places, levels } = rails_layout(&mixed).unwrap_or_else(|| panic!("{spec} has no layout"));
            let (own, family) = (crossings(&mixed, &places), crossings(&network, &own_places(&network)));
            assert!(own <= family, "{spec}: {own} crossings, the family has {family}");
            let terminal = |node: NodeId| mixed.is_terminal(node) == (levels[node.index()] == 1);
            assert!(mixed.nodes().all(terminal), "{spec}");
        }
        for spec in ["fat-tree:4,2", "b-tree:16", "star:4", "torus:4x4"] {
            let network: Topology = spec.parse().unwrap();
            assert!(rails_layout(&network).is_none(), "{spec}");
        }
    }

    #[test]
    fn terminals_and_their_common_switches_are_rows_and_columns() {
        let mut builder = TopologyBuilder::new("8 GPUs");
        let gpus: Vec<NodeId> = (0..8).map(|gpu| builder.terminal(format!("gpu{gpu}"))).collect();
        for switch in 0..6 {
            let switch = builder.switch(format!("nvswitch{switch}"));
            for &gpu in &gpus {
                builder.link(gpu, switch);
            }
        }
        let (mixed, _) = shuffled(&builder.build().unwrap());
        let places = crossbar_layout(&mixed).unwrap();
        for (node, place) in mixed.nodes().zip(&places) {
            assert_eq!([place.x == 0.0, place.y == 0.0], [mixed.is_terminal(node), !mixed.is_terminal(node)]);
        }
        for spec in ["fat-tree:4,2", "dgx-h100:2", "star:8", "complete:8"] {
            assert!(crossbar_layout(&spec.parse().unwrap()).is_none(), "{spec}");
        }
    }

    #[test]
    fn the_groups_of_a_shuffled_dragonfly_are_apart() {
        for spec in ["dragonfly:4,2,2", "dragonfly:4,4,1", "dragonfly:6,3,3"] {
            let network: Topology = spec.parse().unwrap();
            let (mixed, new) = shuffled(&network);
            let places = structure_layout(&mixed).unwrap_or_else(|| panic!("{spec} has no layout"));
            // The name of a router is that of its group and its number.
            let group = |node: NodeId| network.node_name(node).split('.').next().unwrap().to_owned();
            let place = |node: NodeId| places[new[node.index()].index()];
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for channel in network.channels() {
                let [tail, head] = [network.tail(channel), network.head(channel)];
                if network.is_terminal(tail) || network.is_terminal(head) {
                    continue;
                }
                let length = (place(tail) - place(head)).length();
                if group(tail) == group(head) { inside.push(length) } else { outside.push(length) }
            }
            let longest_inside = inside.iter().copied().fold(0.0, f64::max);
            let mean_outside = outside.iter().sum::<f64>() / outside.len() as f64;
            assert!(longest_inside < mean_outside, "{spec}: {longest_inside} inside, {mean_outside} outside");
        }
    }

    /// Such a dragonfly can have several choices of groups that are equally good.
    #[test]
    fn a_shuffled_dragonfly_with_two_routers_per_group_has_groups() {
        let (mixed, _) = shuffled(&"dragonfly:2,1,4".parse().unwrap());
        assert!(structure_layout(&mixed).is_some());
    }

    #[test]
    fn a_grid_of_switches_has_its_terminals_beside_them() {
        let grid: Topology = "mesh:4x4".parse().unwrap();
        let mut builder = TopologyBuilder::new("switched grid");
        let switches: Vec<NodeId> = grid.nodes().map(|node| builder.switch(format!("s{node}"))).collect();
        for channel in grid.channels().filter(|&channel| grid.tail(channel) < grid.head(channel)) {
            builder.link(switches[grid.tail(channel).index()], switches[grid.head(channel).index()]);
        }
        for (place, &switch) in switches.iter().enumerate() {
            let terminal = builder.terminal(place.to_string());
            builder.link(terminal, switch);
        }
        let network = builder.build().unwrap();
        let places = structure_layout(&network).unwrap();
        for channel in network.channels() {
            let length = (places[network.tail(channel).index()] - places[network.head(channel).index()]).length();
            assert!(length < 1.01, "{length}");
        }
    }

    #[test]
    fn a_circle_by_numbers_says_nothing_about_random_links() {
        for (spec, is_random) in [
            ("random-regular:40,3,1", true),
            ("jellyfish:32,4,1", true),
            ("ring:16", false),
            ("complete:9", false),
            ("circulant:16,1,7", false),
            ("hypercube:4", false),
        ] {
            let network: Topology = spec.parse().unwrap();
            assert_eq!(is_random_circle(&network, &own_places(&network)), is_random, "{spec}");
        }
    }

    #[test]
    fn networks_without_such_a_structure_have_no_layout_here() {
        for spec in ["random-regular:40,3,1", "kautz:3,2", "b-tree:16", "dgx-h100:2", "star:4"] {
            let Ok(network) = spec.parse::<Topology>() else { panic!("{spec}") };
            let (mixed, _) = shuffled(&network);
            assert!(structure_layout(&mixed).is_none(), "{spec}");
        }
    }
}
