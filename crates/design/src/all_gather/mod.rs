//! Networks of given order and degree for all-gathers: few stages and little time of a breadth-first broadcast.

mod channel_rule;
mod construction;
mod groups;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_metrics::{MAX_PREDECESSORS, MAX_STAGE_NODES, StageLoads};
use lockstep_topology::Topology;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

pub use self::channel_rule::ChannelRule;
use self::construction::Construction;
use self::groups::{Group, GroupSearch};
use crate::network::Network;

/// Number of channels that the searches for Cayley digraphs visit together: for the pairs of the wanted degree, and for the
/// others. About one second, and half a second. Line graphs keep the degree, so that the first pairs matter more.
const WORK: [u64; 2] = [1 << 29, 1 << 28];

/// A network for all-gathers, with the loads of its breadth-first broadcast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllGatherDesign {
    construction: Arc<Construction>,
    stages: u32,
    steps: [u64; 2],
    bandwidth: [u64; 2],
}

impl AllGatherDesign {
    /// Returns the spec of the network.
    pub fn spec(&self) -> String {
        self.construction.to_string()
    }

    /// Returns the number of stages: the diameter.
    pub fn stages(&self) -> u32 {
        self.stages
    }

    /// Returns the number of steps per chunk, for many chunks, as a fraction in lowest terms.
    pub fn steps(&self) -> [u64; 2] {
        self.steps
    }

    /// Returns the time for long messages as a fraction in lowest terms, where 1 is the time in which a node receives all
    /// data over all its channels. The least possible time is `(order - 1) / order`.
    pub fn bandwidth(&self) -> [u64; 2] {
        self.bandwidth
    }

    /// Returns true if the other network has neither fewer stages nor less time.
    fn is_as_good_as(&self, other: &Self) -> bool {
        let [[a, b], [c, d]] = [self.steps, other.steps].map(|fraction| fraction.map(u128::from));
        self.stages <= other.stages && a * d <= c * b
    }
}

/// The reason that there is no search for this order and degree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllGatherSearchError {
    /// An order out of range.
    #[error("the order is {order}, expected 2 to {MAX_STAGE_NODES} nodes")]
    Order {
        /// The order.
        order: u32,
    },
    /// A degree out of range.
    #[error("the degree is {degree}, expected {least} to {most} channels from each of {order} nodes")]
    Degree {
        /// The degree.
        degree: u32,
        /// The least degree of a connected network.
        least: u32,
        /// The largest degree.
        most: u32,
        /// The order.
        order: u32,
    },
    /// Full-duplex links whose number of ends is odd.
    #[error("{degree} full-duplex links at each of {order} nodes have an odd number of ends; make one of the two even")]
    OddEnds {
        /// The degree.
        degree: u32,
        /// The order.
        order: u32,
    },
}

/// A search for the networks of one order and degree that are best for all-gathers.
///
/// Dynamic programming over pairs of order and degree. For each pair, the search keeps the Pareto front of the number of
/// stages and the time of all stages. Candidates are networks of families, Cayley digraphs with random generators, and line
/// graphs, degree expansions, Cartesian powers and products of the fronts of smaller pairs. Each candidate is generated, and
/// its loads are measured by [`StageLoads`]; no formula is trusted.
///
/// ```
/// use lockstep_design::{AllGatherSearch, ChannelRule};
///
/// let mut search = AllGatherSearch::new(16, 4, ChannelRule::Any, 1)?;
/// while !search.is_over() {
///     search.advance();
/// }
/// let [first, last] = search.front() else { panic!() };
/// assert_eq!((first.stages(), first.bandwidth()), (2, [1, 1]));
/// assert_eq!((last.stages(), last.bandwidth()), (3, [15, 16]));
/// assert_eq!(last.spec(), "circulant:16,2,3");
/// # Ok::<(), lockstep_design::AllGatherSearchError>(())
/// ```
///
/// # Source
///
/// Zhao et al., *Efficient direct-connect topologies for collective communications*, NSDI (2025), with measured loads instead
/// of formulas, and with Cayley digraphs.
#[derive(Clone, Debug)]
pub struct AllGatherSearch {
    order: u32,
    degree: u32,
    channels: ChannelRule,
    seed: u64,
    /// All pairs of order and degree, in the order of the search. The last one is the goal.
    pairs: Vec<(u32, u32)>,
    done: usize,
    /// The fronts of the pairs that are done, by ascending number of stages.
    fronts: BTreeMap<(u32, u32), Vec<AllGatherDesign>>,
}

