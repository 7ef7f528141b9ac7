//! Groups of nodes with many links inside, such as those of a dragonfly: each on a small circle, all on a large one.

use std::cmp::Reverse;
use std::f64::consts::{PI, TAU};

use super::graph::{Graph, Sets};
use crate::geometry::Point;

/// The smallest group, in nodes.
const LEAST_SIZE: usize = 3;
/// The share of the pairs of a group that links join, in percent.
const LEAST_DENSITY: usize = 50;
/// Maximum number of steps of the search for groups of two nodes.
const MAX_STEPS: usize = 1024;
/// Maximum number of groups of two nodes.
const MAX_PAIRS: usize = 64;
/// Maximum number of triangles that tell links apart.
const MAX_TRIANGLES: usize = 32;

/// Returns one position per node, or `None` if the graph has no groups.
///
/// Nodes belong to one group if links that are sides of many triangles join them. Nodes of no group stand inside the circle.
pub(super) fn group_layout(graph: &Graph) -> Option<Vec<Point>> {
    let groups = groups(graph).or_else(|| pairs(graph))?;
    let order = order(graph, &groups);
    let largest = groups.iter().map(Vec::len).max()?;
    let inner = (largest as f64 / TAU).max(0.7);
    let count = order.len() as f64;
    let outer = ((2.0 * inner + 1.9) * count / TAU).max(2.0 * inner);
    let mut places = vec![Point::default(); graph.len()];
    let mut is_grouped = vec![false; graph.len()];
    let mut centres = vec![Point::default(); order.len()];
    for (place, &group) in order.iter().enumerate() {
        let angle = TAU * place as f64 / count;
        centres[group] = Point::new(angle.sin(), -angle.cos()) * outer;
        for &node in &groups[group] {
            places[node] = centres[group];
            is_grouped[node] = true;
        }
    }
    place_others(graph, &is_grouped, outer, &mut places);
    let begun = places.clone();
    for (group, members) in groups.iter().enumerate() {
        place_members(graph, members, centres[group], inner, &begun, &mut places);
    }
    Some(places)
}

/// Returns the groups, or `None` if there are fewer than two.
///
/// The links of a group are sides of more triangles than the links between groups, so the number of triangles rises until
/// all groups are dense.
fn groups(graph: &Graph) -> Option<Vec<Vec<usize>>> {
    let edges = graph.edges();
    let triangles: Vec<usize> = edges.iter().map(|&[u, v]| graph.common(u, v).len()).collect();
    let most = triangles.iter().max().map_or(0, |&most| most.min(MAX_TRIANGLES));
    (1..=most).find_map(|least| {
        let inside = edges.iter().zip(&triangles).filter(|&(_, &triangles)| triangles >= least).map(|(&edge, _)| edge);
        let groups = joined(graph.len(), inside);
        let members: usize = groups.iter().map(Vec::len).sum();
        let is_dense = |group: &Vec<usize>| {
            let links = graph.part(group).edges().len();
            200 * links >= LEAST_DENSITY * group.len() * (group.len() - 1)
        };
        (groups.len() >= 2 && 2 * members >= graph.len() && groups.iter().all(is_dense)).then_some(groups)
    })
}

/// Returns groups of two nodes each, where one link joins every two groups: a dragonfly with two routers per group. It has no
/// triangles that tell its links apart.
///
/// Each step groups the node with the fewest partners left. A partner is a neighbour; together they have one link to every
/// group before. The search ends after a number of steps.
fn pairs(graph: &Graph) -> Option<Vec<Vec<usize>>> {
    let count = graph.len() / 2;
    let links = |node: usize| graph.neighbours[node].len();
    // A group has two ends inside, and one link to every other group.
    let fits = |node: usize| graph.neighbours[node].iter().any(|&other| links(node) + links(other) == count + 1);
    if graph.len() % 2 == 1 || !(3..=MAX_PAIRS).contains(&count) || !(0..graph.len()).all(fits) {
        return None;
    }
    let mut search = PairSearch { graph, group_of: vec![None; graph.len()], groups: Vec::new(), steps_left: MAX_STEPS };
    search.complete().then_some(search.groups)
}

/// The groups of two nodes so far.
struct PairSearch<'a> {
    graph: &'a Graph,
    group_of: Vec<Option<usize>>,
    groups: Vec<Vec<usize>>,
    steps_left: usize,
}

