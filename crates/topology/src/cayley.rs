//! Cayley graphs of abelian groups: vertex-transitive networks.

use std::fmt;

use crate::MAX_NODES;

/// A Cayley graph of an abelian group: its nodes are the elements, and each node `v` has a channel to `v + g` for each
/// generator `g`.
///
/// The group is a product of cyclic groups, whose orders are the *sides*. The number of an element in the mixed radix
/// of the sides has its coordinates as digits, last axis fastest. The families number their nodes the same way. Memory
/// does not depend on the number of nodes: a graph of `2^60` nodes takes a few hundred bytes.
///
/// Invariant: the generators are distinct elements other than 0. The graph may be disconnected; this is not checked.
///
/// ```
/// use lockstep_topology::CayleyGraph;
///
/// let torus: CayleyGraph = "torus:4x4".parse()?;
/// assert_eq!((torus.node_count(), torus.degree()), (16, 4));
/// assert_eq!(torus.add(15, torus.generators()[0]), 3);
/// assert_eq!(torus.node_name(torus.subtract(0, 1)), "03");
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CayleyGraph {
    name: String,
    sides: Box<[u64]>,
    generators: Box<[u64]>,
    /// True if every side is 2, so that sums and differences are exclusive-or.
    is_binary: bool,
}

/// The reason a group and generators do not define a [`CayleyGraph`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CayleyError {
    /// No sides, a side of 0, or more than 2^63 elements.
    #[error("the sides are '{sides}', expected one or more positive numbers with a product of at most 2^63")]
    Sides {
        /// The sides, separated by `x`.
        sides: String,
    },
    /// A generator that is 0, is not an element, or is repeated.
    #[error("generator {generator} is {fault}; use distinct elements from 1 to {}", .nodes - 1)]
    Generator {
        /// The generator.
        generator: u64,
        /// Description of the problem.
        fault: &'static str,
        /// Number of elements.
        nodes: u64,
    },
}

impl CayleyGraph {
    /// Creates the graph of these generators on the product of cyclic groups of these orders.
    ///
    /// # Errors
    ///
    /// [`CayleyError`] if the product of the sides is 0 or more than 2^63, or the generators are not distinct elements
    /// other than 0.
    ///
    /// ```
    /// use lockstep_topology::CayleyGraph;
    ///
    /// let chordal_ring = CayleyGraph::new("Z16", &[16], &[1, 15, 4, 12])?;
    /// assert_eq!(chordal_ring.opposite(0), Some(1));
    /// # Ok::<(), lockstep_topology::CayleyError>(())
    /// ```
    pub fn new(name: impl Into<String>, sides: &[u64], generators: &[u64]) -> Result<Self, CayleyError> {
        let nodes = sides.iter().try_fold(1u64, |product, &side| product.checked_mul(side));
        let Some(nodes) = nodes.filter(|&nodes| !sides.is_empty() && (1..=1 << 63).contains(&nodes)) else {
            let sides: Vec<String> = sides.iter().map(u64::to_string).collect();
            return Err(CayleyError::Sides { sides: sides.join("x") });
        };
        for (place, &generator) in generators.iter().enumerate() {
            let fault = match generator {
                0 => "the identity",
                _ if generator >= nodes => "not an element",
                _ if generators[..place].contains(&generator) => "repeated",
                _ => continue,
            };
            return Err(CayleyError::Generator { generator, fault, nodes });
        }
        let is_binary = sides.iter().all(|&side| side == 2);
        Ok(Self { name: name.into(), sides: sides.into(), generators: generators.into(), is_binary })
    }

    /// Returns the spec or the given name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the orders of the cyclic groups.
    pub fn sides(&self) -> &[u64] {
        &self.sides
    }

    /// Returns the generators, in the order of the channels that leave a node.
    pub fn generators(&self) -> &[u64] {
        &self.generators
    }

    /// Returns the number of elements, at most 2^63.
    pub fn node_count(&self) -> u64 {
        self.sides.iter().product()
    }

    /// Returns the number of generators.
    pub fn degree(&self) -> usize {
        self.generators.len()
    }

    /// Returns true if the graph has at most [`MAX_NODES`] nodes, so that a [`Topology`](crate::Topology) can hold it.
    pub fn fits_topology(&self) -> bool {
        self.node_count() <= MAX_NODES
    }

    /// Returns the coordinates of an element, one per side.
    pub fn coordinates(&self, mut element: u64) -> Vec<u64> {
        let mut coordinates = self.sides.to_vec();
        for coordinate in coordinates.iter_mut().rev() {
            (*coordinate, element) = (element % *coordinate, element / *coordinate);
        }
        coordinates
    }

    /// Returns the sum of two elements.
    pub fn add(&self, a: u64, b: u64) -> u64 {
        self.combine(a, b, |x, y, side| (x + y) % side)
    }

    /// Returns the difference of two elements.
    pub fn subtract(&self, a: u64, b: u64) -> u64 {
        self.combine(a, b, |x, y, side| (x + side - y) % side)
    }

    fn combine(&self, mut a: u64, mut b: u64, digit: impl Fn(u64, u64, u64) -> u64) -> u64 {
        if self.is_binary {
            return a ^ b;
        }
        let (mut sum, mut weight) = (0, 1);
        for &side in self.sides.iter().rev() {
            sum += weight * digit(a % side, b % side, side);
            (a, b, weight) = (a / side, b / side, weight * side);
        }
        sum
    }

