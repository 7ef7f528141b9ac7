//! The paths of a table of shortest paths: all paths of a pair, or a uniform sample.

use std::collections::BTreeSet;
use std::ops::Range;

use lockstep_topology::{ChannelId, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::shortest_paths::{ShortestPathGraph, ShortestPaths};

/// Writes the `channels` of a table of shortest paths, in parallel over targets.
pub(crate) fn write_paths(
    paths: &ShortestPaths<'_>,
    seed: u64,
    pair_start: &[u32],
    path_start: &[u32],
    mut channels: &mut [ChannelId],
) {
    let terminals = paths.topology().terminals();
    let start = |pair: usize| path_start[pair_start[pair] as usize] as usize;
    let length = |pairs: Range<usize>| start(pairs.end) - start(pairs.start);
    let rows: Vec<_> = (0..terminals.len())
        .map(|target| target * terminals.len())
        .map(|first| (first, channels.split_off_mut(..length(first..first + terminals.len()))))
        .collect();
    rows.into_par_iter().zip(terminals).for_each(|((first, row), &target)| {
        let mut row = row.expect("the paths fill the channels");
        for (pair, &source) in (first..).zip(terminals) {
            let selection = row.split_off_mut(..length(pair..pair + 1)).expect("the pairs fill their row");
            if !selection.is_empty() {
                write_selection(paths.graph(source), source, target, seed, selection);
            }
        }
    });
}

/// Fills `paths` with distinct shortest paths of a pair, all of them or a uniform sample, in the order of
/// [`ShortestPaths::paths`].
fn write_selection(graph: ShortestPathGraph<'_>, source: NodeId, target: NodeId, seed: u64, paths: &mut [ChannelId]) {
    let length = graph.distance(target) as usize;
    let wanted = (paths.len() / length) as u64;
    let paths = paths.chunks_exact_mut(length);
    let count = graph.count(target);
    if count == wanted {
        for (rank, path) in (0..).zip(paths) {
            graph.write_path(target, rank, path);
        }
        return;
    }
    let mut rng = pair_rng(seed, source, target);
    if count < u64::MAX {
        // Floyd's algorithm: a uniform sample of `wanted` distinct ranks.
        let mut ranks = BTreeSet::new();
        for last in count - wanted..count {
            if !ranks.insert(rng.random_range(0..=last)) {
                ranks.insert(last);
            }
        }
        for (rank, path) in ranks.into_iter().zip(paths) {
            graph.write_path(target, rank, path);
        }
    } else {
        // Ranks are beyond 2^64, so paths are compared backwards, which is the order of ranks.
        let mut backwards = BTreeSet::new();
        while (backwards.len() as u64) < wanted {
            let mut path = vec![ChannelId::new(0); length];
            graph.write_sample(target, &mut rng, &mut path);
            path.reverse();
            backwards.insert(path);
        }
        for (backwards, path) in backwards.iter().zip(paths) {
            path.copy_from_slice(backwards);
            path.reverse();
        }
    }
}

/// Returns the random stream of a pair.
pub(crate) fn pair_rng(seed: u64, source: NodeId, target: NodeId) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&source.number().to_le_bytes());
    key[12..16].copy_from_slice(&target.number().to_le_bytes());
    ChaCha8Rng::from_seed(key)
}
