//! Nodes of a mesh with one of them next to each other node.

use crate::kit::plane_torus::{PORTS, PlaneTorus};

/// The nodes of a mesh that receive the message before the last step.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// The places other than the root, ascending.
    pub(super) places: Vec<usize>,
    /// By place, whether it is in the code or the root.
    is_holder: Vec<bool>,
}

impl Code {
    /// Returns the smallest of ten codes.
    ///
    /// The nodes with `x + 2 y = c (mod 5)` are a perfect code of the plane: every node is in it or has one neighbour in it.
    /// In a mesh, the code also has the nodes whose neighbour in it would be outside. The other codes have another `c`, or
    /// `3 y` in place of `2 y`.
    ///
    /// # Source
    ///
    /// Golomb and Welch, "Perfect codes in the Lee metric and the packing of polyominoes", *SIAM J. Applied Mathematics* 18
    /// (1970).
    pub(super) fn smallest(mesh: PlaneTorus, root: usize) -> Self {
        let codes = [2, 3].into_iter().flat_map(|slope| (0..5).map(move |class| Self::new(mesh, root, slope, class)));
        codes.min_by_key(|code| code.places.len()).expect("there are ten codes")
    }

    fn new(mesh: PlaneTorus, root: usize, slope: i64, class: i64) -> Self {
        let is_in_code = |place: usize| {
            let [x, y] = mesh.coordinates(place);
            (x + slope * y) % 5 == class
        };
        let has_neighbour =
            |place: usize| (0..PORTS).filter_map(|port| mesh.inner_neighbour(place, port)).any(is_in_code);
        let is_holder: Vec<bool> =
            (0..mesh.node_count()).map(|place| place == root || is_in_code(place) || !has_neighbour(place)).collect();
        let places = (0..is_holder.len()).filter(|&place| is_holder[place] && place != root).collect();
        Self { places, is_holder }
    }

    /// Returns a path of one channel to each node outside the code, as slots.
    pub(super) fn last_step(&self, mesh: PlaneTorus) -> Vec<Vec<usize>> {
        let slot_to = |place: usize| {
            let holder = |port: usize| {
                let holder = mesh.inner_neighbour(place, port).filter(|&neighbour| self.is_holder[neighbour])?;
                // The opposite port.
                Some(PORTS * holder + (port ^ 1))
            };
            (0..PORTS).find_map(holder).expect("a node outside the code has a neighbour in it")
        };
        let receivers = (0..mesh.node_count()).filter(|&place| !self.is_holder[place]);
        receivers.map(|place| vec![slot_to(place)]).collect()
    }
}
