//! The numbers by which NCCL and RCCL name the terminals of a network.

use lockstep_topology::{NodeId, Topology};

/// The numbers of devices, or of ranks.
///
/// If the names of all terminals are the same word with the numbers from 0 on, such as `gpu3`, these are the numbers. Otherwise, a
/// terminal has its place in the ascending order of the nodes.
///
/// ```
/// use lockstep_rings::format::Devices;
/// use lockstep_topology::TopologyBuilder;
///
/// let mut server = TopologyBuilder::new("server");
/// let [a, b] = ["gpu1", "gpu0"].map(|name| server.terminal(name));
/// server.link(a, b);
/// let server = server.build()?;
/// let devices = Devices::new(&server, server.terminals());
/// assert_eq!([a, b].map(|node| devices.number(node)), [Some(1), Some(0)]);
/// # Ok::<(), lockstep_topology::TopologyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Devices {
    /// The terminal of each number.
    nodes: Vec<NodeId>,
    /// The terminals with their numbers, ascending.
    numbers: Vec<(NodeId, u32)>,
}

impl Devices {
    /// Returns the numbers of some terminals.
    pub fn new(topology: &Topology, terminals: &[NodeId]) -> Self {
        let mut nodes = terminals.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        if let Some(numbers) = numbers_of_names(topology, &nodes) {
            let ascending = nodes.clone();
            for (&node, number) in ascending.iter().zip(numbers) {
                nodes[number] = node;
            }
        }
        Self::from_order(nodes)
    }

    /// Returns the numbers of distinct terminals in this order, such as that of ranks.
    pub fn from_order(nodes: Vec<NodeId>) -> Self {
        let mut numbers: Vec<(NodeId, u32)> = nodes.iter().copied().zip(0..).collect();
        numbers.sort_unstable();
        Self { nodes, numbers }
    }

    /// Returns the number of devices.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there is no device.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the terminals in the order of their numbers.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the number of a terminal.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        let place = self.numbers.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(self.numbers[place].1)
    }

    /// Returns the terminal with a number.
    pub fn node(&self, number: u32) -> Option<NodeId> {
        self.nodes.get(number as usize).copied()
    }
}

/// Returns the numbers in the names of nodes, if they are a permutation of the numbers from 0 on behind the same word.
fn numbers_of_names(topology: &Topology, nodes: &[NodeId]) -> Option<Vec<usize>> {
    let split = |node: NodeId| {
        let name = topology.node_name(node);
        name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len())
    };
    let (word, _) = split(*nodes.first()?);
    let mut is_used = vec![false; nodes.len()];
    let number = |&node: &NodeId| {
        let (own_word, digits) = split(node);
        let number: usize = digits.parse().ok()?;
        let is_new = own_word == word && !std::mem::replace(is_used.get_mut(number)?, true);
        is_new.then_some(number)
    };
    nodes.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;

    /// Returns the numbers of terminals with these names.
    fn numbers(names: &[&str]) -> Vec<u32> {
        let mut builder = TopologyBuilder::new("names");
        let nodes: Vec<NodeId> = names.iter().map(|&name| builder.terminal(name)).collect();
        nodes.windows(2).for_each(|pair| _ = builder.link(pair[0], pair[1]));
        let topology = builder.build().unwrap();
        let devices = Devices::new(&topology, topology.terminals());
        let number = |&node: &NodeId| {
            let number = devices.number(node).unwrap();
            assert_eq!(devices.node(number), Some(node));
            number
        };
        nodes.iter().map(number).collect()
    }

    #[test]
    fn names_with_all_numbers_count_and_others_do_not() {
        assert_eq!(numbers(&["gpu2", "gpu0", "gpu1"]), [2, 0, 1]);
        assert_eq!(numbers(&["1", "0"]), [1, 0]);
        assert_eq!(numbers(&["host1", "host2"]), [0, 1]);
        assert_eq!(numbers(&["gpu1", "tpu0"]), [0, 1]);
        assert_eq!(numbers(&["gpu1", "gpu01"]), [0, 1]);
        assert_eq!(numbers(&["b", "a"]), [0, 1]);
        assert_eq!(numbers(&["gpu99999999999999999999", "gpu0"]), [0, 1]);
    }
}
