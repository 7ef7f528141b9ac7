//! The algorithms of MPICH 4.0 inside one communicator. Version 5 has them, too.
//!
//! Left out: `smp`, which calls other collectives, and the variants that are only for other data: `noncommutative`,
//! `pairwise_sendrecv_replace`.
//!
//! # Source
//!
//! MPICH 4.0.2, `src/mpi/coll/`.

use lockstep_schedule::CollectiveName;

use super::collective::{LibraryAlgorithm, LibraryCollective};
use crate::algorithm::{all_gather, all_reduce, all_to_all, tree};

const REDUCE_SCATTER: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(0, "MPIR_Reduce_scatter_intra_pairwise", &all_gather::PAIRWISE_REDUCE_SCATTER),
    LibraryAlgorithm::plain(
        0,
        "MPIR_Reduce_scatter_intra_recursive_doubling",
        &all_gather::RECURSIVE_DOUBLING_REDUCE_SCATTER,
    ),
    LibraryAlgorithm::radix(0, "MPIR_Reduce_scatter_intra_recursive_halving", &all_gather::RECURSIVE_HALVING, &[2]),
];

const REDUCE_SCATTER_BLOCK: &[LibraryAlgorithm] = &[
    LibraryAlgorithm::plain(0, "MPIR_Reduce_scatter_block_intra_pairwise", &all_gather::PAIRWISE_REDUCE_SCATTER),
    LibraryAlgorithm::plain(
        0,
        "MPIR_Reduce_scatter_block_intra_recursive_doubling",
        &all_gather::RECURSIVE_DOUBLING_REDUCE_SCATTER,
    ),
    LibraryAlgorithm::radix(
        0,
        "MPIR_Reduce_scatter_block_intra_recursive_halving",
        &all_gather::RECURSIVE_HALVING,
        &[2],
    ),
];

/// Collectives of MPICH. Gather and scatter have one algorithm each.
pub(super) const COLLECTIVES: &[LibraryCollective] = &[
    LibraryCollective::new(
        CollectiveName::AllGather,
        0,
        "allgather",
        &[
            LibraryAlgorithm::radix(0, "MPIR_Allgather_intra_brucks", &all_gather::BRUCK, &[2]),
            LibraryAlgorithm::radix(
                0,
                "MPIR_Allgather_intra_recursive_doubling",
                &all_gather::RECURSIVE_DOUBLING,
                &[2],
            ),
            LibraryAlgorithm::plain(0, "MPIR_Allgather_intra_ring", &all_gather::RING),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::AllReduce,
        0,
        "allreduce",
        &[
            LibraryAlgorithm::radix(
                0,
                "MPIR_Allreduce_intra_recursive_doubling",
                &all_reduce::RECURSIVE_DOUBLING,
                &[2],
            ),
            LibraryAlgorithm::radix(
                0,
                "MPIR_Allreduce_intra_reduce_scatter_allgather",
                &all_reduce::RABENSEIFNER,
                &[2],
            ),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::AllToAll,
        0,
        "alltoall",
        &[
            LibraryAlgorithm::radix(0, "MPIR_Alltoall_intra_brucks", &all_to_all::BRUCK, &[2]),
            LibraryAlgorithm::plain(0, "MPIR_Alltoall_intra_pairwise", &all_to_all::PAIRWISE),
            LibraryAlgorithm::plain(0, "MPIR_Alltoall_intra_scattered", &all_to_all::LINEAR),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::Broadcast,
        0,
        "bcast",
        &[
            LibraryAlgorithm::radix(0, "MPIR_Bcast_intra_binomial", &tree::K_NOMIAL, &[2]),
            LibraryAlgorithm::radix(
                0,
                "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
                &tree::SCATTER_ALL_GATHER,
                &[2],
            ),
            LibraryAlgorithm::plain(0, "MPIR_Bcast_intra_scatter_ring_allgather", &tree::SCATTER_RING),
        ],
    ),
    LibraryCollective::new(
        CollectiveName::Reduce,
        0,
        "reduce",
        &[
            LibraryAlgorithm::radix(0, "MPIR_Reduce_intra_binomial", &tree::K_NOMIAL_REDUCE, &[2]),
            LibraryAlgorithm::radix(0, "MPIR_Reduce_intra_reduce_scatter_gather", &tree::REDUCE_SCATTER_GATHER, &[2]),
        ],
    ),
    LibraryCollective::new(CollectiveName::ReduceScatter, 0, "reduce_scatter", REDUCE_SCATTER),
    LibraryCollective::new(CollectiveName::ReduceScatter, 0, "reduce_scatter_block", REDUCE_SCATTER_BLOCK),
];
