//! Conflict prediction: lower bounds on the conflicts of paths that have no steps yet.

use serde::{Deserialize, Serialize};

use super::window::Window;

/// The rule that predicts the conflicts of paths that have no steps yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Prediction {
    /// No prediction: paths and steps are annealed together, on the conflicts of the schedule.
    None,
    /// The published equations. For each channel: the number of paths beyond the `S` steps (1 and 5), and for each
    /// step, the paths beyond the first whose window (2 and 3) has that step only.
    Published,
    /// For each channel, the number of paths that a maximum matching of paths with steps of their windows leaves
    /// unmatched.
    ///
    /// By Hall's theorem this is the largest bound for a single channel. It includes all conflicts that
    /// [`Published`](Self::Published) predicts.
    Matching,
}

/// Predicts the conflicts of one resource at a time. Holds scratch space.
///
/// A resource of capacity `k` (a port set) counts as a channel with `k` places per step.
#[derive(Debug)]
pub(super) struct Predictor {
    prediction: Prediction,
    /// Number of free places of each step.
    room: Vec<u16>,
    /// One bit per step, set if the step has a free place.
    open: Vec<u64>,
}

impl Predictor {
    pub(super) fn new(prediction: Prediction, step_count: u32) -> Self {
        let steps = step_count as usize;
        Self { prediction, room: vec![0; steps], open: vec![0; steps.div_ceil(64)] }
    }

    /// Returns the conflicts that are certain on a resource of this capacity whose users have these windows.
    ///
    /// Windows must be nonempty and end no later than the schedule. May sort them. Takes `O(n log n + steps)` time for
    /// `n` windows.
    pub(super) fn conflicts(&mut self, windows: &mut [Window], capacity: u16) -> u32 {
        match self.prediction {
            Prediction::None => 0,
            Prediction::Published => self.surplus(windows, capacity),
            Prediction::Matching => self.unmatched(windows, capacity),
        }
    }

    /// Returns the users beyond all places, and the users with a single step beyond the places of that step.
    fn surplus(&mut self, windows: &[Window], capacity: u16) -> u32 {
        self.room.fill(capacity);
        let places = self.room.len() * usize::from(capacity);
        let mut conflicts = windows.len().saturating_sub(places) as u32;
        for window in windows.iter().filter(|window| window.end - window.first == 1) {
            match &mut self.room[window.first as usize] {
                0 => conflicts += 1,
                room => *room -= 1,
            }
        }
        conflicts
    }

    /// Returns the users beyond a maximum matching. In the order of their ends, each takes the first free place, which
    /// gives a maximum matching for intervals.
    ///
    /// # Source
    ///
    /// Glover, *Maximum matching in a convex bipartite graph*, Naval Research Logistics Quarterly 14 (1967).
    fn unmatched(&mut self, windows: &mut [Window], capacity: u16) -> u32 {
        self.room.fill(capacity);
        for (open, steps) in self.open.iter_mut().zip(self.room.chunks(64)) {
            *open = u64::MAX >> (64 - steps.len());
        }
        windows.sort_unstable();
        windows.iter().filter(|&&window| !self.assign(window)).count() as u32
    }

    /// Takes the first free place of a window; returns false if there is none.
    fn assign(&mut self, window: Window) -> bool {
        let Some(step) = self.first_open(window.first as usize).filter(|&step| step < window.end as usize) else {
            return false;
        };
        self.room[step] -= 1;
        if self.room[step] == 0 {
            self.open[step / 64] &= !(1 << (step % 64));
        }
        true
    }

    /// Returns the first step from `first` on that has a free place.
    fn first_open(&self, first: usize) -> Option<usize> {
        let mut word = first / 64;
        let mut bits = self.open[word] & (u64::MAX << (first % 64));
        while bits == 0 {
            word += 1;
            bits = *self.open.get(word)?;
        }
        Some(64 * word + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn conflicts(prediction: Prediction, steps: u32, windows: &[(u32, u32)], capacity: u16) -> u32 {
        let mut windows: Vec<Window> = windows.iter().map(|&(first, end)| Window { end, first }).collect();
        Predictor::new(prediction, steps).conflicts(&mut windows, capacity)
    }

    /// The users left unmatched by a matching along augmenting paths.
    fn unmatched(steps: u32, windows: &[(u32, u32)], capacity: u16) -> u32 {
        fn augment(user: usize, windows: &[(u32, u32)], owners: &mut [Option<usize>], seen: &mut [bool]) -> bool {
            let per_step = owners.len() / seen.len();
            for step in windows[user].0..windows[user].1 {
                if std::mem::replace(&mut seen[step as usize], true) {
                    continue;
                }
                for place in step as usize * per_step..(step as usize + 1) * per_step {
                    if owners[place].is_none_or(|owner| augment(owner, windows, owners, seen)) {
                        owners[place] = Some(user);
                        return true;
                    }
                }
            }
            false
        }
        let mut owners = vec![None; steps as usize * usize::from(capacity)];
        let alone = |&user: &usize| !augment(user, windows, &mut owners, &mut vec![false; steps as usize]);
        (0..windows.len()).filter(alone).count() as u32
    }

    /// Steps, the windows of some users, and a capacity.
    fn crowd() -> impl Strategy<Value = (u32, Vec<(u32, u32)>, u16)> {
        (prop_oneof![1..=9u32, 60..=70u32], 1..=3u16).prop_flat_map(|(steps, capacity)| {
            let window = (0..steps, 1..=4u32).prop_map(move |(first, length)| (first, steps.min(first + length)));
            (Just(steps), prop::collection::vec(window, 0..=24), Just(capacity))
        })
    }

    proptest! {
        #[test]
        fn matchings_are_maximum((steps, windows, capacity) in crowd()) {
            let expected = unmatched(steps, &windows, capacity);
            prop_assert_eq!(conflicts(Prediction::Matching, steps, &windows, capacity), expected);
        }

        /// Both published rules may count the same user.
        #[test]
        fn published_predictions_are_certain((steps, windows, capacity) in crowd()) {
            let [published, matching] =
                [Prediction::Published, Prediction::Matching].map(|p| conflicts(p, steps, &windows, capacity));
            prop_assert!(published <= 2 * matching);
            prop_assert_eq!(conflicts(Prediction::None, steps, &windows, capacity), 0);
        }
    }

    #[test]
    fn matching_predicts_more_than_the_published_rules() {
        // Three users of the same two steps: fewer than the steps, and each has a choice.
        let windows = [(1, 3); 3];
        assert_eq!(conflicts(Prediction::Published, 4, &windows, 1), 0);
        assert_eq!(conflicts(Prediction::Matching, 4, &windows, 1), 1);
    }

    #[test]
    fn published_rules_count_paths_beyond_the_steps_and_users_of_one_step() {
        assert_eq!(conflicts(Prediction::Published, 2, &[(0, 2); 5], 1), 3);
        assert_eq!(conflicts(Prediction::Published, 2, &[(0, 2); 5], 2), 1);
        assert_eq!(conflicts(Prediction::Published, 4, &[(2, 3), (2, 3), (2, 3), (3, 4)], 1), 2);
    }
}
