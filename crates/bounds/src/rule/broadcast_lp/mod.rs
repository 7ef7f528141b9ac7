//! How fast a message can spread through all parts of the network at once.

mod flow;
mod proof;
mod region;
#[cfg(test)]
mod tests;

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;

use self::flow::StepFlow;
use self::proof::{Fact, Facts, Kind};
use self::region::{Region, Spread};
use super::{BoundRequest, eccentricity, growth, tree_broadcast};
use crate::demand::Demand;
use crate::simplex::{Simplex, Verdict};
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// Terminals times steps of a linear programme, which has a variable for each pair.
const MAX_CELLS: usize = 1_200;

/// Channels of a network with a linear programme.
const MAX_CHANNELS: usize = 1 << 16;

/// Operations for all linear programmes of a problem: half a second.
const WORK: u64 = 1 << 29;

/// Facts missed by no more copies than this hold.
const TOLERANCE: f64 = 1e-5;

/// The least number of steps in which a message spreads if terminals may hold parts of it, if that is more than
/// [growth] and [`eccentricity`] say: a linear programme over when each terminal gets it.
///
/// The transfers of one step carry the same message and so are one flow, from the terminals that hold it to those that
/// get it. It exists unless some set of nodes takes in more than it can (Ford and Fulkerson); flows, one a step, find such
/// sets for a point of the programme. What these sets, and some like them, can take in, and what they must hold for this
/// reason so many steps before the end, become its inequalities, until there is no point or nothing is wrong with it. Multiples of inequalities that
/// contradict each other, rounded to whole numbers, are the proof: whenever each terminal gets the message, their sum is
/// missed.
///
/// Takes time that grows with the cube of terminals times steps, and gives up beyond a fixed amount of work. Memory: 8
/// bytes for the square of that number. Applies to one message that is not cut into chunks, under either
/// switching, but for trees where [`tree_broadcast`] is exact.
///
/// Source: ours; the cuts by Ford and Fulkerson, *Flows in Networks* (1962), §I.5, the method by Kelley, "The
/// cutting-plane method for solving convex programs", *J. SIAM* 8 (1960).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.messages().len() != 1 {
        return None;
    }
    let fewest = growth::bound(problem, request)?.steps;
    let fewest = fewest.max(eccentricity::bound(problem, request).map_or(0, |bound| bound.steps));
    let demand = Demand::new(problem);
    let broadcast = demand.sources().first().and_then(|&source| demand.from(source).next())?;
    if fewest >= request.enough || tree_broadcast::is_exact(problem, broadcast) {
        return None;
    }
    let spread = Spread::new(problem, broadcast);
    // One terminal more a step is always possible.
    let enough = request.enough.min(spread.others.len() as u32);
    if !is_small(&spread, fewest) {
        return None;
    }
    let mut search = Search::new(&spread);
    let proofs = std::iter::successors(Some((fewest, None)), |&(steps, _)| {
        let (steps, certificate) = search.further(steps, if request.is_over() { 0 } else { enough })?;
        Some((steps, Some(certificate)))
    });
    let (steps, certificate) = proofs.last()?;
    Some(LowerBound { steps, rule: Rule::BroadcastLp, certificate: certificate? })
}

/// Whether a programme for so many steps is worth a try.
fn is_small(spread: &Spread<'_>, steps: u32) -> bool {
    let cells = spread.others.len().saturating_mul(steps as usize);
    cells <= MAX_CELLS && spread.topology.channel_count() <= MAX_CHANNELS
}

/// A search for sets that cannot all take in what they need.
struct Search<'a> {
    spread: &'a Spread<'a>,
    flow: StepFlow,
    /// The sets found so far, each once.
    regions: Vec<Region>,
    /// The region whose variants were looked at last.
    turn: usize,
    work_left: u64,
}

impl<'a> Search<'a> {
    fn new(spread: &'a Spread<'a>) -> Self {
        Self { spread, flow: StepFlow::new(spread), regions: Vec::new(), turn: 0, work_left: WORK }
    }

    /// More than so many steps that the message takes, but no more than are enough, and why; `None` if none are found.
    fn further(&mut self, steps: u32, enough: u32) -> Option<(u32, Certificate)> {
        if steps >= enough {
            return None;
        }
        // A set may need much more steps than those of the programme that found it.
        let needed = self.regions.iter().map(|region| region.steps().min(enough)).enumerate();
        if let Some((region, needed)) = needed.rev().max_by_key(|&(_, needed)| needed).filter(|&(_, most)| most > steps)
        {
            let facts = Facts { spread: self.spread, regions: &self.regions, steps: needed as usize - 1 };
            return Some((needed, facts.certificate(&[(Fact { kind: Kind::Need, step: 0, region }, 1.0)])?));
        }
        Some((steps + 1, self.contradiction(steps)?))
    }

