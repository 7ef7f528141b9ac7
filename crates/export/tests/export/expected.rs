//! The results of a collective by its definition, without the code of the crate.

use lockstep_export::{Buffer, Placement, Slot};
use lockstep_schedule::{CollectiveName, Pattern, Problem};

use crate::interpreter::Memory;

fn input(offset: u32) -> Slot {
    Slot { buffer: Buffer::Input, offset }
}

fn output(offset: u32) -> Slot {
    Slot { buffer: Buffer::Output, offset }
}

/// Returns the slots that the collective determines, with the rank and the expected contents. `memory` is the state before.
pub(crate) fn results(problem: &Problem<'_>, placement: Placement, memory: &[Memory]) -> Vec<(usize, Slot, u64)> {
    let topology = problem.topology();
    let (ranks, chunks) = (topology.terminal_count() as u32, problem.messages().chunks());
    let root = problem.collective().root().map(|root| topology.terminal_rank(root).expect("a terminal") as u32);
    let at = |rank: u32, slot: Slot| memory[rank as usize][&slot];
    let in_place = placement == Placement::InPlace;
    let mut results = Vec::new();
    let mut add = |rank: u32, slot, value| results.push((rank as usize, slot, value));
    let sum_at = |slot: &dyn Fn(u32) -> Slot| (0..ranks).fold(0u64, |sum, rank| sum.wrapping_add(at(rank, slot(rank))));
    let Some(name) = problem.collective().name() else { return listed_results(problem, placement, memory) };
    let blocks = || (0..ranks).flat_map(|peer| (0..chunks).map(move |chunk| (peer, peer * chunks + chunk, chunk)));
    for rank in 0..ranks {
        let is_root = root == Some(rank);
        match (name, root) {
            (CollectiveName::Broadcast, Some(root)) => {
                for chunk in 0..chunks {
                    let value = at(root, if in_place { output(chunk) } else { input(chunk) });
                    add(rank, output(chunk), value);
                }
            }
            (CollectiveName::Scatter, Some(root)) => {
                for chunk in 0..chunks {
                    let own = rank * chunks + chunk;
                    let place = if in_place && is_root { input(own) } else { output(chunk) };
                    add(rank, place, at(root, input(own)));
                }
            }
            (CollectiveName::Gather, Some(_)) if is_root => {
                for (peer, block, chunk) in blocks() {
                    let place = if in_place && peer == rank { output(block) } else { input(chunk) };
                    add(rank, output(block), at(peer, place));
                }
            }
            (CollectiveName::Reduce, Some(root)) if is_root => {
                for chunk in 0..chunks {
                    let place = |peer| if in_place && peer == root { output(chunk) } else { input(chunk) };
                    add(rank, output(chunk), sum_at(&place));
                }
            }
            (CollectiveName::AllGather, _) => {
                for (peer, block, chunk) in blocks() {
                    add(rank, output(block), at(peer, if in_place { output(block) } else { input(chunk) }));
                }
            }
            (CollectiveName::AllToAll, _) => {
                for (peer, block, chunk) in blocks() {
                    let place = rank * chunks + chunk;
                    add(rank, output(block), at(peer, if in_place { output(place) } else { input(place) }));
                }
            }
            (CollectiveName::ReduceScatter, _) => {
                for chunk in 0..chunks {
                    let own = rank * chunks + chunk;
                    add(rank, if in_place { input(own) } else { output(chunk) }, sum_at(&|_| input(own)));
                }
            }
            (CollectiveName::AllReduce, _) => {
                for (_, block, _) in blocks() {
                    add(rank, output(block), sum_at(&|_| if in_place { output(block) } else { input(block) }));
                }
            }
            _ => {}
        }
    }
    results
}

/// Returns the same for lists of messages: inputs and outputs are in ascending order.
fn listed_results(problem: &Problem<'_>, placement: Placement, memory: &[Memory]) -> Vec<(usize, Slot, u64)> {
    let topology = problem.topology();
    let messages = problem.messages();
    let mut used = vec![(0, 0); topology.terminal_count()];
    let mut results = Vec::new();
    for message in messages.ids() {
        let rank = |node| topology.terminal_rank(node).expect("a terminal");
        let source = vec![rank(messages.source(message))];
        let others: Vec<usize> = messages.receivers_iter(message).map(rank).collect();
        let all = [source.clone(), others.clone()].concat();
        let (origins, goals) = match problem.collective().pattern() {
            Pattern::Gather => (others, source),
            Pattern::Reduce => (all, source),
            Pattern::ReduceBroadcast => (all.clone(), all),
            _ => (source, others),
        };
        let mut sum = 0u64;
        for rank in origins {
            let place = if placement == Placement::InPlace { output(used[rank].0) } else { input(used[rank].0) };
            used[rank].0 += 1;
            sum = sum.wrapping_add(memory[rank][&place]);
        }
        for rank in goals {
            results.push((rank, output(used[rank].1), sum));
            used[rank].1 += 1;
        }
    }
    results
}