impl AllGatherSearch {
    /// Creates the search for `order` nodes with at most `degree` channels from each and to each. The seed decides random
    /// choices.
    ///
    /// # Errors
    ///
    /// [`AllGatherSearchError`] if the order or the degree is out of range, or full-duplex links have an odd number of ends.
    pub fn new(order: u32, degree: u32, channels: ChannelRule, seed: u64) -> Result<Self, AllGatherSearchError> {
        if !(2..=MAX_STAGE_NODES as u32).contains(&order) {
            return Err(AllGatherSearchError::Order { order });
        }
        let most = (order - 1).min(MAX_PREDECESSORS as u32);
        let least = if channels == ChannelRule::FullDuplex { most.min(2) } else { 1 };
        if !(least..=most).contains(&degree) {
            return Err(AllGatherSearchError::Degree { degree, least, most, order });
        }
        if !channels.allow_regular(order, degree) {
            return Err(AllGatherSearchError::OddEnds { degree, order });
        }
        let mut pairs = BTreeSet::from([(order, degree)]);
        let mut waiting = vec![(order, degree)];
        while let Some((order, degree)) = waiting.pop() {
            let parts = Expansion::all(order, degree, channels).into_iter().flat_map(Expansion::operands);
            waiting.extend(parts.filter(|&pair| pairs.insert(pair)));
        }
        // Operands have smaller orders.
        Ok(Self { order, degree, channels, seed, pairs: pairs.into_iter().collect(), done: 0, fronts: BTreeMap::new() })
    }

    /// Returns the number of pairs of order and degree, and how many of them are done.
    pub fn progress(&self) -> (usize, usize) {
        (self.done, self.pairs.len())
    }

    /// Returns true if the search is over.
    pub fn is_over(&self) -> bool {
        self.done == self.pairs.len()
    }

    /// Returns the front, by ascending number of stages. Empty until the search is over.
    pub fn front(&self) -> &[AllGatherDesign] {
        self.fronts.get(&(self.order, self.degree)).map_or(&[], Vec::as_slice)
    }

    /// Returns a lower bound on the number of stages: at most `d^k` nodes have distance `k` to a node, or `d (d - 1)^(k - 1)`
    /// if links are full duplex.
    pub fn stage_bound(&self) -> u32 {
        stage_bound(self.order, self.degree, self.channels)
    }

    /// Computes the front of the next pair of order and degree.
    pub fn advance(&mut self) {
        let Some(&pair) = self.pairs.get(self.done) else { return };
        let front = self.front_of(pair);
        self.fronts.insert(pair, front);
        self.done += 1;
    }

    fn front_of(&self, (order, degree): (u32, u32)) -> Vec<AllGatherDesign> {
        let mut front = PairFront { order, degree, designs: Vec::new() };
        for spec in bases(order, degree, self.channels) {
            front.measure(Construction::Base(spec));
        }
        self.sample_groups(&mut front);
        let mut candidates: Vec<(u32, Construction)> = Vec::new();
        for expansion in Expansion::all(order, degree, self.channels) {
            self.expand(expansion, &mut candidates);
        }
        candidates.sort_by_key(|&(stages, _)| stages);
        for (stages, candidate) in candidates {
            if stages < front.optimal_stages() {
                front.measure(candidate);
            }
        }
        front.designs
    }

