//! The algorithms of Open MPI's component `tuned`.
//!
//! Left out: `nonoverlapping` and `linear` all-gathers, which call other collectives and so depend on other rules; `two_proc`, which is recursive doubling; `linear_sync` and
//! `linear_nb`, which the model cannot tell from `pairwise` and `linear`.
//!
//! # Source
//!
//! Open MPI 4.1.4 and main, `ompi/mca/coll/tuned/coll_tuned_*_decision.c`.

use lockstep_schedule::CollectiveName;

use super::collective::{LibraryAlgorithm, LibraryCollective};
use crate::algorithm::{all_gather, all_reduce, all_to_all, tree};

/// Fan-outs of chains.
const CHAINS: &[u32] = &[2, 4, 8];

const ALL_GATHER: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::radix(2, "bruck", &all_gather::BRUCK, &[2]),
    LibraryAlgorithm::radix(3, "recursive_doubling", &all_gather::RECURSIVE_DOUBLING, &[2]),
    LibraryAlgorithm::plain(4, "ring", &all_gather::RING),
    LibraryAlgorithm::plain(5, "neighbor", &all_gather::NEIGHBOR_EXCHANGE),
];

const ALL_GATHER_6: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::radix(2, "bruck", &all_gather::BRUCK, &[2]),
    LibraryAlgorithm::radix(3, "recursive_doubling", &all_gather::RECURSIVE_DOUBLING, &[2]),
    LibraryAlgorithm::plain(4, "ring", &all_gather::RING),
    LibraryAlgorithm::plain(5, "neighbor", &all_gather::NEIGHBOR_EXCHANGE),
    LibraryAlgorithm::plain(7, "sparbit", &all_gather::SPARBIT),
    LibraryAlgorithm::plain(8, "direct", &all_gather::DIRECT),
];

const ALL_REDUCE: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(1, "linear", &all_reduce::LINEAR),
    LibraryAlgorithm::radix(3, "recursive_doubling", &all_reduce::RECURSIVE_DOUBLING, &[2]),
    LibraryAlgorithm::plain(4, "ring", &all_reduce::RING),
    LibraryAlgorithm::plain(5, "segmented_ring", &all_reduce::SEGMENTED_RING).in_segments(),
    LibraryAlgorithm::plain(6, "rabenseifner", &all_reduce::RABENSEIFNER_OF_HALVES),
];

const ALL_TO_ALL: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(1, "linear", &all_to_all::LINEAR),
    LibraryAlgorithm::plain(2, "pairwise", &all_to_all::PAIRWISE),
    LibraryAlgorithm::radix(3, "modified_bruck", &all_to_all::BRUCK, &[2]),
];

const BROADCAST: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(1, "linear", &tree::LINEAR),
    LibraryAlgorithm::radix(2, "chain", &tree::CHAIN, CHAINS).in_segments(),
    LibraryAlgorithm::radix(3, "pipeline", &tree::CHAIN, &[1]).in_segments(),
    LibraryAlgorithm::plain(4, "split_binary", &tree::SPLIT_BINARY).in_segments(),
    LibraryAlgorithm::plain(5, "binary", &tree::BINARY).in_segments(),
    LibraryAlgorithm::plain(6, "binomial", &tree::NEAR_BINOMIAL),
    LibraryAlgorithm::radix(7, "knomial", &tree::K_NOMIAL, &[4]),
    LibraryAlgorithm::radix(8, "scatter_allgather", &tree::SCATTER_ALL_GATHER, &[2]),
    LibraryAlgorithm::plain(9, "scatter_allgather_ring", &tree::SCATTER_RING),
];

const REDUCE: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(1, "linear", &tree::LINEAR_REDUCE),
    LibraryAlgorithm::radix(2, "chain", &tree::CHAIN_REDUCE, CHAINS).in_segments(),
    LibraryAlgorithm::radix(3, "pipeline", &tree::CHAIN_REDUCE, &[1]).in_segments(),
    LibraryAlgorithm::plain(4, "binary", &tree::BINARY_REDUCE).in_segments(),
    LibraryAlgorithm::radix(5, "binomial", &tree::K_NOMIAL_REDUCE, &[2]),
    LibraryAlgorithm::plain(6, "in-order_binary", &tree::IN_ORDER_BINARY_REDUCE).in_segments(),
    LibraryAlgorithm::plain(7, "rabenseifner", &tree::REDUCE_SCATTER_GATHER_OF_HALVES),
];

const REDUCE_SCATTER: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::radix(2, "recursive_halving", &all_gather::RECURSIVE_HALVING, &[2]),
    LibraryAlgorithm::plain(3, "ring", &all_gather::RING_REDUCE_SCATTER),
    LibraryAlgorithm::plain(4, "butterfly", &all_gather::BUTTERFLY),
];

const REDUCE_SCATTER_BLOCK: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(2, "recursive_doubling", &all_gather::RECURSIVE_DOUBLING_REDUCE_SCATTER),
    LibraryAlgorithm::radix(3, "recursive_halving", &all_gather::RECURSIVE_HALVING, &[2]),
    LibraryAlgorithm::plain(4, "butterfly", &all_gather::STRIDED_HALVING),
];

const GATHER: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(1, "linear", &tree::LINEAR_GATHER),
    LibraryAlgorithm::plain(2, "binomial", &tree::BINOMIAL_GATHER),
];

const SCATTER: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(1, "linear", &tree::LINEAR_SCATTER),
    LibraryAlgorithm::plain(2, "binomial", &tree::BINOMIAL_SCATTER),
];

/// Collectives of Open MPI 4.1 and 5.
pub(super) const COLLECTIVES: &[LibraryCollective] = &[
    LibraryCollective::new(CollectiveName::AllGather, 0, "allgather", ALL_GATHER),
    LibraryCollective::new(CollectiveName::AllReduce, 2, "allreduce", ALL_REDUCE),
    LibraryCollective::new(CollectiveName::AllToAll, 3, "alltoall", ALL_TO_ALL),
    LibraryCollective::new(CollectiveName::Broadcast, 7, "bcast", BROADCAST),
    LibraryCollective::new(CollectiveName::Gather, 9, "gather", GATHER),
    LibraryCollective::new(CollectiveName::Reduce, 11, "reduce", REDUCE),
    LibraryCollective::new(CollectiveName::ReduceScatter, 12, "reduce_scatter", REDUCE_SCATTER),
    LibraryCollective::new(CollectiveName::ReduceScatter, 13, "reduce_scatter_block", REDUCE_SCATTER_BLOCK),
    LibraryCollective::new(CollectiveName::Scatter, 15, "scatter", SCATTER),
];

/// Collectives of Open MPI 6. The schema of its rules and their reader do not agree on the names of reduce-scatters, so there are
/// no rules for them.
pub(super) const COLLECTIVES_6: &[LibraryCollective] = &[
    LibraryCollective::new(CollectiveName::AllGather, 0, "allgather", ALL_GATHER_6),
    LibraryCollective::new(CollectiveName::AllReduce, 2, "allreduce", ALL_REDUCE),
    LibraryCollective::new(CollectiveName::AllToAll, 3, "alltoall", ALL_TO_ALL),
    LibraryCollective::new(CollectiveName::Broadcast, 7, "bcast", BROADCAST),
    LibraryCollective::new(CollectiveName::Gather, 9, "gather", GATHER),
    LibraryCollective::new(CollectiveName::Reduce, 11, "reduce", REDUCE),
    LibraryCollective::new(CollectiveName::Scatter, 15, "scatter", SCATTER),
];
