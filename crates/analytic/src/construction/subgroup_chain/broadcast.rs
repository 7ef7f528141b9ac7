//! The broadcast along a chain of subgroups.

use std::collections::BTreeMap;

use lockstep_schedule::Run;
use lockstep_topology::CayleyGraph;

use super::fans;
use super::level::{ChainLevel, LegPath};
use crate::StreamedBroadcast;
use crate::kit::torus::{element, generator};

/// A wormhole all-port one-to-all broadcast that multiplies the number of holders in each round by the index of a
/// subgroup.
///
/// After round `i`, the holders are the elements of a subgroup `U_i`, relative to the root. `U_0` is trivial, and the
/// last subgroup is the whole group. In round `i` every holder does the same: it sends along the paths of one fan to a
/// representative of every other coset of `U_(i-1)` in `U_i`. Paths that share no channel modulo `U_(i-1)` share none
/// from any start. All paths are shortest.
///
/// On a torus the chain has levels, one per factor of the side, the coarsest first. At each level, the nodes whose
/// coordinates are multiples of a scale form a torus of their own. The torus of `5^k x 5^k` nodes thus takes `2 k`
/// rounds: this is the recursive tiling with a square of 25 nodes in two rounds, first knight's moves and then straight
/// ones.
///
/// Nothing of the size of the network is built: a few kilobytes and milliseconds are sufficient for `2^60` nodes.
///
/// ```
/// use lockstep_analytic::{SubgroupChainBroadcast, StreamedBroadcast};
///
/// let chain = SubgroupChainBroadcast::hypercube(60).expect("every hypercube has a chain");
/// assert_eq!(chain.round_count(), 12);
/// let program = chain.program(0, 12345).expect("paths are short");
/// assert_eq!(program.round_count(), 12);
///
/// assert_eq!(SubgroupChainBroadcast::torus(2, 3125).expect("3125 = 5^5").round_count(), 10);
/// assert!(SubgroupChainBroadcast::torus(2, 7).is_none(), "a node of degree 4 cannot reach 6 others at once");
/// ```
///
/// # Source
///
/// Peters, Syska, *Circuit-switched broadcasting in torus networks*, IEEE Trans. Parallel Distrib. Syst. 7 (1996), for
/// the tiling of tori of side `5^k`. Ho, Kao, *Optimal broadcast in all-port wormhole-routed hypercubes*, the same
/// journal 6 (1995), for hypercubes and the number of rounds, `ceil(d / floor(log2(d + 1)))`.
#[derive(Clone, Debug)]
pub struct SubgroupChainBroadcast {
    graph: CayleyGraph,
    pub(super) levels: Vec<ScaledLevel>,
    pub(super) rounds: Vec<RoundFan>,
}

/// A level at its scale in the network.
#[derive(Clone, Debug)]
pub(super) struct ScaledLevel {
    pub(super) level: ChainLevel,
    /// The distance of neighbours in this level.
    scale: u64,
    /// The first round of the level.
    first_round: usize,
}

/// The transfers of every holder in a round.
#[derive(Clone, Debug)]
pub(super) struct RoundFan {
    pub(super) paths: Vec<Vec<Run>>,
    /// The ends of the paths, as offsets from the sender.
    pub(super) ends: Vec<u64>,
}

impl SubgroupChainBroadcast {
    /// Returns the broadcast on the hypercube of this dimension in `ceil(d / floor(log2(d + 1)))` rounds; `None` for
    /// dimensions other than 1 to 60.
    pub fn hypercube(dimension: u32) -> Option<Self> {
        let graph: CayleyGraph = format!("hypercube:{dimension}").parse().ok()?;
        let level = fans::level(2, dimension as usize, &[1])?;
        Self::of_levels(graph, vec![level])
    }

    /// Returns the broadcast of the fewest rounds on the torus with `dimensions` sides of this length.
    ///
    /// Returns `None` if the side has a prime factor above `2 dimensions + 1`, and if the torus is too large for a
    /// [`CayleyGraph`]. A factor `q` of the side takes `ceil(dimensions / m)` rounds, where `m` is the largest number
    /// with `q^m <= 2 dimensions + 1` (for a few even `q`, one less). Sides of 2 make a [hypercube](Self::hypercube).
    pub fn torus(dimensions: usize, side: u32) -> Option<Self> {
        if side == 2 {
            return Self::hypercube(u32::try_from(dimensions).ok()?);
        }
        // The specification has at most 64 sides.
        let sides = vec![side.to_string(); Some(dimensions).filter(|dimensions| (1..=64).contains(dimensions))?];
        let graph: CayleyGraph = format!("torus:{}", sides.join("x")).parse().ok()?;
        let factors = 2..=side.min(2 * dimensions as u32 + 1);
        let known = factors.filter(|factor| side.is_multiple_of(*factor));
        let known = known.filter_map(|factor| Some((factor, fans::level(factor, dimensions, &[1, -1])?))).collect();
        let factors = fewest_rounds(side, &known, &mut BTreeMap::new())?.1;
        let levels = factors.iter().map(|factor| known[factor].clone()).collect();
        Self::of_levels(graph, levels)
    }