    /// Why the message cannot spread in so many steps; `None` if in parts it can, or the work is used up.
    fn contradiction(&mut self, steps: u32) -> Option<Certificate> {
        if !is_small(self.spread, steps) {
            return None;
        }
        let (others, steps) = (self.spread.others.len(), steps as usize);
        let variables = others * (steps - 1);
        let mut programme = Simplex::new(variables);
        for own in 0..others {
            // Each terminal gets the message once.
            let is_own = |variable: usize| f64::from(u8::from(variable / (steps - 1) == own));
            programme.add(&(0..variables).map(is_own).collect::<Vec<f64>>(), 1.0);
        }
        let mut point = vec![0.0; variables];
        let mut added: Vec<Fact> = Vec::new();
        loop {
            let held = self.held(&point, steps);
            self.spend(steps * (16 + self.regions.len()))?;
            self.find_regions(&held);
            let facts = Facts { spread: self.spread, regions: &self.regions, steps };
            let missed: Vec<Fact> = facts.all().filter(|&fact| facts.missed(fact, &held) > TOLERANCE).collect();
            if missed.is_empty() {
                self.find_variant(&held)?;
                continue;
            }
            programme.forget_loose();
            for &fact in &missed {
                let (coefficients, bound) = inequality(facts, fact);
                programme.add(&coefficients, bound);
            }
            added.extend(missed);
            match programme.solve(&mut self.work_left)? {
                Verdict::Point(next) => point = next,
                Verdict::Contradiction(multiples) => {
                    let of_facts = multiples.into_iter().filter_map(|(inequality, times)| {
                        Some((added[(inequality as usize).checked_sub(others)?], times))
                    });
                    return facts.certificate(&of_facts.collect::<Vec<_>>());
                }
            }
        }
    }

    /// How far each of the other terminals holds the message, after steps 0, 1, 2, … and the last one.
    fn held(&self, point: &[f64], steps: usize) -> Vec<Vec<f64>> {
        let others = 0..self.spread.others.len();
        let mut held = vec![vec![0.0; others.len()]];
        for step in 1..=steps {
            let before = &held[step - 1];
            let after = |place: usize| match point.get(place * (steps - 1) + step - 1).filter(|_| step < steps) {
                Some(new) => before[place] + new,
                None if self.spread.is_receiver[place] => 1.0,
                None => before[place],
            };
            let after = others.clone().map(after).collect();
            held.push(after);
        }
        held
    }

    /// Learns the sets that take in too much in some step, part by part.
    fn find_regions(&mut self, held: &[Vec<f64>]) {
        for step in held.windows(2) {
            let Some(nodes) = self.flow.overfull(&step[0], &step[1]) else { continue };
            let mut sets = self.spread.parts(&nodes);
            if sets.len() > 1 {
                sets.push(nodes);
            }
            sets.retain(|set| !self.is_known(set));
            self.regions.extend(sets.into_iter().map(|set| self.spread.region(set)));
        }
    }

    /// Learns sets about which a fact is missed, with a node more or less than one of those known; `None` if there are
    /// none, or the work is used up. Flows know nothing of needs.
    fn find_variant(&mut self, held: &[Vec<f64>]) -> Option<()> {
        for _ in 0..self.regions.len() {
            self.turn = (self.turn + 1) % self.regions.len();
            let known = self.regions.len();
            for node in self.spread.topology.nodes() {
                let nodes = &self.regions[self.turn].nodes;
                let is_near = nodes.contains(node.index())
                    || self.spread.neighbours(node).any(|neighbour| nodes.contains(neighbour.index()));
                let mut variant = nodes.clone();
                variant.toggle(node.index());
                if !is_near || self.is_known(&variant) {
                    continue;
                }
                self.spend(16)?;
                let regions = [self.spread.region(variant)];
                let facts = Facts { spread: self.spread, regions: &regions, steps: held.len() - 1 };
                if facts.all().any(|fact| facts.missed(fact, held) > TOLERANCE) {
                    self.regions.extend(regions);
                }
            }
            if self.regions.len() > known {
                return Some(());
            }
        }
        None
    }

    fn is_known(&self, nodes: &FixedBitSet) -> bool {
        self.regions.iter().any(|region| region.nodes == *nodes)
    }

    /// Accounts for so many visits of all nodes and channels; `None` if they are too many.
    fn spend(&mut self, visits: usize) -> Option<()> {
        let topology = self.spread.topology;
        let work = visits * (topology.node_count() + topology.channel_count());
        self.work_left = self.work_left.checked_sub(work as u64)?;
        Some(())
    }
}

/// A fact in the variables of the programme, which say how far each terminal gets the message in each step but the last.
fn inequality(facts: Facts<'_>, fact: Fact) -> (Vec<f64>, f64) {
    let earlier = facts.steps - 1;
    let mut coefficients = vec![0.0; facts.spread.others.len() * earlier];
    let mut bound = facts.bound(fact);
    for &term in &facts.regions[fact.region].terms {
        let last = facts.effect(fact, term, facts.steps);
        bound -= last;
        let own = coefficients[term.place * earlier..][..earlier].iter_mut().zip(1..);
        own.for_each(|(coefficient, when)| *coefficient = (facts.effect(fact, term, when) - last) as f64);
    }
    (coefficients, bound as f64)
}
