//! All-to-alls. The block `j` of a rank goes to the rank `j` places ahead.

use super::{Algorithm, one};
use crate::blocks::Blocks;
use crate::rounds::{Effect, Message, Rounds};

/// Every rank sends all its blocks at once.
pub const LINEAR: Algorithm = Algorithm {
    name: "linear",
    about: "one round: every rank sends to all others",
    phases: |ranks, _| {
        let mut rounds = Rounds::new(ranks, ranks);
        rounds.push(Effect::Copy, (1..ranks).flat_map(|distance| direct(ranks, distance)));
        Some(one(rounds))
    },
};

/// In round `j`, every rank sends one block to the rank `j` places ahead.
pub const PAIRWISE: Algorithm = Algorithm {
    name: "pairwise",
    about: "p - 1 rounds: one block to the rank 1, 2, 3, ... places ahead",
    phases: |ranks, _| {
        let mut rounds = Rounds::new(ranks, ranks);
        for distance in 1..ranks {
            rounds.push(Effect::Copy, direct(ranks, distance));
        }
        Some(one(rounds))
    },
};

/// Blocks take one hop per digit of their distance in base `k`: `ceil(log_k p)` rounds.
///
/// # Source
///
/// Bruck, Ho, Kipnis, Upfal and Weathersby, *Efficient algorithms for all-to-all communications in multiport
/// message-passing systems* (1997).
pub const BRUCK: Algorithm = Algorithm {
    name: "bruck",
    about: "ceil(log_k p) rounds: a block takes one hop per digit of its distance in base k",
    phases: |ranks, radix| Some(one(bruck(ranks, radix))),
};

fn direct(ranks: u32, distance: u32) -> impl Iterator<Item = Message> {
    (0..ranks).map(move |from| Message { from, to: (from + distance) % ranks, blocks: Blocks::range(distance, 1) })
}

fn bruck(ranks: u32, radix: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let mut power = 1;
    while power < ranks {
        let next = power.saturating_mul(radix);
        let of_digit = |digit: u32| {
            let distance = digit * power;
            // The blocks below `ranks` with this digit: whole periods, and the rest of one.
            let (periods, rest) = (ranks / next, ranks % next);
            let count = periods * power + rest.saturating_sub(distance).min(power);
            let blocks = Blocks { first: distance, length: power, stride: next, count };
            (0..ranks).map(move |from| Message { from, to: (from + distance) % ranks, blocks })
        };
        let digits = (1..radix).take_while(|&digit| u64::from(digit) * u64::from(power) < u64::from(ranks));
        rounds.push(Effect::Copy, digits.flat_map(of_digit));
        power = next;
    }
    rounds
}
