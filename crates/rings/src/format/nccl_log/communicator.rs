//! The lines of one communicator, and its rings and trees.

use std::collections::BTreeMap;

use super::line::{Line, TreePlace};
use crate::format::error::{FormatError, FormatFault};
use crate::format::order::{Tree, check_distinct};

/// What to do if lines contradict each other.
const REMEDY: &str =
    "the log has several communicators or runs: log with NCCL_DEBUG_SUBSYS=INIT,GRAPH, and give the log of one run";

/// The rings and trees of a communicator, by rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Communicator {
    /// The number of ranks.
    pub rank_count: u32,
    /// The number of channels, with copies.
    pub channels: usize,
    /// The ranks of each ring from rank 0 on, without the copies of rings.
    pub rings: Vec<Vec<u32>>,
    /// The tree of each channel, without copies; empty if the log does not have the lines of all ranks.
    pub trees: Vec<Tree>,
}

/// A ring as rank 0 prints it.
struct ChannelLine {
    line: usize,
    ranks: Vec<u32>,
    is_cut: bool,
}

/// The lines of one communicator.
#[derive(Default)]
pub(super) struct Collector {
    /// The number of ranks that a line states.
    ranks: Option<u32>,
    /// The number of channels that a line states.
    count: Option<u32>,
    channels: BTreeMap<u32, ChannelLine>,
    /// The line, the previous rank and the next rank, by channel and rank.
    neighbours: BTreeMap<(u32, u32), (usize, [u32; 2])>,
    /// The line and the place in the tree, by channel and rank.
    trees: BTreeMap<(u32, u32), (usize, TreePlace)>,
}

impl Collector {
    pub(super) fn has_rings(&self) -> bool {
        !self.channels.is_empty() || !self.neighbours.is_empty()
    }

    pub(super) fn set_ranks(&mut self, ranks: u32, line: usize) -> Result<(), FormatError> {
        set(&mut self.ranks, ranks, line, || format!("a communicator of {ranks} ranks"))
    }

    pub(super) fn add(&mut self, line: Line<'_>, number: usize) -> Result<(), FormatError> {
        match line {
            Line::Channel { channel, count, ranks, is_cut } => {
                if let Some(count) = count {
                    set(&mut self.count, count, number, || format!("a number of {count} channels"))?;
                }
                let new = ChannelLine { line: number, ranks, is_cut };
                match self.channels.get(&channel) {
                    Some(first) if first.ranks != new.ranks => {
                        Err(contradiction(number, format!("the ring of channel {channel}")))
                    }
                    Some(_) => Ok(()),
                    None => {
                        self.channels.insert(channel, new);
                        Ok(())
                    }
                }
            }
            Line::Ring { channel, ranks: [previous, rank, next] } => {
                let new = (number, [previous, next]);
                let (_, first) = *self.neighbours.entry((channel, rank)).or_insert(new);
                let what = || format!("the ring of channel {channel} at rank {rank}");
                if first == new.1 { Ok(()) } else { Err(contradiction(number, what())) }
            }
            Line::Trees { entries } => {
                for entry in entries {
                    let new = (number, entry.place);
                    let (_, first) = *self.trees.entry((entry.channel, entry.rank)).or_insert(new);
                    if first != entry.place {
                        let what = format!("the tree of channel {} at rank {}", entry.channel, entry.rank);
                        return Err(contradiction(number, what));
                    }
                }
                Ok(())
            }
            Line::Start { .. } | Line::GraphFile { .. } | Line::Fallback => Ok(()),
        }
    }

    /// Builds the rings and trees.
    pub(super) fn finish(self) -> Result<(Communicator, Vec<String>), FormatError> {
        let whole = self.channels.values().find(|channel| !channel.is_cut).map(|channel| channel.ranks.len() as u32);
        let highest =
            self.neighbours.iter().map(|(&(_, rank), &(_, [previous, next]))| rank.max(previous).max(next) + 1).max();
        let rank_count = self.ranks.or(whole).or(highest).unwrap_or_default();
        let numbers = self.neighbours.keys().map(|&(channel, _)| channel).chain(self.channels.keys().copied());
        let count = self.count.or(numbers.max().map(|highest| highest + 1)).unwrap_or_default();
        let mut rings = Vec::new();
        for channel in 0..count {
            rings.push(self.ring(channel, rank_count)?);
        }
        let mut notes = Vec::new();
        let mut trees = self.all_trees(count, rank_count, &mut notes)?;
        let distinct = without_copies(&rings);
        if distinct < rings.len() {
            let plural = if distinct == 1 { "" } else { "s" };
            let channels = rings.len();
            notes.push(format!(
                "{channels} channels for {distinct} ring{plural}: NCCL copies channels to use more threads"
            ));
        }
        if without_copies(&trees) <= distinct {
            trees.truncate(distinct);
        }
        let channels = rings.len();
        rings.truncate(distinct);
        Ok((Communicator { rank_count, channels, rings, trees }, notes))
    }

