//! The algorithms of UCC's transport layer UCP, with its default radix of 4.
//!
//! Left out: one-sided algorithms, `sliding_window` and `batched`.
//!
//! # Source
//!
//! UCC, `src/components/tl/ucp/`, 2026-08.

use lockstep_schedule::CollectiveName;

use super::collective::{LibraryAlgorithm, LibraryCollective};
use crate::algorithm::{all_gather, all_reduce, all_to_all, tree};

const RADIX: &[u32] = &[4];

/// Collectives of UCC.
pub(super) const COLLECTIVES: &[LibraryCollective] = &[
    LibraryCollective::new(
        CollectiveName::AllGather,
        0,
        "allgather",
        &[
            LibraryAlgorithm::radix(0, "knomial", &all_gather::K_NOMIAL, RADIX),
            LibraryAlgorithm::plain(1, "ring", &all_gather::RING),
            LibraryAlgorithm::plain(2, "neighbor", &all_gather::NEIGHBOR_EXCHANGE),
            LibraryAlgorithm::radix(3, "bruck", &all_gather::BRUCK, &[2]),
            LibraryAlgorithm::plain(4, "sparbit", &all_gather::SPARBIT),
            LibraryAlgorithm::plain(5, "linear", &all_gather::DIRECT),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::AllReduce,
        0,
        "allreduce",
        &[
            LibraryAlgorithm::radix(0, "knomial", &all_reduce::RECURSIVE_DOUBLING, RADIX),
            LibraryAlgorithm::radix(1, "sra_knomial", &all_reduce::RABENSEIFNER, RADIX),
            LibraryAlgorithm::plain(3, "dbt", &all_reduce::DOUBLE_BINARY),
            LibraryAlgorithm::plain(4, "ring", &all_reduce::RING),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::AllToAll,
        0,
        "alltoall",
        &[
            LibraryAlgorithm::plain(0, "pairwise", &all_to_all::PAIRWISE),
            LibraryAlgorithm::radix(1, "bruck", &all_to_all::BRUCK, &[2]),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::Broadcast,
        0,
        "bcast",
        &[
            LibraryAlgorithm::radix(0, "knomial", &tree::K_NOMIAL, RADIX),
            LibraryAlgorithm::radix(1, "sag_knomial", &tree::SCATTER_ALL_GATHER, RADIX),
            LibraryAlgorithm::plain(2, "dbt", &tree::DOUBLE_BINARY),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::Reduce,
        0,
        "reduce",
        &[
            LibraryAlgorithm::radix(0, "knomial", &tree::K_NOMIAL_REDUCE, RADIX),
            LibraryAlgorithm::plain(1, "dbt", &tree::DOUBLE_BINARY_REDUCE),
            LibraryAlgorithm::radix(2, "srg", &tree::REDUCE_SCATTER_GATHER, RADIX),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::ReduceScatter,
        0,
        "reduce_scatter",
        &[
            LibraryAlgorithm::plain(0, "ring", &all_gather::RING_REDUCE_SCATTER),
            LibraryAlgorithm::radix(1, "knomial", &all_gather::RECURSIVE_HALVING, RADIX),
        ],
    ),
];
