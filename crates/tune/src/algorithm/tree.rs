//! Trees: broadcasts, reductions, gathers and scatters. The root is rank 0.

use super::exchange::{Join, Places};
use super::{Algorithm, all_gather, one};
use crate::blocks::Blocks;
use crate::rounds::{Effect, Message, Phase, Rounds, Segments};

/// The root sends to all others at once.
pub const LINEAR: Algorithm = Algorithm {
    name: "linear",
    about: "one round: the root sends to all others",
    phases: |ranks, _| Some(one(of_rounds(ranks, vec![star(ranks)]))),
};

/// A k-nomial tree: `ceil(log_k p)` rounds, in which every rank with the data sends to up to `k - 1` others, the furthest ones
/// first. Subtrees have consecutive ranks.
pub const K_NOMIAL: Algorithm = Algorithm {
    name: "k-nomial tree",
    about: "ceil(log_k p) rounds: every rank with the data sends it to k - 1 others, far ones first",
    phases: |ranks, radix| Some(one(of_rounds(ranks, k_nomial_rounds(ranks, radix)))),
};

/// A binomial tree in which the nearest ranks are first.
pub const NEAR_BINOMIAL: Algorithm = Algorithm {
    name: "binomial tree, near ranks first",
    about: "ceil(log2 p) rounds: every rank with the data sends it 1, 2, 4, ... places ahead",
    phases: |ranks, _| Some(one(of_rounds(ranks, near_rounds(ranks)))),
};

/// Chains of equal length from the root, with segments in a pipeline. The fan-out is the number of chains.
pub const CHAIN: Algorithm = Algorithm {
    name: "chain",
    about: "f chains from the root, with segments in a pipeline",
    phases: |ranks, fan| Some(vec![Phase::pipelined(of_rounds(ranks, chain_rounds(ranks, fan)))]),
};

/// A complete binary tree with segments in a pipeline.
pub const BINARY: Algorithm = Algorithm {
    name: "binary tree",
    about: "a complete binary tree, with segments in a pipeline",
    phases: |ranks, _| Some(vec![Phase::pipelined(of_rounds(ranks, level_rounds(ranks, binary_parent)))]),
};

/// Each half of the data goes down one side of a binary tree; the sides exchange their halves afterwards.
pub const SPLIT_BINARY: Algorithm = Algorithm {
    name: "split binary tree",
    about: "each half goes down one side of a binary tree, and the sides exchange the halves; at least 3 ranks",
    phases: |ranks, _| (ranks > 2).then(|| split_binary(ranks)),
};

/// Two binary trees, each for one half of the data, with segments in a pipeline.
///
/// # Source
///
/// Sanders, Speck and Träff, *Two-tree algorithms for full bandwidth broadcast, reduction and scan* (2009).
pub const DOUBLE_BINARY: Algorithm = Algorithm {
    name: "double binary tree",
    about: "two binary trees, each for one half of the data, with segments in a pipeline",
    phases: |ranks, _| Some(vec![Phase::pipelined(double_binary(ranks))]),
};

/// A binomial scatter, and an all-gather by recursive multiplying. Every rank must have a place in the groups.
pub const SCATTER_ALL_GATHER: Algorithm = Algorithm {
    name: "scatter and all-gather",
    about: "a binomial scatter and an all-gather by recursive doubling; p as for recursive doubling",
    phases: |ranks, radix| {
        let places = Places::new(ranks, radix);
        places.is_whole().then(|| one(followed(binomial_scatter(ranks), &places.all_gather())))
    },
};

/// A binomial scatter and an all-gather along a ring.
pub const SCATTER_RING: Algorithm = Algorithm {
    name: "scatter and ring",
    about: "a binomial scatter and an all-gather along a ring",
    phases: |ranks, _| Some(one(followed(binomial_scatter(ranks), &all_gather::ring(ranks)))),
};

/// Every rank sends its data to the root at once.
pub const LINEAR_REDUCE: Algorithm = Algorithm {
    name: "linear",
    about: "one round: all ranks send to the root",
    phases: |ranks, _| reduce(LINEAR, ranks, 0),
};