    /// Returns the ring of a channel from rank 0 on.
    fn ring(&self, channel: u32, rank_count: u32) -> Result<Vec<u32>, FormatError> {
        let stated = self.channels.get(&channel);
        let line = stated.map(|stated| stated.line).or_else(|| self.neighbours.values().map(|&(line, _)| line).min());
        let line = line.unwrap_or(1);
        let name = || format!("the ring of channel {channel}");
        let advice = "log all ranks with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,GRAPH";
        let ring = match stated {
            Some(stated) if !stated.is_cut => stated.ranks.clone(),
            _ => {
                let ring = self.followed(channel, rank_count);
                let why =
                    if stated.is_some() { "NCCL cuts the line after 128 characters" } else { "there is no line of it" };
                ring.ok_or_else(|| {
                    let text = format!(
                        "{} is not complete: {why}, and lines 'Ring {channel:02} : …' of ranks are missing; {advice}",
                        name()
                    );
                    FormatError::unsupported(line, text)
                })?
            }
        };
        let ranks = check_distinct(line, name, ring.iter().copied())?;
        if let Some(&rank) = ranks.range(rank_count..).next() {
            return Err(contradiction(line, format!("rank {rank} of {} of {rank_count} ranks", name())));
        }
        if let Some(gpu) = (0..rank_count).find(|rank| !ranks.contains(rank)) {
            let other = "the communicator".to_owned();
            return Err(FormatError::new(line, FormatFault::Lacking { order: name(), gpu, other }));
        }
        // The lines of single ranks must agree.
        for (place, &rank) in ring.iter().enumerate() {
            let length = ring.len();
            let neighbours = [ring[(place + length - 1) % length], ring[(place + 1) % length]];
            if let Some(&(line, found)) = self.neighbours.get(&(channel, rank))
                && found != neighbours
            {
                return Err(contradiction(line, format!("{} at rank {rank}", name())));
            }
        }
        Ok(ring)
    }

    /// Follows the lines of single ranks from rank 0 on. `None` if a line is missing.
    fn followed(&self, channel: u32, rank_count: u32) -> Option<Vec<u32>> {
        let lines = self.neighbours.range((channel, 0)..=(channel, u32::MAX)).count();
        if lines < rank_count as usize {
            return None;
        }
        let mut ring = Vec::new();
        let mut rank = 0;
        for _ in 0..rank_count {
            ring.push(rank);
            rank = self.neighbours.get(&(channel, rank))?.1[1];
        }
        Some(ring)
    }

    /// Returns the trees of all channels; none if the lines of some ranks are missing.
    fn all_trees(&self, count: u32, rank_count: u32, notes: &mut Vec<String>) -> Result<Vec<Tree>, FormatError> {
        let mut ranks: Vec<u32> = self.trees.keys().map(|&(_, rank)| rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let needed = u64::from(count) * u64::from(rank_count);
        if self.trees.len() as u64 != needed {
            if !ranks.is_empty() {
                let found = ranks.len();
                notes.push(format!(
                    "no trees: the lines 'Trees' of all {rank_count} ranks are needed, and the log has those of {found}"
                ));
            }
            return Ok(Vec::new());
        }
        (0..count).map(|channel| self.tree(channel, rank_count)).collect()
    }

    fn tree(&self, channel: u32, rank_count: u32) -> Result<Tree, FormatError> {
        let place = |rank: u32| self.trees.get(&(channel, rank));
        let wrong =
            |line: usize, rank: u32| contradiction(line, format!("the tree of channel {channel} at rank {rank}"));
        let mut roots = (0..rank_count).filter(|&rank| place(rank).is_some_and(|(_, (_, parent))| parent.is_none()));
        let line = place(0).map_or(1, |&(line, _)| line);
        let (Some(root), None) = (roots.next(), roots.next()) else {
            return Err(contradiction(line, format!("the number of roots of the tree of channel {channel}")));
        };
        let mut tree = Tree { root, edges: Vec::new() };
        let mut open = vec![root];
        while let Some(rank) = open.pop() {
            let Some(&(line, (children, _))) = place(rank) else { return Err(wrong(line, rank)) };
            for (place_of_child, child) in children.into_iter().enumerate() {
                let Some(child) = child else { continue };
                let is_again = children[..place_of_child].contains(&Some(child));
                if is_again || place(child).is_none_or(|&(_, (_, parent))| parent != Some(rank)) {
                    return Err(wrong(line, rank));
                }
                tree.edges.push([rank, child]);
                open.push(child);
            }
        }
        if tree.edges.len() + 1 < rank_count as usize {
            return Err(contradiction(line, format!("the tree of channel {channel}, which is not connected,")));
        }
        Ok(tree)
    }
}

/// Stores the first value that a line states, and verifies the others.
fn set(place: &mut Option<u32>, value: u32, line: usize, what: impl Fn() -> String) -> Result<(), FormatError> {
    if *place.get_or_insert(value) == value { Ok(()) } else { Err(contradiction(line, what())) }
}

fn contradiction(line: usize, what: String) -> FormatError {
    FormatError::new(line, FormatFault::Contradiction { what, remedy: REMEDY })
}

/// Returns the number of entries without copies: NCCL appends a copy of all channels, once or several times.
fn without_copies<T: PartialEq>(entries: &[T]) -> usize {
    let mut count = entries.len();
    while count > 0 && count.is_multiple_of(2) && entries[..count / 2] == entries[count / 2..count] {
        count /= 2;
    }
    count
}
