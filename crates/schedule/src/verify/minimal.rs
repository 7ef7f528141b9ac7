//! Minimal routing: no path is longer than it must be.

use lockstep_topology::{ChannelId, NodeId};

use super::{Case, Findings, Spot};
use crate::model::{Routing, Switching};
use crate::reach::{Inner, Search, UNREACHED};
use crate::violation::Violation;

/// The most distances that are held at a time: 64 MiB.
const BLOCK_DISTANCES: usize = 1 << 24;

/// Where the distances from a sender are.
#[derive(Clone, Copy)]
enum Row {
    /// Not known yet.
    Unknown,
    /// In this row of the block.
    At(u32),
    /// In an earlier block: its transfers have been judged.
    Judged,
}

pub(super) fn judge(case: &Case<'_>, findings: &mut Findings) {
    judge_in_blocks(case, findings, BLOCK_DISTANCES);
}

/// Finds the distances from a sender when they are first needed, and when there is no room for more, leaves the rest of
/// the senders to another pass over the schedule. A path of one channel is as short as can be.
pub(super) fn judge_in_blocks(case: &Case<'_>, findings: &mut Findings, block_distances: usize) {
    let Case { topology, problem, .. } = case;
    if problem.model().routing == Routing::Any || problem.model().switching == Switching::StoreAndForward {
        return;
    }
    let search = Search { topology, backwards: false, inner: Inner::Routing };
    let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
    let terminals = topology.terminals();
    let row_limit = (block_distances / terminals.len()).clamp(1, terminals.len());
    let mut row_of = vec![Row::Unknown; topology.node_count()];
    let mut rows: Vec<u32> = Vec::new();
    let mut is_done = false;
    while !is_done {
        is_done = true;
        rows.clear();
        let (mut row_count, mut found) = (0, Findings::new(findings.limit));
        for (spot, sender, receiver) in long_transfers(case) {
            let row = match row_of[sender.index()] {
                Row::At(row) => row as usize,
                Row::Unknown if row_count < row_limit => {
                    search.distances(sender, &mut distance, &mut queue);
                    rows.extend(terminals.iter().map(|terminal| distance[terminal.index()]));
                    row_of[sender.index()] = Row::At(row_count as u32);
                    row_count += 1;
                    row_count - 1
                }
                Row::Unknown => {
                    is_done = false;
                    continue;
                }
                Row::Judged => continue,
            };
            let rank = topology.terminal_rank(receiver).expect("ends of transfers are terminals");
            let shortest = rows[row * terminals.len() + rank] as usize;
            if spot.moved.path.len() > shortest && is_legal(case, spot.moved.path) {
                let (at, channels) = (case.place(spot), spot.moved.path.len());
                let (from, to) = (case.node(sender), case.node(receiver));
                found.add(Violation::NotMinimal { at, from, to, channels, shortest });
            }
        }
        for row in row_of.iter_mut().filter(|row| matches!(row, Row::At(_))) {
            *row = Row::Judged;
        }
        findings.merge(found);
    }
}

/// The transfers over several channels, with sender and receiver.
fn long_transfers<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (Spot<'a>, NodeId, NodeId)> {
    let spots = case.schedule.steps().flat_map(|(step, transfers)| {
        transfers.iter().enumerate().map(move |(transfer, moved)| Spot { step, transfer, moved })
    });
    spots.filter(|spot| spot.moved.path.len() > 1).filter_map(|spot| {
        let (sender, receiver) = case.ends(spot.moved)?;
        Some((spot, sender, receiver))
    })
}

/// Whether the path is legal but for its length, so that one mistake is not listed twice.
#[cold]
fn is_legal(case: &Case<'_>, path: &[ChannelId]) -> bool {
    let topology = case.topology;
    if path.iter().any(|channel| channel.index() >= topology.channel_count()) {
        return false;
    }
    let connected = path.windows(2).all(|pair| topology.head(pair[0]) == topology.tail(pair[1]));
    let routed = path.iter().skip(1).all(|&channel| topology.routes(topology.tail(channel)));
    let mut nodes: Vec<NodeId> = path.iter().map(|&channel| topology.head(channel)).collect();
    nodes.push(topology.tail(path[0]));
    nodes.sort_unstable();
    connected && routed && nodes.windows(2).all(|pair| pair[0] != pair[1])
}
