//! All-gathers, and reduce-scatters, most of which are all-gathers backwards in time.

use super::exchange::Places;
use super::{Algorithm, one};
use crate::blocks::Blocks;
use crate::rounds::{Effect, Message, Rounds};

/// Every rank sends one block to the next rank, in `p - 1` rounds.
pub const RING: Algorithm = Algorithm {
    name: "ring",
    about: "p - 1 rounds of one block to the next rank",
    phases: |ranks, _| Some(one(ring(ranks))),
};

/// Pairs of neighbours exchange two blocks, in `p / 2` rounds. An even number of ranks.
///
/// # Source
///
/// Chen, Zhang, Yuan and Huang, *Performance evaluation of allgather algorithms on terascale Linux cluster with Fast
/// Ethernet* (2005).
pub const NEIGHBOR_EXCHANGE: Algorithm = Algorithm {
    name: "neighbor exchange",
    about: "p / 2 rounds of two blocks between neighbours; an even number of ranks",
    phases: |ranks, _| ranks.is_multiple_of(2).then(|| one(neighbor_exchange(ranks))),
};

/// Blocks come from the ranks 1, `k`, `k^2`, … places ahead: `ceil(log_k p)` rounds of up to `k - 1` messages.
///
/// # Source
///
/// Bruck, Ho, Kipnis, Upfal and Weathersby, *Efficient algorithms for all-to-all communications in multiport
/// message-passing systems* (1997).
pub const BRUCK: Algorithm = Algorithm {
    name: "bruck",
    about: "blocks from the ranks 1, k, k^2, ... places ahead: ceil(log_k p) rounds",
    phases: |ranks, radix| Some(one(bruck(ranks, radix))),
};

/// Recursive doubling, or multiplying for a radix above 2. Only for a product of such factors.
pub const RECURSIVE_DOUBLING: Algorithm = Algorithm {
    name: "recursive doubling",
    about: "groups that grow by the factor k: log_k p rounds; p must be a power of k, or a multiple below k of one",
    phases: |ranks, radix| {
        let places = Places::new(ranks, radix);
        places.is_whole().then(|| one(places.all_gather()))
    },
};

/// Recursive multiplying for any number of ranks: some ranks take part for a neighbour.
pub const K_NOMIAL: Algorithm = Algorithm {
    name: "k-nomial",
    about: "groups that grow by the factor k; ranks above the largest product join a neighbour",
    phases: |ranks, radix| {
        let places = Places::new(ranks, radix);
        let mut rounds = Rounds::new(ranks, ranks);
        rounds.push(Effect::Copy, places.join(|rank| Blocks::range(rank, 1)));
        rounds.append(&places.all_gather());
        rounds.push(Effect::Copy, places.leave(|_| Blocks::range(0, ranks)));
        Some(one(rounds))
    },
};

/// The largest distance is first, and messages have blocks at equal distances: `ceil(log2 p)` rounds.
///
/// # Source
///
/// Loch and Koslovski, *Sparbit: a new logarithmic-cost and data locality-aware MPI allgather algorithm* (2021).
pub const SPARBIT: Algorithm = Algorithm {
    name: "sparbit",
    about: "as bruck with radix 2, the largest distance first: large messages go to near ranks",
    phases: |ranks, _| Some(one(sparbit(ranks))),
};

/// Every rank sends its block to all others at once.
pub const DIRECT: Algorithm = Algorithm {
    name: "direct",
    about: "one round: every rank sends its block to all others",
    phases: |ranks, _| {
        let mut rounds = Rounds::new(ranks, ranks);
        let to_all = |from: u32| {
            let blocks = Blocks::range(from, 1);
            (1..ranks).map(move |turn| Message { from, to: (from + turn) % ranks, blocks })
        };
        rounds.push(Effect::Copy, (0..ranks).flat_map(to_all));
        Some(one(rounds))
    },
};

/// A reduce-scatter along a ring.
pub const RING_REDUCE_SCATTER: Algorithm = Algorithm {
    name: "ring",
    about: "p - 1 rounds of one block to the next rank",
    phases: |ranks, _| Some(one(ring_reduce_scatter(ranks))),
};

/// A reduce-scatter in `p - 1` rounds: in round `j`, every rank sends one block to the rank `j` places ahead.
pub const PAIRWISE_REDUCE_SCATTER: Algorithm = Algorithm {
    name: "pairwise",
    about: "p - 1 rounds: one block to its owner 1, 2, 3, ... places ahead",
    phases: |ranks, _| {
        let mut rounds = Rounds::new(ranks, ranks);
        for distance in 1..ranks {
            let message = |from: u32| {
                let to = (from + distance) % ranks;
                Message { from, to, blocks: Blocks::range(to, 1) }
            };
            rounds.push(Effect::Add, (0..ranks).map(message));
        }
        Some(one(rounds))
    },
};

/// A reduce-scatter by groups that shrink by the factor `k`.
pub const RECURSIVE_HALVING: Algorithm = Algorithm {
    name: "recursive halving",
    about: "groups that shrink by the factor k; ranks above the largest product join a neighbour",
    phases: |ranks, radix| {
        let places = Places::new(ranks, radix);
        let mut rounds = Rounds::new(ranks, ranks);
        rounds.push(Effect::Add, places.join(|_| Blocks::range(0, ranks)));
        rounds.append(&places.all_gather().reversed(Effect::Add));
        rounds.push(Effect::Copy, places.leave(|rank| Blocks::range(rank, 1)));
        Some(one(rounds))
    },
};

