//! Executes all algorithms on symbolic data, and counts their messages.

use std::collections::BTreeSet;

use lockstep_schedule::CollectiveName;

use super::{Algorithm, all_gather, all_reduce, all_to_all, tree};
use crate::rounds::{Effect, Phase};

/// The contributions that a rank has of a block: by contributor, or by origin and owner in an all-to-all.
type Held = BTreeSet<u32>;

/// All algorithms of a collective, with the radix or fan-out to test.
fn algorithms() -> Vec<(CollectiveName, Algorithm, &'static [u32])> {
    use CollectiveName::{AllGather, AllReduce, AllToAll, Broadcast, Gather, Reduce, ReduceScatter, Scatter};
    const NONE: &[u32] = &[0];
    const RADICES: &[u32] = &[2, 3, 4, 5, 8];
    const FANS: &[u32] = &[1, 2, 4, 8];
    vec![
        (AllGather, all_gather::RING, NONE),
        (AllGather, all_gather::NEIGHBOR_EXCHANGE, NONE),
        (AllGather, all_gather::BRUCK, RADICES),
        (AllGather, all_gather::RECURSIVE_DOUBLING, RADICES),
        (AllGather, all_gather::K_NOMIAL, RADICES),
        (AllGather, all_gather::SPARBIT, NONE),
        (AllGather, all_gather::DIRECT, NONE),
        (ReduceScatter, all_gather::RING_REDUCE_SCATTER, NONE),
        (ReduceScatter, all_gather::PAIRWISE_REDUCE_SCATTER, NONE),
        (ReduceScatter, all_gather::RECURSIVE_HALVING, RADICES),
        (ReduceScatter, all_gather::BUTTERFLY, NONE),
        (ReduceScatter, all_gather::STRIDED_HALVING, NONE),
        (ReduceScatter, all_gather::RECURSIVE_DOUBLING_REDUCE_SCATTER, NONE),
        (AllReduce, all_reduce::LINEAR, NONE),
        (AllReduce, all_reduce::RECURSIVE_DOUBLING, RADICES),
        (AllReduce, all_reduce::RING, NONE),
        (AllReduce, all_reduce::SEGMENTED_RING, NONE),
        (AllReduce, all_reduce::RABENSEIFNER, RADICES),
        (AllReduce, all_reduce::RABENSEIFNER_OF_HALVES, NONE),
        (AllReduce, all_reduce::DOUBLE_BINARY, NONE),
        (AllToAll, all_to_all::LINEAR, NONE),
        (AllToAll, all_to_all::PAIRWISE, NONE),
        (AllToAll, all_to_all::BRUCK, RADICES),
        (Broadcast, tree::LINEAR, NONE),
        (Broadcast, tree::K_NOMIAL, RADICES),
        (Broadcast, tree::NEAR_BINOMIAL, NONE),
        (Broadcast, tree::CHAIN, FANS),
        (Broadcast, tree::BINARY, NONE),
        (Broadcast, tree::SPLIT_BINARY, NONE),
        (Broadcast, tree::DOUBLE_BINARY, NONE),
        (Broadcast, tree::SCATTER_ALL_GATHER, RADICES),
        (Broadcast, tree::SCATTER_RING, NONE),
        (Reduce, tree::LINEAR_REDUCE, NONE),
        (Reduce, tree::K_NOMIAL_REDUCE, RADICES),
        (Reduce, tree::CHAIN_REDUCE, FANS),
        (Reduce, tree::BINARY_REDUCE, NONE),
        (Reduce, tree::IN_ORDER_BINARY_REDUCE, NONE),
        (Reduce, tree::DOUBLE_BINARY_REDUCE, NONE),
        (Reduce, tree::REDUCE_SCATTER_GATHER, RADICES),
        (Reduce, tree::REDUCE_SCATTER_GATHER_OF_HALVES, NONE),
        (Gather, tree::LINEAR_GATHER, NONE),
        (Gather, tree::BINOMIAL_GATHER, NONE),
        (Scatter, tree::LINEAR_SCATTER, NONE),
        (Scatter, tree::BINOMIAL_SCATTER, NONE),
    ]
}

/// What a rank holds of a block before the collective, as the number of blocks of `phases` counts them.
fn before(collective: CollectiveName, ranks: u32, rank: u32, block: u32) -> Held {
    let holds = match collective {
        CollectiveName::Broadcast | CollectiveName::Scatter => rank == 0,
        CollectiveName::AllGather | CollectiveName::Gather => rank == block,
        _ => true,
    };
    let label = match collective {
        CollectiveName::AllToAll => rank * ranks + (rank + block) % ranks,
        CollectiveName::Reduce | CollectiveName::ReduceScatter | CollectiveName::AllReduce => rank,
        _ => 0,
    };
    holds.then_some(label).into_iter().collect()
}