/// A reduction along a k-nomial tree.
pub const K_NOMIAL_REDUCE: Algorithm = Algorithm {
    name: "k-nomial tree",
    about: "ceil(log_k p) rounds towards the root",
    phases: |ranks, radix| reduce(K_NOMIAL, ranks, radix),
};

/// A reduction along chains.
pub const CHAIN_REDUCE: Algorithm = Algorithm {
    name: "chain",
    about: "f chains towards the root, with segments in a pipeline",
    phases: |ranks, fan| reduce(CHAIN, ranks, fan),
};

/// A reduction along a complete binary tree.
pub const BINARY_REDUCE: Algorithm = Algorithm {
    name: "binary tree",
    about: "a complete binary tree towards the root, with segments in a pipeline",
    phases: |ranks, _| reduce(BINARY, ranks, 0),
};

/// A reduction along a binary tree whose subtrees have consecutive ranks. Its root is the last rank, which sends the sum to the first.
pub const IN_ORDER_BINARY_REDUCE: Algorithm = Algorithm {
    name: "in-order binary tree",
    about: "a binary tree of consecutive ranks towards the last one, which sends the sum to the root",
    phases: |ranks, _| Some(in_order_reduce(ranks)),
};

/// A reduction along two binary trees.
pub const DOUBLE_BINARY_REDUCE: Algorithm = Algorithm {
    name: "double binary tree",
    about: "two binary trees towards the root, each for one half of the data",
    phases: |ranks, _| reduce(DOUBLE_BINARY, ranks, 0),
};

/// A reduce-scatter by recursive halving, and a gather of the blocks at the root.
///
/// # Source
///
/// Rabenseifner, *Optimization of collective reduction operations* (2004).
pub const REDUCE_SCATTER_GATHER: Algorithm = Algorithm {
    name: "reduce-scatter and gather",
    about: "recursive halving, and a binomial gather of the blocks at the root",
    phases: |ranks, radix| Some(one(reduce_scatter_gather(&Places::new(ranks, radix)))),
};

/// As [`REDUCE_SCATTER_GATHER`] with radix 2; the ranks of a pair that has one place add one half of their vectors each.
pub const REDUCE_SCATTER_GATHER_OF_HALVES: Algorithm = Algorithm {
    name: "reduce-scatter and gather of halves",
    about: "recursive halving and a gather; pairs of ranks above the power of two add one half each",
    phases: |ranks, _| Some(one(reduce_scatter_gather(&Places::new(ranks, 2).joined(Join::Halves)))),
};

/// The root gets every block directly.
pub const LINEAR_GATHER: Algorithm = Algorithm {
    name: "linear",
    about: "one round: all ranks send their blocks to the root",
    phases: |ranks, _| Some(one(linear_scatter(ranks).reversed(Effect::Copy))),
};

/// The blocks go to the root along a binomial tree.
pub const BINOMIAL_GATHER: Algorithm = Algorithm {
    name: "binomial tree",
    about: "ceil(log2 p) rounds towards the root",
    phases: |ranks, _| Some(one(binomial_scatter(ranks).reversed(Effect::Copy))),
};

/// The root sends every block directly.
pub const LINEAR_SCATTER: Algorithm = Algorithm {
    name: "linear",
    about: "one round: the root sends all blocks",
    phases: |ranks, _| Some(one(linear_scatter(ranks))),
};

/// The blocks leave the root along a binomial tree.
pub const BINOMIAL_SCATTER: Algorithm = Algorithm {
    name: "binomial tree",
    about: "ceil(log2 p) rounds from the root",
    phases: |ranks, _| Some(one(binomial_scatter(ranks))),
};

/// Pairs of a parent and its child.
type Edges = Vec<[u32; 2]>;

/// Adds an edge to a round.
fn push_at(rounds: &mut Vec<Edges>, round: usize, edge: [u32; 2]) {
    rounds.resize(rounds.len().max(round + 1), Vec::new());
    rounds[round].push(edge);
}

