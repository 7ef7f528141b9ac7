//! A linear program over the parts of a message that the terminals hold.

mod inequalities;
mod node_region;
mod step_flow;
#[cfg(test)]
mod tests;

use fixedbitset::FixedBitSet;
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;

use self::inequalities::{Inequality, InequalityKind, InequalitySystem};
use self::node_region::{BroadcastNetwork, NodeRegion};
use self::step_flow::StepFlow;
use super::tree_broadcast;
use crate::demand::Demand;
use crate::dual_simplex::{DualSimplex, LpOutcome};
use crate::request::BoundRequest;

/// The largest product of terminals and steps: the number of variables of a linear program.
const MAX_CELLS: usize = 1_200;

/// The largest number of channels.
const MAX_CHANNELS: usize = 1 << 16;

/// Operations for all linear programs of a problem: half a second.
const WORK: u64 = 1 << 29;

/// An inequality that is violated by at most this number of copies counts as satisfied.
const TOLERANCE: f64 = 1e-5;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Growth, Rule::Eccentricity];

/// Computes the smallest number of steps of a broadcast in which terminals may hold parts of the message, by a linear
/// program over the step in which each terminal receives it.
///
/// The transfers of one step carry the same message, so they are one flow from the terminals that hold it to those that
/// receive it. The flow exists unless some node set receives more copies than it can (Ford and Fulkerson). For a point
/// of the linear program, one flow per step finds such sets. Each set gives two kinds of inequalities: the copies that
/// it can receive in a step, and the copies that it must hold a number of steps before the end. These cutting planes
/// are added until there is no point, or no violated inequality. A contradictory sum of inequalities with integer
/// weights is the proof.
///
/// Applies to one message that is not split into chunks, except on trees where [`tree_broadcast`] is exact. The bound
/// must exceed those of the [growth](super::growth) and the [distances](super::eccentricity). With `n` terminals and
/// `T` steps, it takes `O((nT)^3)` time, within a fixed amount of work, and 8 bytes of memory per pair of variables.
///
/// # Source
///
/// Lockstep. The cuts: Ford and Fulkerson, *Flows in Networks* (1962), §I.5. The method: Kelley, "The cutting-plane
/// method for solving convex programs", *J. SIAM* 8 (1960).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.messages().len() != 1 {
        return None;
    }
    let fewest = request.proved.by(Rule::Growth)?.max(request.proved_by(BUILDS_ON));
    let demand = Demand::new(problem);
    let broadcast = demand.sources().first().and_then(|&source| demand.from(source).next())?;
    if fewest >= request.enough || tree_broadcast::is_exact(problem, broadcast) {
        return None;
    }
    let network = BroadcastNetwork::new(problem, broadcast);
    // One more terminal per step can always receive the message.
    let enough = request.enough.min(network.others.len() as u32);
    if !is_small(&network, fewest) {
        return None;
    }
    let mut search = InequalitySearch::new(&network);
    let proofs = std::iter::successors(Some((fewest, None)), |&(steps, _)| {
        let (steps, certificate) = search.raise(steps, if request.is_over() { 0 } else { enough })?;
        Some((steps, Some(certificate)))
    });
    let (steps, certificate) = proofs.last()?;
    Some(LowerBound { steps, rule: Rule::BroadcastLp, certificate: certificate? })
}

/// Returns true if the linear program for a number of steps is small enough.
fn is_small(broadcast: &BroadcastNetwork<'_>, steps: u32) -> bool {
    let cells = broadcast.others.len().saturating_mul(steps as usize);
    cells <= MAX_CELLS && broadcast.topology.channel_count() <= MAX_CHANNELS
}

/// A search for node sets whose inequalities contradict each other.
struct InequalitySearch<'a> {
    broadcast: &'a BroadcastNetwork<'a>,
    flow: StepFlow,
    /// The sets found so far, each once.
    regions: Vec<NodeRegion>,
    /// The region whose variants were tried last.
    last_varied: usize,
    work_left: u64,
}

impl<'a> InequalitySearch<'a> {
    fn new(broadcast: &'a BroadcastNetwork<'a>) -> Self {
        Self { broadcast, flow: StepFlow::new(broadcast), regions: Vec::new(), last_varied: 0, work_left: WORK }
    }

    /// Returns a larger number of steps that the broadcast takes, at most `enough`, with its certificate; `None` if
    /// none is found.
    fn raise(&mut self, steps: u32, enough: u32) -> Option<(u32, Certificate)> {
        if steps >= enough {
            return None;
        }
        // A set can need many more steps than the linear program that found it.
        let needed = self.regions.iter().map(|region| region.steps().min(enough)).enumerate();
        if let Some((region, needed)) = needed.rev().max_by_key(|&(_, needed)| needed).filter(|&(_, most)| most > steps)
        {
            let system =
                InequalitySystem { broadcast: self.broadcast, regions: &self.regions, steps: needed as usize - 1 };
            let need = Inequality { kind: InequalityKind::Need, step: 0, region };
            return Some((needed, system.certificate(&[(need, 1.0)])?));
        }
        Some((steps + 1, self.contradiction(steps)?))
    }