    /// Returns the place of the negative of the generator at `place`, if it is a generator.
    pub fn opposite(&self, place: usize) -> Option<usize> {
        let negative = self.subtract(0, self.generators[place]);
        self.generators.iter().position(|&generator| generator == negative)
    }

    /// Returns the name of a node, as the families write it: its coordinates, separated by dots if a side is longer
    /// than 10.
    pub fn node_name(&self, element: u64) -> String {
        let separator = if self.sides.iter().any(|&side| side > 10) { "." } else { "" };
        let digits: Vec<String> = self.coordinates(element).iter().map(u64::to_string).collect();
        digits.join(separator)
    }

    /// Finds an element by its name or, if no node has that name, by its number.
    pub fn find_node(&self, name_or_number: &str) -> Option<u64> {
        self.node_named(name_or_number)
            .or_else(|| name_or_number.parse().ok().filter(|&number| number < self.node_count()))
    }

    fn node_named(&self, name: &str) -> Option<u64> {
        let digits: Vec<u64> = if self.sides.len() == 1 || self.sides.iter().any(|&side| side > 10) {
            name.split('.').map(|digit| digit.parse().ok()).collect::<Option<_>>()?
        } else {
            name.chars().map(|digit| digit.to_digit(10).map(u64::from)).collect::<Option<_>>()?
        };
        let fits = digits.len() == self.sides.len() && digits.iter().zip(&self.sides).all(|(digit, side)| digit < side);
        let number = || digits.iter().zip(&self.sides).fold(0, |number, (digit, side)| number * side + digit);
        let element = fits.then(number)?;
        (self.node_name(element) == name).then_some(element)
    }
}

impl fmt::Display for CayleyGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeId, Topology, families};

    const SPECS: [&str; 16] = [
        "hypercube:1",
        "hypercube:5",
        "folded-hypercube:2",
        "folded-hypercube:4",
        "ring:1",
        "ring:2",
        "ring:9",
        "torus:2x2",
        "torus:3x4x5",
        "torus:1x6",
        "torus:12x3",
        "circulant:16,1,6",
        "circulant:8,1,4",
        "k-ring:8",
        "midimew:13",
        "octagon",
    ];

    #[test]
    fn a_family_and_its_group_have_the_same_channels_in_the_same_order() {
        for spec in SPECS {
            let (topology, graph): (Topology, CayleyGraph) = (spec.parse().unwrap(), spec.parse().unwrap());
            assert_eq!((topology.name(), topology.node_count() as u64), (graph.name(), graph.node_count()));
            for node in topology.nodes() {
                let element = u64::from(node.number());
                let heads: Vec<_> = topology.out_channels(node).iter().map(|&channel| topology.head(channel)).collect();
                let sums: Vec<_> =
                    graph.generators().iter().map(|&step| NodeId::new(graph.add(element, step) as u32)).collect();
                assert_eq!(heads, sums, "{spec} at {node}");
                assert_eq!(topology.node_name(node), graph.node_name(element));
                assert_eq!(graph.find_node(topology.node_name(node)), Some(element));
            }
        }
    }

    #[test]
    fn every_generator_of_a_full_duplex_network_has_an_opposite() {
        for spec in SPECS {
            let graph: CayleyGraph = spec.parse().unwrap();
            for (place, &step) in graph.generators().iter().enumerate() {
                let back = graph.opposite(place).unwrap();
                assert_eq!(graph.add(step, graph.generators()[back]), 0);
            }
        }
    }

    #[test]
    fn binary_groups_add_as_other_groups_do() {
        let cube: CayleyGraph = "hypercube:4".parse().unwrap();
        // An additional side of 1 changes no element, and disables the binary arithmetic.
        let digits = CayleyGraph::new("by digits", &[2, 1, 2, 2, 2], cube.generators()).unwrap();
        for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
            assert_eq!((cube.add(a, b), cube.subtract(a, b)), (digits.add(a, b), digits.subtract(a, b)), "{a} {b}");
        }
    }

    #[test]
    fn large_groups_take_constant_memory() {
        let cube: CayleyGraph = "hypercube:60".parse().unwrap();
        assert_eq!((cube.node_count(), cube.subtract(0, 1 << 59), cube.fits_topology()), (1 << 60, 1 << 59, false));
        let torus: CayleyGraph = "torus:3125x3125".parse().unwrap();
        assert_eq!(torus.add(3124, 1), 0);
        assert_eq!(torus.find_node("3124.7"), Some(3124 * 3125 + 7));
    }

    #[test]
    fn invalid_groups_are_refused_with_a_message() {
        let message = |spec: &str| spec.parse::<CayleyGraph>().unwrap_err().to_string();
        assert!(message("omega:8").starts_with("the networks of omega are not known as Cayley graphs"));
        assert!(message("omega:8").contains("hypercube, folded-hypercube, circulant"));
        assert!(message("hypercube:61").contains("60 or less"));
        assert!(message("torus:4294967295x4294967295x9").contains("2^64 or more"));
        let named = families().iter().filter(|family| family.cayley.is_some()).count();
        assert_eq!(named, 9);
        assert_eq!(
            CayleyGraph::new("x", &[4], &[1, 5]).unwrap_err().to_string(),
            "generator 5 is not an element; use distinct elements from 1 to 3"
        );
        assert!(CayleyGraph::new("x", &[4], &[1, 1]).is_err() && CayleyGraph::new("x", &[0], &[]).is_err());
    }
}
