//! The order in which nodes choose their sides.

use crate::Graph;

/// Nodes in the order of the search, and what joins them, by position in that order.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    /// Terminals, and switches with cables.
    pub(super) nodes: Vec<u32>,
    pub(super) is_terminal: Vec<bool>,
    /// By position, one more than there are: the terminals from there on.
    pub(super) terminals_from: Vec<usize>,
    /// The most cables of a terminal.
    pub(super) most: u32,
    /// Whether the cut between two halves is odd, if that is the same for all.
    pub(super) is_odd: Option<bool>,
    /// Where the row of each position in `later` begins, and the end of the last.
    start: Vec<usize>,
    later: Vec<(usize, i32)>,
}

impl Sequence {
    /// Always the node with most cables to those before it; of these one with most cables.
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
        // A cut is odd where an odd number of nodes of odd degree are on one side.
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

    /// The positions behind one that are joined to it, with the number of cables.
    pub(super) fn later(&self, place: usize) -> &[(usize, i32)] {
        &self.later[self.start[place]..self.start[place + 1]]
    }
}
