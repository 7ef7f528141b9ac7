//! Non-dominated sorting.

use std::cmp::Ordering;

use crate::costs::Costs;
use crate::options::EqualPoints;
use crate::staircase::Staircase;

/// Computes the rank of each point: the number of its front. Front 0 is not dominated; front `k + 1` is dominated only
/// by points of the fronts up to `k`. Equal points have equal ranks.
///
/// O(n log² n) time for up to three objectives, otherwise O(m·n²) in the worst case. O(n) memory.
///
/// # Source
///
/// Zhang, Tian, Cheng and Jin, *An efficient approach to nondominated sorting for evolutionary multiobjective
/// optimization* (ENS-BS), IEEE Transactions on Evolutionary Computation 19(2), 2015. For up to three objectives, a
/// layer is a staircase in the last two, because later points are not better in the first.
pub(crate) fn ranks(costs: &Costs) -> Vec<u32> {
    let mut ranks = vec![0; costs.len()];
    let mut layers: Vec<Layer> = Vec::new();
    let mut previous: Option<usize> = None;
    for place in lexicographic(costs) {
        let row = costs.row(place);
        // Equal points are adjacent in this order.
        if let Some(equal) = previous.filter(|&previous| costs.row(previous) == row) {
            ranks[place] = ranks[equal];
            continue;
        }
        let rank = layers.partition_point(|layer| layer.dominates(costs, row));
        if rank == layers.len() {
            layers.push(Layer::new(costs.dimension()));
        }
        layers[rank].add(place, row);
        ranks[place] = rank as u32;
        previous = Some(place);
    }
    ranks
}

/// Returns the indices of the non-dominated points, ascending, with all or only the first of equal points.
///
/// O(n log n) time for up to three objectives, otherwise O(m·n·f) for a front of `f` points. O(n) memory.
pub(crate) fn front(costs: &Costs, equal_points: EqualPoints) -> Vec<usize> {
    let mut front: Vec<usize> = Vec::new();
    let mut layer = Layer::new(costs.dimension());
    for place in lexicographic(costs) {
        let row = costs.row(place);
        let is_equal = front.last().is_some_and(|&last| costs.row(last) == row);
        if is_equal && equal_points == EqualPoints::Keep {
            front.push(place);
        } else if !is_equal && !layer.dominates(costs, row) {
            layer.add(place, row);
            front.push(place);
        }
    }
    front.sort_unstable();
    front
}

/// Returns the indices of each front, ascending, best front first.
pub(crate) fn fronts(ranks: &[u32]) -> Vec<Vec<usize>> {
    let count = ranks.iter().max().map_or(0, |&worst| worst as usize + 1);
    let mut fronts = vec![Vec::new(); count];
    for (place, &rank) in ranks.iter().enumerate() {
        fronts[rank as usize].push(place);
    }
    fronts
}

/// Returns the indices of the points that differ from all earlier points, ascending.
pub(crate) fn distinct(costs: &Costs) -> Vec<usize> {
    let mut places = lexicographic(costs);
    places.dedup_by(|later, earlier| costs.row(*later) == costs.row(*earlier));
    places.sort_unstable();
    places
}

/// Returns the indices in lexicographic order of their rows. Ties are broken by index.
pub(crate) fn lexicographic(costs: &Costs) -> Vec<usize> {
    let compare = |&a: &usize, &b: &usize| {
        let costs = costs.row(a).iter().zip(costs.row(b)).map(|(one, other)| one.total_cmp(other));
        costs.fold(Ordering::Equal, Ordering::then).then(a.cmp(&b))
    };
    let mut places: Vec<usize> = (0..costs.len()).collect();
    places.sort_unstable_by(compare);
    places
}

/// Mutually non-dominated points, added in lexicographic order.
enum Layer {
    /// For up to three objectives: a staircase in the plane of the last two.
    Plane(Staircase),
    /// For more objectives: the indices of the points.
    Points(Vec<usize>),
}

impl Layer {
    fn new(dimension: usize) -> Self {
        if dimension <= 3 {
            Self::Plane(Staircase::new([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]))
        } else {
            Self::Points(Vec::new())
        }
    }

    /// Returns true if a point of the layer dominates a later point that differs from all of them.
    fn dominates(&self, costs: &Costs, row: &[f64]) -> bool {
        match self {
            Self::Plane(staircase) => staircase.covers(in_plane(row)),
            // The latest points are the most similar.
            Self::Points(places) => places.iter().rev().any(|&place| is_no_worse(&costs.row(place)[1..], &row[1..])),
        }
    }

    fn add(&mut self, place: usize, row: &[f64]) {
        match self {
            Self::Plane(staircase) => {
                // The returned area is infinite and not needed.
                staircase.cover(in_plane(row));
            }
            Self::Points(places) => places.push(place),
        }
    }
}

/// Returns the second and third cost, or 0.
fn in_plane(row: &[f64]) -> [f64; 2] {
    [1, 2].map(|objective| row.get(objective).copied().unwrap_or(0.0))
}

fn is_no_worse(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::costs;

    fn dominates(costs: &Costs, one: usize, other: usize) -> bool {
        is_no_worse(costs.row(one), costs.row(other)) && costs.row(one) != costs.row(other)
    }

    /// Computes ranks by removing one front after the other.
    fn peeled(costs: &Costs) -> Vec<u32> {
        let mut ranks = vec![u32::MAX; costs.len()];
        for rank in 0.. {
            let left: Vec<usize> = (0..costs.len()).filter(|&place| ranks[place] == u32::MAX).collect();
            if left.is_empty() {
                break;
            }
            let is_first = |&&place: &&usize| !left.iter().any(|&other| dominates(costs, other, place));
            let first: Vec<usize> = left.iter().filter(is_first).copied().collect();
            for place in first {
                ranks[place] = rank;
            }
        }
        ranks
    }

    proptest! {
        #[test]
        fn ranks_are_the_order_in_which_fronts_are_removed(costs in costs(1..=5, 40)) {
            let ranks = ranks(&costs);
            prop_assert_eq!(&ranks, &peeled(&costs));
            let fronts = fronts(&ranks);
            prop_assert_eq!(fronts.iter().map(Vec::len).sum::<usize>(), costs.len());
            prop_assert!(fronts.iter().all(|front| !front.is_empty() && front.is_sorted()));
        }

        #[test]
        fn fronts_are_the_non_dominated_points(costs in costs(1..=5, 40)) {
            let all: Vec<usize> = (0..costs.len())
                .filter(|&place| (0..costs.len()).all(|other| !dominates(&costs, other, place)))
                .collect();
            let is_first = |&&place: &&usize| (0..place).all(|other| costs.row(other) != costs.row(place));
            let first: Vec<usize> = all.iter().filter(is_first).copied().collect();
            prop_assert_eq!(front(&costs, EqualPoints::Remove), first);
            prop_assert_eq!(front(&costs, EqualPoints::Keep), all);
        }

        #[test]
        fn distinct_points_are_the_first_of_equal_rows(costs in costs(1..=3, 40)) {
            let is_new = |&place: &usize| (0..place).all(|other| costs.row(other) != costs.row(place));
            prop_assert_eq!(distinct(&costs), (0..costs.len()).filter(is_new).collect::<Vec<_>>());
        }
    }
}