/// Recursive halving whose largest messages go to the nearest ranks; the last round brings blocks to their owners. Only for a
/// power of two.
///
/// # Source
///
/// Träff, *An improved algorithm for (non-commutative) reduce-scatter with an application* (2005).
pub const BUTTERFLY: Algorithm = Algorithm {
    name: "butterfly",
    about: "recursive halving, the smallest distance first, and one round more; a power of two",
    phases: |ranks, _| {
        ranks.is_power_of_two().then(|| {
            let places = Places::new(ranks, 2);
            let mut rounds = places.all_gather_of_places().reversed(Effect::Add);
            let to_owner = |place: u32| {
                let own = places.reversed(place);
                (own != place).then(|| Message { from: place, to: own, blocks: Blocks::range(own, 1) })
            };
            rounds.push(Effect::Copy, (0..ranks).filter_map(to_owner));
            one(rounds)
        })
    },
};

/// Recursive halving, the smallest distance first, of blocks at equal distances. Only for a power of two.
pub const STRIDED_HALVING: Algorithm = Algorithm {
    name: "strided halving",
    about: "recursive halving, the smallest distance first; a power of two",
    phases: |ranks, _| ranks.is_power_of_two().then(|| one(strided_halving(ranks))),
};

/// In round `i`, a rank sends the sums of all blocks but those of its own group of `2^i` ranks. Only for a power of two.
pub const RECURSIVE_DOUBLING_REDUCE_SCATTER: Algorithm = Algorithm {
    name: "recursive doubling",
    about: "log2 p rounds of all blocks that the partner's side still needs; a power of two",
    phases: |ranks, _| ranks.is_power_of_two().then(|| one(doubling_reduce_scatter(ranks))),
};

pub(super) fn ring(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let next = |from: u32| Message { from, to: (from + 1) % ranks, blocks: Blocks::range(from, 1) };
    rounds.push_times(Effect::Copy, ranks - 1, -1, (0..ranks).map(next));
    rounds
}

/// Returns the reduce-scatter in which the sum of a block begins behind its owner and goes round the ring.
pub(super) fn ring_reduce_scatter(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let next = |from: u32| {
        let blocks = Blocks::range((from + ranks - 1) % ranks, 1);
        Message { from, to: (from + 1) % ranks, blocks }
    };
    rounds.push_times(Effect::Add, ranks - 1, -1, (0..ranks).map(next));
    rounds
}

fn neighbor_exchange(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    // Even ranks exchange with the next rank and with the one before in turn.
    let direction = |rank: u32, round: u32| if (rank + round).is_multiple_of(2) { 1 } else { -1 };
    for round in 0..ranks / 2 {
        let message = |from: u32| {
            let to = rounds.moved(from, direction(from, round));
            let blocks = match round.checked_sub(1) {
                None => Blocks::range(from, 1),
                // The two blocks that arrived last. They have come one rank further in each round since the first one.
                Some(earlier) => {
                    let holder = rounds.moved(from, direction(from, earlier) * i64::from(earlier));
                    Blocks::range(holder - holder % 2, 2)
                }
            };
            Message { from, to, blocks }
        };
        let messages: Vec<Message> = (0..ranks).map(message).collect();
        rounds.push(Effect::Copy, messages);
    }
    rounds
}

fn bruck(ranks: u32, radix: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let mut held = 1;
    while held < ranks {
        let turns = (1..radix).take_while(|&turn| u64::from(turn) * u64::from(held) < u64::from(ranks));
        let of_turn = |turn: u32| {
            let distance = turn * held;
            let count = held.min(ranks - distance);
            (0..ranks).map(move |from| Message {
                from,
                to: (from + ranks - distance) % ranks,
                blocks: Blocks::range(from, count),
            })
        };
        rounds.push(Effect::Copy, turns.flat_map(of_turn));
        held = held.saturating_mul(radix).min(ranks);
    }
    rounds
}

fn sparbit(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let mut distance = ranks.next_power_of_two() / 2;
    while distance > 0 {
        // A rank holds the blocks 0, 2d, 4d, … places before its own. Each block moves d places on, unless it has arrived.
        let count = (ranks - distance).div_ceil(2 * distance);
        let message = |from: u32| {
            let furthest = (count - 1) * 2 * distance;
            let first = (from + ranks - furthest % ranks) % ranks;
            Message { from, to: (from + distance) % ranks, blocks: Blocks::strided(first, 2 * distance, count) }
        };
        rounds.push(Effect::Copy, (0..ranks).map(message));
        distance /= 2;
    }
    rounds
}

fn strided_halving(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let mut distance = 1;
    while distance < ranks {
        let message = |from: u32| {
            let to = from ^ distance;
            let stride = 2 * distance;
            Message { from, to, blocks: Blocks::strided(to % stride, stride, ranks / stride) }
        };
        rounds.push(Effect::Add, (0..ranks).map(message));
        distance *= 2;
    }
    rounds
}

fn doubling_reduce_scatter(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let mut group = 1;
    while group < ranks {
        let message = |from: u32| {
            let end = from - from % group + group;
            Message { from, to: from ^ group, blocks: Blocks::range(end % ranks, ranks - group) }
        };
        rounds.push(Effect::Add, (0..ranks).map(message));
        group *= 2;
    }
    rounds
}
