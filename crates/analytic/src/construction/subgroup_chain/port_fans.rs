//! Fans whose paths differ by their first channel.

use std::collections::BTreeSet;

use rand::{Rng, RngExt};

use super::level::{AxisPort, ChainLevel, LegPath, PathLeg};
use super::subgroup_flag::SubgroupFlag;

/// The largest number of random draws of one basis vector.
const VECTORS: usize = 4096;

/// Returns a level with random basis vectors such that the steps of the ports differ sufficiently, if its fans are
/// found.
pub(super) fn level(mut flag: SubgroupFlag, signs: &[i64], rng: &mut impl Rng) -> Option<ChainLevel> {
    let openings = draw(&mut flag, signs, rng)?;
    let rounds = openings.iter().enumerate().map(|(block, openings)| fan(&flag, signs, block, openings));
    Some(ChainLevel { rounds: rounds.collect::<Option<_>>()?, flag })
}

/// The ports with which the paths of a round may begin without sharing a channel, see [`fan`].
struct PathOpenings {
    /// The remainders of the steps of the ports after the axes of the block are set.
    rests: BTreeSet<Vec<u32>>,
    ports: Vec<AxisPort>,
    needed: usize,
}

impl PathOpenings {
    /// Collects the ports along the axes of later blocks; in the last block, those along its own.
    fn new(flag: &SubgroupFlag, signs: &[i64], block: usize) -> Self {
        let own = flag.block(block);
        let last = block + 1 == flag.block_count();
        let beginnings = if last { 0 } else { own.len() * signs.len().min(flag.side as usize - 1) };
        let needed = (flag.index(block) as usize - 1).saturating_sub(beginnings);
        let mut openings = Self { rests: BTreeSet::new(), ports: Vec::new(), needed };
        for axis in if last { own } else { own.end..flag.axes() } {
            openings.add(flag, signs, axis, &flag.step(axis, 1, block)[rest_of(flag, block)]);
        }
        openings
    }

    /// Returns true if a port with this remainder helps, or if there are enough ports.
    fn admits(&self, rest: &[u32]) -> bool {
        self.ports.len() >= self.needed || rest.iter().any(|&entry| entry > 0) && !self.rests.contains(rest)
    }

    fn add(&mut self, flag: &SubgroupFlag, signs: &[i64], axis: usize, rest: &[u32]) {
        for &sign in signs {
            let rest: Vec<u32> =
                rest.iter().map(|&entry| if sign > 0 { entry } else { (flag.side - entry) % flag.side }).collect();
            if rest.iter().any(|&entry| entry > 0) && self.rests.insert(rest) {
                self.ports.push(AxisPort { axis, sign });
            }
        }
    }
}

/// Returns the axes that distinguish the ports of a block: the later ones; in the last block its own.
fn rest_of(flag: &SubgroupFlag, block: usize) -> std::ops::RangeFrom<usize> {
    let own = flag.block(block);
    if block + 1 == flag.block_count() { own.start.. } else { own.end.. }
}

/// Draws basis vectors such that every block has enough openings, from the last axis to the first.
///
/// The conditions on a vector depend on later vectors only.
fn draw(flag: &mut SubgroupFlag, signs: &[i64], rng: &mut impl Rng) -> Option<Vec<PathOpenings>> {
    let mut openings: Vec<PathOpenings> =
        (0..flag.block_count()).map(|block| PathOpenings::new(flag, signs, block)).collect();
    for axis in (0..flag.block(flag.block_count() - 1).start).rev() {
        let block = flag.block_of(axis);
        let mut tries = 0..VECTORS;
        let rests: Vec<Vec<u32>> = loop {
            tries.next()?;
            for place in flag.block(block).end..flag.axes() {
                flag.basis[axis][place] = rng.random_range(0..flag.side);
            }
            let mut step = flag.step(axis, 1, block);
            let rests: Vec<Vec<u32>> = (block + 1..flag.block_count())
                .map(|later| {
                    flag.reduce(&mut step, later);
                    step[rest_of(flag, later)].to_vec()
                })
                .collect();
            if openings[block + 1..].iter().zip(&rests).all(|(openings, rest)| openings.admits(rest)) {
                break rests;
            }
        };
        for (openings, rest) in openings[block + 1..].iter_mut().zip(&rests) {
            openings.add(flag, signs, axis, rest);
        }
    }
    Some(openings)
}