/// Returns the broadcast of one block along the edges of each round.
fn of_rounds(ranks: u32, edges: impl IntoIterator<Item = Edges>) -> Rounds {
    let mut rounds = Rounds::new(ranks, 1);
    for edges in edges {
        let messages = edges.into_iter().map(|[from, to]| Message { from, to, blocks: Blocks::range(0, 1) });
        rounds.push(Effect::Copy, messages);
    }
    rounds
}

/// Returns a broadcast backwards in time: the reduction.
fn reduce(broadcast: Algorithm, ranks: u32, fan: u32) -> Option<Vec<Phase>> {
    let backwards = |phase: &Phase| Phase { rounds: phase.rounds.reversed(Effect::Add), segments: phase.segments };
    Some((broadcast.phases)(ranks, fan)?.iter().rev().map(backwards).collect())
}

fn followed(mut first: Rounds, second: &Rounds) -> Rounds {
    first.append(second);
    first
}

fn star(ranks: u32) -> Edges {
    (1..ranks).map(|to| [0, to]).collect()
}

/// Returns the edges of each round of a k-nomial tree. The parent of a rank has 0 in place of its last digit in base `k` that is
/// not 0.
fn k_nomial_rounds(ranks: u32, radix: u32) -> Vec<Edges> {
    let mut distance = 1u32;
    while distance.saturating_mul(radix) < ranks {
        distance *= radix;
    }
    let mut rounds = Vec::new();
    while distance > 0 {
        let parents = (0..ranks).step_by(distance.saturating_mul(radix) as usize);
        let children = |parent: u32| (1..radix).map(move |digit| [parent, parent.saturating_add(digit * distance)]);
        rounds.push(parents.flat_map(children).filter(|&[_, child]| child < ranks).collect());
        distance /= radix;
    }
    rounds
}

/// Returns the edges of each round of a binomial tree: the ranks below `2^i` have the data before round `i`.
fn near_rounds(ranks: u32) -> Vec<Edges> {
    let mut held = 1u32;
    let mut rounds = Vec::new();
    while held < ranks {
        let next = (2 * held).min(ranks);
        rounds.push((held..next).map(|to| [to - held, to]).collect());
        held = next;
    }
    rounds
}

fn chain_rounds(ranks: u32, fan: u32) -> Vec<Edges> {
    let others = ranks - 1;
    let chains = fan.clamp(1, others.max(1));
    let (length, longer) = (others / chains, others % chains);
    let mut rounds: Vec<Edges> = Vec::new();
    let mut first = 1;
    for chain in 0..chains {
        let end = first + length + u32::from(chain < longer);
        for (depth, rank) in (first..end).enumerate() {
            push_at(&mut rounds, depth, [if depth == 0 { 0 } else { rank - 1 }, rank]);
        }
        first = end;
    }
    rounds
}

/// Returns the parent of a rank in the complete binary tree of Open MPI: a level has consecutive ranks, and odd ranks are on the
/// left side.
fn binary_parent(rank: u32) -> u32 {
    let level = (rank + 1).ilog2();
    let above = 1 << (level - 1);
    if rank - above >= above + above - 1 { rank - 2 * above } else { rank - above }
}

/// Returns the parent of each rank in the two trees of NCCL's double binary tree, `None` for the roots.
///
/// The second tree mirrors the first one, or is shifted by one rank if the number of ranks is odd. So ranks with children in one tree
/// have none in the other, except for roots.
///
/// # Source
///
/// NCCL 2.30.7, `src/graph/trees.cc`.
///
/// ```
/// use lockstep_tune::algorithm::tree::nccl_double_tree;
///
/// assert_eq!(nccl_double_tree(3), [vec![None, Some(2), Some(0)], vec![Some(1), None, Some(0)]]);
/// ```
pub fn nccl_double_tree(ranks: usize) -> [Vec<Option<usize>>; 2] {
    let count = u32::try_from(ranks).unwrap_or(u32::MAX);
    let parent = |rank: usize| (rank > 0).then(|| btree(rank as u32, count) as usize);
    let first = (0..ranks).map(parent).collect();
    let second = if ranks.is_multiple_of(2) {
        (0..ranks).map(|rank| parent(ranks - 1 - rank).map(|parent| ranks - 1 - parent)).collect()
    } else {
        (0..ranks).map(|rank| parent((rank + ranks - 1) % ranks).map(|parent| (parent + 1) % ranks)).collect()
    };
    [first, second]
}

