//! Rings, chains and trees in the numbers of a file.

use std::collections::BTreeSet;

use super::error::{FormatError, FormatFault};

/// The order of the GPUs of a ring or chain, by their numbers in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// Numbers of the GPUs. In a ring, the last one sends to the first one.
    pub gpus: Vec<u32>,
    /// Numbers of the network cards at the entry and at the exit of the server; `None` inside of one server.
    pub nics: Option<[u32; 2]>,
}

impl Order {
    /// An order inside of one server.
    pub fn inside(gpus: impl IntoIterator<Item = u32>) -> Self {
        Self { gpus: gpus.into_iter().collect(), nics: None }
    }
}

/// A tree of GPUs, by their numbers in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The number of the root.
    pub root: u32,
    /// Parent and child of every edge. A parent comes before its children.
    pub edges: Vec<[u32; 2]>,
}

impl Tree {
    /// Returns a chain as a tree whose root is the first GPU of the chain.
    pub fn of_chain(chain: &Order) -> Self {
        let root = chain.gpus.first().copied().unwrap_or_default();
        Self { root, edges: chain.gpus.windows(2).map(|pair| [pair[0], pair[1]]).collect() }
    }

    /// Returns the numbers of all GPUs: the root, then the children in the order of the edges.
    pub fn gpus(&self) -> impl Iterator<Item = u32> + Clone {
        std::iter::once(self.root).chain(self.edges.iter().map(|&[_, child]| child))
    }
}

/// Verifies that a ring, chain or tree has no GPU twice.
pub(super) fn check_distinct(
    line: usize,
    order: impl Fn() -> String,
    gpus: impl Iterator<Item = u32>,
) -> Result<BTreeSet<u32>, FormatError> {
    let mut seen = BTreeSet::new();
    for gpu in gpus {
        if !seen.insert(gpu) {
            return Err(FormatError::new(line, FormatFault::Repeated { order: order(), gpu }));
        }
    }
    Ok(seen)
}

/// Verifies that two orders have the same GPUs. Each has its name and its set of GPUs.
pub(super) fn check_same(
    line: usize,
    (order, gpus): (&str, &BTreeSet<u32>),
    (first_order, first): (&str, &BTreeSet<u32>),
) -> Result<(), FormatError> {
    let lacking = |order: &str, gpu: u32, other: &str| {
        let (order, other) = (order.to_owned(), other.to_owned());
        Err(FormatError::new(line, FormatFault::Lacking { order, gpu, other }))
    };
    if let Some(&gpu) = first.difference(gpus).next() {
        return lacking(order, gpu, first_order);
    }
    gpus.difference(first).next().map_or(Ok(()), |&gpu| lacking(first_order, gpu, order))
}