/// What a rank must hold of a block after the collective; `None` if anything is right.
fn after(collective: CollectiveName, ranks: u32, rank: u32, block: u32) -> Option<Held> {
    let needs = match collective {
        CollectiveName::Gather | CollectiveName::Reduce => rank == 0,
        CollectiveName::Scatter | CollectiveName::ReduceScatter => rank == block,
        _ => true,
    };
    needs.then(|| match collective {
        CollectiveName::AllToAll => Held::from([(rank + ranks - block) % ranks * ranks + rank]),
        CollectiveName::Reduce | CollectiveName::ReduceScatter | CollectiveName::AllReduce => (0..ranks).collect(),
        _ => Held::from([0]),
    })
}

/// Executes an algorithm. Returns what is wrong first.
fn execute(collective: CollectiveName, ranks: u32, phases: &[Phase]) -> Result<(), String> {
    let blocks = phases[0].rounds.blocks();
    let start = |rank| (0..blocks).map(|block| before(collective, ranks, rank, block)).collect();
    let mut held: Vec<Vec<Held>> = (0..ranks).map(start).collect();
    for phase in phases {
        if phase.rounds.blocks() != blocks || phase.rounds.ranks() != ranks {
            return Err("the parts differ in their blocks".to_owned());
        }
        for round in phase.rounds.iter() {
            for time in 0..round.times {
                let sent = held.clone();
                for message in round.messages {
                    if message.from == message.to {
                        return Err(format!("{message:?} to itself"));
                    }
                    for block in message.blocks.iter(blocks) {
                        let block = phase.rounds.moved(block, round.shift * i64::from(time)) as usize;
                        let data = &sent[message.from as usize][block];
                        let place = &mut held[message.to as usize][block];
                        if data.is_empty() {
                            return Err(format!("{message:?}: no data of block {block}"));
                        }
                        match round.effect {
                            Effect::Copy => place.clone_from(data),
                            Effect::Add if place.is_disjoint(data) => place.extend(data),
                            Effect::Add => return Err(format!("{message:?}: block {block} has data twice")),
                        }
                    }
                }
            }
        }
    }
    for rank in 0..ranks {
        for block in 0..blocks {
            let expected = after(collective, ranks, rank, block);
            if expected.is_some_and(|expected| expected != held[rank as usize][block as usize]) {
                return Err(format!("rank {rank} has {:?} of block {block}", held[rank as usize][block as usize]));
            }
        }
    }
    Ok(())
}

#[test]
fn every_algorithm_brings_the_right_data_to_every_rank() {
    for (collective, algorithm, fans) in algorithms() {
        for ranks in (2..=12).chain([15, 16, 17, 25]) {
            for &fan in fans {
                if let Some(phases) = (algorithm.phases)(ranks, fan) {
                    let result = execute(collective, ranks, &phases);
                    assert_eq!(result, Ok(()), "{collective} {} of {ranks} ranks, {fan}", algorithm.name);
                }
            }
        }
    }
}

/// A round less, or a message less, and the execution is wrong: the test above can fail.
#[test]
fn a_missing_message_is_noticed() {
    for (collective, algorithm, fans) in algorithms() {
        let phases = (algorithm.phases)(8, fans[0]).expect("eight ranks fit all algorithms");
        if collective == CollectiveName::Broadcast && phases[0].rounds.blocks() == 8 {
            // A scatter and an all-gather bring some blocks twice.
            continue;
        }
        for (place, phase) in phases.iter().enumerate() {
            for message in 0..phase.rounds.messages().len() {
                let mut spoiled = phases.clone();
                spoiled[place].rounds = phase.rounds.without(message);
                assert!(execute(collective, 8, &spoiled).is_err(), "{collective} {}: {message}", algorithm.name);
            }
        }
    }
}

/// Messages and blocks that the rank with most of them sends, and the number of rounds.
fn sent(algorithm: Algorithm, ranks: u32, fan: u32) -> [u32; 3] {
    let mut counts = vec![[0; 2]; ranks as usize];
    let mut rounds = 0;
    for phase in (algorithm.phases)(ranks, fan).expect("the number of ranks fits") {
        for round in phase.rounds.iter() {
            rounds += round.times;
            for message in round.messages {
                let [messages, blocks] = &mut counts[message.from as usize];
                (*messages, *blocks) = (*messages + round.times, *blocks + round.times * message.blocks.count);
            }
        }
    }
    let [messages, blocks] = [0, 1].map(|part| counts.iter().map(|count| count[part]).max().unwrap_or(0));
    [messages, blocks, rounds]
}