/// Returns whether each rank is the first or the second child of its parent, as 0 or 1, in the two trees of [`nccl_double_tree`]. Roots have
/// 0.
///
/// The first child comes before its parent in the order of ranks from which a tree is made. Rank 0 of this order has a second child only.
///
/// # Source
///
/// NCCL 2.30.7, `src/graph/trees.cc`.
///
/// ```
/// use lockstep_tune::algorithm::tree::nccl_child_places;
///
/// assert_eq!(nccl_child_places(4), [[0, 0, 1, 1], [1, 1, 0, 0]]);
/// ```
pub fn nccl_child_places(ranks: usize) -> [Vec<usize>; 2] {
    let is_even = ranks.is_multiple_of(2);
    let [first, second] = nccl_double_tree(ranks);
    // The places of ranks in the order of the second tree: mirrored, or shifted by one.
    let place = |rank: usize| if is_even { ranks - 1 - rank } else { (rank + ranks - 1) % ranks };
    let child = |parents: &[Option<usize>], place: &dyn Fn(usize) -> usize| {
        let is_second =
            |(rank, parent): (usize, &Option<usize>)| parent.is_some_and(|parent| place(rank) > place(parent));
        parents.iter().enumerate().map(|entry| usize::from(is_second(entry))).collect()
    };
    [child(&first, &|rank| rank), child(&second, &place)]
}

/// Returns the parent of a rank above 0 in the binary tree of the lowest bits, whose root 0 has one child.
fn btree(rank: u32, ranks: u32) -> u32 {
    let bit = 1 << rank.trailing_zeros();
    let above = (rank ^ bit) | (bit << 1);
    if above >= ranks { rank ^ bit } else { above }
}

/// Returns the edges by level, from the root on.
fn level_rounds(ranks: u32, parent: impl Fn(u32) -> u32) -> Vec<Edges> {
    let mut depths = vec![u32::MAX; ranks as usize];
    depths[0] = 0;
    let mut rounds: Vec<Edges> = Vec::new();
    let mut way = Vec::new();
    for rank in 1..ranks {
        let mut at = rank;
        while depths[at as usize] == u32::MAX {
            way.push(at);
            at = parent(at);
        }
        while let Some(child) = way.pop() {
            depths[child as usize] = depths[at as usize] + 1;
            at = child;
        }
    }
    for rank in 1..ranks {
        push_at(&mut rounds, depths[rank as usize] as usize - 1, [parent(rank), rank]);
    }
    rounds
}

fn in_order_reduce(ranks: u32) -> Vec<Phase> {
    // Each entry is a subtree: its first rank, its number of ranks and its level. The last rank is its root, below which are the
    // first half of its ranks and the rest.
    let mut levels: Vec<Edges> = Vec::new();
    let mut subtrees = vec![(0, ranks, 0)];
    while let Some((first, size, level)) = subtrees.pop() {
        let root = first + size - 1;
        let half = size / 2;
        for (first, size) in [(first, half), (first + half, size - 1 - half)] {
            if size > 0 {
                push_at(&mut levels, level, [root, first + size - 1]);
                subtrees.push((first, size, level + 1));
            }
        }
    }
    let mut last = Rounds::new(ranks, 1);
    last.push(Effect::Copy, [Message { from: ranks - 1, to: 0, blocks: Blocks::range(0, 1) }]);
    vec![Phase::pipelined(of_rounds(ranks, levels).reversed(Effect::Add)), Phase::whole(last)]
}

