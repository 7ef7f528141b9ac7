//! Recursive exchanges: the ranks form groups that grow by a factor in each round.

use crate::blocks::Blocks;
use crate::rounds::{Effect, Message, Rounds};

/// The distances of the partners in the rounds of an all-gather.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Distances {
    /// 1, `k`, `k^2` and so on.
    Growing,
    /// From the largest down to 1.
    Shrinking,
}

/// Ranks as places of a mixed-radix number. Ranks without a place are folded: each has a neighbour that takes part for it.
///
/// The first `2 folded` ranks form pairs. One rank of a pair has no place.
///
/// # Source
///
/// Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH* (2005), section 4. The
/// radix 2 gives recursive doubling.
pub(super) struct Places {
    ranks: u32,
    /// Number of ranks without a place.
    folded: u32,
    /// The number of places per digit, from the one of the smallest distance on.
    radices: Vec<u32>,
    /// Number of places: the product of the radices.
    count: u32,
    join: Join,
}

/// How the two ranks of a pair add their vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    /// The even rank sends its vector; the odd one has the place.
    Whole,
    /// Each adds one half. The odd rank sends its half afterwards; the even one has the place. So Open MPI does it.
    Halves,
}

impl Places {
    /// Returns the places of the largest multiple of a power of `radix` that is at most `ranks`, for a multiple below
    /// `radix`. `radix` is at least 2.
    pub(super) fn new(ranks: u32, radix: u32) -> Self {
        let (mut power, mut radices) = (1u32, Vec::new());
        while let Some(next) = power.checked_mul(radix).filter(|&next| next <= ranks) {
            power = next;
            radices.push(radix);
        }
        let multiple = ranks / power;
        if multiple > 1 {
            radices.push(multiple);
        }
        let count = power * multiple;
        Self { ranks, folded: ranks - count, radices, count, join: Join::Whole }
    }

    /// Returns the places with another way to add the vectors of a pair.
    pub(super) fn joined(self, join: Join) -> Self {
        Self { join, ..self }
    }

    /// Returns true if every rank has a place.
    pub(super) fn is_whole(&self) -> bool {
        self.folded == 0
    }

    /// Returns the number of places.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Returns the rank of a place.
    pub(super) fn rank(&self, place: u32) -> u32 {
        if place < self.folded { self.pair(place)[1] } else { place + self.folded }
    }

    /// Returns the ranks of a pair: the one without a place, and the one with it.
    fn pair(&self, place: u32) -> [u32; 2] {
        match self.join {
            Join::Whole => [2 * place, 2 * place + 1],
            Join::Halves => [2 * place + 1, 2 * place],
        }
    }

    /// Returns the round before an exchange: every rank without a place sends data to its neighbour.
    pub(super) fn join(&self, blocks: impl Fn(u32) -> Blocks) -> impl Iterator<Item = Message> {
        (0..self.folded).map(move |place| {
            let [from, to] = self.pair(place);
            Message { from, to, blocks: blocks(from) }
        })
    }

    /// Adds the rounds before an exchange that bring the sum of the vectors of a pair to the rank with a place.
    pub(super) fn join_vectors(&self, rounds: &mut Rounds) {
        let blocks = rounds.blocks();
        match self.join {
            Join::Whole => rounds.push(Effect::Add, self.join(|_| Blocks::range(0, blocks))),
            Join::Halves => {
                let [first, second] = [Blocks::range(0, blocks / 2), Blocks::range(blocks / 2, blocks - blocks / 2)];
                rounds.push(Effect::Add, self.join(|_| first).chain(self.leave(|_| second)));
                rounds.push(Effect::Copy, self.join(|_| second));
            }
        }
    }

    /// Returns the round after an exchange: every rank without a place gets data from its neighbour.
    pub(super) fn leave(&self, blocks: impl Fn(u32) -> Blocks) -> impl Iterator<Item = Message> {
        self.join(blocks).map(|Message { from, to, blocks }| Message { from: to, to: from, blocks })
    }

    /// Adds the rounds of an exchange. A place sends data to all places that differ in one digit. `blocks` gives the data of
    /// a place, by the number of places that hold the same data before the round.
    fn exchange(&self, distances: Distances, rounds: &mut Rounds, effect: Effect, blocks: impl Fn(u32, u32) -> Blocks) {
        let digits = self.radices.len();
        let mut order: Vec<usize> = (0..digits).collect();
        if distances == Distances::Shrinking {
            order.reverse();
        }
        let mut holders = 1;
        for digit in order {
            let (stride, radix) = (self.radices[..digit].iter().product::<u32>(), self.radices[digit]);
            let blocks = &blocks;
            let of_turn = |turn: u32| {
                (0..self.count).map(move |place| {
                    let value = place / stride % radix;
                    let partner = place - value * stride + (value + turn) % radix * stride;
                    Message { from: self.rank(place), to: self.rank(partner), blocks: blocks(place, holders) }
                })
            };
            rounds.push(effect, (1..radix).flat_map(of_turn));
            holders *= radix;
        }
    }

    /// Adds the exchange in which every place sends its whole vector.
    pub(super) fn exchange_vectors(&self, rounds: &mut Rounds) {
        self.exchange(Distances::Growing, rounds, Effect::Add, |_, _| Blocks::range(0, 1));
    }

    /// Returns the all-gather among the places, of the blocks of all ranks. A place holds the block of its rank, and that of
    /// the rank that it takes part for.
    pub(super) fn all_gather(&self) -> Rounds {
        let mut rounds = Rounds::new(self.ranks, self.ranks);
        let start = |place: u32| place + place.min(self.folded);
        self.exchange(Distances::Growing, &mut rounds, Effect::Copy, |place, holders| {
            let first = place - place % holders;
            Blocks::range(start(first), start(first + holders) - start(first))
        });
        rounds
    }

    /// Returns the all-gather among the places, of one block per place. The largest distance is first, so that the largest
    /// messages go to the nearest ranks. A place owns the block with its digits in [reverse order](Self::reversed).
    pub(super) fn all_gather_of_places(&self) -> Rounds {
        let mut rounds = Rounds::new(self.ranks, self.count);
        self.exchange(Distances::Shrinking, &mut rounds, Effect::Copy, |place, holders| {
            let own = self.reversed(place);
            Blocks::range(own - own % holders, holders)
        });
        rounds
    }

    /// Returns the number with the digits of a place in reverse order.
    pub(super) fn reversed(&self, place: u32) -> u32 {
        let (mut rest, mut reversed) = (place, 0);
        for &radix in &self.radices {
            (reversed, rest) = (reversed * radix + rest % radix, rest / radix);
        }
        reversed
    }
}