/// The messages and blocks of the rank with most of them, as the monitor of Open MPI 4.1.4 counted them.
#[test]
fn messages_and_volumes_are_those_of_open_mpi() {
    assert_eq!(sent(all_gather::BRUCK, 8, 2), [3, 7, 3]);
    assert_eq!(sent(all_gather::RECURSIVE_DOUBLING, 8, 2), [3, 7, 3]);
    assert_eq!(sent(all_gather::RING, 8, 0), [7, 7, 7]);
    assert_eq!(sent(all_gather::NEIGHBOR_EXCHANGE, 8, 0), [4, 7, 4]);
    assert_eq!(sent(all_reduce::RECURSIVE_DOUBLING, 8, 2), [3, 3, 3]);
    assert_eq!(sent(all_reduce::RING, 8, 0), [14, 14, 14]);
    assert_eq!(sent(all_reduce::RABENSEIFNER, 8, 2), [6, 14, 6]);
    assert_eq!(sent(all_to_all::BRUCK, 8, 2), [3, 12, 3]);
    assert_eq!(sent(all_to_all::BRUCK, 6, 2), [3, 7, 3]);
    assert_eq!(sent(all_to_all::PAIRWISE, 6, 0), [5, 5, 5]);
    assert_eq!(sent(all_gather::BUTTERFLY, 8, 0), [4, 8, 4]);
    assert_eq!(sent(all_gather::STRIDED_HALVING, 8, 0), [3, 7, 3]);
    assert_eq!(sent(all_gather::RECURSIVE_DOUBLING_REDUCE_SCATTER, 8, 0), [3, 17, 3]);
    let split: Vec<usize> =
        (tree::SPLIT_BINARY.phases)(8, 0).unwrap().iter().map(|phase| phase.rounds.messages().len()).collect();
    assert_eq!(split, [7, 7]);
    let chain = (tree::CHAIN.phases)(8, 4).unwrap();
    let of_root: Vec<u32> =
        chain[0].rounds.messages().iter().filter(|message| message.from == 0).map(|message| message.to).collect();
    assert_eq!(of_root, [1, 3, 5, 7]);
}

/// The rows of textbooks for other numbers of ranks: rounds and volume of the rank that sends most.
#[test]
fn rounds_and_volumes_are_those_of_textbooks() {
    for ranks in 2u32..70 {
        let levels = ranks.next_power_of_two().ilog2();
        assert_eq!(sent(all_gather::BRUCK, ranks, 2), [levels, ranks - 1, levels]);
        assert_eq!(sent(all_gather::SPARBIT, ranks, 0), [levels, ranks - 1, levels]);
        assert_eq!(sent(all_gather::RING, ranks, 0), [ranks - 1; 3]);
        assert_eq!(sent(tree::K_NOMIAL, ranks, 2), [levels; 3]);
        assert_eq!(sent(tree::NEAR_BINOMIAL, ranks, 0), [levels; 3]);
        let folds = if ranks.is_power_of_two() { 0 } else { 2 };
        assert_eq!(sent(all_reduce::RECURSIVE_DOUBLING, ranks, 2)[2], ranks.ilog2() + folds);
        assert_eq!(sent(all_reduce::RABENSEIFNER, ranks, 2)[2], 2 * ranks.ilog2() + folds);
        let binary = (tree::BINARY.phases)(ranks, 0).unwrap();
        assert_eq!(binary[0].rounds.iter().count() as u32, ranks.ilog2());
        assert_eq!(sent(tree::BINOMIAL_SCATTER, ranks, 0), [levels, ranks - 1, levels]);
    }
}

/// NCCL has two places for children, and the trees of `nccl_double_tree` are those of the first and second children.
#[test]
fn no_two_ranks_have_the_same_place_below_a_parent() {
    for ranks in 1..200 {
        let both = tree::nccl_double_tree(ranks).into_iter().zip(tree::nccl_child_places(ranks));
        for (parents, places) in both {
            let mut seen = BTreeSet::new();
            for (parent, place) in parents.iter().zip(places) {
                assert!(place < 2 && parent.is_none_or(|parent| seen.insert((parent, place))), "{ranks} ranks");
            }
        }
    }
}