    /// Returns the certificate that the broadcast takes more than `steps` steps; `None` if the linear program is
    /// feasible, or the work is used up.
    fn contradiction(&mut self, steps: u32) -> Option<Certificate> {
        if !is_small(self.broadcast, steps) {
            return None;
        }
        let (others, steps) = (self.broadcast.others.len(), steps as usize);
        let variables = others * (steps - 1);
        let mut program = DualSimplex::new(variables);
        for own in 0..others {
            // Each terminal receives the message once.
            let is_own = |variable: usize| f64::from(u8::from(variable / (steps - 1) == own));
            program.add(&(0..variables).map(is_own).collect::<Vec<f64>>(), 1.0);
        }
        let mut point = vec![0.0; variables];
        let mut added: Vec<Inequality> = Vec::new();
        loop {
            let held = self.held(&point, steps);
            self.spend(steps * (16 + self.regions.len()))?;
            self.find_regions(&held);
            let system = InequalitySystem { broadcast: self.broadcast, regions: &self.regions, steps };
            let is_violated = |&inequality: &Inequality| system.violation(inequality, &held) > TOLERANCE;
            let violated: Vec<Inequality> = system.all().filter(is_violated).collect();
            if violated.is_empty() {
                self.find_variant(&held)?;
                continue;
            }
            program.remove_loose();
            for &inequality in &violated {
                let (coefficients, bound) = coefficients(system, inequality);
                program.add(&coefficients, bound);
            }
            added.extend(violated);
            match program.solve(&mut self.work_left)? {
                LpOutcome::Point(next) => point = next,
                LpOutcome::Contradiction(multiples) => {
                    let factors = multiples
                        .into_iter()
                        .filter_map(|(number, factor)| Some((added[(number as usize).checked_sub(others)?], factor)));
                    return system.certificate(&factors.collect::<Vec<_>>());
                }
            }
        }
    }

    /// Returns the part of the message that each of the other terminals holds after steps 0, 1, 2, … and the last one.
    fn held(&self, point: &[f64], steps: usize) -> Vec<Vec<f64>> {
        let others = 0..self.broadcast.others.len();
        let mut held = vec![vec![0.0; others.len()]];
        for step in 1..=steps {
            let before = &held[step - 1];
            let after = |place: usize| match point.get(place * (steps - 1) + step - 1).filter(|_| step < steps) {
                Some(new) => before[place] + new,
                None if self.broadcast.is_receiver[place] => 1.0,
                None => before[place],
            };
            let after = others.clone().map(after).collect();
            held.push(after);
        }
        held
    }

    /// Adds the sets that receive too many copies in some step, and their connected components.
    fn find_regions(&mut self, held: &[Vec<f64>]) {
        for step in held.windows(2) {
            let Some(nodes) = self.flow.overfull(&step[0], &step[1]) else { continue };
            let mut sets = self.broadcast.components(&nodes);
            if sets.len() > 1 {
                sets.push(nodes);
            }
            sets.retain(|set| !self.is_known(set));
            self.regions.extend(sets.into_iter().map(|set| self.broadcast.region(set)));
        }
    }

    /// Adds sets with a violated inequality that differ by one node from a known set. Flows do not find sets that are
    /// violated by their needs only. Returns `None` if there are none, or the work is used up.
    fn find_variant(&mut self, held: &[Vec<f64>]) -> Option<()> {
        for _ in 0..self.regions.len() {
            self.last_varied = (self.last_varied + 1) % self.regions.len();
            let known = self.regions.len();
            for node in self.broadcast.topology.nodes() {
                let nodes = &self.regions[self.last_varied].nodes;
                let is_near = nodes.contains(node.index())
                    || self.broadcast.neighbours(node).any(|neighbour| nodes.contains(neighbour.index()));
                let mut variant = nodes.clone();
                variant.toggle(node.index());
                if !is_near || self.is_known(&variant) {
                    continue;
                }
                self.spend(16)?;
                let regions = [self.broadcast.region(variant)];
                let system = InequalitySystem { broadcast: self.broadcast, regions: &regions, steps: held.len() - 1 };
                if system.all().any(|inequality| system.violation(inequality, held) > TOLERANCE) {
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

    /// Accounts for a number of visits of all nodes and channels. Returns `None` if the work is used up.
    fn spend(&mut self, visits: usize) -> Option<()> {
        let topology = self.broadcast.topology;
        let work = visits * (topology.node_count() + topology.channel_count());
        self.work_left = self.work_left.checked_sub(work as u64)?;
        Some(())
    }
}

/// Returns the coefficients and the bound of an inequality in the linear program. Its variables are the parts of the
/// message that each terminal receives in each step except the last.
fn coefficients(system: InequalitySystem<'_>, inequality: Inequality) -> (Vec<f64>, f64) {
    let earlier = system.steps - 1;
    let mut coefficients = vec![0.0; system.broadcast.others.len() * earlier];
    let mut bound = system.bound(inequality);
    for &term in &system.regions[inequality.region].terms {
        let last = system.effect(inequality, term, system.steps);
        bound -= last;
        let own = coefficients[term.place * earlier..][..earlier].iter_mut().zip(1..);
        own.for_each(|(coefficient, when)| *coefficient = (system.effect(inequality, term, when) - last) as f64);
    }
    (coefficients, bound as f64)
}