impl PairSearch<'_> {
    /// Groups all other nodes; false if that is impossible, or the steps are spent.
    fn complete(&mut self) -> bool {
        let free = (0..self.graph.len()).filter(|&node| self.group_of[node].is_none());
        let Some((node, partners)) = free.map(|node| (node, self.partners(node))).min_by_key(|(_, all)| all.len())
        else {
            return true;
        };
        for partner in partners {
            if self.steps_left == 0 {
                return false;
            }
            self.steps_left -= 1;
            for member in [node, partner] {
                self.group_of[member] = Some(self.groups.len());
            }
            self.groups.push(vec![node.min(partner), node.max(partner)]);
            if self.complete() {
                return true;
            }
            self.groups.pop();
            for member in [node, partner] {
                self.group_of[member] = None;
            }
        }
        false
    }

    /// Returns the free neighbours of a node with which it has one link to every group.
    fn partners(&self, node: usize) -> Vec<usize> {
        let is_partner = |&other: &usize| {
            let mut met = vec![false; self.groups.len()];
            let ends = [node, other].into_iter().flat_map(|end| &self.graph.neighbours[end]);
            let mut grouped = ends.filter_map(|&end| self.group_of[end]);
            grouped.all(|group| !std::mem::replace(&mut met[group], true)) && !met.contains(&false)
        };
        let free = self.graph.neighbours[node].iter().copied().filter(|&other| self.group_of[other].is_none());
        free.filter(is_partner).collect()
    }
}

/// Returns the nodes that edges join, without small groups.
fn joined(nodes: usize, edges: impl Iterator<Item = [usize; 2]>) -> Vec<Vec<usize>> {
    let mut sets = Sets::new(nodes);
    for [u, v] in edges {
        sets.join(u, v);
    }
    let (number, count) = sets.numbers();
    let mut groups = vec![Vec::new(); count];
    for (node, &group) in number.iter().enumerate() {
        groups[group].push(node);
    }
    groups.retain(|group| group.len() >= LEAST_SIZE);
    groups
}

/// Returns the groups in an order around the circle: each is followed by the one that it has the most links with.
fn order(graph: &Graph, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut of = vec![None; graph.len()];
    for (group, members) in groups.iter().enumerate() {
        for &node in members {
            of[node] = Some(group);
        }
    }
    let mut links = vec![vec![0_usize; groups.len()]; groups.len()];
    for [u, v] in graph.edges() {
        if let (Some(one), Some(other)) = (of[u], of[v]) {
            links[one][other] += 1;
            links[other][one] += 1;
        }
    }
    let mut order = vec![0];
    let mut left: Vec<usize> = (1..groups.len()).collect();
    while let Some(&last) = order.last() {
        let Some(next) = left.iter().copied().min_by_key(|&group| (Reverse(links[last][group]), group)) else { break };
        left.retain(|&group| group != next);
        order.push(next);
    }
    order
}

/// Places the nodes of no group on a circle inside, in the direction of their neighbours.
fn place_others(graph: &Graph, is_grouped: &[bool], outer: f64, places: &mut [Point]) {
    let mut others: Vec<(i64, usize)> = (0..graph.len())
        .filter(|&node| !is_grouped[node])
        .map(|node| {
            let ahead = graph.neighbours[node].iter().fold(Point::default(), |sum, &other| sum + places[other]);
            (rounded(ahead.x.atan2(-ahead.y)), node)
        })
        .collect();
    others.sort_unstable();
    let count = others.len() as f64;
    let radius = if others.len() == 1 { 0.0 } else { (0.4 * outer).max(count / TAU).min(0.7 * outer) };
    for (place, &(_, node)) in others.iter().enumerate() {
        let angle = TAU * (place as f64 + 0.5) / count - PI;
        places[node] = Point::new(angle.sin(), -angle.cos()) * radius;
    }
}

/// Returns an angle in millionths, so that every machine sorts equally.
fn rounded(angle: f64) -> i64 {
    (angle * 1e6).round() as i64
}

/// Places the members of a group on a circle. Their order follows the directions of their neighbours outside.
fn place_members(graph: &Graph, members: &[usize], centre: Point, radius: f64, begun: &[Point], places: &mut [Point]) {
    let outwards = centre.y.atan2(centre.x);
    let mut turned: Vec<(i64, usize)> = members
        .iter()
        .map(|&node| {
            let outside = graph.neighbours[node].iter().filter(|other| members.binary_search(other).is_err());
            let ahead = outside.fold(Point::default(), |sum, &other| sum + (begun[other] - centre).unit());
            // The angle from the outward direction, between 0 and a full turn.
            let angle = if ahead.length() < 1e-9 { 0.0 } else { ahead.y.atan2(ahead.x) - outwards };
            (rounded(angle.rem_euclid(TAU)), node)
        })
        .collect();
    turned.sort_unstable();
    for (place, &(_, node)) in turned.iter().enumerate() {
        let angle = outwards + TAU * (place as f64 + 0.5) / members.len() as f64;
        places[node] = centre + Point::new(angle.cos(), angle.sin()) * radius;
    }
}
