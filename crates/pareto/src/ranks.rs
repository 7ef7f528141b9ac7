//! Dominance, and the layers that it sorts points into.

use std::cmp::Ordering;

use crate::costs::Costs;
use crate::options::EqualPoints;
use crate::stairs::Stairs;

/// The number of the front of each point: 0 of those that nobody dominates, 1 of those that only points of front 0
/// dominate, and so on. Equal points have equal ranks.
///
/// Time O(n log² n) of up to three objectives, else O(m·n²) at worst; memory O(n).
///
/// Source: efficient non-dominated sort with binary search (Zhang, Tian, Cheng and Jin, IEEE Transactions on
/// Evolutionary Computation 19(2), 2015); with up to three objectives a layer is a staircase in the other two, because
/// whoever comes later is no better in the first.
pub(crate) fn ranks(costs: &Costs) -> Vec<u32> {
    let mut ranks = vec![0; costs.len()];
    let mut layers: Vec<Layer> = Vec::new();
    let mut previous: Option<usize> = None;
    for place in lexicographic(costs) {
        let row = costs.row(place);
        // Equal points are neighbours in this order.
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

/// The places of the points that nobody dominates, ascending; of equal points all or the first. Time and memory as
/// [`ranks`], with the front in place of all points where it says n².
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

/// The places of each rank, ascending, the best rank first.
pub(crate) fn fronts(ranks: &[u32]) -> Vec<Vec<usize>> {
    let count = ranks.iter().max().map_or(0, |&worst| worst as usize + 1);
    let mut fronts = vec![Vec::new(); count];
    for (place, &rank) in ranks.iter().enumerate() {
        fronts[rank as usize].push(place);
    }
    fronts
}

/// The places of the points that differ from all points before them, ascending.
pub(crate) fn distinct(costs: &Costs) -> Vec<usize> {
    let mut places = lexicographic(costs);
    places.dedup_by(|later, earlier| costs.row(*later) == costs.row(*earlier));
    places.sort_unstable();
    places
}

/// The places in the order of their rows, equal ones in the order of places.
pub(crate) fn lexicographic(costs: &Costs) -> Vec<usize> {
    let compare = |&a: &usize, &b: &usize| {
        let costs = costs.row(a).iter().zip(costs.row(b)).map(|(one, other)| one.total_cmp(other));
        costs.fold(Ordering::Equal, Ordering::then).then(a.cmp(&b))
    };
    let mut places: Vec<usize> = (0..costs.len()).collect();
    places.sort_unstable_by(compare);
    places
}

/// Points of which none dominates another, and that come in lexicographic order.
enum Layer {
    /// Of up to three objectives, in the plane of the last two.
    Stairs(Stairs),
    Places(Vec<usize>),
}

impl Layer {
    fn new(dimension: usize) -> Self {
        if dimension <= 3 {
            Self::Stairs(Stairs::new([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]))
        } else {
            Self::Places(Vec::new())
        }
    }

    /// Whether a point of the layer dominates a later one, which is equal to none.
    fn dominates(&self, costs: &Costs, row: &[f64]) -> bool {
        match self {
            Self::Stairs(stairs) => stairs.covers(in_plane(row)),
            // The latest are the most like it.
            Self::Places(places) => places.iter().rev().any(|&place| is_no_worse(&costs.row(place)[1..], &row[1..])),
        }
    }

    fn add(&mut self, place: usize, row: &[f64]) {
        match self {
            Self::Stairs(stairs) => {
                // The area is infinite.
                stairs.cover(in_plane(row));
            }
            Self::Places(places) => places.push(place),
        }
    }
}

/// The second and third cost.
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

    /// Ranks by taking fronts away one by one.
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
        fn ranks_are_the_fronts_that_peel_off(costs in costs(1..=5, 40)) {
            let ranks = ranks(&costs);
            prop_assert_eq!(&ranks, &peeled(&costs));
            let fronts = fronts(&ranks);
            prop_assert_eq!(fronts.iter().map(Vec::len).sum::<usize>(), costs.len());
            prop_assert!(fronts.iter().all(|front| !front.is_empty() && front.is_sorted()));
        }

        #[test]
        fn fronts_are_what_nobody_dominates(costs in costs(1..=5, 40)) {
            let all: Vec<usize> = (0..costs.len())
                .filter(|&place| (0..costs.len()).all(|other| !dominates(&costs, other, place)))
                .collect();
            let is_first = |&&place: &&usize| (0..place).all(|other| costs.row(other) != costs.row(place));
            let first: Vec<usize> = all.iter().filter(is_first).copied().collect();
            prop_assert_eq!(front(&costs, EqualPoints::Remove), first);
            prop_assert_eq!(front(&costs, EqualPoints::Keep), all);
        }

        #[test]
        fn distinct_places_are_the_first_of_equal_rows(costs in costs(1..=3, 40)) {
            let is_new = |&place: &usize| (0..place).all(|other| costs.row(other) != costs.row(place));
            prop_assert_eq!(distinct(&costs), (0..costs.len()).filter(is_new).collect::<Vec<_>>());
        }
    }
}
