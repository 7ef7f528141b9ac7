//! Niche preservation: the choice of survivors by reference direction.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The nearest direction of a point, and the square of the distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Association {
    pub(super) direction: usize,
    pub(super) distance: f64,
}

/// Survivors and remaining candidates of each direction.
pub(super) struct Niches {
    /// Number of survivors of each direction.
    counts: Vec<u32>,
    /// Remaining candidates of each direction, nearest last.
    candidates: Vec<Vec<usize>>,
}

impl Niches {
    pub(super) fn new(directions: usize, survivors: &[Association], candidates: &[Association]) -> Self {
        let mut niches = Self { counts: vec![0; directions], candidates: vec![Vec::new(); directions] };
        for association in survivors {
            niches.counts[association.direction] += 1;
        }
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&one, &other| {
            candidates[other].distance.total_cmp(&candidates[one].distance).then(other.cmp(&one))
        });
        for member in order {
            niches.candidates[candidates[member].direction].push(member);
        }
        niches
    }

    /// Removes and returns a candidate of a direction with the fewest survivors: the nearest one if the direction has
    /// no survivor, otherwise a random one.
    pub(super) fn choose(&mut self, random: &mut ChaCha8Rng) -> usize {
        let open = || (0..self.candidates.len()).filter(|&direction| !self.candidates[direction].is_empty());
        let fewest = open().map(|direction| self.counts[direction]).min();
        let emptiest: Vec<usize> = open().filter(|&direction| Some(self.counts[direction]) == fewest).collect();
        let direction = emptiest[random.random_range(0..emptiest.len())];
        let candidates = &mut self.candidates[direction];
        let member =
            if self.counts[direction] == 0 { candidates.len() - 1 } else { random.random_range(0..candidates.len()) };
        self.counts[direction] += 1;
        candidates.remove(member)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn empty_directions_take_the_nearest_candidate_and_others_a_random_one() {
        let at = |direction, distance| Association { direction, distance };
        let candidates = [at(0, 3.0), at(0, 1.0), at(2, 5.0), at(1, 0.0)];
        let mut niches = Niches::new(3, &[at(1, 0.0), at(1, 0.0)], &candidates);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut first = [niches.choose(&mut random), niches.choose(&mut random)];
        first.sort_unstable();
        // Directions without survivors come first, then those with one, although another candidate is nearer.
        assert_eq!((first, niches.choose(&mut random), niches.choose(&mut random)), ([1, 2], 0, 3));
    }
}