/// Returns shortest paths from 0 to all targets of a block that share no channel modulo `U_block`.
///
/// A path to a neighbour along an axis of the block goes there first. Every other path has an opening of its own. After
/// the first step, a path sets the axes of the block in ascending order, and then the later ones. During the former,
/// the entries on later axes are those of its opening, which no other path has. From then on, the entries on the
/// block's axes are those of its target. So no two paths share a channel.
///
/// In the last block every path is its opening.
fn fan(flag: &SubgroupFlag, signs: &[i64], block: usize, openings: &PathOpenings) -> Option<Vec<LegPath>> {
    let (own, targets) = (flag.block(block), flag.targets(block));
    let last = block + 1 == flag.block_count();
    let beginning = |target: &[u32]| {
        let mut ports = own.clone().flat_map(|axis| signs.iter().map(move |&sign| AxisPort { axis, sign }));
        let is_target = |port: &AxisPort| flag.step(port.axis, port.sign, block)[own.clone()] == target[own.clone()];
        ports.find(|port| !last && is_target(port))
    };
    let opens = |port: &AxisPort, target: &[u32]| {
        if last {
            return flag.step(port.axis, port.sign, block) == target;
        }
        // The opening along a later axis has the direction in which the axis is set, so that the path is shortest.
        let residue = target[port.axis];
        port.axis < own.start || port.sign * flag.signed(residue) > 0 || 2 * residue == flag.side
    };
    let begun: Vec<Option<AxisPort>> = targets.iter().map(|target| beginning(target)).collect();
    let open: Vec<&Vec<u32>> =
        targets.iter().zip(&begun).filter(|(_, port)| port.is_none()).map(|(target, _)| target).collect();
    let choices: Vec<Vec<usize>> = open
        .iter()
        .map(|target| (0..openings.ports.len()).filter(|&port| opens(&openings.ports[port], target)).collect())
        .collect();
    let mut chosen = matching(&choices, openings.ports.len())?.into_iter();
    let paths = targets.iter().zip(begun).map(|(target, begun)| {
        let port = begun.or_else(|| Some(openings.ports[chosen.next()?]))?;
        let mut path = vec![PathLeg { axis: port.axis, steps: port.sign }];
        let step = flag.step(port.axis, port.sign, block);
        let legs = (own.start..flag.axes())
            .map(|axis| PathLeg { axis, steps: flag.signed((target[axis] + flag.side - step[axis]) % flag.side) });
        path.extend(legs.filter(|leg| leg.steps != 0));
        Some(path)
    });
    paths.collect()
}

/// Returns a different choice for each member, or `None` if there is no such matching.
fn matching(choices: &[Vec<usize>], count: usize) -> Option<Vec<usize>> {
    fn augment(left: usize, choices: &[Vec<usize>], owner: &mut [Option<usize>], visited: &mut [bool]) -> bool {
        choices[left].iter().any(|&choice| {
            let free = !std::mem::replace(&mut visited[choice], true)
                && owner[choice].is_none_or(|other| augment(other, choices, owner, visited));
            if free {
                owner[choice] = Some(left);
            }
            free
        })
    }
    let mut owner = vec![None; count];
    for left in 0..choices.len() {
        if !augment(left, choices, &mut owner, &mut vec![false; count]) {
            return None;
        }
    }
    let mut chosen = vec![0; choices.len()];
    for (choice, owner) in owner.into_iter().enumerate() {
        if let Some(left) = owner {
            chosen[left] = choice;
        }
    }
    Some(chosen)
}
