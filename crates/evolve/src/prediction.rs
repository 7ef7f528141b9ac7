//! Conflict prediction: what paths without steps say about the conflicts of any steps.

use serde::{Deserialize, Serialize};

/// What foretells the conflicts of paths that have no steps yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Prediction {
    /// Nothing does: paths and steps are annealed together on the conflicts of the schedule.
    None,
    /// The document's equations: for each channel, the paths `PC` beyond the `S` steps (1 and 5), and those beyond the
    /// first whose windows (2 and 3) hold the same step alone.
    Published,
    /// For each channel, the paths that a greatest matching of paths and steps of their windows leaves without a step.
    ///
    /// By Hall's theorem this foretells all that can be foretold of a channel on its own, so also whatever
    /// [`Published`](Self::Published) foretells.
    Matching,
}

/// The steps, from 0, in which a channel can carry a message: equations 2 and 3.
///
/// A channel that is the `O`-th of a path of length `L` carries it in the steps `O..=S - (L - O)`, counted from 1, for
/// `O - 1` channels come before it and `L - O` behind. The second line of equation 3, step 1 for `O = 1`, is no rule of
/// its own: where a channel carries one message of the terminal it leaves, as in an all-gather, nobody else can use
/// step 1, and elsewhere that message may as well go later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Window {
    /// The step behind the last one; the first field, for windows are sorted by it.
    pub(crate) end: u32,
    pub(crate) first: u32,
}

/// Foretells the conflicts of one resource after the other; scratch space.
///
/// A resource of capacity `k` (a port set) is taken as a channel with `k` places a step.
#[derive(Debug)]
pub(crate) struct Predictor {
    prediction: Prediction,
    /// How many more users each step can take.
    room: Vec<u16>,
    /// A bit for each step that can take one.
    open: Vec<u64>,
}

impl Predictor {
    pub(crate) fn new(prediction: Prediction, step_count: u32) -> Self {
        let steps = step_count as usize;
        Self { prediction, room: vec![0; steps], open: vec![0; steps.div_ceil(64)] }
    }

    /// The conflicts that are certain on a resource of this capacity whose users have these windows, which are not empty
    /// and end no later than the schedule. May sort them.
    pub(crate) fn conflicts(&mut self, windows: &mut [Window], capacity: u16) -> u32 {
        match self.prediction {
            Prediction::None => 0,
            Prediction::Published => self.surplus(windows, capacity),
            Prediction::Matching => self.unmatched(windows, capacity),
        }
    }

    /// The users beyond all places, and of those who have the choice of one step, the ones beyond its places.
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

    /// The users beyond a greatest matching: in the order of their ends, each takes the first place that is left, which
    /// is greatest for intervals.
    fn unmatched(&mut self, windows: &mut [Window], capacity: u16) -> u32 {
        self.room.fill(capacity);
        for (open, steps) in self.open.iter_mut().zip(self.room.chunks(64)) {
            *open = u64::MAX >> (64 - steps.len());
        }
        windows.sort_unstable();
        windows.iter().filter(|&&window| !self.seat(window)).count() as u32
    }

    /// Takes the first place of a window, if one is left.
    fn seat(&mut self, window: Window) -> bool {
        let Some(step) = self.first_open(window.first as usize).filter(|&step| step < window.end as usize) else {
            return false;
        };
        self.room[step] -= 1;
        if self.room[step] == 0 {
            self.open[step / 64] &= !(1 << (step % 64));
        }
        true
    }

    /// The first step from this one on that has a place left.
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

    /// Users left over by a matching grown along augmenting paths.
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
        fn matchings_are_greatest((steps, windows, capacity) in crowd()) {
            let expected = unmatched(steps, &windows, capacity);
            prop_assert_eq!(conflicts(Prediction::Matching, steps, &windows, capacity), expected);
        }

        /// Each of the document's two rules may count the same user once.
        #[test]
        fn what_is_published_is_certain((steps, windows, capacity) in crowd()) {
            let [published, matching] =
                [Prediction::Published, Prediction::Matching].map(|p| conflicts(p, steps, &windows, capacity));
            prop_assert!(published <= 2 * matching);
            prop_assert_eq!(conflicts(Prediction::None, steps, &windows, capacity), 0);
        }
    }

    #[test]
    fn matching_sees_what_is_not_published() {
        // Three users of the same two steps: neither too many nor without a choice.
        let windows = [(1, 3); 3];
        assert_eq!(conflicts(Prediction::Published, 4, &windows, 1), 0);
        assert_eq!(conflicts(Prediction::Matching, 4, &windows, 1), 1);
    }

    #[test]
    fn the_document_counts_paths_beyond_the_steps_and_users_of_one_step() {
        assert_eq!(conflicts(Prediction::Published, 2, &[(0, 2); 5], 1), 3);
        assert_eq!(conflicts(Prediction::Published, 2, &[(0, 2); 5], 2), 1);
        assert_eq!(conflicts(Prediction::Published, 4, &[(2, 3), (2, 3), (2, 3), (3, 4)], 1), 2);
    }
}
