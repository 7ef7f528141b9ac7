//! Servers and rails: terminals that each have switches of their own group and one switch of another kind.

use std::collections::BTreeMap;

use lockstep_topology::{NodeId, Topology};

use super::graph::{Graph, sorted};
use crate::geometry::Point;

/// The positions and levels of servers and rails: switches of servers, terminals, rails.
#[derive(Debug)]
pub(crate) struct Rails {
    pub(crate) places: Vec<Point>,
    pub(crate) levels: Vec<u32>,
}

/// Returns the layout of servers and rails, or `None` for other networks.
///
/// Switches with the same terminals count as one. Each terminal then has two switches, and the switches have two kinds: those
/// of servers, with more terminals each, and rails. Terminals stand side by side by servers, in the order of their rails.
pub(crate) fn rails_layout(topology: &Topology) -> Option<Rails> {
    if topology.is_direct() {
        return None;
    }
    let graph = Graph::new(topology);
    let is_terminal = |node: usize| topology.is_terminal(NodeId::from_index(node));
    let alternates =
        |(node, row): (usize, &Vec<usize>)| row.iter().all(|&other| is_terminal(node) != is_terminal(other));
    if !graph.neighbours.iter().enumerate().all(alternates) {
        return None;
    }
    let twins = Twins::new(&graph, &is_terminal);
    let ends: Vec<(usize, [usize; 2])> = (0..graph.len())
        .filter(|&node| is_terminal(node))
        .map(|node| {
            let boxes = sorted(graph.neighbours[node].iter().map(|&switch| twins.of[switch]).collect());
            <[usize; 2]>::try_from(boxes).ok().map(|boxes| (node, boxes))
        })
        .collect::<Option<_>>()?;
    let side = sides(twins.members.len(), &ends)?;
    let of_side = |wanted: bool| (0..side.len()).filter(|&own| side[own] == wanted).collect::<Vec<_>>();
    let (mut servers, mut rails) = (of_side(false), of_side(true));
    if servers.len() > rails.len() {
        std::mem::swap(&mut servers, &mut rails);
    }
    if servers.len() < 2 || rails.len() < 2 {
        return None;
    }
    Some(placed(&graph, &twins, &ends, &servers, &rails))
}

/// Switches with the same neighbours.
struct Twins {
    /// The set of each switch. Meaningless for terminals.
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Twins {
    fn new(graph: &Graph, is_terminal: &impl Fn(usize) -> bool) -> Self {
        let mut places: BTreeMap<&[usize], usize> = BTreeMap::new();
        let (mut of, mut members) = (vec![0; graph.len()], Vec::<Vec<usize>>::new());
        for node in (0..graph.len()).filter(|&node| !is_terminal(node)) {
            let place = *places.entry(&graph.neighbours[node]).or_insert(members.len());
            if place == members.len() {
                members.push(Vec::new());
            }
            members[place].push(node);
            of[node] = place;
        }
        Self { of, members }
    }
}

/// Returns the side of each set of switches, if every terminal joins two sides and all are connected.
fn sides(count: usize, ends: &[(usize, [usize; 2])]) -> Option<Vec<bool>> {
    let mut joined = vec![Vec::new(); count];
    for &(_, [one, other]) in ends {
        joined[one].push(other);
        joined[other].push(one);
    }
    let mut side = vec![None; count];
    let mut queue = vec![0];
    *side.first_mut()? = Some(false);
    let mut done = 0;
    while let Some(&own) = queue.get(done) {
        done += 1;
        for &other in &joined[own] {
            if side[other].is_none() {
                side[other] = side[own].map(|side: bool| !side);
                queue.push(other);
            } else if side[other] == side[own] {
                return None;
            }
        }
    }
    side.into_iter().collect()
}

fn placed(graph: &Graph, twins: &Twins, ends: &[(usize, [usize; 2])], servers: &[usize], rails: &[usize]) -> Rails {
    let place_of = |list: &[usize], [one, other]: [usize; 2]| list.iter().position(|&own| own == one || own == other);
    let mut order: Vec<(usize, usize, usize)> = ends
        .iter()
        .map(|&(node, boxes)| (place_of(servers, boxes).unwrap_or(0), place_of(rails, boxes).unwrap_or(0), node))
        .collect();
    order.sort_unstable();
    let mut rails_of_layout = Rails { places: vec![Point::default(); graph.len()], levels: vec![1; graph.len()] };
    let (mut x, mut last) = (0.0, 0);
    let mut spans = vec![(f64::INFINITY, f64::NEG_INFINITY); servers.len()];
    for (server, _, node) in order {
        x += if server == last { 1.0 } else { 1.8 };
        last = server;
        rails_of_layout.places[node] = Point::new(x, 0.0);
        spans[server] = (spans[server].0.min(x), spans[server].1.max(x));
    }
    for (server, &own) in servers.iter().enumerate() {
        let (from, to) = spans[server];
        spread(&mut rails_of_layout, &twins.members[own], [from - 0.5, to + 0.5], 1.0, 0);
    }
    let all: Vec<usize> = rails.iter().flat_map(|&own| twins.members[own].iter().copied()).collect();
    spread(&mut rails_of_layout, &all, [0.5, x + 0.5], -1.0, 2);
    rails_of_layout
}

/// Spreads switches evenly over a part of a level.
fn spread(rails: &mut Rails, switches: &[usize], [from, to]: [f64; 2], y: f64, level: u32) {
    for (place, &switch) in switches.iter().enumerate() {
        let x = from + (to - from) * (place as f64 + 0.5) / switches.len() as f64;
        rails.places[switch] = Point::new(x, y);
        rails.levels[switch] = level;
    }
}