fn split_binary(ranks: u32) -> Vec<Phase> {
    let mut down = Rounds::new(ranks, 2);
    // Odd ranks are on the left side and get the first half.
    let half = |rank: u32| Blocks::range(1 - rank % 2, 1);
    for edges in level_rounds(ranks, binary_parent) {
        down.push(Effect::Copy, edges.into_iter().map(|[from, to]| Message { from, to, blocks: half(to) }));
    }
    let mut exchange = Rounds::new(ranks, 2);
    let partner = |rank: u32| if rank.is_multiple_of(2) { rank - 1 } else { rank + 1 };
    let last = ranks.is_multiple_of(2).then(|| Message { from: 0, to: ranks - 1, blocks: half(ranks) });
    let between = (1..ranks).filter(|&from| partner(from) < ranks);
    let messages = between.map(|from| Message { from, to: partner(from), blocks: half(from) }).chain(last);
    exchange.push(Effect::Copy, messages);
    vec![Phase::pipelined(down), Phase::whole(exchange)]
}

pub(super) fn double_binary(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, 2);
    let first = level_rounds(ranks, |rank| btree(rank, ranks));
    // The second tree mirrors the first one, so that its leaves are other ranks. The root sends to its root first.
    let mirrored = |rank: u32| ranks - 1 - rank;
    let mut second: Vec<Edges> = vec![vec![[0, ranks - 1]]];
    second.extend(first.iter().map(|edges| edges.iter().map(|edge| edge.map(mirrored)).collect()));
    for level in 0..second.len() {
        let of_tree = |tree: &Vec<Edges>, block: u32| -> Vec<Message> {
            let edges = tree.get(level).into_iter().flatten();
            edges.map(|&[from, to]| Message { from, to, blocks: Blocks::range(block, 1) }).collect()
        };
        // Rank 0 is a node of the second tree, too, but has the data.
        let second = of_tree(&second, 1).into_iter().filter(|message| message.to != 0);
        rounds.push(Effect::Copy, of_tree(&first, 0).into_iter().chain(second));
    }
    rounds
}

fn linear_scatter(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    rounds.push(Effect::Copy, (1..ranks).map(|to| Message { from: 0, to, blocks: Blocks::range(to, 1) }));
    rounds
}

/// Returns the scatter in which a rank with the blocks of `2 d` consecutive ranks sends those of the second half.
pub(super) fn binomial_scatter(ranks: u32) -> Rounds {
    let mut rounds = Rounds::new(ranks, ranks);
    let mut distance = ranks.next_power_of_two() / 2;
    while distance > 0 {
        let senders = (0..ranks).step_by(2 * distance as usize).filter(|&from| from + distance < ranks);
        let messages = senders.map(|from| {
            let to = from + distance;
            Message { from, to, blocks: Blocks::range(to, distance.min(ranks - to)) }
        });
        rounds.push(Effect::Copy, messages);
        distance /= 2;
    }
    rounds
}

fn reduce_scatter_gather(places: &Places) -> Rounds {
    let all_gather = places.all_gather_of_places();
    let (ranks, blocks) = (all_gather.ranks(), places.count());
    let mut rounds = Rounds::new(ranks, blocks);
    places.join_vectors(&mut rounds);
    rounds.append(&all_gather.reversed(Effect::Add));
    // The gather follows the exchanges backwards. In each group, the place of the least number collects.
    let collector = |rank: u32| rank == places.rank(0);
    let mut holders: Vec<bool> = (0..ranks).map(collector).collect();
    let mut gather = Vec::new();
    for round in all_gather.iter().collect::<Vec<_>>().into_iter().rev() {
        let messages: Vec<Message> =
            round.messages.iter().copied().filter(|message| holders[message.to as usize]).collect();
        for message in &messages {
            holders[message.from as usize] = true;
        }
        gather.push(messages);
    }
    for messages in gather.into_iter().rev() {
        rounds.push(Effect::Copy, messages);
    }
    if places.rank(0) != 0 {
        rounds.push(Effect::Copy, [Message { from: places.rank(0), to: 0, blocks: Blocks::range(0, blocks) }]);
    }
    rounds
}

/// Returns the all-reduce along a tree: the reduction, and the broadcast of the same data.
pub(super) fn to_root_and_back(broadcast: &Rounds, segments: Segments) -> Vec<Phase> {
    let reduction = Phase { rounds: broadcast.reversed(Effect::Add), segments };
    vec![reduction, Phase { rounds: broadcast.clone(), segments }]
}
