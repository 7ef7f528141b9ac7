//! All-reduces.

use super::exchange::{Join, Places};
use super::{Algorithm, all_gather, one, tree};
use crate::blocks::Blocks;
use crate::rounds::{Effect, Phase, Rounds, Segments};

/// All vectors go to the first rank, which sends the sum to all.
pub const LINEAR: Algorithm = Algorithm {
    name: "linear",
    about: "two rounds: all vectors to the first rank, the sum to all",
    phases: |ranks, _| {
        let star = (tree::LINEAR.phases)(ranks, 0)?;
        Some(star.iter().flat_map(|phase| tree::to_root_and_back(&phase.rounds, Segments::Whole)).collect())
    },
};

/// Every rank sends whole vectors: `log_k p` rounds, and two more if `p` is no product of such factors.
pub const RECURSIVE_DOUBLING: Algorithm = Algorithm {
    name: "recursive doubling",
    about: "exchanges of whole vectors in groups that grow by the factor k",
    phases: |ranks, radix| {
        let places = Places::new(ranks, radix);
        let mut rounds = Rounds::new(ranks, 1);
        rounds.push(Effect::Add, places.join(|_| Blocks::range(0, 1)));
        places.exchange_vectors(&mut rounds);
        rounds.push(Effect::Copy, places.leave(|_| Blocks::range(0, 1)));
        Some(one(rounds))
    },
};

/// A reduce-scatter and an all-gather along a ring: `2 (p - 1)` rounds.
pub const RING: Algorithm = Algorithm {
    name: "ring",
    about: "a reduce-scatter and an all-gather along a ring",
    phases: |ranks, _| Some(on_ring(ranks, Segments::Whole)),
};

/// As [`RING`], with a reduce-scatter in segments.
pub const SEGMENTED_RING: Algorithm = Algorithm {
    name: "segmented ring",
    about: "a ring whose reduce-scatter takes one segment after another",
    phases: |ranks, _| Some(on_ring(ranks, Segments::InTurn)),
};

/// A reduce-scatter by recursive halving and an all-gather by recursive doubling.
///
/// # Source
///
/// Rabenseifner, *Optimization of collective reduction operations* (2004).
pub const RABENSEIFNER: Algorithm = Algorithm {
    name: "rabenseifner",
    about: "recursive halving and recursive doubling, with groups that grow by the factor k",
    phases: |ranks, radix| Some(one(rabenseifner(&Places::new(ranks, radix)))),
};

/// As [`RABENSEIFNER`] with radix 2; the ranks of a pair that has one place add one half of their vectors each.
pub const RABENSEIFNER_OF_HALVES: Algorithm = Algorithm {
    name: "rabenseifner of halves",
    about: "recursive halving and recursive doubling; pairs of ranks above the power of two add one half each",
    phases: |ranks, _| Some(one(rabenseifner(&Places::new(ranks, 2).joined(Join::Halves)))),
};

/// A reduction and a broadcast along two binary trees, each for one half of the vector.
pub const DOUBLE_BINARY: Algorithm = Algorithm {
    name: "double binary tree",
    about: "a reduction and a broadcast along two binary trees, with segments in a pipeline",
    phases: |ranks, _| Some(tree::to_root_and_back(&tree::double_binary(ranks), Segments::Pipelined)),
};

fn rabenseifner(places: &Places) -> Rounds {
    let all_gather = places.all_gather_of_places();
    let mut rounds = Rounds::new(all_gather.ranks(), places.count());
    places.join_vectors(&mut rounds);
    rounds.append(&all_gather.reversed(Effect::Add));
    rounds.append(&all_gather);
    rounds.push(Effect::Copy, places.leave(|_| Blocks::range(0, places.count())));
    rounds
}

fn on_ring(ranks: u32, segments: Segments) -> Vec<Phase> {
    let reduce_scatter = Phase { rounds: all_gather::ring_reduce_scatter(ranks), segments };
    vec![reduce_scatter, Phase::whole(all_gather::ring(ranks))]
}
