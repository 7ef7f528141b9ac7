//! The order in which nodes are assigned.

use crate::Graph;

/// The nodes in search order, and the cables between them by position.
#[derive(Clone, Debug)]
pub(super) struct NodeOrder {
    /// Terminals, and switches with cables.
    pub(super) nodes: Vec<u32>,
    pub(super) is_terminal: Vec<bool>,
    /// Number of terminals from each position on, with a final 0.
    pub(super) terminals_from: Vec<usize>,
    /// Greatest degree of a terminal.
    pub(super) most: u32,
    /// Parity of the cut of all bisections, if it is fixed.
    pub(super) is_odd: Option<bool>,
    /// Index of the first entry of each position in `later`, followed by the number of entries.
    start: Vec<usize>,
    later: Vec<(usize, i32)>,
}

impl NodeOrder {
    /// Orders nodes greedily by the number of cables to earlier nodes, then by degree.
    pub(super) fn new(cables: &Graph) -> Self {
        const WAITS: usize = usize::MAX;
        let node_count = cables.node_count();
        let degree: Vec<u32> = (0..node_count as u32).map(|node| cables.widths(node).iter().sum()).collect();
        let mut is_terminal = vec![false; node_count];
        for &terminal in cables.terminals() {
            is_terminal[terminal as usize] = true;
        }
        let mut waiting: Vec<u32> =
            (0..node_count as u32).filter(|&node| is_terminal[node as usize] || degree[node as usize] > 0).collect();
        let mut nodes = Vec::with_capacity(waiting.len());
        let (mut attachment, mut position) = (vec![0; node_count], vec![WAITS; node_count]);
        while let Some(place) = (0..waiting.len())
            .max_by_key(|&place| (attachment[waiting[place] as usize], degree[waiting[place] as usize]))
        {
            let node = waiting.swap_remove(place);
            for (neighbour, width) in cables.arcs(node) {
                attachment[neighbour as usize] += width;
            }
            position[node as usize] = nodes.len();
            nodes.push(node);
        }
        let (mut start, mut later) = (vec![0], Vec::new());
        for (place, &node) in nodes.iter().enumerate() {
            let row = cables.arcs(node).map(|(neighbour, width)| (position[neighbour as usize], width.cast_signed()));
            later.extend(row.filter(|&(other, _)| other > place));
            start.push(later.len());
        }
        let is_terminal: Vec<bool> = nodes.iter().map(|&node| is_terminal[node as usize]).collect();
        let mut terminals_from = vec![0; nodes.len() + 1];
        for place in (0..nodes.len()).rev() {
            terminals_from[place] = terminals_from[place + 1] + usize::from(is_terminal[place]);
        }
        // A cut is odd if and only if one side has an odd number of nodes of odd degree.
        let is_odd_degree = |&node: &u32| degree[node as usize] % 2 == 1;
        let is_odd = if !nodes.iter().any(is_odd_degree) {
            Some(false)
        } else if nodes.iter().all(is_odd_degree) && is_terminal.iter().all(|&is_terminal| is_terminal) {
            Some(nodes.len() / 2 % 2 == 1)
        } else {
            None
        };
        let most = cables.terminals().iter().map(|&terminal| degree[terminal as usize]).max().unwrap_or(0);
        Self { nodes, is_terminal, terminals_from, most, is_odd, start, later }
    }

    /// Returns the later neighbours of a position, with the number of cables.
    pub(super) fn later(&self, place: usize) -> &[(usize, i32)] {
        &self.later[self.start[place]..self.start[place + 1]]
    }
}
