//! Lattices in the plane of a torus, and their superlattices of index 5.

use crate::kit::plane_torus::PlaneTorus;

/// A vector in units of a fraction of each side, the same fraction for both.
pub(super) type Vector = [i64; 2];

/// A lattice that contains the multiples of the sides, by a reduced basis. A length is a number of hops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    basis: [Vector; 2],
    /// The sides of the torus, the scale of the axes.
    sides: [i64; 2],
}

/// Returns `a + times * b`.
fn sum(a: Vector, times: i64, b: Vector) -> Vector {
    [a[0] + times * b[0], a[1] + times * b[1]]
}

impl Lattice {
    /// Returns the multiples of the sides, which are `units` units long.
    pub(super) fn of_sides(torus: PlaneTorus, units: i64) -> Self {
        Self::reduced([[units, 0], [0, units]], torus.sides())
    }

    /// Returns the six lattices that contain this one and have five times as many points. The basis must be divisible
    /// by 5.
    pub(super) fn superlattices(self) -> [Self; 6] {
        let [first, second] = self.basis;
        let fifth = |vector: Vector| vector.map(|entry| entry / 5);
        [0, 1, 2, 3, 4, 5].map(|times| {
            let basis = if times == 5 { [fifth(first), second] } else { [first, fifth(sum(second, times, first))] };
            Self::reduced(basis, self.sides)
        })
    }

    /// Returns true if a lattice is part of this one.
    pub(super) fn contains_all(self, other: Self) -> bool {
        other.basis.into_iter().all(|vector| self.contains(vector))
    }

    fn contains(self, vector: Vector) -> bool {
        self.coefficients(vector).iter().all(|coefficient| coefficient % self.determinant() == 0)
    }

    /// Returns the length of the shortest vectors other than 0, in hops times the units of a side.
    pub(super) fn shortest(self) -> i128 {
        self.near(0, 0).filter(|&vector| vector != [0, 0]).map(|vector| self.length(vector)).min().unwrap_or(0)
    }

    /// Returns a shortest vector of each class of a superlattice of index 5 modulo this lattice, other than the class of
    /// 0: two pairs of opposite vectors. Returns `None` if the other lattice is not such a superlattice.
    pub(super) fn classes_of(self, finer: Self) -> Option<[Vector; 4]> {
        let step = finer.basis.into_iter().find(|&vector| !self.contains(vector))?;
        let shortest = |vector: Vector| {
            let [first, second] = self.coefficients(vector).map(|number| -number.div_euclid(self.determinant()));
            let near = self.near(i64::try_from(first).ok()?, i64::try_from(second).ok()?);
            near.map(|other| sum(vector, 1, other)).min_by_key(|&vector| (self.length(vector), vector))
        };
        let (once, twice) = (shortest(step)?, shortest(step.map(|entry| 2 * entry))?);
        Some([once, once.map(|entry| -entry), twice, twice.map(|entry| -entry)])
    }

    /// Returns the sum of the numbers of hops along both axes, times the units of a side.
    fn length(self, vector: Vector) -> i128 {
        self.scaled(vector).iter().map(|hops| hops.abs()).sum()
    }

    /// Returns the lattice of a basis, whose reduced basis is found by the algorithm of Lagrange and Gauss.
    fn reduced(basis: [Vector; 2], sides: [i64; 2]) -> Self {
        let mut lattice = Self { basis, sides };
        loop {
            let [mut first, mut second] = lattice.basis;
            if lattice.product(second, second) < lattice.product(first, first) {
                (first, second) = (second, first);
            }
            let (square, product) = (lattice.product(first, first), lattice.product(first, second));
            // The nearest integer; it is small because both vectors are.
            let times = (2 * product + square).div_euclid(2 * square) as i64;
            lattice.basis = [first, sum(second, -times, first)];
            if times == 0 {
                return lattice;
            }
        }
    }

    fn scaled(self, vector: Vector) -> [i128; 2] {
        [0, 1].map(|axis| i128::from(vector[axis]) * i128::from(self.sides[axis]))
    }

    fn product(self, a: Vector, b: Vector) -> i128 {
        let (a, b) = (self.scaled(a), self.scaled(b));
        a[0] * b[0] + a[1] * b[1]
    }

    fn determinant(self) -> i128 {
        let [a, b] = self.basis.map(|vector| vector.map(i128::from));
        a[0] * b[1] - a[1] * b[0]
    }

    /// Returns the coefficients of a vector in the basis, times the determinant.
    fn coefficients(self, vector: Vector) -> [i128; 2] {
        let [first, second] = self.basis.map(|vector| vector.map(i128::from));
        let [x, y] = vector.map(i128::from);
        [x * second[1] - y * second[0], first[0] * y - first[1] * x]
    }

    /// Returns the vectors whose coefficients differ from these by at most 2.
    fn near(self, first: i64, second: i64) -> impl Iterator<Item = Vector> {
        let [a, b] = self.basis;
        (-2..=2).flat_map(move |x| (-2..=2).map(move |y| sum(sum([0, 0], first + x, a), second + y, b)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lattices_of_a_chain(sides: [u32; 2]) -> Vec<Lattice> {
        let mut lattices = vec![Lattice::of_sides(PlaneTorus::new(sides).unwrap(), 125)];
        for choice in [4, 2, 5] {
            lattices.push(lattices[lattices.len() - 1].superlattices()[choice]);
        }
        lattices
    }

    #[test]
    fn the_six_superlattices_differ_and_have_index_5() {
        for lattice in lattices_of_a_chain([7, 40]).into_iter().take(3) {
            let finer = lattice.superlattices();
            for (place, one) in finer.iter().enumerate() {
                assert!(one.contains_all(lattice) && !lattice.contains_all(*one));
                assert_eq!(lattice.determinant().abs(), 5 * one.determinant().abs());
                assert!(finer[..place].iter().all(|other| !one.contains_all(*other)));
            }
        }
    }

    #[test]
    fn every_class_has_one_of_its_shortest_vectors() {
        for sides in [[7, 40], [11, 11], [3, 1000]] {
            for pair in lattices_of_a_chain(sides).windows(2) {
                let [coarse, finer] = [pair[0], pair[1]];
                let classes = coarse.classes_of(finer).unwrap();
                let mut met = BTreeSet::from([[0, 0]]);
                for vector in classes {
                    assert!(finer.contains(vector));
                    let canonical =
                        coarse.coefficients(vector).map(|entry| entry.rem_euclid(coarse.determinant().abs()));
                    assert!(met.insert(canonical), "{classes:?}");
                    let others = (-9..=9).flat_map(|x| (-9..=9).map(move |y| (x, y)));
                    let others = others.map(|(x, y)| sum(sum(vector, x, coarse.basis[0]), y, coarse.basis[1]));
                    assert!(others.map(|other| coarse.length(other)).min() == Some(coarse.length(vector)));
                }
            }
        }
    }
}