    /// Adds the expansions of the designs of smaller pairs, each with a lower bound on its number of stages.
    fn expand(&self, expansion: Expansion, candidates: &mut Vec<(u32, Construction)>) {
        let designs = |pair| &self.fronts[&pair];
        match expansion {
            Expansion::Line(power, operand) => {
                for AllGatherDesign { construction, stages, .. } in designs(operand) {
                    if !matches!(**construction, Construction::Line(..)) {
                        candidates.push((stages + power, Construction::Line(power, Arc::clone(construction))));
                    }
                }
            }
            Expansion::Copies(copies, operand) => {
                for AllGatherDesign { construction, stages, .. } in designs(operand) {
                    candidates.push((*stages, Construction::Expansion(copies, Arc::clone(construction))));
                }
            }
            Expansion::Power(exponent, operand) => {
                for AllGatherDesign { construction, stages, .. } in designs(operand) {
                    candidates.push((stages * exponent, Construction::Power(exponent, Arc::clone(construction))));
                }
            }
            // A product has optimal bandwidth if its factors do. Other products are rarely on a front.
            Expansion::Product(left, right) => {
                if let (Some(left), Some(right)) = (designs(left).last(), designs(right).last()) {
                    let product = Construction::product(&left.construction, &right.construction);
                    candidates.push((left.stages + right.stages, product));
                }
            }
        }
    }

    /// Adds Cayley digraphs with random generators.
    fn sample_groups(&self, front: &mut PairFront) {
        let PairFront { order, degree, .. } = *front;
        let groups = Group::of_order(order);
        let class = usize::from(degree != self.degree);
        let pairs = self.pairs.iter().filter(|&&(_, other)| usize::from(other != self.degree) == class).count();
        let of_draws = groups.len() as u64 * u64::from(order) * u64::from(degree);
        let draws = (WORK[class] / pairs as u64 / of_draws).clamp(4, 4096);
        let found: Vec<PairFront> = groups
            .par_iter()
            .enumerate()
            .map(|(place, &group)| {
                let mut random = ChaCha8Rng::seed_from_u64(self.seed);
                random.set_stream(u64::from(order) << 40 | u64::from(degree) << 32 | place as u64);
                let mut search = GroupSearch::new(group, random);
                let mut best = front.clone();
                for _ in 0..draws {
                    let most_stages = best.optimal_stages() - 1;
                    if most_stages < stage_bound(order, degree, self.channels) {
                        break;
                    }
                    if let Some(sample) = search.draw(degree, self.channels, most_stages) {
                        best.add(Construction::Base(sample.spec), &sample.loads);
                    }
                }
                best
            })
            .collect();
        for design in found.into_iter().flat_map(|found| found.designs) {
            front.keep(design);
        }
    }
}

/// The front of one pair of order and degree.
#[derive(Clone, Debug)]
struct PairFront {
    order: u32,
    degree: u32,
    designs: Vec<AllGatherDesign>,
}

impl PairFront {
    /// Returns the number of stages of the design of optimal bandwidth, or a number that is never exceeded.
    fn optimal_stages(&self) -> u32 {
        let is_optimal = |design: &&AllGatherDesign| design.bandwidth == [u64::from(self.order) - 1, self.order.into()];
        self.designs.last().filter(is_optimal).map_or(self.order, |design| design.stages)
    }

    /// Generates a network and adds it with its measured loads. Skips a spec inside too many others and a disconnected network.
    fn measure(&mut self, construction: Construction) {
        let Ok(network) = construction.to_string().parse::<Topology>() else { return };
        let network = Network::of(&network);
        debug_assert!(network.graph.greatest_degree() <= self.degree, "{construction}");
        if let Ok(loads) = StageLoads::of_graph(&network.graph, &network.sources) {
            self.add(construction, &loads);
        }
    }

    fn add(&mut self, construction: Construction, loads: &StageLoads) {
        let Some(steps @ [load, unit]) = loads.total() else { return };
        let bandwidth = lowest_terms([u64::from(self.degree) * load, u64::from(self.order) * unit]);
        let stages = loads.loads().len() as u32;
        self.keep(AllGatherDesign { construction: Arc::new(construction), stages, steps, bandwidth });
    }

    /// Keeps a design unless an earlier one is as good. Removes the designs that it dominates.
    fn keep(&mut self, design: AllGatherDesign) {
        if self.designs.iter().any(|other| other.is_as_good_as(&design)) {
            return;
        }
        self.designs.retain(|other| !design.is_as_good_as(other));
        let place = self.designs.partition_point(|other| other.stages < design.stages);
        self.designs.insert(place, design);
    }
}

/// A way to expand smaller networks, with the orders and degrees of these.
#[derive(Clone, Copy, Debug)]
enum Expansion {
    Line(u32, (u32, u32)),
    Copies(u32, (u32, u32)),
    Power(u32, (u32, u32)),
    Product((u32, u32), (u32, u32)),
}

