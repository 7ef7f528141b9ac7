//! Places, ports and shortest offsets on a torus or a mesh of two axes.

/// Number of ports of a node.
pub(crate) const PORTS: usize = 4;

/// A torus of two axes, with sides of at least 3, or the mesh with these sides.
///
/// The place of the node with coordinates `[x, y]` is `x * sides[1] + y`. Port `2 axis` moves one step forwards along
/// an axis, and port `2 axis + 1` one step backwards. The slot of a channel is `PORTS * place + port` at its tail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneTorus {
    sides: [i64; 2],
}

impl PlaneTorus {
    /// Returns the torus with these sides; `None` for shorter sides.
    pub(crate) fn new(sides: [u32; 2]) -> Option<Self> {
        sides.iter().all(|&side| side >= 3).then(|| Self { sides: sides.map(i64::from) })
    }

    /// Returns the torus with the axes in the opposite order.
    pub(crate) fn turned(self) -> Self {
        Self { sides: [self.sides[1], self.sides[0]] }
    }

    pub(crate) fn sides(self) -> [i64; 2] {
        self.sides
    }

    pub(crate) fn node_count(self) -> usize {
        (self.sides[0] * self.sides[1]).cast_unsigned() as usize
    }

    /// Returns the place of the node with these coordinates modulo the sides.
    pub(crate) fn place(self, coordinates: [i64; 2]) -> usize {
        let [x, y] = [0, 1].map(|axis| coordinates[axis].rem_euclid(self.sides[axis]));
        (x * self.sides[1] + y).cast_unsigned() as usize
    }

    pub(crate) fn coordinates(self, place: usize) -> [i64; 2] {
        let place = (place as u64).cast_signed();
        [place / self.sides[1], place % self.sides[1]]
    }

    /// Returns the place of the neighbour at a port.
    pub(crate) fn neighbour(self, place: usize, port: usize) -> usize {
        let mut coordinates = self.coordinates(place);
        coordinates[port / 2] += if port.is_multiple_of(2) { 1 } else { -1 };
        self.place(coordinates)
    }

    /// Returns the place of the neighbour at a port in the mesh with the same sides.
    pub(crate) fn inner_neighbour(self, place: usize, port: usize) -> Option<usize> {
        let (at, side) = (self.coordinates(place)[port / 2], self.sides[port / 2]);
        let is_inner = if port.is_multiple_of(2) { at + 1 < side } else { at > 0 };
        is_inner.then(|| self.neighbour(place, port))
    }

    /// Returns the number of steps along each axis on the shortest paths between two places, negative if backwards.
    /// Half a cycle is backwards if `direction` is.
    pub(crate) fn offset(self, from: usize, to: usize, direction: [i64; 2]) -> [i64; 2] {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        [0, 1].map(|axis| {
            let (forwards, side) = ((to[axis] - from[axis]).rem_euclid(self.sides[axis]), self.sides[axis]);
            let is_backwards = 2 * forwards > side || 2 * forwards == side && direction[axis] < 0;
            if is_backwards { forwards - side } else { forwards }
        })
    }
}
