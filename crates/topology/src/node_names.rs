//! The table of node names.

/// The names of all nodes, concatenated in one string.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NodeNames {
    text: String,
    end: Vec<usize>,
}

impl NodeNames {
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.end.push(self.text.len());
    }

    pub(crate) fn get(&self, node: usize) -> &str {
        let start = if node == 0 { 0 } else { self.end[node - 1] };
        &self.text[start..self.end[node]]
    }

    pub(crate) fn len(&self) -> usize {
        self.end.len()
    }

    /// Returns the lowest pair of nodes with the same name.
    pub(crate) fn duplicate(&self) -> Option<(usize, usize)> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&node| (self.get(node as usize), node));
        order
            .windows(2)
            .map(|pair| (pair[0] as usize, pair[1] as usize))
            .filter(|&(first, second)| self.get(first) == self.get(second))
            .min()
    }
}