impl Expansion {
    /// Returns the expansions to networks of this order and degree.
    fn all(order: u32, degree: u32, channels: ChannelRule) -> Vec<Self> {
        let exists = |&(order, degree): &(u32, u32)| channels.allow_regular(order, degree);
        let mut all = Vec::new();
        // Line graphs are one way.
        if degree > 1 && channels == ChannelRule::Any {
            let mut rest = order;
            for power in 1.. {
                if !rest.is_multiple_of(degree) {
                    break;
                }
                rest /= degree;
                all.extend(Some((rest, degree)).filter(exists).map(|operand| Self::Line(power, operand)));
            }
        }
        for part in 2..=degree {
            if degree.is_multiple_of(part) && order.is_multiple_of(part) {
                let operand = Some((order / part, degree / part)).filter(exists);
                all.extend(operand.map(|operand| Self::Copies(part, operand)));
            }
            if let Some(root) = (2..order).find(|&root: &u32| root.saturating_pow(part) >= order)
                && root.checked_pow(part) == Some(order)
                && degree.is_multiple_of(part)
            {
                let operand = Some((root, degree / part)).filter(exists);
                all.extend(operand.map(|operand| Self::Power(part, operand)));
            }
        }
        for left_order in (2..=order.isqrt()).filter(|&left| order.is_multiple_of(left)) {
            for left_degree in 1..degree {
                let operands = [(left_order, left_degree), (order / left_order, degree - left_degree)];
                if operands.iter().all(exists) {
                    all.push(Self::Product(operands[0], operands[1]));
                }
            }
        }
        all
    }

    fn operands(self) -> impl Iterator<Item = (u32, u32)> {
        let (first, second) = match self {
            Self::Line(_, operand) | Self::Copies(_, operand) | Self::Power(_, operand) => (operand, None),
            Self::Product(left, right) => (left, Some(right)),
        };
        std::iter::once(first).chain(second)
    }
}

/// Returns the specs of networks of families with this order and degree.
fn bases(order: u32, degree: u32, channels: ChannelRule) -> Vec<String> {
    let mut specs = Vec::new();
    if degree + 1 == order {
        specs.push(format!("complete:{order}"));
    }
    if degree == 1 && channels == ChannelRule::Any {
        specs.push(format!("circulant-digraph:{order},1"));
    }
    if degree == 2 && order > 3 {
        specs.push(format!("ring:{order}"));
    }
    // The chords of a circulant graph of degree 4 and least diameter.
    let chord = ((order - 2) / 2).isqrt();
    if degree == 4 && chord >= 1 && 2 * (chord + 1) < order {
        specs.push(format!("circulant:{order},{chord},{}", chord + 1));
    }
    if order.checked_ilog2().is_some_and(|dimension| dimension == degree && order.is_power_of_two() && degree > 2) {
        specs.push(format!("hypercube:{degree}"));
    }
    if degree > 2 && (order * degree).is_multiple_of(2) {
        let half = (degree % 2 == 1).then_some(order / 2);
        let chords: Vec<String> = (1..=degree / 2).chain(half).map(|chord| chord.to_string()).collect();
        specs.push(format!("circulant:{order},{}", chords.join(",")));
    }
    if degree >= 2 && channels == ChannelRule::Any {
        specs.push(format!("generalised-kautz:{degree},{order}"));
    }
    specs
}

/// Returns the least number of stages in which a node can hear of all others: the Moore bound.
fn stage_bound(order: u32, degree: u32, channels: ChannelRule) -> u32 {
    let growth = if channels == ChannelRule::Any { degree } else { degree - 1 };
    let (mut reached, mut last, mut stages) = (1 + u64::from(degree), u64::from(degree), 1);
    while reached < order.into() {
        last *= u64::from(growth);
        reached += last;
        stages += 1;
    }
    stages
}

fn lowest_terms([numerator, denominator]: [u64; 2]) -> [u64; 2] {
    let (mut common, mut rest) = (denominator, numerator);
    while rest > 0 {
        (common, rest) = (rest, common % rest);
    }
    [numerator / common, denominator / common]
}

#[cfg(test)]
mod tests;
