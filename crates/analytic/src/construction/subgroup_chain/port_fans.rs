//! The paths of one level of a chain, without a search of the network: how every node that holds the message reaches its
//! share of the next subgroup.

use std::collections::BTreeSet;

use rand::{Rng, RngExt};

use super::level::{AxisPort, ChainLevel, LegPath, PathLeg};
use super::subgroup_flag::SubgroupFlag;

/// How often a chain is drawn anew before it is given up, and how often one of its vectors is.
const VECTORS: usize = 4096;

/// A level with basis vectors drawn such that the steps along the ports differ enough, if its fans are found.
pub(super) fn level(mut flag: SubgroupFlag, signs: &[i64], rng: &mut impl Rng) -> Option<ChainLevel> {
    let openings = draw(&mut flag, signs, rng)?;
    let rounds = openings.iter().enumerate().map(|(block, openings)| fan(&flag, signs, block, openings));
    Some(ChainLevel { rounds: rounds.collect::<Option<_>>()?, flag })
}

/// Ports that may begin the paths of a round without that they meet, see [`fan`].
struct PathOpenings {
    /// What is left of the step of a port once the axes of the block are set right.
    rests: BTreeSet<Vec<u32>>,
    ports: Vec<AxisPort>,
    needed: usize,
}

impl PathOpenings {
    /// The ports along the axes of later blocks; in the last block, those along its own.
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

    /// Whether a port with this rest helps, or whether there are ports enough.
    fn welcomes(&self, rest: &[u32]) -> bool {
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

/// The axes that tell the ports of a block apart: the later ones; in the last block its own.
fn rest_of(flag: &SubgroupFlag, block: usize) -> std::ops::RangeFrom<usize> {
    let own = flag.block(block);
    if block + 1 == flag.block_count() { own.start.. } else { own.end.. }
}

/// Draws basis vectors such that every block has as many openings as it needs, from the last axis to the first: what a
/// vector must fulfil depends on later ones only.
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
            if openings[block + 1..].iter().zip(&rests).all(|(openings, rest)| openings.welcomes(rest)) {
                break rests;
            }
        };
        for (openings, rest) in openings[block + 1..].iter_mut().zip(&rests) {
            openings.add(flag, signs, axis, rest);
        }
    }
    Some(openings)
}

/// Shortest paths from 0 to all targets of a block that share no channel modulo `U_block`.
///
/// A path to a neighbour along an axis of the block goes there first. Every other path has an opening of its own. After the
/// first step a path sets the axes of the block right, in ascending order, and then the later ones. While it does the
/// former, the entries on later axes are those of its opening, and no other path has the same; from then on the entries
/// on the block's axes are those of its target. So no two paths cross one channel, wherever they lead.
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
        // A later axis is left in the direction in which it is set right, so that the path is a shortest one.
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

/// One of its choices for everybody, no two the same, or `None` where there is no such way.
fn matching(choices: &[Vec<usize>], count: usize) -> Option<Vec<usize>> {
    fn settle(who: usize, choices: &[Vec<usize>], owner: &mut [Option<usize>], asked: &mut [bool]) -> bool {
        choices[who].iter().any(|&choice| {
            let free = !std::mem::replace(&mut asked[choice], true)
                && owner[choice].is_none_or(|other| settle(other, choices, owner, asked));
            if free {
                owner[choice] = Some(who);
            }
            free
        })
    }
    let mut owner = vec![None; count];
    for who in 0..choices.len() {
        if !settle(who, choices, &mut owner, &mut vec![false; count]) {
            return None;
        }
    }
    let mut chosen = vec![0; choices.len()];
    for (choice, who) in owner.into_iter().enumerate() {
        if let Some(who) = who {
            chosen[who] = choice;
        }
    }
    Some(chosen)
}