    /// Creates the broadcast with these levels, the coarsest first; `None` for a network of one node.
    fn of_levels(graph: CayleyGraph, levels: Vec<ChainLevel>) -> Option<Self> {
        let mut scale = graph.sides().first().copied()?;
        let (mut scaled, mut rounds) = (Vec::with_capacity(levels.len()), Vec::new());
        for level in levels {
            scale /= u64::from(level.flag.side);
            let first_round = rounds.len();
            rounds.extend(level.rounds.iter().map(|paths| RoundFan::new(&graph, paths, scale)));
            scaled.push(ScaledLevel { level, scale, first_round });
        }
        (!scaled.is_empty()).then_some(Self { graph, levels: scaled, rounds })
    }
}

/// Returns the factors of the side, descending, whose levels take the fewest rounds in total, and that number of
/// rounds.
fn fewest_rounds(
    side: u32,
    known: &BTreeMap<u32, ChainLevel>,
    done: &mut BTreeMap<u32, Option<(usize, Vec<u32>)>>,
) -> Option<(usize, Vec<u32>)> {
    if side == 1 {
        return Some((0, Vec::new()));
    }
    if let Some(best) = done.get(&side) {
        return best.clone();
    }
    let divisors = known.iter().filter(|(factor, _)| side.is_multiple_of(**factor));
    let candidates = divisors.filter_map(|(&factor, level)| {
        let (rounds, mut factors) = fewest_rounds(side / factor, known, done)?;
        factors.push(factor);
        factors.sort_unstable_by(|a, b| b.cmp(a));
        Some((rounds + level.rounds.len(), factors))
    });
    let best = candidates.min();
    done.insert(side, best.clone());
    best
}

impl RoundFan {
    fn new(graph: &CayleyGraph, paths: &[LegPath], scale: u64) -> Self {
        let mut fan = Self { paths: Vec::with_capacity(paths.len()), ends: Vec::with_capacity(paths.len()) };
        for path in paths {
            let mut end = vec![0; graph.sides().len()];
            let runs = path.iter().map(|leg| {
                let (side, hops) = (graph.sides()[leg.axis], leg.steps.unsigned_abs() * scale);
                let moved = if leg.steps < 0 { side - hops % side } else { hops };
                end[leg.axis] = (end[leg.axis] + moved) % side;
                Run { generator: generator(graph, leg.axis, leg.steps < 0), hops }
            });
            fan.paths.push(runs.collect());
            fan.ends.push(element(graph, &end));
        }
        fan
    }
}

impl StreamedBroadcast for SubgroupChainBroadcast {
    fn graph(&self) -> &CayleyGraph {
        &self.graph
    }

    fn round_count(&self) -> usize {
        self.rounds.len()
    }

    fn arrival(&self, offset: u64) -> usize {
        let coordinates = self.graph.coordinates(offset);
        let reached = |scale: u64| coordinates.iter().all(|coordinate| coordinate.is_multiple_of(scale));
        if offset == 0 {
            return 0;
        }
        let ScaledLevel { level, scale, first_round } =
            self.levels.iter().find(|level| reached(level.scale)).expect("the last scale is 1");
        let digit = |coordinate: &u64| (coordinate / scale % u64::from(level.flag.side)) as u32;
        let mut digits: Vec<u32> = coordinates.iter().map(digit).collect();
        first_round + level.flag.reduce(&mut digits, level.rounds.len())
    }

    fn senders(&self, round: usize, visit: &mut dyn FnMut(u64)) {
        // An odometer: each holder is a sum of at most one end per earlier round.
        let fans = &self.rounds[..round];
        let mut chosen = vec![0; round];
        let mut sums = vec![0; round + 1];
        loop {
            visit(sums[round]);
            let Some(advanced) = (0..round).rev().find(|&place| chosen[place] < fans[place].ends.len()) else { return };
            sums[advanced + 1] = self.graph.add(sums[advanced], fans[advanced].ends[chosen[advanced]]);
            chosen[advanced] += 1;
            chosen[advanced + 1..].fill(0);
            let sum = sums[advanced + 1];
            sums[advanced + 2..].fill(sum);
        }
    }

    fn sends(&self, _offset: u64, round: usize, visit: &mut dyn FnMut(&[Run])) {
        self.rounds[round].paths.iter().for_each(|path| visit(path));
    }
}
