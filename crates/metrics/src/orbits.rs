//! What symmetries of a network take to each other.

use crate::{Graph, Sources};

/// A permutation of the nodes that is no symmetry of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymmetryError {
    /// It has the images of another number of nodes.
    #[error("symmetry {symmetry} has {images} images, but the network has {nodes} nodes")]
    Length {
        /// The place of the permutation among those given.
        symmetry: usize,
        /// Images that it has.
        images: usize,
        /// Nodes of the network.
        nodes: usize,
    },
    /// A node goes where another one went, to no node at all, or to a node of another kind.
    #[error("symmetry {symmetry} takes node {node} to {image}, which is taken, no node, or of another kind")]
    Image {
        /// The place of the permutation among those given.
        symmetry: usize,
        /// The node.
        node: u32,
        /// Where it goes.
        image: u32,
    },
    /// A channel goes where no channel is, or another number of parallel ones.
    #[error("symmetry {symmetry} takes the channels from node {tail} to {head} where there are not as many")]
    Channels {
        /// The place of the permutation among those given.
        symmetry: usize,
        /// Where the channels begin.
        tail: u32,
        /// Where they end.
        head: u32,
    },
}

/// The orbits of nodes and of arcs under the group that some symmetries generate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orbits {
    /// By node, one of its orbit that is not greater; its least once all symmetries are in.
    node: Vec<u32>,
    /// The same by arc.
    arc: Vec<u32>,
    is_taken: Vec<bool>,
    is_terminal: Vec<bool>,
}

impl Orbits {
    /// Makes them those of a network. Takes `O(M log M)` time a symmetry for `M` entries of the graph.
    pub(crate) fn find(&mut self, graph: &Graph, symmetries: &[Vec<u32>]) -> Result<(), SymmetryError> {
        let nodes = graph.node_count();
        identity(&mut self.node, nodes);
        identity(&mut self.arc, graph.arc_count());
        self.is_terminal.clear();
        self.is_terminal.resize(nodes, false);
        graph.terminals().iter().for_each(|&terminal| self.is_terminal[terminal as usize] = true);
        for (symmetry, images) in symmetries.iter().enumerate() {
            self.join(graph, symmetry, images)?;
        }
        flatten(&mut self.node);
        flatten(&mut self.arc);
        Ok(())
    }

    fn join(&mut self, graph: &Graph, symmetry: usize, images: &[u32]) -> Result<(), SymmetryError> {
        let nodes = graph.node_count();
        if images.len() != nodes {
            return Err(SymmetryError::Length { symmetry, images: images.len(), nodes });
        }
        self.is_taken.clear();
        self.is_taken.resize(nodes, false);
        for (node, &image) in (0u32..).zip(images) {
            let is_alike = (image as usize) < nodes
                && !std::mem::replace(&mut self.is_taken[image as usize], true)
                && graph.routes(node) == graph.routes(image)
                && self.is_terminal[node as usize] == self.is_terminal[image as usize];
            if !is_alike {
                return Err(SymmetryError::Image { symmetry, node, image });
            }
            unite(&mut self.node, node, image);
        }
        // Different arcs have different images, so that no arc is left over when all of them have one.
        for tail in 0..nodes as u32 {
            for (arc, (head, width)) in graph.row(tail).zip(graph.arcs(tail)) {
                let [from, to] = [tail, head].map(|end| images[end as usize]);
                let image = graph.arc_between(from, to).filter(|_| graph.width_between(from, to) == width);
                let image = image.ok_or(SymmetryError::Channels { symmetry, tail, head })?;
                unite(&mut self.arc, arc as u32, image as u32);
            }
        }
        Ok(())
    }

    /// The least terminal of each orbit with the number of terminals in it, ascending.
    pub(crate) fn fill_sources(&self, graph: &Graph, sources: &mut Sources) {
        sources.nodes.clear();
        sources.shares.clear();
        for &terminal in graph.terminals() {
            let least = self.node[terminal as usize];
            if least == terminal {
                sources.nodes.push(terminal);
                sources.shares.push(0);
            }
            let place = sources.nodes.binary_search(&least).expect("the least of an orbit comes first");
            sources.shares[place] += 1;
        }
    }

    /// By arc, the number of its class, ascending by the least arc: its orbit, and with it the opposite arcs if every channel has
    /// its opposite. Returns how many classes there are.
    pub(crate) fn fill_classes(&mut self, graph: &Graph, classes: &mut Vec<u32>) -> usize {
        if graph.is_symmetric() {
            for tail in 0..graph.node_count() as u32 {
                for (arc, &head) in graph.row(tail).zip(graph.neighbours(tail)) {
                    let back = graph.arc_between(head, tail).expect("every channel has its opposite");
                    unite(&mut self.arc, arc as u32, back as u32);
                }
            }
            flatten(&mut self.arc);
        }
        classes.clear();
        let mut count = 0;
        for (arc, &least) in self.arc.iter().enumerate() {
            let class = if least as usize == arc { count } else { classes[least as usize] };
            count = count.max(class + 1);
            classes.push(class);
        }
        count as usize
    }
}

fn identity(parents: &mut Vec<u32>, count: usize) {
    parents.clear();
    parents.extend(0..count as u32);
}

fn root(parents: &mut [u32], mut member: u32) -> u32 {
    while parents[member as usize] != member {
        let above = parents[parents[member as usize] as usize];
        parents[member as usize] = above;
        member = above;
    }
    member
}

/// Makes one set of two, under the lesser of their roots.
fn unite(parents: &mut [u32], a: u32, b: u32) {
    let [a, b] = [a, b].map(|member| root(parents, member));
    parents[a.max(b) as usize] = a.min(b);
}

/// Gives every member its root.
fn flatten(parents: &mut [u32]) {
    for member in 0..parents.len() {
        parents[member] = parents[parents[member] as usize];
    }
}
