//! Exchanges at distances 1, -1, 3, -5, 11, …, the sums of the powers of -2.

/// Returns the partner of a place at a level, in a cycle of a power of two of places: at distance `(1 - (-2)^(level+1)) / 3`,
/// forwards for even places and backwards for odd ones, or the other way round if `is_mirrored`.
///
/// The partner of the partner is the place itself, because distances are odd. With all levels, in ascending or descending
/// order, every place reaches every other.
///
/// # Source
///
/// De Sensi, Bonato, Saam and Hoefler, *Swing: short-cutting rings for higher bandwidth allreduce* (2024), section 3.1.
pub(super) fn partner(place: usize, level: usize, places: usize, is_mirrored: bool) -> usize {
    let distance = ((2 << level) + 1) / 3;
    let is_backwards =
        [place % 2 == 1, level % 2 == 1, is_mirrored].into_iter().fold(false, |first, second| first != second);
    (place + if is_backwards { places - distance } else { distance }) % places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_partner_of_the_partner_is_the_place() {
        for levels in 1..10 {
            let places = 1 << levels;
            for (level, place) in (0..levels).flat_map(|level| (0..places).map(move |place| (level, place))) {
                for is_mirrored in [false, true] {
                    let other = partner(place, level, places, is_mirrored);
                    assert!(other != place);
                    assert_eq!(partner(other, level, places, is_mirrored), place);
                }
            }
        }
    }

    #[test]
    fn distances_are_sums_of_powers_of_minus_two() {
        let distances: Vec<usize> = (0..6).map(|level| partner(0, level, 64, false)).collect();
        assert_eq!(distances, [1, 63, 3, 59, 11, 43]);
    }
}
