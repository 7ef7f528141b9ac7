//! Places, ports and shortest offsets on a torus of two axes.

/// Number of ports of a node.
pub(super) const PORTS: usize = 4;

/// A torus of two axes, with sides of at least 3.
///
/// The place of the node with coordinates `[x, y]` is `x * sides[1] + y`. Port `2 axis` moves one step forwards along
/// an axis, and port `2 axis + 1` one step backwards. The slot of a channel is `PORTS * place + port` at its tail.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneTorus {
    sides: [i64; 2],
}

impl PlaneTorus {
    /// Returns the torus with these sides; `None` for shorter sides.
    pub(super) fn new(sides: [u32; 2]) -> Option<Self> {
        sides.iter().all(|&side| side >= 3).then(|| Self { sides: sides.map(i64::from) })
    }

    /// Returns the torus with the axes in the opposite order.
    pub(super) fn turned(self) -> Self {
        Self { sides: [self.sides[1], self.sides[0]] }
    }

    pub(super) fn sides(self) -> [i64; 2] {
        self.sides
    }

    pub(super) fn node_count(self) -> usize {
        (self.sides[0] * self.sides[1]).cast_unsigned() as usize
    }

    /// Returns the place of the node with these coordinates modulo the sides.
    pub(super) fn place(self, coordinates: [i64; 2]) -> usize {
        let [x, y] = [0, 1].map(|axis| coordinates[axis].rem_euclid(self.sides[axis]));
        (x * self.sides[1] + y).cast_unsigned() as usize
    }

    pub(super) fn coordinates(self, place: usize) -> [i64; 2] {
        let place = (place as u64).cast_signed();
        [place / self.sides[1], place % self.sides[1]]
    }

    /// Returns the place of the neighbour at a port.
    pub(super) fn neighbour(self, place: usize, port: usize) -> usize {
        let mut coordinates = self.coordinates(place);
        coordinates[port / 2] += if port.is_multiple_of(2) { 1 } else { -1 };
        self.place(coordinates)
    }

    /// Returns the number of steps along each axis on the shortest paths between two places, negative if backwards.
    /// Half a cycle is backwards if `direction` is.
    pub(super) fn offset(self, from: usize, to: usize, direction: [i64; 2]) -> [i64; 2] {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        [0, 1].map(|axis| {
            let (forwards, side) = ((to[axis] - from[axis]).rem_euclid(self.sides[axis]), self.sides[axis]);
            let is_backwards = 2 * forwards > side || 2 * forwards == side && direction[axis] < 0;
            if is_backwards { forwards - side } else { forwards }
        })
    }
}
